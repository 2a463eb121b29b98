// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Whether two operands share a byte of memory, for any extents and strides of checked views.
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// From the lowest to the highest byte of an operand that has elements.
struct byte_range {
  std::uint64_t begin;
  index bytes;
  std::uint64_t end() const { return begin + static_cast<std::uint64_t>(bytes); }
};
byte_range range_of(tensor_operand const& o);

enum class overlap : int { none, some, undecided };

/// Whether an element of x and one of y share a byte; operands without elements or memory share
/// none. `none` and `some` are exact. `undecided` is a search of more than 4096 steps, or an
/// operand that spans more than 2^61 bytes. Ranges that do not meet need no search. A few steps
/// decide blocks, rows, columns and stripes of one array of any rank: equal strides are merged,
/// nested strides leave one choice each, and gaps between large strides decide by themselves.
/// Allocates nothing.
XPOSE_EXPORT overlap overlap_of(tensor_operand const& x, tensor_operand const& y);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
