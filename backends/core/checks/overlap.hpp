// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Whether two operands share a byte of memory. Takes any extents and strides of checked views.
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// From the first byte of the lowest element of an operand that has elements to the last byte of
/// the highest.
struct byte_range {
  std::uint64_t begin;
  index bytes;
  std::uint64_t end() const { return begin + static_cast<std::uint64_t>(bytes); }
};
byte_range range_of(tensor_operand const& o);

enum class overlap : int { none, some, undecided };

/// Whether an element of x and one of y have a byte in common; operands without elements or without
/// memory have none. `none` and `some` are exact. `undecided` is a search of more than 4096 steps,
/// or an operand that spans more than 2^61 bytes. Ranges that do not meet are not searched; strides
/// that both have count once, strides that nest leave one choice each, and gaps that the larger
/// ones leave decide by themselves, so that blocks, rows, columns and stripes of one array of any
/// rank are decided in a few steps. Asks for no memory.
XPOSE_EXPORT overlap overlap_of(tensor_operand const& x, tensor_operand const& y);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
