// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Allocators for Thrust's policies that write down what they give and get back, and a policy of a
// user's own that brings temporary memory in Thrust's documented way.
#pragma once

#include "matrices.hpp"

#include <thrust/execution_policy.h>
#include <thrust/mr/allocator.h>
#include <thrust/mr/memory_resource.h>
#include <thrust/pair.h>
#include <thrust/system/cpp/execution_policy.h>
#include <thrust/system/omp/execution_policy.h>

#include <cstddef>
#include <new>

struct ledger {
  int taken = 0;
  int returned = 0;
  std::size_t bytes = 0;  // asked for last
  bool same_came_back = true;
  void* last = nullptr;
  std::ptrdiff_t most = 1 << 20;
};

/// Of T; memory lies 1 behind an address that is aligned, but for T itself.
template <class T>
struct host_allocator {
  using value_type = T;
  ledger* book;

  T* allocate(std::size_t count) {
    ++book->taken;
    book->bytes = count * sizeof(T);
    book->last = static_cast<T*>(::operator new((count + 1) * sizeof(T))) + 1;
    return static_cast<T*>(book->last);
  }
  void deallocate(T* memory, std::size_t count) {
    ++book->returned;
    book->same_came_back =
        book->same_came_back && memory == book->last && count * sizeof(T) == book->bytes;
    ::operator delete(memory - 1);
  }
};

/// A memory resource, which policies take by pointer.
struct host_resource : thrust::mr::memory_resource<> {
  host_allocator<std::max_align_t> allocator;
  explicit host_resource(ledger& book) : allocator{&book} {}
  void* do_allocate(std::size_t bytes, std::size_t) override {
    return allocator.allocate(bytes / sizeof(std::max_align_t));
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t) override {
    allocator.deallocate(static_cast<std::max_align_t*>(memory), bytes / sizeof(std::max_align_t));
  }
};

/// As in Thrust's example of a custom temporary allocation: two functions found by their names.
template <template <class> class Base>
struct policy_with_memory : Base<policy_with_memory<Base>> {
  ledger* book;
  explicit policy_with_memory(ledger& given) : book(&given) {}
};
template <class T, template <class> class Base>
thrust::pair<T*, std::ptrdiff_t> get_temporary_buffer(policy_with_memory<Base>& policy,
                                                      std::ptrdiff_t count) {
  if (count > policy.book->most) count = policy.book->most;  // it may give less than asked
  host_allocator<T> allocator{policy.book};
  return thrust::make_pair(allocator.allocate(static_cast<std::size_t>(count)), count);
}
template <class Pointer, template <class> class Base>
void return_temporary_buffer(policy_with_memory<Base>& policy, Pointer memory,
                             std::ptrdiff_t count) {
  auto* const raw = thrust::raw_pointer_cast(memory);
  host_allocator<std::remove_pointer_t<std::remove_const_t<decltype(raw)>>>{policy.book}.deallocate(
      raw, static_cast<std::size_t>(count));
}

/// Turns 30x20 floats in place on the host, through a workspace, and says whether it is right.
template <class Policy>
bool turns_in_place(Policy const& policy) {
  constexpr xpose::index rows = 30, cols = 20;
  thrust::host_vector<float> memory(rows * cols);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
  auto const turned = xpose::transpose_inplace(policy, xpose::view(memory, rows, cols));
  for (xpose::index i = 0; i < rows; ++i)
    for (xpose::index j = 0; j < cols; ++j)
      if (turned(j, i) != static_cast<float>(i * cols + j)) return false;
  return true;
}

/// check(spelling, [](ledger&) { return policy; }) for every spelling on the host whose temporary
/// memory is given.
template <class Visit>
void for_each_host_policy_with_memory(Visit const& visit) {
  ledger book;
  host_allocator<char> of_chars{&book};
  auto const check = [&](char const* spelling, char const* backend, auto const& policy) {
    book = {};
    visit(spelling, backend, policy, book);
  };
  check("thrust::seq(allocator)", "omp", thrust::seq(of_chars));
  check("thrust::host(allocator)", "omp", thrust::host(of_chars));
  check("thrust::cpp::par(allocator)", "omp", thrust::cpp::par(of_chars));
  check("thrust::omp::par(allocator)", "omp", thrust::omp::par(of_chars));
  check("thrust::omp::par(allocator by value)", "omp",
        thrust::omp::par(host_allocator<char>{&book}));
  check("thrust::omp::par(allocator of doubles)", "omp",
        thrust::omp::par(host_allocator<double>{&book}));
  host_resource resource(book);
  check("thrust::omp::par(&resource)", "omp", thrust::omp::par(&resource));
  check("a user's policy on seq", "omp", policy_with_memory<thrust::host_execution_policy>(book));
  check("a user's policy on omp", "omp", policy_with_memory<thrust::omp::execution_policy>(book));
}

/// Whether a policy takes its temporary memory from where the ledger is kept, once, and gives it
/// back.
struct takes_given_memory {
  template <class Policy>
  void operator()(char const* spelling, char const* backend, Policy const& policy,
                  ledger const& book) const {
    CAPTURE(spelling);
    bool is_right = false;
    std::string const report = verbose_lines([&] { is_right = turns_in_place(policy); });
    CHECK(is_right);
    CHECK(contains(report, std::string("backend ") + backend + ","));
    CHECK(book.taken == 1);
    CHECK(book.returned == 1);
    CHECK(book.same_came_back);
    CHECK(book.bytes >= 30 * 20 * sizeof(float) + 255);  // xpose aligns it itself
  }
};

/// Thrust's policies without an allocator, and a user's without functions of its own, take xpose's
/// memory: Thrust's own answer is its malloc, which stalls a device.
template <class Policy>
inline constexpr bool takes_own_memory =
    !xpose::detail::thrust_memory::is_given<std::decay_t<Policy>>;
