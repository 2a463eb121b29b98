// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Launches a chosen config: copies operands that its kernel cannot read, and picks the kernel's
// instance by the config's kind and the operands' layouts.
#pragma once

#include <xpose/backends/cuda/gemm/select.cuh>

namespace xpose::detail {

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

/// An operand that is contiguous along neither k nor MN is copied to MN-major tiles.
template <class Table, int Config, template <class, class> class Accumulators, class Problem>
static void launch_dmma(execution const& where, Problem const& problem, gemm_choice const& choice) {
  with_layouts(problem.a.col_stride == 1 && problem.a.row_stride != 1,
               problem.b.row_stride == 1 && problem.b.col_stride != 1, [&](auto a, auto b) {
                 using tile = padded_tile<Table, Config, a.value, b.value>;
                 launch_tile_kernel<tile, Accumulators<tile, Problem>>(where, problem, choice);
               });
}

/// Doubles that have no aligned vectors are loaded by elements, or copied to where they have.
template <class Table, int Config, class Problem>
static void launch_f64_dmma(execution const& where, Problem const& problem,
                            gemm_choice const& choice) {
  auto const launch = [&](Problem const& p, auto const&...) {
    launch_dmma<Table, Config, dmma_accumulators>(where, p, choice);
  };
  if (!pays_to_align(copies_to_align(problem, false), choice)) return launch(problem);
  with_aligned_operands(where, problem, false, launch);
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
  } else {
    with_aligned_operands(where, problem, false, [&](Problem const& p, auto const&...) {
      with_layouts(prefers_k_major(p.a, p.batch, p.a.row_stride, p.a.col_stride),
                   prefers_k_major(p.b, p.batch, p.b.col_stride, p.b.row_stride),
                   [&](auto a, auto b) { launch_as(p, a, b); });
    });
  }
}

/// A persistent kernel: as many blocks as are resident on the GPU, each for several tiles.
template <class Tile, class Problem>
static void launch_persistent(execution const& where, index tiles, Problem const& problem,
                              gemm_grid const& grid, gemm_tma_descriptors const& descriptors) {
  index const resident =
      index{properties_of_device().multiprocessors} * Tile::config.resident_blocks;
  index const full_clusters = std::max<index>(1, resident / Tile::cluster) * Tile::cluster;
  launch_pdl(where, Tile::cluster, std::min(tiles, full_clusters), Tile::threads,
             Tile::shared_bytes, Tile::config.name, gemm_wgmma<Tile, Problem>, problem, grid, tiles,
             descriptors);
}

template <class Problem>
static void launch_choice(execution const& where, Problem const& problem,
                          gemm_choice const& choice);

template <class Problem>
Problem last_cols(Problem problem, index count) {
  problem.b.data += (problem.cols - count) * problem.b.col_stride;
  problem.c.data += (problem.cols - count) * problem.c.col_stride;
  problem.cols = count;
  return problem;
}
template <class Problem>
Problem last_rows(Problem problem, index count) {
  problem.a.data += (problem.rows - count) * problem.a.row_stride;
  problem.c.data += (problem.rows - count) * problem.c.row_stride;
  problem.rows = count;
  return problem;
}

