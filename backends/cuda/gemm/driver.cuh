// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Driver of gemm on a CUDA device: turn what is better turned, choose a row of the table of the
// problem's types (gemm/select.cuh), launch, wait if asked. Assumes a checked problem. The library
// instantiates it for the compiled types, a user's .cu for its own.
#pragma once

#include <xpose/backends/cuda/gemm/select.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class Table, int Config, template <class, class> class Accumulators, bool AKMajor,
          bool BKMajor, class Problem>
static void launch_dmma(execution const& where, Problem const& problem, gemm_choice const& choice) {
  using tile = padded_tile<Table, Config, AKMajor, BKMajor>;
  launch_tile_kernel<tile, Accumulators<tile, Problem>>(where, problem, choice);
}

/// An operand's lines, and whether they lie along the depth.
struct operand_layout {
  pitched_tensor lines;
  bool is_k_major;
};

/// Launches with operands that can be read: launch(problem, A, B).
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
    pitched_tensor const a_lines = a.tensor_at(workspace);
    pitched_tensor const b_lines = b.tensor_at(b_workspace);
    Problem aligned = problem;
    aligned.a = a.operand_of(a_lines, true);
    aligned.b = b.operand_of(b_lines, false);
    launch(aligned, operand_layout{a_lines, a.is_k_major()},
           operand_layout{b_lines, b.is_k_major()});
  };
  if (a.bytes() + b.bytes() == 0) return launch_at(nullptr);
  stream_workspace const workspace(where, a.bytes() + b.bytes());
  launch_at(static_cast<unsigned char*>(workspace.data()));
}

/// Matrix units take a tile as it lies; a tile that is contiguous along neither is copied across.
template <class Table, int Config, template <class, class> class Accumulators, class Problem>
static void launch_dmma_by_layout(execution const& where, Problem const& problem,
                                  gemm_choice const& choice) {
  bool const a_k_major = problem.a.col_stride == 1 && problem.a.row_stride != 1;
  bool const b_k_major = problem.b.row_stride == 1 && problem.b.col_stride != 1;
  if (a_k_major && b_k_major)
    launch_dmma<Table, Config, Accumulators, true, true>(where, problem, choice);
  else if (a_k_major) launch_dmma<Table, Config, Accumulators, true, false>(where, problem, choice);
  else if (b_k_major) launch_dmma<Table, Config, Accumulators, false, true>(where, problem, choice);
  else launch_dmma<Table, Config, Accumulators, false, false>(where, problem, choice);
}

/// Doubles whose pairs nothing aligns are read by elements, or copied to where they are aligned.
template <class Table, int Config, class Problem>
static void launch_f64_dmma(execution const& where, Problem const& problem,
                            gemm_choice const& choice) {
  if (!pays_to_align(copies_to_align(problem, false), choice))
    return launch_dmma_by_layout<Table, Config, dmma_accumulators>(where, problem, choice);
  with_aligned_operands(where, problem, false,
                        [&](Problem const& aligned, operand_layout const&, operand_layout const&) {
                          launch_dmma_by_layout<Table, Config, dmma_accumulators>(where, aligned,
                                                                                  choice);
                        });
}

template <class Table, int Config, bool AKMajor, bool BKMajor, class Problem>
static void launch_mma_sync_as(execution const& where, Problem const& problem,
                               gemm_choice const& choice) {
  using tile = swizzled_tile<Table, Config, typename Problem::a_type, AKMajor, BKMajor>;
  launch_tile_kernel<tile, mma_sync_accumulators<tile, Problem>>(where, problem, choice);
}

template <class Table, int Config, class Problem>
static void launch_mma_sync_by_layout(execution const& where, Problem const& problem,
                                      gemm_choice const& choice) {
  auto const launch_so = [&](auto a_k_major, auto b_k_major) {
    launch_mma_sync_as<Table, Config, a_k_major.value, b_k_major.value>(where, problem, choice);
  };
  std::true_type const along{};
  std::false_type const across{};
  bool const b_k_major =
      prefers_k_major(problem.b, problem.batch, problem.b.col_stride, problem.b.row_stride);
  if (prefers_k_major(problem.a, problem.batch, problem.a.row_stride, problem.a.col_stride))
    b_k_major ? launch_so(along, along) : launch_so(along, across);
  else b_k_major ? launch_so(across, along) : launch_so(across, across);
}

template <class Table, int Config, class Problem>
static void launch_mma_sync(execution const& where, Problem const& problem,
                            gemm_choice const& choice) {
  if constexpr (!Table::rows[Config].is_async)
    launch_mma_sync_as<Table, Config, true, true>(where, problem, choice);
  else
    with_aligned_operands(
        where, problem, false,
        [&](Problem const& aligned, operand_layout const&, operand_layout const&) {
          launch_mma_sync_by_layout<Table, Config>(where, aligned, choice);
        });
}

/// As many blocks as have places on the board, each for several tiles.
template <class Tile, class Problem>
static void launch_persistent(execution const& where, index tiles, Problem const& problem,
                              gemm_grid const& grid, gemm_tma_descriptors const& maps) {
  index const resident_blocks = index{properties_of_device().multiprocessors} * Tile::row.blocks;
  index const full_clusters = std::max<index>(1, resident_blocks / Tile::cluster) * Tile::cluster;
  launch_pdl(where, Tile::cluster, std::min(tiles, full_clusters), Tile::threads,
             Tile::shared_bytes, Tile::row.name, gemm_wgmma<Tile, Problem>, problem, grid, tiles,
             maps);
}

