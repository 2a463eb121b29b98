// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Where the candidates of a run work: its memory, its timer, its name. One for the host, one for a
// CUDA device.
#pragma once

#include "core/rounds.hpp"
#include "types/element_kind.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace xpose::bench {

class machine : public stopwatch {
 public:
  virtual bool is_device() const = 0;
  virtual std::string name() const = 0;
  /// What else a reader of the results must know: driver and toolkit, or the compiler's vectors.
  virtual std::string software() const = 0;
  virtual void* stream() const { return nullptr; }
  virtual std::size_t last_level_cache_bytes() const = 0;
  virtual std::size_t free_bytes() const = 0;
  /// Of the multiprocessors, in MHz; 0 where unknown.
  virtual int clock_mhz() { return 0; }
  /// Of the board, over the last second or less; 0 where unknown.
  virtual double power_watts() { return 0; }

  /// Aligned to 4096 bytes. Throws std::bad_alloc.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  /// Random elements that depend on the seed and their position alone.
  virtual void fill_random(void* memory, element_kind kind, std::size_t bytes,
                           std::uint64_t seed) = 0;
  virtual void fill_poison(void* memory, std::size_t bytes) = 0;
  virtual void copy_to_host(void* host, void const* memory, std::size_t bytes) = 0;
  virtual void synchronize() = 0;
};

/// The byte that outputs hold before a candidate runs: NaN in every floating type.
constexpr unsigned char poison = 0xff;

std::unique_ptr<machine> make_host_machine();
/// Throws std::runtime_error if this build or this machine has no CUDA.
std::unique_ptr<machine> make_cuda_machine();

/// Memory of a machine; the destructor releases it.
class machine_memory {
 public:
  machine_memory(machine& where, std::size_t bytes)
      : where_(&where), data_(where.allocate(bytes)), bytes_(bytes) {}
  machine_memory(machine_memory&& other) noexcept
      : where_(other.where_), data_(other.data_), bytes_(other.bytes_) {
    other.data_ = nullptr;
  }
  machine_memory& operator=(machine_memory&&) = delete;
  ~machine_memory() {
    if (data_ != nullptr) where_->release(data_);
  }

  void* at(std::size_t byte) const { return static_cast<char*>(data_) + byte; }
  std::size_t bytes() const { return bytes_; }

 private:
  machine* where_;
  void* data_;
  std::size_t bytes_;
};

}  // namespace xpose::bench
