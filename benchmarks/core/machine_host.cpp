// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "core/machine.hpp"
#include "types/random.hpp"

#include <omp.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>

namespace xpose::bench {
namespace {

/// The value behind "key   : " in a file of /proc; empty if there is none.
std::string value_in(char const* file, std::string const& key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind(key, 0) != 0) continue;
    auto const at = line.find_first_not_of(" \t", line.find(':') + 1);
    return at == std::string::npos ? "" : line.substr(at);
  }
  return "";
}

std::string vector_extensions() {
  std::string found;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) found += " avx2";
  if (__builtin_cpu_supports("avx512f")) found += " avx512f";
  if (__builtin_cpu_supports("avx512vnni")) found += " avx512vnni";
  if (__builtin_cpu_supports("avx512bf16")) found += " avx512bf16";
  if (__builtin_cpu_supports("amx-int8")) found += " amx_int8";
  if (__builtin_cpu_supports("amx-bf16")) found += " amx_bf16";
#endif
  return found.empty() ? " none known" : found;
}

/// Of the largest cache that the kernel knows of the first processor; 0 where it knows none.
std::size_t shared_cache_bytes() {
  std::size_t largest = 0;
  for (int i = 0; i < 8; ++i) {
    std::ifstream stream("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/size");
    std::size_t size = 0;
    char unit = ' ';
    if (!(stream >> size >> unit)) continue;
    largest = std::max(largest, size << (unit == 'K' ? 10 : unit == 'M' ? 20 : 0));
  }
  return largest;
}

class host_machine : public machine {
 public:
  bool is_device() const override { return false; }
  std::string name() const override {
    std::string const model = value_in("/proc/cpuinfo", "model name");
    return model.empty() ? "processor" : model;
  }
  std::string software() const override {
    return "compiler " __VERSION__ "; vectors:" + vector_extensions();
  }

  std::size_t last_level_cache_bytes() const override {
    // The cache of this core's group. sysconf() has the sum of all groups on some processors (320
    // MB instead of 32 on a Zen 4 server).
    if (std::size_t const shared = shared_cache_bytes(); shared > 0) return shared;
    long largest = 0;
    for (int const level : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE})
      largest = std::max(largest, sysconf(level));
    // A virtual machine may hide it.
    return largest > 0 ? static_cast<std::size_t>(largest) : std::size_t{32} << 20;
  }
  std::size_t free_bytes() const override {
    std::string const kilobytes = value_in("/proc/meminfo", "MemAvailable");
    return kilobytes.empty() ? std::numeric_limits<std::size_t>::max()
                             : std::strtoull(kilobytes.c_str(), nullptr, 10) * 1024;
  }

  void* allocate(std::size_t bytes) override {
    std::size_t const whole_pages = (bytes + 4095) / 4096 * 4096;
    void* const memory = std::aligned_alloc(4096, std::max<std::size_t>(whole_pages, 4096));
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  void release(void* memory) noexcept override { std::free(memory); }

  void fill_random(void* memory, element_kind kind, std::size_t bytes,
                   std::uint64_t seed) override {
    with_scalar_type(kind, [&](auto tag) {
      using T = typename decltype(tag)::type;
      auto const count = static_cast<std::int64_t>(bytes / sizeof(T));
      auto* const scalars = static_cast<unsigned char*>(memory);
#pragma omp parallel for
      for (std::int64_t i = 0; i < count; ++i) {
        T const scalar = random_scalar<T>::make(hash_of(static_cast<std::uint64_t>(i), seed));
        std::memcpy(scalars + static_cast<std::size_t>(i) * sizeof(T), &scalar, sizeof(T));
      }
      for (std::size_t b = static_cast<std::size_t>(count) * sizeof(T); b < bytes; ++b)
        scalars[b] = static_cast<unsigned char>(hash_of(b, seed));
    });
  }
  void fill_poison(void* memory, std::size_t bytes) override {
    constexpr std::size_t piece = std::size_t{1} << 20;
#pragma omp parallel for
    for (std::size_t at = 0; at < bytes; at += piece)
      std::memset(static_cast<char*>(memory) + at, poison, std::min(piece, bytes - at));
  }
  void copy_to_host(void* host, void const* memory, std::size_t bytes) override {
    std::memcpy(host, memory, bytes);
  }
  void synchronize() override {}

  double seconds(candidate const& who, int first_slot, int slots, int calls) override {
    using clock = std::chrono::steady_clock;
    auto const start = clock::now();
    for (int i = 0, slot = first_slot; i < calls; ++i) {
      who.call(slot);
      if (++slot == slots) slot = 0;
    }
    return std::chrono::duration<double>(clock::now() - start).count();
  }
  double shortest_sample() const override { return 50e-6; }
};

}  // namespace

std::unique_ptr<machine> make_host_machine() { return std::make_unique<host_machine>(); }

}  // namespace xpose::bench
