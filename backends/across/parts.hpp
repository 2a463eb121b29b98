// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Parts of operands, and how a call is cut into pieces: arithmetic on extents and strides.
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A range of positions of a tensor.
struct box {
  index first[tensor_operand::max_rank];
  index extent[tensor_operand::max_rank];
};

tensor_operand part_of(tensor_operand const& o, box const& b);

/// Positions cut into boxes of `step` each, smaller at the ends.
struct box_grid {
  int count;  // of dimensions
  index extent[tensor_operand::max_rank];
  index step[tensor_operand::max_rank];

  index boxes() const;
  /// Those of the last dimension follow each other.
  box operator[](index number) const;
};

/// Boxes of which each operand packs into at most `bytes`, if one element does. Of the ways to cut,
/// the one that leaves the longest runs of contiguous bytes in the operand where they are shortest:
///     one packed operand             slabs along its largest stride
///     a matrix and its transpose     tiles about as long as they are wide
/// Above 128 positions a step is a multiple of 64, whole tiles of the kernels.
box_grid cut(tensor_operand const* operands, int count, index bytes);

/// Memory without the gaps of o, its dimensions in the same order. Rows of 1 KiB and more begin at
/// multiples of 16 bytes, for the kernels' vector accesses. A dimension of stride 0 stays one.
tensor_operand packed_as(tensor_operand const& o, void* memory);
index packed_bytes(tensor_operand const& o);

/// Whether a dimension of several positions has stride 0: an input may.
bool has_repeats(tensor_operand const& o);
/// The same memory once: dimensions of stride 0 have one position, in `o` and in `other`.
void drop_repeats(tensor_operand& o, tensor_operand& other);

/// The bytes of elements.
index bytes_of(tensor_operand const& o);

/// A batch of matrices, as as_tensor() took it.
operand matrix_of(tensor_operand const& t);

/// The first and the last byte of its memory.
struct byte_span {
  char const* first;
  char const* last;
};
byte_span span_of(tensor_operand const& o);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
