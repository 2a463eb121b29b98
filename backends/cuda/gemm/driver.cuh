// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Driver of gemm on a CUDA device: orients the product, selects a config, copies operands that its
// kernel cannot read, picks the kernel's instance by the config's kind and the operands' layouts,
// launches it for as many matrices of the batch as fit the split-K workspace, waits if asked.
// Assumes a checked problem. The library instantiates it for the compiled types (gemm/instances), a
// user's .cu for its own.
#pragma once

#include <xpose/backends/core/message.hpp>
#include <xpose/backends/cuda/gemm/block/stream_k_kernel.cuh>
#include <xpose/backends/cuda/gemm/select.cuh>
#include <xpose/backends/cuda/gemm/split_k.cuh>
#include <xpose/backends/cuda/runtime/workspace.hpp>

#include <optional>

namespace xpose {
inline namespace v0 {
namespace detail {

/// launch(blocks, grid), as often as the workspace of partials or the grid is too small for all
/// matrices of the batch. The split-K reduction follows each, also where it applies a layer that
/// the kernel does not.
template <class Tile, class Accumulators, class Problem, class Launch>
static void launch_gemm_grid(execution const& where, Problem const& problem,
                             gemm_choice const& choice, gemm_condition const& condition,
                             Launch const& launch) {
  using K = typename Problem::accumulate_type;
  bool const has_partials =
      (choice.split_k > 1 && !choice.in_cluster) ||
      (Tile::config.kind < gemm_kernel_kind::wgmma && !choice.in_cluster && has_layer(problem));
  gemm_grid grid{0,
                 static_cast<unsigned>(row_tiles_of(Tile::config, problem.rows, choice.cluster)),
                 static_cast<unsigned>(col_tiles_of(Tile::cols, problem.cols, choice.cluster)),
                 static_cast<unsigned>(choice.split_k),
                 choice.in_cluster,
                 static_cast<unsigned>(binary_logarithm(choice.cluster.rows)),
                 static_cast<unsigned>(binary_logarithm(choice.cluster.cols)),
                 choice.k_per_split,
                 access_of(operand_a(problem)),
                 access_of(operand_b(problem)),
                 c_access_of(problem, Accumulators::vector_rows,
                             choice.in_cluster ? elements_of_vec16<K> : Accumulators::vector_cols),
                 false,
                 false,
                 nullptr,
                 condition};
  // Vectors of operands, and those of partials, stay aligned in a shifted tile.
  auto const is_multiple = [](index extent, int width) { return extent % width == 0; };
  grid.shifts_rows = grid.a != operand_access::mn_major_vec16 ||
                     is_multiple(problem.rows, elements_of_vec16<typename Problem::a_type>);
  grid.shifts_cols =
      (grid.b != operand_access::mn_major_vec16 ||
       is_multiple(problem.cols, elements_of_vec16<typename Problem::b_type>)) &&
      ((choice.split_k == 1 && !has_partials) || is_multiple(problem.cols, elements_of_vec16<K>));
  index const blocks = index{grid.row_tiles} * grid.col_tiles * choice.split_k;
  index const bytes_of_split = problem.rows * partials_pitch(problem.cols) * index{sizeof(K)};
  index const bytes = has_partials ? choice.split_k * bytes_of_split : 0;  // of one C
  index batches = std::max<index>(1, most_blocks / blocks);
  if (bytes > 0) batches = std::min(batches, std::max<index>(1, max_split_k_workspace / bytes));
  batches = std::min(batches, problem.batch);
  auto const run = [&] {
    for (; grid.first_batch < problem.batch; grid.first_batch += batches) {
      index const now = std::min(batches, problem.batch - grid.first_batch);
      launch(now * blocks, grid);
      if (has_partials) launch_split_k_reduce(where, problem, grid, now);
    }
  };
  if (!has_partials) return run();
  stream_workspace const workspace(where, batches * bytes);
  grid.partials = workspace.data();
  run();
}

/// The workspace of a launch whose blocks share tiles, `resident` at most.
template <class PartialTile>
class stream_k_workspace {
 public:
  stream_k_workspace(execution const& where, index resident)
      : resident_(resident),
        workspace_(where, resident * (PartialTile::bytes +
                                      PartialTile::teams * index{sizeof(std::uint64_t)})) {}

  /// Of `tiles` tiles, by clusters of `cluster` blocks; sets how many blocks there are.
  stream_k_share share(index tiles, index k_tiles, index cluster, index& blocks) const {
    blocks = std::min(tiles * std::max<index>(1, k_tiles), resident_);
    stream_k_share share = stream_k_share_of(tiles / cluster, k_tiles, blocks / cluster);
    if (share.tiles == 0) blocks = std::min(tiles, resident_);
    share.partials = workspace_.data();
    share.tickets = reinterpret_cast<std::uint64_t*>(
        static_cast<unsigned char*>(workspace_.data()) + resident_ * PartialTile::bytes);
    share.ticket = stream_k_ticket();
    return share;
  }

 private:
  index resident_;
  stream_workspace workspace_;
};

template <class Tile, class Accumulators, class Problem>
static void launch_stream_k_kernel(execution const& where, Problem const& problem,
                                   gemm_choice const& choice, gemm_condition const& condition) {
  using K = typename Problem::accumulate_type;
  using partial = partial_tile<Tile, Accumulators, K>;
  stream_k_workspace<partial> const workspace(
      where, index{Tile::config.resident_blocks} * properties_of_device().multiprocessors);
  launch_gemm_grid<Tile, Accumulators>(
      where, problem, choice, condition, [&](index tiles, gemm_grid const& grid) {
        index blocks = 0;
        stream_k_share const share =
            workspace.share(tiles, ceil_div(problem.k_extent, Tile::k_extent), 1, blocks);
        launch_blocks(where, blocks, Tile::threads, Tile::template shared_bytes<K>,
                      Tile::config.name, gemm_stream_k_kernel<Tile, Accumulators, Problem>, problem,
                      grid, static_cast<unsigned>(tiles), share);
      });
}

template <class Tile, class Accumulators, class Problem>
static void launch_tile_kernel(
    execution const& where, Problem const& problem, gemm_choice const& choice,
    gemm_condition const& condition = {},
    void (*kernel)(Problem, gemm_grid) = gemm_tile_kernel<Tile, Accumulators, Problem>) {
  using K = typename Problem::accumulate_type;
  if constexpr (has_stream_k<Tile>)
    if (choice.stream_k)
      return launch_stream_k_kernel<Tile, Accumulators>(where, problem, choice, condition);
  launch_gemm_grid<Tile, Accumulators>(
      where, problem, choice, condition, [&](index blocks, gemm_grid const& grid) {
        // With PDL, blocks start on the multiprocessors that are done first, and many of them share
        // few: 1024x1024x1024 of double takes 48 us with it, 42 without, but 64x64x64 of float 2.6
        // with it, 3.6 without (H100, 2026-11-22).
        bool const is_even = Tile::config.kind == gemm_kernel_kind::gemv ||
                             2 * blocks <= properties_of_device().multiprocessors;
        if (choice.in_cluster)
          launch_pdl(where, static_cast<int>(choice.split_k), blocks, Tile::threads,
                     std::max(Tile::template shared_bytes<K>,
                              accumulator_rows<K, Tile::rows, Tile::cols>::bytes),
                     Tile::config.name, kernel, problem, grid);
        else if (is_even)
          launch_pdl(where, 1, blocks, Tile::threads, Tile::template shared_bytes<K>,
                     Tile::config.name, kernel, problem, grid);
        else
          launch_blocks(where, blocks, Tile::threads, Tile::template shared_bytes<K>,
                        Tile::config.name, kernel, problem, grid);
      });
}

/// As explain_only(where, name); has_any_cols() of 64 rows as "wgmma_64x128", with stream-K as
/// "fast_f32_128x128_stream_k".
inline bool explain_only(execution const& where, gemm_config const& config,
                         gemm_choice const& choice) {
  if (where.report == nullptr) return false;
  if (has_any_cols(config))
    return explain_only(where, message(config.name, 'x', block_cols_of(config, choice)).c_str());
  return explain_only(where, message(config.name, choice.stream_k ? "_stream_k" : "").c_str());
}

/// An operand of a kernel of TMA: its tensor, and whether it is K-major.
struct operand_layout {
  pitched_tensor tensor;
  bool is_k_major;
};

/// launch(problem, A, B) with operands that the kernels can read; copies others to a workspace.
template <class Problem, class Launch>
void with_aligned_operands(execution const& where, Problem const& problem, bool for_tma,
                           Launch const& launch) {
  auto const a = aligned_a(problem, for_tma);
  auto const b = aligned_b(problem, for_tma);
  auto const launch_at = [&](unsigned char* workspace) {
    unsigned char* const b_workspace = workspace + a.bytes();
    padded_copy copies[2];
    padded_copy* end = copies;
    a.copy_transposed(where, workspace, end);
    b.copy_transposed(where, b_workspace, end);
    if (end != copies) cuda_pad_rows(where, copies, static_cast<int>(end - copies));
    operand_layout const a_layout{a.tensor_at(workspace), a.is_k_major()};
    operand_layout const b_layout{b.tensor_at(b_workspace), b.is_k_major()};
    Problem aligned = problem;
    aligned.a = a.operand_of(a_layout.tensor, true);
    aligned.b = b.operand_of(b_layout.tensor, false);
    launch(aligned, a_layout, b_layout);
  };
  if (a.bytes() + b.bytes() == 0) return launch_at(nullptr);
  stream_workspace const workspace(where, a.bytes() + b.bytes());
  launch_at(static_cast<unsigned char*>(workspace.data()));
}

/// launch(a_is_k_major, b_is_k_major), both as std::bool_constant.
template <class Launch>
void with_layouts(bool a_is_k_major, bool b_is_k_major, Launch const& launch) {
  std::true_type const k_major{};
  std::false_type const mn_major{};
  if (a_is_k_major) b_is_k_major ? launch(k_major, k_major) : launch(k_major, mn_major);
  else b_is_k_major ? launch(mn_major, k_major) : launch(mn_major, mn_major);
}

/// launch(a_is_k_major, b_is_k_major) for padded tiles: an operand that is contiguous along neither
/// k nor MN counts as MN-major.
template <class Problem, class Launch>
void with_padded_layouts(Problem const& p, Launch const& launch) {
  with_layouts(p.a.col_stride == 1 && p.a.row_stride != 1,
               p.b.row_stride == 1 && p.b.col_stride != 1, launch);
}

/// Doubles that have no aligned vectors are loaded by elements, or copied to where they have.
template <class Table, int Config, template <class, class> class Accumulators, class Problem>
static void launch_dmma(execution const& where, Problem const& problem, gemm_choice const& choice) {
  auto const launch = [&](Problem const& p, auto const&...) {
    with_padded_layouts(p, [&](auto a, auto b) {
      using tile = padded_tile<Table, Config, a.value, b.value>;
      launch_tile_kernel<tile, Accumulators<tile, Problem>>(where, p, choice);
    });
  };
  if constexpr (Table::configs[Config].kind == gemm_kernel_kind::dmma)
    if (pays_to_align(copies_to_align(problem, false), choice))
      return with_aligned_operands(where, problem, false, launch);
  launch(problem);
}

template <class Table, int Config, class Problem>
static void launch_simt(execution const& where, Problem const& problem, gemm_choice const& choice) {
  auto const launch_as = [&](auto a, auto b) {
    using tile = padded_tile<Table, Config, a.value, b.value>;
    launch_tile_kernel<tile, simt_accumulators<tile, Problem>>(where, problem, choice);
  };
  if constexpr (knows_layouts_of_simt<Problem>(Table::configs[Config]))
    with_padded_layouts(problem, launch_as);
  else launch_as(std::false_type{}, std::false_type{});
}

template <class Table, int Config, class Problem>
static void launch_mma_sync(execution const& where, Problem const& problem,
                            gemm_choice const& choice) {
  auto const launch_as = [&](Problem const& p, auto a, auto b) {
    using tile = swizzled_tile<Table, Config, typename Problem::a_type, a.value, b.value>;
    launch_tile_kernel<tile, mma_sync_accumulators<tile, Problem>>(where, p, choice);
  };
  if constexpr (!Table::configs[Config].uses_cp_async) {
    launch_as(problem, std::true_type{}, std::true_type{});
  } else if constexpr (sizeof(typename Problem::a_type) == 4) {
    auto const has_vec16s = [](auto const& o) {
      return access_of(o) == operand_access::k_major_vec16;
    };
    with_layouts(has_vec16s(operand_a(problem)), has_vec16s(operand_b(problem)),
                 [&](auto a, auto b) { launch_as(problem, a, b); });
  } else {
    with_aligned_operands(where, problem, false, [&](Problem const& p, auto const&...) {
      with_layouts(prefers_k_major(operand_a(p)), prefers_k_major(operand_b(p)),
                   [&](auto a, auto b) { launch_as(p, a, b); });
    });
  }
}

/// Operands without contiguous rows are copied, as mma.sync's are.
template <class Table, int Config, class Problem>
static void launch_unaligned(execution const& where, Problem const& problem,
                             gemm_choice const& choice) {
  auto const launch = [&](Problem const& p, auto const&...) {
    with_layouts(prefers_k_major(operand_a(p)), prefers_k_major(operand_b(p)), [&](auto a, auto b) {
      using tile =
          unaligned_swizzled_tile<Table, Config, typename Problem::a_type, a.value, b.value>;
      launch_tile_kernel<tile, mma_sync_accumulators<tile, Problem>>(where, p, choice);
    });
  };
  if (aligned_a(problem, false).needs_transpose() || aligned_b(problem, false).needs_transpose())
    with_aligned_operands(where, problem, false, launch);
  else launch(problem);
}

/// A persistent kernel: as many clusters as are resident on the GPU, each for several tiles, or for
/// its share of all (stream-K).
template <class Tile, class Problem>
static void launch_persistent(execution const& where, Problem const& problem,
                              gemm_choice const& choice, pitched_tensor const& a,
                              pitched_tensor const& b, gemm_condition const& condition = {}) {
  auto const descriptors = tma_descriptors_of<Tile>(problem, a, b, choice.cluster);
  int const cluster =
      choice.in_cluster ? static_cast<int>(choice.split_k) : choice.cluster.blocks();
  index const resident =
      index{Tile::config.resident_blocks} * clusters_of_device().blocks_in_clusters_of(cluster);
  index const k_tiles = ceil_div(problem.k_extent, Tile::k_extent);
  using accumulators = wgmma_accumulators<Tile, Problem>;
  using partial = partial_tile<Tile, accumulators, typename Problem::accumulate_type>;
  std::optional<stream_k_workspace<partial>> workspace;
  if (has_stream_k<Tile> && choice.stream_k) workspace.emplace(where, resident);
  launch_gemm_grid<Tile, accumulators>(
      where, problem, choice, condition, [&](index tiles, gemm_grid const& grid) {
        // Splits in a cluster have a block for every tile, as none may have two; with stream-K all
        // clusters have a stage.
        index blocks = choice.in_cluster ? tiles : std::min(tiles, resident);
        stream_k_share share;
        if (workspace) share = workspace->share(tiles, k_tiles, cluster, blocks);
        launch_pdl(where, cluster, blocks, Tile::threads, Tile::shared_bytes, Tile::config.name,
                   gemm_wgmma<Tile, Problem>, problem, grid, static_cast<unsigned>(tiles),
                   descriptors, share);
      });
}

/// launch(cols), as std::integral_constant, of a tile of Least to Most columns.
template <int Least, int Most, class Launch>
void with_cols(int cols, Launch const& launch) {
  if constexpr (Most > Least)
    if (cols < Most) return with_cols<Least, Most - wgmma_col_step>(cols, launch);
  launch(std::integral_constant<int, Most>{});
}

template <class Table, int Config, class Problem>
static void launch_wgmma(execution const& where, Problem const& problem,
                         gemm_choice const& choice) {
  using A = typename Problem::a_type;
  using B = typename Problem::b_type;
  with_aligned_operands(
      where, problem, true,
      [&](Problem const& aligned, operand_layout const& a, operand_layout const& b) {
        auto const launch_as = [&](auto a_k_major, auto b_k_major) {
          constexpr gemm_config config = Table::configs[Config];
          with_cols<config.least_cols, config.block_cols>(
              block_cols_of(config, choice), [&](auto cols) {
                using tile =
                    wgmma_tile<Table, Config, cols.value, A, B, a_k_major.value, b_k_major.value>;
                launch_persistent<tile>(where, aligned, choice, a.tensor, b.tensor);
              });
        };
        std::true_type const k_major{};
        if constexpr (!a_can_be_mn_major<A>) launch_as(k_major, k_major);
        else if constexpr (!can_be_mn_major<A>)
          a.is_k_major ? launch_as(k_major, k_major) : launch_as(std::false_type{}, k_major);
        else with_layouts(a.is_k_major, b.is_k_major, launch_as);
      });
}

template <class Table, int Config, class Problem>
static void launch_config(execution const& where, Problem const& problem,
                          gemm_choice const& choice) {
  using kind = gemm_kernel_kind;
  constexpr kind of_config = Table::configs[Config].kind;
  if constexpr (of_config == kind::dmma) {
    launch_dmma<Table, Config, dmma_accumulators>(where, problem, choice);
  } else if constexpr (of_config == kind::complex_dmma) {
    launch_dmma<Table, Config, complex_dmma_accumulators>(where, problem, choice);
  } else if constexpr (of_config == kind::mma_sync) {
    launch_mma_sync<Table, Config>(where, problem, choice);
  } else if constexpr (of_config == kind::mma_sync_unaligned) {
    launch_unaligned<Table, Config>(where, problem, choice);
  } else if constexpr (of_config == kind::wgmma) {
    launch_wgmma<Table, Config>(where, problem, choice);
  } else if constexpr (of_config == kind::gemv) {
    using tile = block_tile<Table, Config>;
    using accumulators = gemv_accumulators<tile, Problem>;
    launch_tile_kernel<tile, accumulators>(where, problem, choice, {},
                                           gemv_kernel<tile, accumulators, Problem>);
  } else {
    launch_simt<Table, Config>(where, problem, choice);
  }
}

template <class Problem, int Config = 0>
static void launch_choice(execution const& where, Problem const& problem,
                          gemm_choice const& choice) {
  using table = gemm_configs_of<Problem>;
  if constexpr (Config == table::count) refuse_gemm(problem.rows, problem.cols);
  else if (choice.config == Config)
    launch_config<typename table::type, Config>(where, problem, choice);
  else launch_choice<Problem, Config + 1>(where, problem, choice);
}

template <class Problem>
static void cuda_gemm(execution const& where, Problem const& given) {
  Problem const problem = oriented_for_tiles(given);
  gemm_choice const choice = choose_config(problem);
  if (choice.config < 0) refuse_gemm(problem.rows, problem.cols);
  if (explain_only(where, gemm_configs_of<Problem>::type::configs[choice.config], choice)) return;
  launch_choice(where, problem, choice);
  finish(where);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
