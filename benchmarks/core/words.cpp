// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "core/words.hpp"

#include "ceilings/thread_parts.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace xpose::bench {
namespace {

/// work(first, end) for each thread's share of `bytes`. Thread t gets the share of number t + 1, so
/// that with one thread for xpose everything is the other's.
template <class Work>
void share(std::size_t bytes, int threads, Work const& work) {
#pragma omp parallel num_threads(std::max(2, threads))
  {
    auto const team = static_cast<std::size_t>(omp_get_num_threads());
    auto const self = static_cast<std::size_t>(omp_get_thread_num());
    std::size_t const shares = threads > 1 ? team : 1;
    std::size_t const mine = (self + shares - 1) % team;
    if (mine < shares) work(bytes / 8 * mine / shares * 8, bytes / 8 * (mine + 1) / shares * 8);
  }
}

/// In chains enough that loads decide and not additions.
#if defined(__x86_64__) && !defined(__clang__)
__attribute__((target_clones("default", "avx2", "arch=x86-64-v4"), optimize("O3")))
#endif
std::uint64_t
sum_of(char const* memory, std::size_t bytes) {
  std::uint64_t sums[32] = {};
  std::size_t b = 0;
  for (; b + sizeof sums <= bytes; b += sizeof sums)
    for (std::size_t lane = 0; lane < 32; ++lane) {
      std::uint64_t word;
      std::memcpy(&word, memory + b + 8 * lane, 8);
      sums[lane] += word;
    }
  std::uint64_t sum = 0;
  for (std::uint64_t const s : sums) sum += s;
  for (; b < bytes; ++b) sum += static_cast<unsigned char>(memory[b]);
  return sum;
}

}  // namespace

void write_words(void* memory, std::size_t bytes, int threads) {
  // A value that floating types take for an ordinary number of any width.
  share(bytes, threads, [&](std::size_t first, std::size_t end) {
    for (std::size_t b = first; b < end; b += 8) {
      std::uint64_t const word = 0x3c3c3c3c3c3c3c3cu ^ (b & 0x0101);
      std::memcpy(static_cast<char*>(memory) + b, &word, 8);
    }
  });
  std::memset(static_cast<char*>(memory) + bytes / 8 * 8, 0x3c, bytes % 8);
}

void read_words(void const* memory, std::size_t bytes, int threads) {
  static std::atomic<std::uint64_t> kept;
  host::for_each_part(threads, bytes, [&](std::size_t first, std::size_t count) {
    kept.fetch_add(sum_of(static_cast<char const*>(memory) + first, count),
                   std::memory_order_relaxed);
  });
}

}  // namespace xpose::bench
