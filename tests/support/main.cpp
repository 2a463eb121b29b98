// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Runs the test cases of the executable and closes with the line that scripts/test adds up:
// summary: N passed, N failed, N skipped
// A filter that no test case fits is a failure.
// Where XPOSE_ISA names an instruction set that is not here it runs none and ends with 77, which
// ctest takes for skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include "gpu.hpp"
#include "silent_listener.hpp"

#include <xpose/backends/omp/transpose/simd/moves.hpp>
#include <xpose/error.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

namespace {

unsigned cases_run = 0;
unsigned cases_failed = 0;

struct counting_listener : silent_listener {
  using silent_listener::silent_listener;
  void test_run_end(doctest::TestRunStats const& stats) override {
    cases_run = stats.numTestCasesPassingFilters;
    cases_failed = stats.numTestCasesFailed;
  }
};

REGISTER_LISTENER("counting", 1, counting_listener);

bool has_wanted_isa() {
  try {
    xpose::detail::active_simd_kernels();
    return true;
  } catch (xpose::backend_error const& e) {
    std::printf("%s\n", e.what());
    return false;
  }
}

}  // namespace

int main(int count, char** arguments) {
  setenv("XPOSE_TUNING", "off", 0);  // what the machine's user has tuned is no part of a test
  if (!has_wanted_isa()) return 77;
  doctest::Context context(count, arguments);
  int const result = context.run();
  if (!context.shouldExit() && cases_run == 0) {
    std::printf("no test case is what the command line asks for\n");
    return 1;
  }
  auto const skipped = static_cast<unsigned>(skipped_for_lack_of_gpu());
  if (!context.shouldExit())
    std::printf("summary: %u passed, %u failed, %u skipped\n", cases_run - cases_failed - skipped,
                cases_failed, skipped);
  return result;
}
