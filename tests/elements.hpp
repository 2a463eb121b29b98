// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Elements that are nothing but bytes, of any size, and what they are filled with.
#pragma once

#include <cstddef>
#include <cstdint>

template <int Bytes>
struct element {
  unsigned char bytes[Bytes];
};
template <int Bytes>
struct alignas(Bytes) aligned_element {
  unsigned char bytes[Bytes];
};

/// Different for (nearly) every position, and for every byte of an element.
inline void fill_with_pattern(std::byte* bytes, std::size_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t const hash = (i + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
    bytes[i] = static_cast<std::byte>((hash ^ (hash >> 29)) >> 40);
  }
}

/// visit(type_of<T>) for bytes of every size that kernels tell apart, and of some they do not.
template <class T>
struct type_of {
  using type = T;
};
template <class Visit>
void for_each_element_size(Visit const& visit) {
  visit(type_of<std::uint8_t>{});
  visit(type_of<std::uint16_t>{});
  visit(type_of<element<3>>{});
  visit(type_of<std::uint32_t>{});
  visit(type_of<element<6>>{});
  visit(type_of<std::uint64_t>{});
  visit(type_of<element<12>>{});
  visit(type_of<aligned_element<16>>{});
  visit(type_of<element<24>>{});
  visit(type_of<aligned_element<32>>{});
}
