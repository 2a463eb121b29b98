// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Sums of 32-bit words, each thread on its own contiguous part: STREAM's "add", with ordinary and
// with non-temporal stores.

#include "ceilings/ceilings.hpp"
#include "ceilings/thread_parts.hpp"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace xpose::bench::host {
namespace {

using add_function = void (*)(char const* a, char const* b, char* c, std::size_t bytes);

void add_words(char const* a, char const* b, char* c, std::size_t bytes) {
  for (std::size_t at = 0; at + sizeof(std::uint32_t) <= bytes; at += sizeof(std::uint32_t)) {
    std::uint32_t x;
    std::uint32_t y;
    std::memcpy(&x, a + at, sizeof x);
    std::memcpy(&y, b + at, sizeof y);
    x += y;
    std::memcpy(c + at, &x, sizeof x);
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) __m256i sum_of(char const* a, char const* b) {
  return _mm256_add_epi32(_mm256_loadu_si256(reinterpret_cast<__m256i const*>(a)),
                          _mm256_loadu_si256(reinterpret_cast<__m256i const*>(b)));
}

__attribute__((target("avx2"))) void add_lines(char const* a, char const* b, char* c,
                                               std::size_t bytes) {
  std::size_t at = 0;
  for (; at + cache_line <= bytes; at += cache_line)
    for (std::size_t half = at; half < at + cache_line; half += cache_line / 2)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(c + half), sum_of(a + half, b + half));
  add_words(a + at, b + at, c + at, bytes - at);
}

__attribute__((target("avx2"))) void stream_sums(char const* a, char const* b, char* c,
                                                 std::size_t bytes) {
  std::size_t at =
      std::min(bytes, (cache_line - reinterpret_cast<std::uintptr_t>(c) % cache_line) % cache_line);
  add_words(a, b, c, at);
  for (; at + cache_line <= bytes; at += cache_line)
    for (std::size_t half = at; half < at + cache_line; half += cache_line / 2)
      _mm256_stream_si256(reinterpret_cast<__m256i*>(c + half), sum_of(a + half, b + half));
  add_words(a + at, b + at, c + at, bytes - at);
  _mm_sfence();
}
#endif

sum_ceiling make(char const* name, char const* kernel, add_function add, int threads) {
  return {name, kernel, [add, threads](void const* a, void const* b, void* c, std::size_t bytes) {
            for_each_part(threads, bytes, [&](std::size_t first, std::size_t count) {
              add(static_cast<char const*>(a) + first, static_cast<char const*>(b) + first,
                  static_cast<char*>(c) + first, count);
            });
          }};
}

}  // namespace

std::vector<sum_ceiling> sum_ceilings(int threads) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    return {make("stream_add", "add_lines", add_lines, threads),
            make("nontemporal_add", "stream_sums", stream_sums, threads)};
#endif
  return {make("stream_add", "add_words", add_words, threads)};
}

}  // namespace xpose::bench::host
