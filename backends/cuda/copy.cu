// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// transpose, copy and permute on a CUDA device as bit copies, whatever the element type: plan,
// describe, choose a row of transpose_table.hpp, launch.

#include <xpose/backends/backend.hpp>
#include <xpose/backends/cuda/copy_functions.hpp>
#include <xpose/backends/cuda/copy_in_place.hpp>
#include <xpose/backends/cuda/launch.cuh>
#include <xpose/backends/cuda/pieces.hpp>
#include <xpose/backends/cuda/transpose_table.hpp>
#include <xpose/backends/cuda/transpose_words.hpp>
#include <xpose/backends/cuda/words.cuh>
#include <xpose/backends/element_functions.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// The bits of all addresses and steps of a side, but for the dimension `along`, whose elements lie
/// one behind the other.
std::uint64_t bits_of(copy_plan const& plan, void const* first, index copy_plan::dimension::*stride,
                      int along) {
  std::uint64_t bits = reinterpret_cast<std::uintptr_t>(first);
  for (int d = 1; d < plan.count; ++d)
    if (d != along) bits |= static_cast<std::uint64_t>(plan.dimensions[d].*stride);
  return bits;
}

int widest_word(std::uint64_t bits) {
  int word = chunk_bytes;
  while (bits % static_cast<std::uint64_t>(word) != 0) word /= 2;
  return word;
}

/// Past the last byte that is read.
char const* readable_end(copy_plan const& plan, char const* in) {
  char const* end = in + plan.dimensions[0].extent;
  for (int d = 1; d < plan.count; ++d)
    end += std::max<index>(0, (plan.dimensions[d].extent - 1) * plan.dimensions[d].in_stride);
  return end;
}

/// The one dimension beside those of a matrix, if matrices lie in it without gaps on both sides.
bool is_packed_batch(copy_plan const& plan, transpose_case const& c) {
  index const run = plan.dimensions[0].extent;
  if (plan.count != 4 || c.in_pitch != c.cols * run || c.out_pitch != c.rows * run) return false;
  auto const& batch = plan.dimensions[plan.in_fastest == 2 ? 3 : 2];
  index const bytes = c.rows * c.cols * run;
  return batch.in_stride == bytes && batch.out_stride == bytes;
}

transpose_case case_of(transpose_piece const& whole) {
  copy_plan const& plan = whole.plan;
  index const run = plan.dimensions[0].extent;
  transpose_case c{};
  c.word = whole.word;
  c.element = run / whole.word;
  c.units = plan.units / whole.word;
  bool const is_in_order = plan.in_fastest <= 1;
  if (is_in_order) return c;
  auto const& rows = plan.dimensions[1];
  auto const& cols = plan.dimensions[plan.in_fastest];
  c.rows = rows.extent;
  c.cols = cols.extent;
  c.in_pitch = rows.in_stride;
  c.out_pitch = cols.out_stride;
  c.is_turned = rows.out_stride == run && cols.in_stride == run;
  // Neighbouring tiles of a small matrix run together, so that sectors they share meet in L2.
  constexpr index small_matrix_bytes = index{1} << 18;
  std::uint64_t const out_alignment =
      c.rows * c.cols * run <= small_matrix_bytes ? chunk_bytes : sector_bytes;
  c.is_aligned =
      bits_of(plan, whole.in, &copy_plan::dimension::in_stride, plan.in_fastest) % chunk_bytes ==
          0 &&
      bits_of(plan, whole.out, &copy_plan::dimension::out_stride, 1) % out_alignment == 0;
  c.is_at_chunks =
      (reinterpret_cast<std::uintptr_t>(whole.in) | reinterpret_cast<std::uintptr_t>(whole.out)) %
          chunk_bytes ==
      0;
  c.is_batch = plan.count > 3;
  c.has_gaps = !is_packed_batch(plan, c);
  c.is_in_place = whole.in == whole.out;
  return c;
}

transpose_piece whole_of(tensor_operand const& in, tensor_operand const& out) {
  transpose_piece whole{plan_runs(in, out), 1, nullptr, nullptr, nullptr};
  copy_plan const& plan = whole.plan;
  whole.in = first_unit<char const>(in, plan.in_offset);
  whole.out = first_unit<char>(out, plan.out_offset);
  whole.word = widest_word(static_cast<std::uint64_t>(plan.dimensions[0].extent) |
                           bits_of(plan, whole.in, &copy_plan::dimension::in_stride, 0) |
                           bits_of(plan, whole.out, &copy_plan::dimension::out_stride, 0));
  whole.readable_end = readable_end(plan, whole.in);
  return whole;
}

constexpr struct {
  int word;
  void (*launch)(execution const& where, int row, transpose_piece const& piece);
} launchers[] = {{1, launch_words_1},
                 {2, launch_words_2},
                 {4, launch_words_4},
                 {8, launch_words_8},
                 {16, launch_words_16}};

/// Kernels that number words or chunks, rather than tiles of at least 16 words, take fewer at once.
index most_bytes_at_once(transpose_row const& row) {
  bool const numbers_words =
      row.kernel == transpose_kernel::rows || row.kernel == transpose_kernel::direct;
  return (numbers_words ? index{1} << 30 : index{1} << 33) * row.word;
}

int row_for(transpose_piece const& whole) {
  return choose_transpose(case_of(whole), tuned_capability());
}

void copy_bits(execution const& where, copy_request const& r) {
  transpose_piece const whole = whole_of(r.in, r.out);
  int const number = row_for(whole);
  transpose_row const& row = transpose_rows[number];
  for_each_piece(whole.plan, most_bytes_at_once(row), [&](copy_plan const& plan) {
    transpose_piece piece = whole;
    piece.plan = plan;
    piece.in += plan.in_offset - whole.plan.in_offset;
    piece.out += plan.out_offset - whole.plan.out_offset;
    for (auto const& words : launchers)
      if (words.word == row.word) words.launch(where, number, piece);
  });
  finish(where);
}

}  // namespace

char const* cuda_copy_kernel(copy_request const& r) {
  if (has_stand_in(r)) return cuda_copy_kernel(by_stand_in(r));
  if (r.function != element_function::copy_bits) return cuda_element_function_kernel(r);
  return transpose_rows[row_for(whole_of(r.in, r.out))].name;
}

bool cuda_copies_whole_matrices(copy_request const& r) {
  transpose_piece const whole = whole_of(r.in, r.out);
  transpose_row const& row = transpose_rows[row_for(whole)];
  bool const is_in_one_piece = whole.plan.units <= most_bytes_at_once(row);
  return is_in_one_piece &&
         (row.kernel == transpose_kernel::tiny || row.kernel == transpose_kernel::tiny_bytes ||
          row.kernel == transpose_kernel::scattered);
}

void cuda_run_copy(execution const& where, copy_request const& r) {
  if (has_stand_in(r)) return cuda_run_copy(where, by_stand_in(r));
  if (r.function == element_function::copy_bits) return copy_bits(where, r);
  cuda_run_element_function(where, r);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
