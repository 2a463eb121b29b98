// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// From a plan of runs and two addresses to what the table of bit copies is asked.

#include <xpose/backends/cuda/transpose/pieces.hpp>

#include <xpose/backends/cuda/memory/access_bytes.hpp>

#include <algorithm>
#include <cstdint>

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
  int word = vec16_bytes;
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

transpose_case case_of(transpose_piece const& piece) {
  copy_plan const& plan = piece.plan;
  index const run = plan.dimensions[0].extent;
  transpose_case c{};
  c.word = piece.word;
  c.element = run / piece.word;
  c.units = plan.units / piece.word;
  bool const is_in_order = plan.in_fastest <= 1;
  if (is_in_order) return c;
  auto const& rows = plan.dimensions[1];
  auto const& cols = plan.dimensions[plan.in_fastest];
  c.rows = rows.extent;
  c.cols = cols.extent;
  c.in_pitch = rows.in_stride;
  c.out_pitch = cols.out_stride;
  c.is_transposed = rows.out_stride == run && cols.in_stride == run;
  // Neighbouring tiles of a small matrix run together, so that sectors they share meet in L2.
  constexpr index small_matrix_bytes = index{1} << 18;
  std::uint64_t const out_alignment =
      c.rows * c.cols * run <= small_matrix_bytes ? vec16_bytes : sector_bytes;
  c.is_aligned =
      bits_of(plan, piece.in, &copy_plan::dimension::in_stride, plan.in_fastest) % vec16_bytes ==
          0 &&
      bits_of(plan, piece.out, &copy_plan::dimension::out_stride, 1) % out_alignment == 0;
  c.is_vec16_aligned =
      (reinterpret_cast<std::uintptr_t>(piece.in) | reinterpret_cast<std::uintptr_t>(piece.out)) %
          vec16_bytes ==
      0;
  c.is_batch = plan.count > 3;
  c.has_gaps = !is_packed_batch(plan, c);
  c.is_in_place = piece.in == piece.out;
  return c;
}

}  // namespace

transpose_piece piece_of(copy_plan const& plan, char const* in, char* out) {
  int const word = widest_word(static_cast<std::uint64_t>(plan.dimensions[0].extent) |
                               bits_of(plan, in, &copy_plan::dimension::in_stride, 0) |
                               bits_of(plan, out, &copy_plan::dimension::out_stride, 0));
  return {plan, word, in, out, readable_end(plan, in)};
}

transpose_piece piece_of(tensor_operand const& in, tensor_operand const& out) {
  copy_plan const plan = plan_runs(in, out);
  return piece_of(plan, first_unit<char const>(in, plan.in_offset),
                  first_unit<char>(out, plan.out_offset));
}

int config_for(transpose_piece const& piece, int capability) {
  return choose_transpose(case_of(piece), capability);
}

piece_limits limits_of(transpose_config const& config, transpose_limits const& most) {
  bool const numbers_words =
      config.kernel == transpose_kernel::rows || config.kernel == transpose_kernel::direct;
  return {(numbers_words ? most.words : most.words_in_tiles) * config.word, most.extent, true};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
