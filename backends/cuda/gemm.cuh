// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Driver of gemm on a CUDA device: turn what is better turned, choose a row of the table of the
// problem's types, launch, wait if asked. Assumes a checked problem. The library instantiates it
// for the compiled types, a user's .cu for its own.
#pragma once

#include <xpose/backends/cuda/gemm_align.cuh>
#include <xpose/backends/cuda/gemm_f64.cuh>
#include <xpose/backends/cuda/gemm_fma.cuh>
#include <xpose/backends/cuda/gemm_launch.cuh>
#include <xpose/backends/cuda/gemm_table.hpp>
#include <xpose/backends/cuda/gemm_units.cuh>
#include <xpose/backends/cuda/gemm_vector.cuh>
#include <xpose/backends/cuda/gemm_warpgroups.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// What precision() has faster kernels for (gemm_fast_f32.cuh, gemm_tf32.cuh).
using f32_problem = gemm_problem<float, float, float, float, plus_times, no_epilogue>;

template <class... Tables>
struct joined_rows {};
/// The rows of two tables.
template <class First, class Second>
struct joined_rows<First, Second> {
  static constexpr int of_first = sizeof First::rows / sizeof First::rows[0];
  static constexpr int of_second = sizeof Second::rows / sizeof Second::rows[0];
  struct list {
    gemm_row rows[of_first + of_second];
  };
  static constexpr list all = [] {
    list joined{};
    for (int r = 0; r < of_first; ++r) joined.rows[r] = First::rows[r];
    for (int r = 0; r < of_second; ++r) joined.rows[of_first + r] = Second::rows[r];
    return joined;
  }();
  static constexpr auto const& rows = all.rows;
};

/// Sums of products that mma.sync and wgmma have.
template <class Problem>
constexpr bool is_for_short_units = [] {
  using T = typename Problem::a_type;
  using K = typename Problem::accumulate_type;
  bool const is_half = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;
  bool const is_byte = std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t>;
  return std::is_same_v<T, typename Problem::b_type> &&
         std::is_same_v<typename Problem::semiring_type, plus_times> &&
         ((is_half && std::is_same_v<K, float>) || (is_byte && std::is_same_v<K, std::int32_t>));
}();

/// Sums of products that wgmma alone has.
template <class Problem>
constexpr bool is_of_float8 =
    is_float8<typename Problem::a_type>&& is_float8<typename Problem::b_type>&&
        std::is_same_v<typename Problem::semiring_type, plus_times>&&
            std::is_same_v<typename Problem::accumulate_type, float>;

template <class Problem>
struct gemm_rows_of {
  using K = typename Problem::accumulate_type;
  static constexpr bool sums_products = std::is_same_v<typename Problem::semiring_type, plus_times>;

  static constexpr auto find() {
    constexpr int bytes = sizeof(K);
    if constexpr (bytes > 16) return large_sum_rows<bytes>{};
    else if constexpr (std::is_same_v<typename Problem::a_type, tf32_element>) return tf32_rows{};
    else if constexpr (is_of_float8<Problem>) return float8_rows{};
    else if constexpr (is_for_short_units<Problem>)
      return std::conditional_t<sizeof(typename Problem::a_type) == 2, half_rows, byte_rows>{};
    else if constexpr (!can_read_async<Problem>) return converting_rows{};
    else if constexpr (sums_products && std::is_same_v<K, float>) return f32_rows{};
    else if constexpr (sums_products && std::is_same_v<K, double>) return f64_rows{};
    else if constexpr (sums_products && std::is_same_v<K, complex_value<float>>) return c64_rows{};
    else if constexpr (sums_products && std::is_same_v<K, complex_value<double>>)
      return c128_rows{};
    else if constexpr (alignof(K) < bytes && bytes == 4)
      return joined_rows<rows_4, converting_rows>{};
    else if constexpr (alignof(K) < bytes && bytes == 8)
      return joined_rows<rows_8, converting_rows>{};
    else if constexpr (alignof(K) < bytes) return joined_rows<rows_16, converting_rows>{};
    else if constexpr (bytes == 4) return rows_4{};
    else if constexpr (bytes == 8) return rows_8{};
    else return rows_16{};
  }
  using type = decltype(find());
  static constexpr int count = sizeof type::rows / sizeof type::rows[0];
};

