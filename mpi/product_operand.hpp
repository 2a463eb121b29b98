// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// An operand of gemm as p?gemm and cuBLASMp take it: block-cyclic, with a column-major local matrix
// on C's grid.
#pragma once

#include "message_memory.hpp"
#include "operand_rules.hpp"

namespace xpose {
inline namespace v0 {
namespace detail {

/// Ranks of a line are the same in either order.
bool is_same_grid(process_grid const& a, process_grid const& b);

/// Where the engine takes local matrices from.
enum class product_memory {
  as_given,  // an operand that is not column-major is copied within its memory
  host       // copied there from a device
};

class product_operand {
 public:
  product_operand(dist_operand const& o, process_grid const& grid, dist_execution const& where,
                  product_memory memory);

  /// For a copy, if one is needed. Throws std::bad_alloc, cuda_error.
  void take_memory();
  // Behind take_memory(). Errors of a device are kept by where.device.
  void copy_in() const noexcept;
  void copy_out() const noexcept;
  void* data() const;

  /// The operand is read as the transpose of what lies there.
  bool is_transposed() const { return is_transposed_; }
  /// On C's grid; blocks are no larger than the matrix.
  dist_layout const& layout() const { return given_.layout; }
  index leading_dimension() const;

 private:
  bool is_direct() const;
  operand packed() const;
  void copy(operand const& from, operand const& to) const noexcept;

  dist_execution const& where_;
  product_memory where_it_lies_;
  bool is_transposed_;
  dist_operand given_;
  operand local_;
  message_memory memory_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
