// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Memory that ends exactly where a page begins that may not be touched, or begins where one ends: a
// kernel that reads or writes a byte beyond its operand is killed by SIGSEGV.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <new>

enum class guard { before, behind };

/// One block of readable pages between two that are not.
class guarded_memory {
 public:
  explicit guarded_memory(std::size_t most_bytes)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        readable_((most_bytes + page_ - 1) / page_ * page_),
        pages_(static_cast<std::byte*>(mmap(nullptr, readable_ + 2 * page_, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    if (pages_ == MAP_FAILED) throw std::bad_alloc();
    mprotect(pages_, page_, PROT_NONE);
    mprotect(pages_ + page_ + readable_, page_, PROT_NONE);
  }
  ~guarded_memory() { munmap(pages_, readable_ + 2 * page_); }
  guarded_memory(guarded_memory const&) = delete;
  guarded_memory& operator=(guarded_memory const&) = delete;

  std::size_t bytes() const { return readable_; }

  /// The first byte of an operand that begins right behind a guard, or ends right before one.
  /// Aligned to what divides a page, or to what divides both a page and the operand's size.
  std::byte* operand(guard g, std::size_t operand_bytes) const {
    std::byte* const first = pages_ + page_;
    return g == guard::before ? first : first + readable_ - operand_bytes;
  }

 private:
  std::size_t page_;
  std::size_t readable_;
  std::byte* pages_;
};
