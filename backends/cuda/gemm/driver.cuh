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

template <class Table, int Row, template <class, class> class Sums, bool ADepth, bool BDepth,
          class Problem>
static void launch_units(execution const& where, Problem const& problem,
                         gemm_choice const& choice) {
  using tile = gemm_tile<Table, Row, ADepth, BDepth>;
  launch_gemm_tiles<tile, Sums<tile, Problem>>(where, problem, choice);
}

/// An operand's lines, and whether they lie along the depth.
struct operand_lines {
  tensor_lines lines;
  bool is_along_depth;
};

/// Launches with operands that can be read: launch(problem, A, B).
template <class Problem, class Launch>
void with_aligned_operands(execution const& where, Problem const& problem, bool is_for_maps,
                           Launch const& launch) {
  auto const a = aligned_a(problem, is_for_maps);
  auto const b = aligned_b(problem, is_for_maps);
  auto const launch_at = [&](unsigned char* workspace) {
    unsigned char* const b_workspace = workspace + a.bytes();
    line_copy copies[2];
    line_copy* end = copies;
    a.copy_turned(where, workspace, end);
    b.copy_turned(where, b_workspace, end);
    if (end != copies) cuda_copy_lines(where, copies, static_cast<int>(end - copies));
    tensor_lines const a_lines = a.lines_at(workspace);
    tensor_lines const b_lines = b.lines_at(b_workspace);
    Problem aligned = problem;
    aligned.a = a.operand_of(a_lines, true);
    aligned.b = b.operand_of(b_lines, false);
    launch(aligned, operand_lines{a_lines, a.is_along_depth()},
           operand_lines{b_lines, b.is_along_depth()});
  };
  if (a.bytes() + b.bytes() == 0) return launch_at(nullptr);
  stream_workspace const workspace(where, a.bytes() + b.bytes());
  launch_at(static_cast<unsigned char*>(workspace.data()));
}

/// Matrix units take a tile as it lies; a tile that is contiguous along neither is copied across.
template <class Table, int Row, template <class, class> class Sums, class Problem>
static void launch_units_as_they_lie(execution const& where, Problem const& problem,
                                     gemm_choice const& choice) {
  bool const a_depth = problem.a.col_stride == 1 && problem.a.row_stride != 1;
  bool const b_depth = problem.b.row_stride == 1 && problem.b.col_stride != 1;
  if (a_depth && b_depth) launch_units<Table, Row, Sums, true, true>(where, problem, choice);
  else if (a_depth) launch_units<Table, Row, Sums, true, false>(where, problem, choice);
  else if (b_depth) launch_units<Table, Row, Sums, false, true>(where, problem, choice);
  else launch_units<Table, Row, Sums, false, false>(where, problem, choice);
}

/// Doubles whose pairs nothing aligns are read by elements, or copied to where they are aligned.
template <class Table, int Row, class Problem>
static void launch_double_units(execution const& where, Problem const& problem,
                                gemm_choice const& choice) {
  if (!pays_to_align(copies_to_align(problem, false), choice))
    return launch_units_as_they_lie<Table, Row, f64_sums>(where, problem, choice);
  with_aligned_operands(where, problem, false,
                        [&](Problem const& aligned, operand_lines const&, operand_lines const&) {
                          launch_units_as_they_lie<Table, Row, f64_sums>(where, aligned, choice);
                        });
}

template <class Table, int Row, bool ADepth, bool BDepth, class Problem>
static void launch_short_units_so(execution const& where, Problem const& problem,
                                  gemm_choice const& choice) {
  using tile = unit_tile<Table, Row, typename Problem::a_type, ADepth, BDepth>;
  launch_gemm_tiles<tile, unit_sums<tile, Problem>>(where, problem, choice);
}

template <class Table, int Row, class Problem>
static void launch_short_units_as_they_lie(execution const& where, Problem const& problem,
                                           gemm_choice const& choice) {
  auto const launch_so = [&](auto a_depth, auto b_depth) {
    launch_short_units_so<Table, Row, a_depth.value, b_depth.value>(where, problem, choice);
  };
  std::true_type const along{};
  std::false_type const across{};
  bool const b_depth =
      lies_along_depth(problem.b, problem.batch, problem.b.col_stride, problem.b.row_stride);
  if (lies_along_depth(problem.a, problem.batch, problem.a.row_stride, problem.a.col_stride))
    b_depth ? launch_so(along, along) : launch_so(along, across);
  else b_depth ? launch_so(across, along) : launch_so(across, across);
}

