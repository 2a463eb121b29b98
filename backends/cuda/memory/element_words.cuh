// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The number of words in an element, for the kernels of small and of skinny matrices: known at
// compile time as `Count`, or at run time if `Count` is 0. quotient() takes no negative numbers.
#pragma once

#include <xpose/backends/cuda/memory/tile_coordinates.cuh>

#include <type_traits>

namespace xpose::detail {

template <int Count>
struct element_words {
  explicit element_words(index) {}
  __device__ static constexpr int count() { return Count; }
  __device__ int quotient(int words) const {
    return static_cast<int>(static_cast<unsigned>(words) / Count);
  }
};
template <>
struct element_words<0> {
  explicit element_words(index words) : divisor(words) {}
  __device__ int count() const { return static_cast<int>(divisor.value); }
  __device__ int quotient(int words) const { return divisor.quotient(words); }
  fast_divisor divisor;
};

/// Elements that are moved six at a time (six_triples).
template <class Element, int W>
inline constexpr bool are_triples = W == 1 && std::is_same_v<Element, element_words<3>>;

}  // namespace xpose::detail
