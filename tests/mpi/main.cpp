// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Every process runs the same test cases. Rank 0 prints; the others keep their text for the case
// that a check of theirs fails. The result is everybody's.
#define DOCTEST_CONFIG_IMPLEMENT
#include "../support/silent_listener.hpp"
#include "processes.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace {

unsigned cases_run = 0;
unsigned cases_failed = 0;

/// A case counts as failed if it failed on any process.
struct counting_listener : silent_listener {
  using silent_listener::silent_listener;
  void test_case_end(doctest::CurrentTestCaseStats const& stats) override {
    int const failed = stats.failure_flags != 0;
    int failed_anywhere = 0;
    MPI_Allreduce(&failed, &failed_anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    ++cases_run;
    cases_failed += failed_anywhere != 0;
  }
};

REGISTER_LISTENER("counting", 1, counting_listener);

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  start_process(rank);
  std::ostringstream kept;
  doctest::Context context(count, arguments);
  if (rank != 0) context.setCout(&kept);
  int const result = context.run();
  if (rank != 0 && result != 0) std::printf("--- rank %d:\n%s\n", rank, kept.str().c_str());
  std::fflush(stdout);
  free_context();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("summary: %u passed, %u failed, 0 skipped\n", cases_run - cases_failed,
                cases_failed);
  MPI_Finalize();
  return cases_run == 0 || cases_failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
