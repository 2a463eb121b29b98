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

namespace xpose {
inline namespace v0 {
namespace detail {

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

/// Sums of products that mma.sync has.
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

template <class Problem>
struct gemm_rows_of {
  using K = typename Problem::accumulate_type;
  static constexpr bool sums_products = std::is_same_v<typename Problem::semiring_type, plus_times>;

  static constexpr auto find() {
    constexpr int bytes = sizeof(K);
    if constexpr (bytes > 16) return large_sum_rows<bytes>{};
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

/// Tables have tiles for few rows, none for few columns; and C is written along its rows.
template <class Problem>
Problem as_tiles_take_it(Problem const& problem) {
  if constexpr (can_be_turned<Problem>) {
    constexpr index few = 32;
    bool const has_few_cols = problem.cols <= few && problem.cols < problem.rows;
    bool const has_few_rows = problem.rows <= few && problem.rows < problem.cols;
    bool const is_col_major = problem.c.row_stride == 1 && problem.c.col_stride != 1;
    if (has_few_cols || (is_col_major && !has_few_rows)) {
      Problem other = problem;
      other.a = turned(problem.b);
      other.b = turned(problem.a);
      other.c = turned(problem.c);
      std::swap(other.rows, other.cols);
      std::swap(other.conjugate_a, other.conjugate_b);
      return other;
    }
  }
  return problem;
}

/// Whether all elements of an operand are aligned to their size.
template <class T>
bool is_aligned_to_size(strided_batch<T> const& o) {
  return reinterpret_cast<std::uintptr_t>(o.data) % sizeof(T) == 0;
}
/// Whether asynchronous rows of the problem's table can read its operands.
template <class Problem>
bool can_be_copied_async(Problem const& problem) {
  bool const is_aligned = is_aligned_to_size(problem.a) && is_aligned_to_size(problem.b);
  if constexpr (is_for_short_units<Problem>) return is_aligned && takes_chunks(problem);
  else return is_aligned;
}

inline gemm_board board_of_device() {
  int device = 0;
  int multiprocessors = 0;
  int shared_bytes = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
             "cudaDeviceGetAttribute");
  check_cuda(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
             "cudaDeviceGetAttribute");
  return {multiprocessors, compute_capability(), shared_bytes};
}

template <class Problem>
gemm_choice choose_row(Problem const& problem) {
  using table = gemm_rows_of<Problem>;
  gemm_shape const shape{problem.batch,
                         problem.rows,
                         problem.cols,
                         problem.depth,
                         sizeof(typename Problem::a_type),
                         sizeof(typename Problem::b_type),
                         sizeof(typename Problem::c_type),
                         sizeof(typename Problem::accumulate_type),
                         can_be_copied_async(problem)};
  return choose_gemm_row(table::type::rows, table::count, shape, board_of_device());
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

template <class Table, int Row, class Problem>
void launch_short_units(execution const& where, Problem const& problem, gemm_choice const& choice) {
  if constexpr (!Table::rows[Row].is_async) {
    launch_short_units_so<Table, Row, true, true>(where, problem, choice);
  } else {
    auto const a = aligned_a(problem);
    auto const b = aligned_b(problem);
    if (a.bytes() + b.bytes() == 0)
      return launch_short_units_as_they_lie<Table, Row>(where, problem, choice);
    stream_workspace const workspace(where, a.bytes() + b.bytes());
    Problem aligned = problem;
    aligned.a = a.copy(where, workspace.data(), true);
    aligned.b = b.copy(where, static_cast<unsigned char*>(workspace.data()) + a.bytes(), false);
    launch_short_units_as_they_lie<Table, Row>(where, aligned, choice);
  }
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
