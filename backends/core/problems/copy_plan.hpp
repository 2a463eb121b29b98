// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The host-side plan of a strided copy: pure arithmetic on extents and strides, no memory is
// touched, no backend known. Dimensions are turned so that output strides are positive, sorted so
// that dimension 0 is the output's fastest, and merged where both sides allow it.
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

struct copy_plan {
  // The bytes of an element come before the dimensions of the operands.
  static constexpr int max_dimensions = 1 + tensor_operand::max_rank;

  struct dimension {
    index extent;
    index in_stride;   // in bytes, or elements of plan_elements
    index out_stride;  // likewise; positive
  };

  int count;  // at least 1; extents are 1 only if nothing else is left
  dimension dimensions[max_dimensions];
  int in_fastest;   // dimension with the smallest stride on the input side
  index in_offset;  // of the first unit, in bytes from the operands' data
  index out_offset;
  index units;  // 0: nothing to do

  /// Input and output are fastest along different dimensions, so that one of them needs a tile to
  /// be read in order.
  bool transposes() const { return in_fastest != 0; }
};

/// For a bit copy: units are bytes. Dimension 0 is always the contiguous
/// run (an element at least), even of one byte; in_fastest is of the others, 0 if there are none.
/// Where the input runs backwards along in_fastest, both sides are walked the other way, so that
/// only there output strides may be negative.
XPOSE_EXPORT copy_plan plan_runs(tensor_operand const& in, tensor_operand const& out);

/// For an element function on tiles: as plan_runs, with dimension 0 the bytes of one output
/// element, and strides in bytes of either side, whose elements may differ in size.
XPOSE_EXPORT copy_plan plan_function(tensor_operand const& in, tensor_operand const& out);

/// What a plan of runs asks for, from the cheapest.
enum class shape_class {
  nothing,
  run,         // one contiguous piece on both sides
  rows,        // pieces in the same order on both sides, or pieces so long that order means nothing
  transposed,  // runs one behind the other along dimension 1 in the output, along in_fastest in the
               // input
  strided,     // anything else
};
XPOSE_EXPORT shape_class class_of(copy_plan const& runs);

/// The same for a plan_function: a run is one element, rows are contiguous in the output.
XPOSE_EXPORT shape_class class_of_function(copy_plan const& elements, index in_bytes);

/// For an element function: units are elements.
XPOSE_EXPORT copy_plan plan_elements(tensor_operand const& in, tensor_operand const& out);

/// Where an operand's first unit lies, from the plan's offset on its side.
template <class T>
T* first_unit(tensor_operand const& o, index byte_offset) {
  return reinterpret_cast<T*>(static_cast<char*>(const_cast<void*>(o.data)) + byte_offset);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