template <class Table, int Config, bool AKMajor, bool BKMajor, class Problem>
static void launch_wgmma_as(execution const& where, Problem const& problem, pitched_tensor const& a,
                            pitched_tensor const& b, gemm_choice const& choice) {
  using tile = wgmma_tile<Table, Config, typename Problem::a_type, typename Problem::b_type,
                          AKMajor, BKMajor>;
  gemm_tma_descriptors const maps = tma_descriptors_of<tile>(problem, a, b);
  launch_gemm_grid<tile, wgmma_accumulators<tile, Problem>>(
      where, problem, choice, {}, [&](index tiles, gemm_grid const& grid) {
        launch_persistent<tile>(where, tiles, problem, grid, maps);
      });
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

/// What is left of a product after launches for a few columns or rows beyond whole tiles, where the
/// model expects those to take less than one more round of tiles: 4095x4097x4093 of float16 has 544
/// tiles of 128x256, five rounds of 132 multiprocessors, and 512 of them four.
template <class Table, int Config, class Problem>
static Problem without_slivers(execution const& where, Problem const& full) {
  constexpr gemm_config row = Table::rows[Config];
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
    return choose_gemm_config(Table::rows + Config, 1, shape_of(p), gpu_for<Problem>()).cycles;
  };

  index const cols = sliver_of(full.cols, row.cols);
  index const rows = sliver_of(full.rows, index{row.rows} * row.cluster);
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
  auto const launch = [&](Problem const& aligned, operand_layout const& a,
                          operand_layout const& b) {
    Problem kept = aligned;
    // An epilogue may ask where in C it is.
    if constexpr (std::is_same_v<typename Problem::epilogue_type, no_epilogue>)
      if (choice.split_k == 1) kept = without_slivers<Table, Config>(where, aligned);
    auto const launch_so = [&](auto a_k_major, auto b_k_major) {
      launch_wgmma_as<Table, Config, a_k_major.value, b_k_major.value>(where, kept, a.lines,
                                                                       b.lines, choice);
    };
    std::true_type const along{};
    using T = typename Problem::a_type;
    std::false_type const across{};
    if constexpr (!a_can_be_mn_major<T>) {
      launch_so(along, along);
    } else if constexpr (!can_be_mn_major<T>) {
      a.is_k_major ? launch_so(along, along) : launch_so(across, along);
    } else {
      if (a.is_k_major) b.is_k_major ? launch_so(along, along) : launch_so(along, across);
      else b.is_k_major ? launch_so(across, along) : launch_so(across, across);
    }
  };
  with_aligned_operands(where, problem, true, launch);
}

template <class Table, int Config, class Problem>
static void launch_gemv(execution const& where, Problem const& problem, gemm_choice const& choice) {
  using tile = gemv_tile<Table, Config>;
  using accumulators = gemv_accumulators<tile, Problem>;
  launch_tile_kernel<tile, accumulators>(where, problem, choice,
                                         gemv_kernel<tile, accumulators, Problem>);
}

template <class Table, int Config, class Problem>
static void launch_config(execution const& where, Problem const& problem,
                          gemm_choice const& choice) {
  using tile = padded_tile<Table, Config>;
  constexpr gemm_kernel_kind kind = Table::rows[Config].kind;
  if constexpr (kind == gemm_kernel_kind::dmma)
    launch_f64_dmma<Table, Config>(where, problem, choice);
  else if constexpr (kind == gemm_kernel_kind::complex_dmma)
    launch_dmma_by_layout<Table, Config, complex_dmma_accumulators>(where, problem, choice);
  else if constexpr (kind == gemm_kernel_kind::mma_sync)
    launch_mma_sync<Table, Config>(where, problem, choice);
  else if constexpr (kind == gemm_kernel_kind::wgmma)
    launch_wgmma<Table, Config>(where, problem, choice);
  else if constexpr (kind == gemm_kernel_kind::vector)
    launch_gemv<Table, Config>(where, problem, choice);
  else launch_tile_kernel<tile, simt_accumulators<tile, Problem>>(where, problem, choice);
}

template <class Problem, int... Rows>
static void launch_config_number(execution const& where, Problem const& problem,
                                 gemm_choice const& choice, std::integer_sequence<int, Rows...>) {
  using table = typename gemm_configs_of<Problem>::type;
  bool const is_launched =
      ((choice.row == Rows && (launch_config<table, Rows>(where, problem, choice), true)) || ...);
  if (!is_launched) refuse_gemm(problem.rows, problem.cols);
}

template <class Problem>
static void launch_choice(execution const& where, Problem const& problem,
                          gemm_choice const& choice) {
  launch_config_number(where, problem, choice,
                       std::make_integer_sequence<int, gemm_configs_of<Problem>::count>{});
}

template <class Problem>
static void cuda_gemm(execution const& where, Problem const& given) {
  Problem const problem = oriented_for_tiles(given);
  gemm_choice const choice = choose_config(problem);
  if (choice.row < 0) refuse_gemm(problem.rows, problem.cols);
  if (explain_only(where, gemm_configs_of<Problem>::type::rows[choice.row].name)) return;
  launch_choice(where, problem, choice);
  finish(where);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
