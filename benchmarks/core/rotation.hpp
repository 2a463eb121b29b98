// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// When operands stay in a cache, and how many sets of them it takes so that they do not: the rule
// of the bench and of peers that time their own algorithms.
#pragma once

#include <cstddef>

namespace xpose::bench {

constexpr bool stays_in_cache(std::size_t bytes_of_case, std::size_t cache_bytes) {
  return bytes_of_case <= cache_bytes / 2;
}

/// What a call leaves in the cache is evicted before its set is used again. At least 1.
constexpr std::size_t sets_past_cache(std::size_t bytes_of_case, std::size_t cache_bytes) {
  return (3 * cache_bytes + bytes_of_case - 1) / bytes_of_case;
}

}  // namespace xpose::bench
