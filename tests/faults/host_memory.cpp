// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Each time that xpose asks the host for memory it gets none, once and for ever.

#include "faults/fake/entry_points.hpp"
#include "faults/fake/in_child.hpp"
#include "support/failing_memory.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <new>
#include <string>
#include <vector>

using failing_memory::allocations;
using failing_memory::first_without;
using failing_memory::for_ever;
using failing_memory::never;

bool has_memory() { return fake::is_running() || failing_memory::grants(); }

extern "C" {
void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return has_memory() ? __real_aligned_alloc(alignment, bytes) : nullptr;
}
}

namespace {

/// Fails the first, the second and so on of what run() asks for, until it asks for no more. Returns
/// how many runs ended in std::bad_alloc; others did without, as std::stable_sort can.
template <class Run>
int sweep(bool is_first_call, Run const& run) {
  CAPTURE(is_first_call);
  int told = 0;
  for (bool const always : {false, true})
    for (int call = 0;; ++call) {
      std::string const wrong = in_child([&]() -> std::string {
        fake::start();
        operands const o;
        if (!is_first_call) run(o);
        allocations = 0;
        for_ever = always;
        first_without = call;
        bool has_thrown = false;
        try {
          run(o);
        } catch (std::bad_alloc const&) {
          has_thrown = true;
        }
        first_without = never;
        if (allocations <= call) return "all is done";
        if (fake::blocks_not_freed() != 0) return "memory of the device is left";
        run(o);
        if (fake::blocks_not_freed() != 0) return "memory of the device is left afterwards";
        return has_thrown ? "told" : "done without";
      });
      if (wrong == "all is done") break;
      CAPTURE(always);
      CAPTURE(call);
      bool const is_right = wrong == "told" || wrong == "done without";
      CHECK_MESSAGE(is_right, wrong);
      if (!is_right) break;  // what dies before it asks for memory would die for ever
      told += wrong == "told";
    }
  return told;
}

TEST_CASE("calls on cuda that find no memory on the host end in std::bad_alloc") {
  for (auto const& entry : entry_points) {
    CAPTURE(std::string(entry.name));
    auto const run = [&](operands const& o) { entry.run(xpose::cuda, o); };
    sweep(false, run);
    CHECK(sweep(true, run) > 0);
  }
}

TEST_CASE("calls on omp's threads that find no memory on the host end in std::bad_alloc") {
  static std::vector<float> in(600 * 500);
  static std::vector<float> out(600 * 600);
  auto const team = xpose::omp.with(xpose::threads{4});
  xpose::matrix_view<float> const a(in.data(), 600, 500);
  xpose::matrix_view<float> const turned(out.data(), 500, 600);
  xpose::matrix_view<float> const square(out.data(), 600, 600);
  auto const check = [](auto const& run) {
    sweep(false, run);
    CHECK(sweep(true, run) > 0);
  };
  check([&](operands const&) { xpose::transpose(team, a, turned); });
  check([&](operands const&) { xpose::transpose(team, a, turned, [](float x) { return -x; }); });
  check(
      [&](operands const&) { xpose::add(team, 2.f, a.transposed(), 1.f, a.transposed(), turned); });
  check([&](operands const&) {
    xpose::transpose_inplace(team, xpose::matrix_view<float>(out.data(), 600, 500));
  });
  check([&](operands const&) { xpose::transpose_inplace(team, square); });
  check([&](operands const&) { xpose::gemm(team, a, a.transposed(), square); });
}

}  // namespace
