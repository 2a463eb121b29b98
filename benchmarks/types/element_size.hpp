// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// From the number of bytes of an element to a type of that size.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace xpose::bench {

template <std::size_t Bytes>
struct bytes_of {
  unsigned char value[Bytes];
};

/// f(size) with the size of an element as a constant; a transpose moves bytes whatever they mean.
template <class F>
auto with_size(std::size_t bytes, F const& f) {
  switch (bytes) {
    case 1:
      return f(std::integral_constant<std::size_t, 1>{});
    case 2:
      return f(std::integral_constant<std::size_t, 2>{});
    case 3:
      return f(std::integral_constant<std::size_t, 3>{});
    case 4:
      return f(std::integral_constant<std::size_t, 4>{});
    case 6:
      return f(std::integral_constant<std::size_t, 6>{});
    case 8:
      return f(std::integral_constant<std::size_t, 8>{});
    case 12:
      return f(std::integral_constant<std::size_t, 12>{});
    case 16:
      return f(std::integral_constant<std::size_t, 16>{});
    case 24:
      return f(std::integral_constant<std::size_t, 24>{});
    case 32:
      return f(std::integral_constant<std::size_t, 32>{});
    default:
      throw std::invalid_argument("no element of " + std::to_string(bytes) + " bytes");
  }
}

}  // namespace xpose::bench