template <class Table, int Row, class Problem>
static void launch_short_units(execution const& where, Problem const& problem,
                               gemm_choice const& choice) {
  if constexpr (!Table::rows[Row].is_async)
    launch_short_units_so<Table, Row, true, true>(where, problem, choice);
  else
    with_aligned_operands(where, problem, false,
                          [&](Problem const& aligned, operand_lines const&, operand_lines const&) {
                            launch_short_units_as_they_lie<Table, Row>(where, aligned, choice);
                          });
}

/// As many blocks as have places on the board, each for several tiles.
template <class Tile, class Problem>
static void launch_persistent(execution const& where, index tiles, Problem const& problem,
                              gemm_grid const& grid, warpgroup_maps const& maps) {
  index const places = index{facts_of_device().multiprocessors} * Tile::row.blocks;
  index const whole_clusters = std::max<index>(1, places / Tile::cluster) * Tile::cluster;
  launch_early(where, Tile::cluster, std::min(tiles, whole_clusters), Tile::threads,
               Tile::shared_bytes, Tile::row.name, gemm_warpgroups<Tile, Problem>, problem, grid,
               tiles, maps);
}

template <class Table, int Row, bool ADepth, bool BDepth, class Problem>
static void launch_warpgroups_so(execution const& where, Problem const& problem,
                                 tensor_lines const& a, tensor_lines const& b,
                                 gemm_choice const& choice) {
  using tile = warpgroup_tile<Table, Row, typename Problem::a_type, typename Problem::b_type,
                              ADepth, BDepth>;
  warpgroup_maps const maps = maps_of<tile>(problem, a, b);
  launch_gemm_grid<tile, warpgroup_sums<tile, Problem>>(
      where, problem, choice, {}, [&](index tiles, gemm_grid const& grid) {
        launch_persistent<tile>(where, tiles, problem, grid, maps);
      });
}