/// Whether C^T = B^T A^T is the same product with operands of the same types.
template <class Problem>
constexpr bool can_be_turned =
    std::is_same_v<typename Problem::a_type, typename Problem::b_type>&&
        std::is_same_v<typename Problem::epilogue_type, no_epilogue>&&
            is_plain_number<typename Problem::accumulate_type>&&
            semiring_id_of<typename Problem::semiring_type>() != semiring_id::user;

template <class T>
strided_batch<T> turned(strided_batch<T> const& o) {
  return {o.data, o.batch_stride, o.col_stride, o.row_stride};
}

/// Whether all elements of an operand are aligned to their size.
template <class T>
bool is_aligned_to_size(strided_batch<T> const& o) {
  return reinterpret_cast<std::uintptr_t>(o.data) % sizeof(T) == 0;
}

/// Whether a kernel of warpgroups was compiled for this device: where it was not, it is empty, and
/// has no barriers in shared memory.
template <class... Params>
bool is_compiled_for_warpgroups(void (*kernel)(Params...)) {
  cudaFuncAttributes attributes{};
  check_cuda(cudaFuncGetAttributes(&attributes, reinterpret_cast<void const*>(kernel)),
             "cudaFuncGetAttributes");
  return attributes.sharedSizeBytes > 0;
}

template <class Problem>
bool has_warpgroups() {
  using table = typename gemm_rows_of<Problem>::type;
  using tile =
      warpgroup_tile<table, 0, typename Problem::a_type, typename Problem::b_type, true, true>;
  static_assert(table::rows[0].arithmetic == gemm_arithmetic::warpgroups);
  return is_compiled_for_warpgroups(gemm_warpgroups<tile, Problem>);
}

inline gemm_board board_of_device() {
  device_facts const facts = facts_of_device();
  return {facts.multiprocessors, facts.capability, facts.shared_bytes};
}

template <class Problem>
gemm_shape shape_of(Problem const& problem) {
  gemm_shape shape{problem.batch,
                   problem.rows,
                   problem.cols,
                   problem.depth,
                   sizeof(typename Problem::a_type),
                   sizeof(typename Problem::b_type),
                   sizeof(typename Problem::c_type),
                   sizeof(typename Problem::accumulate_type),
                   is_aligned_to_size(problem.a) && is_aligned_to_size(problem.b),
                   0,
                   -1};
  if constexpr (is_for_short_units<Problem>) shape.copied = bytes_to_align(problem, false);
  if constexpr (gemm_rows_of<Problem>::type::rows[0].arithmetic == gemm_arithmetic::warpgroups)
    if (problem.depth > 0 && has_warpgroups<Problem>())
      shape.copied_for_maps = bytes_to_align(problem, true);
  return shape;
}

template <class Problem>
gemm_choice choose_row(Problem const& problem) {
  using table = gemm_rows_of<Problem>;
  return choose_gemm_row(table::type::rows, table::count, shape_of(problem), board_of_device());
}

/// C^T = B^T A^T.
template <class Problem>
Problem turned_product(Problem const& problem) {
  Problem other = problem;
  other.a = turned(problem.b);
  other.b = turned(problem.a);
  other.c = turned(problem.c);
  std::swap(other.rows, other.cols);
  std::swap(other.conjugate_a, other.conjugate_b);
  return other;
}