/// Slivers are the few columns or rows beyond full tiles. Launches them by themselves, where the
/// cost model expects that to take less than another wave of tiles, and returns the rest of the
/// product: 4095x4097x4093 of float16 has 544 tiles of 128x256, five waves of 132 multiprocessors,
/// and 512 of them four.
template <class Table, int Config, class Problem>
static Problem without_slivers(execution const& where, Problem const& full) {
  constexpr gemm_config config = Table::configs[Config];
  constexpr double cycles_of_launch = 3000;
  auto const sliver_of = [](index extent, index tile) {
    constexpr index most = 32;
    return extent > tile && extent % tile <= most ? extent % tile : 0;
  };
  auto const without = [&](index cols, index rows, auto const& visit_rest) {
    Problem kept = full;
    if (cols > 0) visit_rest(oriented_for_tiles(last_cols(kept, cols)));
    kept.cols -= cols;
    if (rows > 0) visit_rest(oriented_for_tiles(last_rows(kept, rows)));
    kept.rows -= rows;
    return kept;
  };
  auto const cycles_of = [](Problem const& p) {
    return choose_gemm_config(Table::configs + Config, 1, extents_of(p), gpu_for<Problem>()).cycles;
  };

  index const cols = sliver_of(full.cols, config.block_cols);
  index const rows = sliver_of(full.rows, index{config.block_rows} * config.cluster);
  if (cols + rows == 0) return full;
  double least = cycles_of(full);
  if (cycles_of(without(cols, rows, [](Problem const&) {})) + cycles_of_launch >= least)
    return full;
  index best_cols = 0;
  index best_rows = 0;
  auto const consider = [&](index c, index r) {
    double cycles = 0;
    bool has_rows = true;
    Problem const kept = without(c, r, [&](Problem const& rest) {
      double const of_rest = choose_config(rest).cycles;
      has_rows = has_rows && of_rest >= 0;
      cycles += of_rest + cycles_of_launch;
    });
    cycles += cycles_of(kept);
    if (!has_rows || cycles >= least) return;
    least = cycles;
    best_cols = c;
    best_rows = r;
  };
  if (rows > 0) consider(0, rows);
  if (cols > 0) consider(cols, 0);
  if (rows > 0 && cols > 0) consider(cols, rows);
  return without(best_cols, best_rows,
                 [&](Problem const& rest) { launch_choice(where, rest, choose_config(rest)); });
}

template <class Table, int Config, class Problem>
static void launch_wgmma(execution const& where, Problem const& problem,
                         gemm_choice const& choice) {
  using A = typename Problem::a_type;
  using B = typename Problem::b_type;
  with_aligned_operands(
      where, problem, true,
      [&](Problem const& aligned, operand_layout const& a, operand_layout const& b) {
        Problem kept = aligned;
        // An epilogue may ask where in C it is.
        if constexpr (std::is_same_v<typename Problem::epilogue_type, no_epilogue>)
          if (choice.split_k == 1) kept = without_slivers<Table, Config>(where, aligned);
        auto const launch_as = [&](auto a_k_major, auto b_k_major) {
          using tile = wgmma_tile<Table, Config, A, B, a_k_major.value, b_k_major.value>;
          auto const descriptors = tma_descriptors_of<tile>(kept, a.tensor, b.tensor);
          launch_gemm_grid<tile, wgmma_accumulators<tile, Problem>>(
              where, kept, choice, {}, [&](index tiles, gemm_grid const& grid) {
                launch_persistent<tile>(where, tiles, kept, grid, descriptors);
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
    launch_f64_dmma<Table, Config>(where, problem, choice);
  } else if constexpr (of_config == kind::complex_dmma) {
    launch_dmma<Table, Config, complex_dmma_accumulators>(where, problem, choice);
  } else if constexpr (of_config == kind::mma_sync) {
    launch_mma_sync<Table, Config>(where, problem, choice);
  } else if constexpr (of_config == kind::wgmma) {
    launch_wgmma<Table, Config>(where, problem, choice);
  } else if constexpr (of_config == kind::gemv) {
    using tile = gemv_tile<Table, Config>;
    using accumulators = gemv_accumulators<tile, Problem>;
    launch_tile_kernel<tile, accumulators>(where, problem, choice,
                                           gemv_kernel<tile, accumulators, Problem>);
  } else {
    using tile = padded_tile<Table, Config>;
    launch_tile_kernel<tile, simt_accumulators<tile, Problem>>(where, problem, choice);
  }
}

template <class Problem, int... Configs>
static void launch_choice(execution const& where, Problem const& problem, gemm_choice const& choice,
                          std::integer_sequence<int, Configs...>) {
  using table = typename gemm_configs_of<Problem>::type;
  bool const is_launched = ((choice.config == Configs &&
                             (launch_config<table, Configs>(where, problem, choice), true)) ||
                            ...);
  if (!is_launched) refuse_gemm(problem.rows, problem.cols);
}
template <class Problem>
static void launch_choice(execution const& where, Problem const& problem,
                          gemm_choice const& choice) {
  launch_choice(where, problem, choice,
                std::make_integer_sequence<int, gemm_configs_of<Problem>::count>{});
}

}  // namespace xpose::detail