template <class Problem>
static void launch_chosen_row(execution const& where, Problem const& problem,
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
template <class Table, int Row, class Problem>
static Problem without_slivers(execution const& where, Problem const& whole) {
  constexpr gemm_row row = Table::rows[Row];
  constexpr double clocks_of_launch = 3000;
  auto const sliver_of = [](index extent, index tile) {
    constexpr index most = 32;
    return extent > tile && extent % tile <= most ? extent % tile : 0;
  };
  auto const without = [&](index cols, index rows, auto const& visit_rest) {
    Problem kept = whole;
    if (cols > 0) visit_rest(as_tiles_take_it(last_cols(kept, cols)));
    kept.cols -= cols;
    if (rows > 0) visit_rest(as_tiles_take_it(last_rows(kept, rows)));
    kept.rows -= rows;
    return kept;
  };
  auto const clocks_of = [](Problem const& p) {
    return choose_gemm_row(Table::rows + Row, 1, shape_of(p), board_for<Problem>()).clocks;
  };

  index const cols = sliver_of(whole.cols, row.cols);
  index const rows = sliver_of(whole.rows, index{row.rows} * row.cluster);
  if (cols + rows == 0) return whole;
  double least = clocks_of(whole);
  if (clocks_of(without(cols, rows, [](Problem const&) {})) + clocks_of_launch >= least)
    return whole;
  index best_cols = 0;
  index best_rows = 0;
  auto const consider = [&](index c, index r) {
    double clocks = 0;
    bool has_rows = true;
    Problem const kept = without(c, r, [&](Problem const& rest) {
      double const of_rest = choose_row(rest).clocks;
      has_rows = has_rows && of_rest >= 0;
      clocks += of_rest + clocks_of_launch;
    });
    clocks += clocks_of(kept);
    if (!has_rows || clocks >= least) return;
    least = clocks;
    best_cols = c;
    best_rows = r;
  };
  if (rows > 0) consider(0, rows);
  if (cols > 0) consider(cols, 0);
  if (rows > 0 && cols > 0) consider(cols, rows);
  return without(best_cols, best_rows,
                 [&](Problem const& rest) { launch_chosen_row(where, rest, choose_row(rest)); });
}

template <class Table, int Row, class Problem>
static void launch_warpgroups(execution const& where, Problem const& problem,
                              gemm_choice const& choice) {
  auto const launch = [&](Problem const& aligned, operand_lines const& a, operand_lines const& b) {
    Problem kept = aligned;
    // An epilogue may ask where in C it is.
    if constexpr (std::is_same_v<typename Problem::epilogue_type, no_epilogue>)
      if (choice.splits == 1) kept = without_slivers<Table, Row>(where, aligned);
    auto const launch_so = [&](auto a_depth, auto b_depth) {
      launch_warpgroups_so<Table, Row, a_depth.value, b_depth.value>(where, kept, a.lines, b.lines,
                                                                     choice);
    };
    std::true_type const along{};
    using T = typename Problem::a_type;
    std::false_type const across{};
    if constexpr (!may_a_lie_across<T>) {
      launch_so(along, along);
    } else if constexpr (!may_lie_across<T>) {
      a.is_along_depth ? launch_so(along, along) : launch_so(across, along);
    } else {
      if (a.is_along_depth) b.is_along_depth ? launch_so(along, along) : launch_so(along, across);
      else b.is_along_depth ? launch_so(across, along) : launch_so(across, across);
    }
  };
  with_aligned_operands(where, problem, true, launch);
}

template <class Table, int Row, class Problem>
static void launch_vector(execution const& where, Problem const& problem,
                          gemm_choice const& choice) {
  using tile = vector_tile<Table, Row>;
  using sums = vector_sums<tile, Problem>;
  launch_gemm_tiles<tile, sums>(where, problem, choice, gemm_vectors<tile, sums, Problem>);
}

template <class Table, int Row, class Problem>
static void launch_gemm_row(execution const& where, Problem const& problem,
                            gemm_choice const& choice) {
  using tile = gemm_tile<Table, Row>;
  constexpr gemm_arithmetic arithmetic = Table::rows[Row].arithmetic;
  if constexpr (arithmetic == gemm_arithmetic::f64_units)
    launch_double_units<Table, Row>(where, problem, choice);
  else if constexpr (arithmetic == gemm_arithmetic::c128_units)
    launch_units_as_they_lie<Table, Row, c128_sums>(where, problem, choice);
  else if constexpr (arithmetic == gemm_arithmetic::short_units)
    launch_short_units<Table, Row>(where, problem, choice);
  else if constexpr (arithmetic == gemm_arithmetic::warpgroups)
    launch_warpgroups<Table, Row>(where, problem, choice);
  else if constexpr (arithmetic == gemm_arithmetic::vector)
    launch_vector<Table, Row>(where, problem, choice);
  else launch_gemm_tiles<tile, fma_sums<tile, Problem>>(where, problem, choice);
}

template <class Problem, int... Rows>
static void launch_row_of(execution const& where, Problem const& problem, gemm_choice const& choice,
                          std::integer_sequence<int, Rows...>) {
  using table = typename gemm_rows_of<Problem>::type;
  bool const is_launched =
      ((choice.row == Rows && (launch_gemm_row<table, Rows>(where, problem, choice), true)) || ...);
  if (!is_launched) refuse_gemm(problem.rows, problem.cols);
}

template <class Problem>
static void launch_chosen_row(execution const& where, Problem const& problem,
                              gemm_choice const& choice) {
  launch_row_of(where, problem, choice,
                std::make_integer_sequence<int, gemm_rows_of<Problem>::count>{});
}

template <class Problem>
static void cuda_gemm(execution const& where, Problem const& given) {
  Problem const problem = as_tiles_take_it(given);
  gemm_choice const choice = choose_row(problem);
  if (choice.row < 0) refuse_gemm(problem.rows, problem.cols);
  if (only_asks(where, gemm_rows_of<Problem>::type::rows[choice.row].name)) return;
  launch_chosen_row(where, problem, choice);
  finish(where);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
