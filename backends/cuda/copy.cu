// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Bit copies on a CUDA device: the driver of copy.cuh for words of 1, 2, 4, 8 and 16 bytes,
// whatever the element type.

#include <xpose/backends/cuda/copy.cuh>

#include <xpose/backends/backend.hpp>
#include <xpose/backends/cuda/copy_functions.hpp>
#include <xpose/backends/word_table.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

template <class Word>
void copy_words(execution const& where, copy_plan const& plan, tensor_operand const& in,
                tensor_operand const& out) {
  auto const* from = first_unit<Word const>(in, plan.in_offset);
  auto* to = first_unit<Word>(out, plan.out_offset);
  // 32-bit offsets halve the index arithmetic; the plan says when they suffice.
  if (plan.is_narrow()) launch_copy<std::int32_t>(where, plan, from, to, identity{});
  else launch_copy<index>(where, plan, from, to, identity{});
  finish(where);
}

constexpr word_row table[] = {
    {1, "transpose_tiles<1>", "copy_runs<1>", copy_words<std::uint8_t>},
    {2, "transpose_tiles<2>", "copy_runs<2>", copy_words<std::uint16_t>},
    {4, "transpose_tiles<4>", "copy_runs<4>", copy_words<std::uint32_t>},
    {8, "transpose_tiles<8>", "copy_runs<8>", copy_words<uint2>},
    {16, "transpose_tiles<16>", "copy_runs<16>", copy_words<uint4>},
};

}  // namespace

char const* cuda_copy_kernel(copy_request const& r) {
  return kernel_name(table, r, most_bytes_in_tile);
}

void cuda_run_copy(execution const& where, copy_request const& r) {
  if (r.function == element_function::copy_bits) return copy_words_by(table, where, r);
  cuda_run_element_function(where, r);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
