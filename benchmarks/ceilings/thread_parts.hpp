// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Memory in contiguous parts, one for each thread.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>

namespace xpose::bench::host {

constexpr std::size_t cache_line = 64;

/// Calls part(first byte, bytes) on every thread; parts begin at cache lines.
template <class Part>
void for_each_part(int threads, std::size_t bytes, Part const& part) {
  if (threads == 1) return part(0, bytes);
#pragma omp parallel num_threads(threads)
  {
    auto const count = static_cast<std::size_t>(omp_get_num_threads());
    auto const thread = static_cast<std::size_t>(omp_get_thread_num());
    std::size_t const lines = (bytes + cache_line - 1) / cache_line;
    std::size_t const first = std::min(bytes, lines * thread / count * cache_line);
    std::size_t const last = std::min(bytes, lines * (thread + 1) / count * cache_line);
    part(first, last - first);
  }
}

}  // namespace xpose::bench::host
