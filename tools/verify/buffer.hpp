// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Operands of random layout inside poisoned memory, on the host and on the device.
#pragma once

#include "verify/device_memory.hpp"

#include <xpose/detail/request.hpp>
#include <xpose/explain.hpp>

#include <random>
#include <utility>
#include <vector>

namespace xpose::tools {

using random_numbers = std::mt19937_64;

/// A number from first to last.
index draw(random_numbers& numbers, index first, index last);

/// An extent: often small or around a tile's edge, sometimes 0 or 1, rarely large.
index draw_extent(random_numbers& numbers);

/// any: row- or column-major, packed or with a longer leading dimension, a submatrix of something
/// larger, reversed, with steps between elements. packed: row- or column-major, each matrix in one
/// piece.
enum class buffer_layout { any, packed };

/// Elements with room around and between them, every byte of it poison.
class verify_buffer {
 public:
  verify_buffer(random_numbers& numbers, index batch, index rows, index cols, int bytes_per_element,
                int alignment, detail::element_type type,
                buffer_layout layout = buffer_layout::any);

  detail::operand on_host() const;

  /// Calls visit(address) for every element.
  template <class Visit>
  void for_each(Visit const& visit) {
    detail::operand const o = on_host();
    unsigned char* const first = data() + offset_;
    for (index b = 0; b < o.batch; ++b)
      for (index i = 0; i < o.rows; ++i)
        for (index j = 0; j < o.cols; ++j)
          visit(first +
                (b * o.batch_stride + i * o.row_stride + j * o.col_stride) * o.bytes_per_element);
  }

  /// Whether another buffer of this layout has the same bytes, in and around the elements.
  bool has_bytes_of(verify_buffer const& other) const;

  /// Whether every byte that belongs to no element is still poison.
  bool is_poison_around();

  /// A copy of all bytes in device memory, and the operand there.
  detail::operand to_device(device_memory& memory) const;
  void from_device(device_memory const& memory);

 private:
  // A vector of these stays aligned when it is copied.
  struct alignas(64) block {
    unsigned char bytes[64];
  };
  unsigned char* data() { return blocks_.data()->bytes; }
  unsigned char const* data() const { return blocks_.data()->bytes; }
  std::size_t size() const { return blocks_.size() * sizeof(block); }

  detail::operand shape_;  // its data is not used
  index offset_;           // of element (0, 0, 0), in bytes
  std::vector<block> blocks_;
};

}  // namespace xpose::tools
