// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// omp's add of the compiled types: by rows, or by strips where an operand is transposed, with the
// SIMD kernels of add/simd.hpp where the type and layouts have one, else by add/driver.hpp's tiles.

#include <xpose/backends/omp/add/driver.hpp>

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/problems/compiled_add.hpp>
#include <xpose/backends/omp/add/simd.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

template <class Problem>
int transposed_operands(Problem const& p) {
  return is_transposed(p.a) + is_transposed(p.b);
}

/// For a problem along_c(). SIMD does not fit where an operand is not read, or is contiguous along
/// neither dimension, or there is less than a cache line.
template <class Problem>
bool fits_simd(Problem const& p) {
  constexpr index in_line = 64 / index{sizeof(typename Problem::output_type)};
  auto const fits = [&](auto const& o) { return o.col_stride == 1 || is_transposed(o); };
  return p.c.col_stride == 1 && fits(p.a) && fits(p.b) && p.alpha_kind != scalar_kind::zero &&
         p.beta_kind != scalar_kind::zero && p.cols >= in_line &&
         (transposed_operands(p) == 0 || p.rows >= in_line);
}

template <class K>
add_scalar add_scalar_of(K const& scalar, scalar_kind kind, bool is_conjugated) {
  return {static_cast<double>(scalar), 0, kind == scalar_kind::one, is_conjugated};
}
template <class Real>
add_scalar add_scalar_of(complex_value<Real> const& scalar, scalar_kind kind, bool is_conjugated) {
  return {static_cast<double>(scalar.re), static_cast<double>(scalar.im), kind == scalar_kind::one,
          is_conjugated};
}

/// One sum at a time; x is A, or B with IsSwapped.
template <class Problem, bool IsSwapped>
void add_one_by_one(void const* problem, char const* x, index x_step, char const* y, index y_step,
                    char* out, index out_step, index count) {
  using C = typename Problem::output_type;
  Problem const p = *static_cast<Problem const*>(problem);
  for (index i = 0; i < count; ++i, x += x_step, y += y_step, out += out_step) {
    auto const& of_x = *reinterpret_cast<C const*>(x);
    auto const& of_y = *reinterpret_cast<C const*>(y);
    *reinterpret_cast<C*>(out) = IsSwapped ? p.value(of_y, of_x) : p.value(of_x, of_y);
  }
}

/// Splits rows into pieces. Where an operand is transposed: strips of whole rows of C beyond the
/// caches, and tiles within them, as transpose_walk does.
template <class Problem>
add_tiles tiles_for_simd(Problem const& p, int team, bool is_streamed) {
  constexpr index bytes = sizeof(typename Problem::output_type);
  constexpr index in_line = 64 / bytes;
  if (transposed_operands(p) == 0) {
    constexpr index piece = (64 << 10) / bytes;
    index const cols = std::min(p.cols, piece);
    return tiles_of(p, piece / cols, cols);
  }
  // Scratch holds more rows at a time where rows are short.
  index const held_bytes = scratch_lines(p.cols * bytes) * 64;
  index const strip_bytes =
      transposed_operands(p) == 2
          ? tuning.add_both_strip_bytes
          : std::clamp(tuning.add_scratch_bytes / held_bytes * bytes, tuning.min_add_strip_bytes,
                       tuning.max_add_strip_bytes);
  index const max_rows = is_streamed ? strip_bytes / bytes : tuning.cached_tile_columns;
  index const strips = ceil_div(p.rows, max_rows);
  index const wanted = team == 1 ? 1 : (is_streamed ? 4 : 1) * team;
  index const pieces = ceil_div(wanted, p.batch * strips);
  index const shared = ceil_div(ceil_div(p.cols, pieces), in_line) * in_line;
  index const cols = is_streamed ? std::max(shared, 16 * in_line)
                                 : std::min(shared, tuning.cached_tile_lines * in_line);
  return tiles_of(p, ceil_div(p.rows, strips), cols);
}

template <class Problem>
void add_with_simd(execution const& where, Problem const& p, add_kernels const& simd_adds,
                   simd_kernels const& simd) {
  constexpr char const* names[] = {"add_rows", "add_transposed", "add_both_transposed"};
  if (explain_only(where, names[transposed_operands(p)])) return;
  add_kernel const add = simd_adds.run[transposed_operands(p)];
  using C = typename Problem::output_type;
  constexpr index bytes = sizeof(C);
  bool const is_swapped = is_transposed(p.b) && !is_transposed(p.a);
  auto const& x = is_swapped ? p.b : p.a;
  auto const& y = is_swapped ? p.a : p.b;
  index const c_bytes = p.batch * p.rows * p.cols * bytes;
  int const team = suits_one_thread(c_bytes) ? 1 : team_size(where.threads, c_bytes);
  // Single cache lines are stored faster through the caches. Fraction of a sum of rows, cached and
  // streamed, 1000000x16: 4 bytes 0.95, 0.82; 8 bytes, two cache lines a row, 0.75, 0.85.
  bool const is_streamed = exceeds_caches(team, 3 * c_bytes) && p.cols * bytes >= 128;
  store_mode const mode = is_streamed ? store_mode::streamed : store_mode::cached;
  add_tiles const tiles = tiles_for_simd(p, team, is_streamed);
  add_scalar const of_a = add_scalar_of(p.alpha, p.alpha_kind, p.conjugate_a);
  add_scalar const of_b = add_scalar_of(p.beta, p.beta_kind, p.conjugate_b);
  // Bytes between rows of an operand, or between columns of a transposed one.
  auto const pitch = [](auto const& o) {
    return (is_transposed(o) ? o.col_stride : o.row_stride) * bytes;
  };

  workspace const memory(team * transpose_workspace_bytes, team);
  parallel_for(team, p.batch * tiles.row_tiles * tiles.col_tiles, [&](index task, int member) {
    add_tile const t = tiles.at(task, p.rows, p.cols);
    auto const first = [&](auto const& o) {
      return reinterpret_cast<char const*>(&o.at(t.batch, t.first_row, t.first_col));
    };
    add_rectangle const r{
        {first(x), pitch(x), const_cast<char*>(first(p.c)), pitch(p.c), t.height, t.width},
        first(y),
        pitch(y),
        {is_swapped ? of_b : of_a, is_swapped ? of_a : of_b},
        is_swapped ? add_one_by_one<Problem, true> : add_one_by_one<Problem, false>,
        &p};
    add(r, mode, memory.data() + member * transpose_workspace_bytes);
    if (is_streamed) simd.flush_stream();
  });
}

}  // namespace

void omp_run_add(execution const& where, add_request const& r) {
  run_compiled_add(r, [&](auto const& given) {
    auto const problem = along_c(given);
    simd_kernels const& simd = active_simd_kernels();
    using output = typename decltype(problem)::output_type;
    add_kernels const* const simd_adds = add_kernels_for(simd, element_type_of<output>());
    if (simd_adds != nullptr && fits_simd(problem)) add_with_simd(where, problem, *simd_adds, simd);
    else omp_add(where, given);
  });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