/// C is written along its rows; and few columns become few rows, as tables have tiles for those.
/// Warpgroups have tiles for few columns: there the model decides.
template <class Problem>
Problem as_tiles_take_it(Problem const& problem) {
  if constexpr (can_be_turned<Problem>) {
    constexpr bool has_warpgroup_rows =
        gemm_rows_of<Problem>::type::rows[0].arithmetic == gemm_arithmetic::warpgroups;
    constexpr index few = 32;
    auto const has_few = [](index these, index others) { return these <= few && these < others; };
    bool const has_few_rows = has_few(problem.rows, problem.cols);
    bool const is_thin = has_few_rows || has_few(problem.cols, problem.rows);
    bool const is_col_major = problem.c.row_stride == 1 && problem.c.col_stride != 1;
    if (!is_thin) return is_col_major ? turned_product(problem) : problem;
    if (has_warpgroup_rows) {
      Problem const other = turned_product(problem);
      return choose_row(other).clocks < choose_row(problem).clocks ? other : problem;
    }
    if (!has_few_rows) return turned_product(problem);
  }
  return problem;
}

/// Of a compiled problem, as explain() shows it.
template <class Problem>
char const* cuda_gemm_row_name(Problem const& problem) {
  return gemm_rows_of<Problem>::type::rows[choose_row(as_tiles_take_it(problem)).row].name;
}

template <class Table, int Row, template <class, class> class Sums, bool ADepth, bool BDepth,
          class Problem>
void launch_units(execution const& where, Problem const& problem, gemm_choice const& choice) {
  using tile = gemm_tile<Table, Row, ADepth, BDepth>;
  launch_gemm_tiles<tile, Sums<tile, Problem>>(where, problem, choice);
}

/// Matrix units take a tile as it lies; a tile that is contiguous along neither is copied across.
template <class Table, int Row, template <class, class> class Sums, class Problem>
void launch_units_as_they_lie(execution const& where, Problem const& problem,
                              gemm_choice const& choice) {
  bool const a_depth = problem.a.col_stride == 1 && problem.a.row_stride != 1;
  bool const b_depth = problem.b.row_stride == 1 && problem.b.col_stride != 1;
  if (a_depth && b_depth) launch_units<Table, Row, Sums, true, true>(where, problem, choice);
  else if (a_depth) launch_units<Table, Row, Sums, true, false>(where, problem, choice);
  else if (b_depth) launch_units<Table, Row, Sums, false, true>(where, problem, choice);
  else launch_units<Table, Row, Sums, false, false>(where, problem, choice);
}

template <class Table, int Row, bool ADepth, bool BDepth, class Problem>
void launch_short_units_so(execution const& where, Problem const& problem,
                           gemm_choice const& choice) {
  using tile = unit_tile<Table, Row, typename Problem::a_type, ADepth, BDepth>;
  launch_gemm_tiles<tile, unit_sums<tile, Problem>>(where, problem, choice);
}

