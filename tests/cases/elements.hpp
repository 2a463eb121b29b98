// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Elements that are nothing but bytes, of any size, and what they are filled with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

template <int Bytes>
struct element {
  unsigned char bytes[Bytes];
};
template <int Bytes>
struct alignas(Bytes) aligned_element {
  unsigned char bytes[Bytes];
};

/// Different for (nearly) every position, and for every byte of an element; again from the start
/// after a prime number of bytes. Calculated once: it took most of the time of small cases.
inline void fill_with_pattern(std::byte* bytes, std::size_t count) {
  static std::vector<std::byte> const pattern = [] {
    std::vector<std::byte> all((std::size_t{1} << 22) + 15);
    for (std::uint64_t i = 0; i < all.size(); ++i) {
      std::uint64_t const hash = (i + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
      all[i] = static_cast<std::byte>((hash ^ (hash >> 29)) >> 40);
    }
    return all;
  }();
  for (std::size_t done = 0; done < count; done += pattern.size())
    std::memcpy(bytes + done, pattern.data(), std::min(count - done, pattern.size()));
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
