// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Temporary memory from a pool that a policy brings: what is asked for, on which backend, and that
// all of it comes back. The device's side: thrust/policies.cu.

#include "support/gpu.hpp"

#include <xpose/backends/core/given_memory.hpp>
#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <memory_resource>
#include <new>
#include <vector>

TEST_SUITE_BEGIN("policies");

namespace {

using xpose::index;

constexpr index rows = 30;
constexpr index cols = 20;
constexpr std::size_t bytes = rows * cols * sizeof(double);

/// Counts, and gives memory at odd addresses.
struct counting_pool {
  void* allocate(std::size_t size) {
    ++taken;
    asked = size;
    auto* const memory = static_cast<char*>(::operator new(size + 1)) + 1;
    last = memory;
    return memory;
  }
  void deallocate(void* memory, std::size_t size) {
    CHECK(memory == last);
    CHECK(size == asked);
    ++returned;
    ::operator delete(static_cast<char*>(memory) - 1);
  }
  int taken = 0;
  int returned = 0;
  std::size_t asked = 0;
  void* last = nullptr;
};

template <class Policy>
bool turns_in_place(Policy const& policy) {
  std::vector<double> memory(rows * cols);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<double>(i);
  auto const turned =
      xpose::transpose_inplace(policy, xpose::matrix_view<double>(memory.data(), rows, cols));
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < cols; ++j)
      if (turned(j, i) != static_cast<double>(i * cols + j)) return false;
  return true;
}

template <class Policy>
void check_asks_once(Policy const& policy, counting_pool const& pool) {
  CHECK(turns_in_place(policy));
  CHECK(pool.taken == 1);
  CHECK(pool.returned == 1);
  CHECK(pool.asked >= bytes + 255);  // to be aligned by xpose itself
}

TEST_CASE("seq takes its temporary memory from the policy's pool") {
  counting_pool pool;
  check_asks_once(xpose::seq.with(pool), pool);
}

TEST_CASE("the reference takes its temporary memory from the policy's pool") {
  counting_pool pool;
  check_asks_once(xpose::reference.with(pool), pool);
}

TEST_CASE("omp takes its temporary memory from the policy's pool") {
  counting_pool pool;
  check_asks_once(xpose::omp.with(xpose::threads{2}).with(pool), pool);
}

TEST_CASE("calls that need no temporary memory ask no pool") {
  counting_pool pool;
  std::vector<float> in(6, 1.f), out(6);
  xpose::matrix_view<float> const to(out.data(), 3, 2);
  xpose::transpose(xpose::seq.with(pool), xpose::matrix_view<float>(in.data(), 2, 3), to);
  xpose::transpose(xpose::omp.with(pool), xpose::matrix_view<float>(in.data(), 2, 3), to);
  xpose::matrix_view<float> const square(in.data(), 2, 2);
  xpose::transpose_inplace(xpose::seq.with(pool), square);
  xpose::transpose_inplace(xpose::omp.with(pool), square);
  CHECK(pool.taken == 0);
}

TEST_CASE("a std::pmr::memory_resource is a pool") {
  alignas(64) char memory[2 * bytes];
  std::pmr::monotonic_buffer_resource resource(memory, sizeof memory,
                                               std::pmr::null_memory_resource());
  CHECK(turns_in_place(xpose::omp.with(resource)));
  CHECK_THROWS_AS(turns_in_place(xpose::omp.with(*std::pmr::null_memory_resource())),
                  std::bad_alloc);
}

TEST_CASE("memory from a pool is aligned wherever it lies, and within what was asked for") {
  for (std::size_t const shift : {0u, 1u, 8u, 255u}) {
    struct {
      alignas(256) char memory[1024];
      std::size_t shift;
      void* allocate(std::size_t) { return memory + shift; }
      void deallocate(void*, std::size_t) {}
    } pool{{}, shift};
    xpose::detail::given_memory const given(
        xpose::detail::policy_traits<xpose::omp_policy>::make(xpose::omp.with(pool)), 100);
    CHECK(reinterpret_cast<std::uintptr_t>(given.data()) % 256 == 0);
    CHECK(given.data() >= pool.memory + shift);
    CHECK(given.data() + 100 <= pool.memory + shift + 100 + 255);
  }
}

/// Counts in doubles, as std::allocator<double> does.
struct allocator_of_doubles {
  double* allocate(std::size_t count) {
    asked = count;
    return std::allocator<double>().allocate(count);
  }
  void deallocate(double* memory, std::size_t count) {
    CHECK(count == asked);
    std::allocator<double>().deallocate(memory, count);
  }
  std::size_t asked = 0;
};

TEST_CASE("an allocator is a pool, which counts in its value_type") {
  allocator_of_doubles pool;
  CHECK(turns_in_place(xpose::seq.with(pool)));
  CHECK(pool.asked == (bytes + 255 + sizeof(double) - 1) / sizeof(double));
}

/// As RMM's resources are told the stream whose order the memory is used in.
struct stream_pool : counting_pool {
  void* allocate(std::size_t size, xpose::stream_handle stream) {
    told = stream;
    return counting_pool::allocate(size);
  }
  void deallocate(void* memory, std::size_t size, xpose::stream_handle stream) {
    CHECK(stream == told);
    counting_pool::deallocate(memory, size);
  }
  xpose::stream_handle told = nullptr;
};

TEST_CASE("a pool that orders by streams is told the policy's") {
  stream_pool pool;
  auto const stream = reinterpret_cast<xpose::stream_handle>(0x1230);
  auto const where = xpose::detail::policy_traits<xpose::cuda_policy>::make(
      xpose::cuda.on(stream).nosync().with(pool));
  void* const memory = where.memory.allocate(where.memory.context, 100, where.stream);
  CHECK(pool.told == stream);
  where.memory.deallocate(where.memory.context, memory, 100, where.stream);
  CHECK(pool.returned == 1);
}

struct failing_pool {
  void* allocate(std::size_t) { return nullptr; }
  void deallocate(void*, std::size_t) {}
};

TEST_CASE("a pool that has no memory makes the call throw, and nothing is written") {
  failing_pool pool;
  std::vector<double> memory(rows * cols, 1.);
  memory[1] = 2.;
  xpose::matrix_view<double> const view(memory.data(), rows, cols);
  CHECK_THROWS_AS(xpose::transpose_inplace(xpose::seq.with(pool), view), std::bad_alloc);
  CHECK_THROWS_AS(xpose::transpose_inplace(xpose::omp.with(pool), view), std::bad_alloc);
  CHECK(memory[1] == 2.);
}

struct throwing_pool : counting_pool {
  void deallocate(void* memory, std::size_t size) {
    counting_pool::deallocate(memory, size);
    throw 1;
  }
};

TEST_CASE("a pool that throws when it gets memory back does not end the program") {
  throwing_pool pool;
  CHECK(turns_in_place(xpose::omp.with(pool)));
  CHECK(turns_in_place(xpose::seq.with(pool)));
  CHECK(pool.returned == 2);
}

TEST_CASE("a call under cuda that falls back to omp does not ask for a device's memory") {
  if (has_gpu()) return;
  counting_pool pool;
  CHECK(turns_in_place(xpose::cuda.with(pool)));
  CHECK(pool.taken == 0);
}

}  // namespace

TEST_SUITE_END();
