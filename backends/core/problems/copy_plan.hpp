// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The plan of a strided copy: host arithmetic on extents and strides, without memory or backend. A
// plan is a nest of loops over (extent, in_stride, out_stride), simplified in these steps:
//     reverse   out_stride < 0: walk backwards, so that output strides are positive
//     sort      by output stride: dimension 0 is the output's fastest
//     merge     (e0, s0, t0) (e1, e0 s0, e0 t0)  ->  (e0 e1, s0, t0)
// A transpose of r x c packed elements of b bytes becomes, in bytes:
//     (b, 1, 1) (r, c b, b) (c, b, r b)     in_fastest = 2
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

struct copy_plan {
  // One for the bytes of an element, then those of the operands.
  static constexpr int max_dimensions = 1 + tensor_operand::max_rank;

  struct dimension {
    index extent;
    index in_stride;   // in bytes, or in elements from plan_elements
    index out_stride;  // likewise; positive
  };

  int count;  // at least 1; no extent is 1, unless it is the only one
  dimension dimensions[max_dimensions];
  int in_fastest;   // dimension with the smallest stride on the input side
  index in_offset;  // of the first unit, in bytes from the operands' data
  index out_offset;
  index units;  // 0: nothing to do

  /// Whether input and output are fastest along different dimensions: coalesced access on both
  /// sides then needs a tile.
  bool transposes() const { return in_fastest != 0; }
};

/// For a bit copy: units are bytes. Dimension 0 is always the contiguous run, of one element or
/// more, even if that is one byte. in_fastest is one of the others, or 0 if there are none. Where
/// the input runs backwards along in_fastest, both sides are walked backwards there: only that
/// output stride may be negative.
XPOSE_EXPORT copy_plan plan_runs(tensor_operand const& in, tensor_operand const& out);

/// For an element function on tiles: as plan_runs, but dimension 0 is the bytes of one output
/// element. Strides are in bytes of either side, whose elements may differ in size.
XPOSE_EXPORT copy_plan plan_function(tensor_operand const& in, tensor_operand const& out);

/// The kind of copy that a plan of runs is, from the cheapest.
enum class shape_class {
  nothing,
  run,         // one contiguous piece on both sides
  rows,        // runs in the same order on both sides, or runs so long that order does not matter
  transposed,  // runs are contiguous along dimension 1 in the output, along in_fastest in the input
  strided,     // anything else
};
XPOSE_EXPORT shape_class class_of(copy_plan const& runs);

/// The same for plan_function: a run is one element, rows are contiguous in the output.
XPOSE_EXPORT shape_class class_of_function(copy_plan const& elements, index in_bytes);

/// For an element function: units are elements.
XPOSE_EXPORT copy_plan plan_elements(tensor_operand const& in, tensor_operand const& out);

/// The address of an operand's first unit, at the plan's offset on its side.
template <class T>
T* first_unit(tensor_operand const& o, index byte_offset) {
  return reinterpret_cast<T*>(static_cast<char*>(const_cast<void*>(o.data)) + byte_offset);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
