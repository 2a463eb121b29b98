// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/cuda/function_kernel.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Whether the address and all steps of a side, but for the dimension `along`, are multiples.
bool is_multiple(copy_plan const& plan, void const* first, index copy_plan::dimension::*stride,
                 int along, index bytes) {
  std::uint64_t bits = reinterpret_cast<std::uintptr_t>(first);
  for (int d = 0; d < plan.count; ++d)
    if (d != along) bits |= static_cast<std::uint64_t>(plan.dimensions[d].*stride);
  return bits % static_cast<std::uint64_t>(bytes) == 0;
}

bool takes_vectors(function_copy const& c) {
  index const vector = elements_in_vector(c.in_bytes, c.out_bytes);
  auto const& run = c.plan.dimensions[0];
  return vector > 1 && (c.plan.count == 1 || run.extent % vector == 0) &&
         run.in_stride == c.in_bytes && run.out_stride == c.out_bytes &&
         is_multiple(c.plan, c.in, &copy_plan::dimension::in_stride, 0, vector * c.in_bytes) &&
         is_multiple(c.plan, c.out, &copy_plan::dimension::out_stride, 0, vector * c.out_bytes);
}

bool takes_aligned_tiles(function_copy const& c) {
  constexpr index small = 1 << 18;  // elements; below, the kernel of the shortest path wins
  index const vector = elements_in_vector(c.in_bytes, c.out_bytes);
  return has_aligned_tile(c.in_bytes, c.out_bytes) && c.plan.units >= small &&
         c.plan.dimensions[0].out_stride == c.out_bytes &&
         c.plan.dimensions[c.plan.in_fastest].in_stride == c.in_bytes &&
         is_multiple(c.plan, c.in, &copy_plan::dimension::in_stride, c.plan.in_fastest,
                     vector * c.in_bytes) &&
         is_multiple(c.plan, c.out, &copy_plan::dimension::out_stride, 0, 32);
}

}  // namespace

function_copy plan_function_copy(tensor_operand const& in, tensor_operand const& out) {
  function_copy c{plan_elements(in, out), nullptr, nullptr, in.bytes_per_element,
                  out.bytes_per_element};
  for (int d = 0; d < c.plan.count; ++d) {
    c.plan.dimensions[d].in_stride *= c.in_bytes;
    c.plan.dimensions[d].out_stride *= c.out_bytes;
  }
  c.in = first_unit<char const>(in, c.plan.in_offset);
  c.out = first_unit<char>(out, c.plan.out_offset);
  return c;
}

function_kernel choose_function_kernel(function_copy const& c) {
  if (!c.plan.turns()) return takes_vectors(c) ? function_kernel::vectors : function_kernel::direct;
  if (takes_aligned_tiles(c)) return function_kernel::aligned;
  return c.out_bytes <= most_bytes_in_tile ? function_kernel::strided : function_kernel::direct;
}

char const* name_of(function_kernel kernel) {
  switch (kernel) {
    case function_kernel::vectors:
      return "copy_vectors<function>";
    case function_kernel::direct:
      return "copy_direct<function>";
    case function_kernel::aligned:
      return "transpose_aligned<function>";
    case function_kernel::strided:
      return "transpose_strided<function>";
  }
  return "none";
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