template <class Table, int Row, class Problem>
void launch_short_units_as_they_lie(execution const& where, Problem const& problem,
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
    tensor_lines const a_lines = a.copy(where, workspace);
    tensor_lines const b_lines = b.copy(where, workspace + a.bytes());
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

template <class Table, int Row, class Problem>
void launch_short_units(execution const& where, Problem const& problem, gemm_choice const& choice) {
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
void launch_persistent(execution const& where, index tiles, Problem const& problem,
                       gemm_grid const& grid, warpgroup_maps const& maps) {
  index const places = index{board_of_device().multiprocessors} * Tile::row.blocks;
  index const whole_clusters = std::max<index>(1, places / Tile::cluster) * Tile::cluster;
  launch_early(where, Tile::cluster, std::min(tiles, whole_clusters), Tile::threads,
               Tile::shared_bytes, Tile::row.name, gemm_warpgroups<Tile, Problem>, problem, grid,
               tiles, maps);
}

template <class Table, int Row, bool ADepth, bool BDepth, class Problem>
void launch_warpgroups_so(execution const& where, Problem const& problem, tensor_lines const& a,
                          tensor_lines const& b, gemm_choice const& choice) {
  using tile = warpgroup_tile<Table, Row, typename Problem::a_type, typename Problem::b_type,
                              ADepth, BDepth>;
  warpgroup_maps const maps = maps_of<tile>(problem, a, b);
  launch_gemm_grid<tile, warpgroup_sums<tile, Problem>>(
      where, problem, choice, {}, [&](index tiles, gemm_grid const& grid) {
        launch_persistent<tile>(where, tiles, problem, grid, maps);
      });
}

template <class Table, class Problem, int... Rows>
void launch_chosen_row(execution const& where, Problem const& problem, gemm_choice const& choice,
                       std::integer_sequence<int, Rows...>);

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
Problem without_slivers(execution const& where, Problem const& whole) {
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
    return choose_gemm_row(Table::rows + Row, 1, shape_of(p), board_of_device()).clocks;
  };

  index const cols = sliver_of(whole.cols, row.cols);
  index const rows = sliver_of(whole.rows, index{row.rows} * row.cluster);
  if (cols + rows == 0) return whole;
  double least = clocks_of(whole);
  if (clocks_of(without(cols, rows, [](Problem const&) {})) + clocks_of_launch >= least)
    return whole;
  index best_cols = 0;
  index best_rows = 0;
  for (bool const takes_cols : {false, true})
    for (bool const takes_rows : {false, true}) {
      index const c = takes_cols ? cols : 0;
      index const r = takes_rows ? rows : 0;
      double clocks = 0;
      Problem const kept = without(
          c, r, [&](Problem const& rest) { clocks += choose_row(rest).clocks + clocks_of_launch; });
      clocks += clocks_of(kept);
      if (clocks >= least) continue;
      least = clocks;
      best_cols = c;
      best_rows = r;
    }
  return without(best_cols, best_rows, [&](Problem const& rest) {
    launch_chosen_row<Table>(where, rest, choose_row(rest),
                             std::make_integer_sequence<int, gemm_rows_of<Problem>::count>{});
  });
}

template <class Table, int Row, class Problem>
void launch_warpgroups(execution const& where, Problem const& problem, gemm_choice const& choice) {
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
    if constexpr (!may_lie_across<typename Problem::a_type>) {
      launch_so(along, along);
    } else {
      std::false_type const across{};
      if (a.is_along_depth) b.is_along_depth ? launch_so(along, along) : launch_so(along, across);
      else b.is_along_depth ? launch_so(across, along) : launch_so(across, across);
    }
  };
  with_aligned_operands(where, problem, true, launch);
}

template <class Table, int Row, class Problem>
void launch_vector(execution const& where, Problem const& problem, gemm_choice const& choice) {
  using tile = vector_tile<Table, Row>;
  using sums = vector_sums<tile, Problem>;
  launch_gemm_tiles<tile, sums>(where, problem, choice, gemm_vectors<tile, sums, Problem>);
}

template <class Table, int Row, class Problem>
void launch_gemm_row(execution const& where, Problem const& problem, gemm_choice const& choice) {
  using tile = gemm_tile<Table, Row>;
  constexpr gemm_arithmetic arithmetic = Table::rows[Row].arithmetic;
  if constexpr (arithmetic == gemm_arithmetic::f64_units)
    launch_units_as_they_lie<Table, Row, f64_sums>(where, problem, choice);
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

template <class Table, class Problem, int... Rows>
void launch_chosen_row(execution const& where, Problem const& problem, gemm_choice const& choice,
                       std::integer_sequence<int, Rows...>) {
  (void)((choice.row == Rows && (launch_gemm_row<Table, Rows>(where, problem, choice), true)) ||
         ...);
}

template <class Problem>
void cuda_gemm(execution const& where, Problem const& given) {
  using table = gemm_rows_of<Problem>;
  Problem const problem = as_tiles_take_it(given);
  gemm_choice const choice = choose_row(problem);
  launch_chosen_row<typename table::type>(where, problem, choice,
                                          std::make_integer_sequence<int, table::count>{});
  finish(where);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
