// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Memory that can fail: counts what is asked for, and refuses one request or all from it on. For
// one file of a program, as it replaces operator new for all of it.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace failing_memory {

inline constexpr int never = -1;
inline std::atomic<int> allocations{0};
inline std::atomic<int> first_without{never};
inline std::atomic<bool> for_ever{false};

/// Numbers a request, and says whether it is granted.
inline bool grants() {
  int const number = allocations++;
  int const first = first_without;
  return first == never || number < first || (number > first && !for_ever);
}

}  // namespace failing_memory

/// Defined by the file that includes this: grants(), or what does not count here.
bool has_memory();

void* operator new(std::size_t bytes) {
  void* const data = has_memory() ? std::malloc(bytes) : nullptr;
  return data != nullptr ? data : throw std::bad_alloc();
}
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, std::size_t) noexcept { std::free(data); }
