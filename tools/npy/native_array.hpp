// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A .npy array as a typed operand: in the mapped file itself where the processor can read it there,
// else in a copy with the bytes in order.
#pragma once

#include "npy/npy.hpp"

#include <memory>

namespace xpose::tools {

class native_array {
 public:
  /// The file must outlive the array. Throws std::bad_alloc.
  native_array(npy_input const& file, detail::element_type type);

  detail::tensor_operand tensor() const { return tensor_; }
  /// Of two or three dimensions.
  detail::operand operand() const;

 private:
  std::unique_ptr<std::uint64_t[]> copy_;
  npy_header const& header_;
  detail::tensor_operand tensor_;
};

/// Whether a native_array of the file is a copy: its bytes are in the other order, or not aligned.
bool needs_copy(npy_input const& file, detail::element_type type);

/// Reverses the bytes of each number in an array; a complex element is two numbers.
void swap_bytes(void* data, index elements, index bytes_per_element, bool is_complex);

/// describe_tensor() and describe() with a type and its alignment.
detail::tensor_operand describe_typed(void const* data, npy_header const& header,
                                      detail::element_type type);
detail::operand describe_matrices(void const* data, npy_header const& header,
                                  detail::element_type type);

}  // namespace xpose::tools
