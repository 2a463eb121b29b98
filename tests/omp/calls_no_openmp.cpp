// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose::seq never calls the OpenMP runtime. This program defines the functions of the runtime that
// the library calls, and counts: the linker takes a program's own before a library's. It is
// compiled without -fopenmp, as a user's may be.

#include "omp/inner_calls.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace {
std::atomic<int> calls_of_openmp{0};
int counted(int answer) {
  ++calls_of_openmp;
  return answer;
}
}  // namespace

// A team has one thread here: the caller.
extern "C" {
void GOMP_parallel(void (*body)(void*), void* data, unsigned, unsigned) {
  ++calls_of_openmp;
  body(data);
}
int omp_get_max_threads() { return counted(4); }
int omp_get_num_procs() { return counted(4); }
int omp_get_num_threads() { return counted(1); }
int omp_get_thread_num() { return counted(0); }
int omp_in_parallel() { return counted(0); }
}

namespace {

using namespace calls_within;
using calls_within::index;

// From a single tile to operands that omp gives to a team.
constexpr index sides[] = {4, 33, 300};

TEST_CASE("every operation under seq gives the reference's result without a call of OpenMP") {
  calls_of_openmp = 0;
  for (inner_call const& call : inner_calls)
    for (index const side : sides) {
      CAPTURE(std::string(call.name));
      CAPTURE(side);
      CHECK(call.run(host_policy::seq, side) == call.run(host_policy::reference, side));
      CHECK(calls_of_openmp.load() == 0);
    }
}

TEST_CASE("several threads call seq at once, without a call of OpenMP") {
  calls_of_openmp = 0;
  std::atomic<int> wrong{0};
  std::vector<std::thread> users;
  for (int t = 0; t < 4; ++t)
    users.emplace_back([&] {
      for (inner_call const& call : inner_calls)
        if (call.run(host_policy::seq, 150) != call.run(host_policy::reference, 150)) ++wrong;
    });
  for (std::thread& user : users) user.join();
  CHECK(wrong.load() == 0);
  CHECK(calls_of_openmp.load() == 0);
}

TEST_CASE("the same operations under omp do call OpenMP, and are counted here") {
  for (inner_call const& call : inner_calls) {
    CAPTURE(std::string(call.name));
    calls_of_openmp = 0;
    CHECK(call.run(host_policy::omp, 900) == call.run(host_policy::seq, 900));
    CHECK(calls_of_openmp.load() > 0);
  }
}

}  // namespace
