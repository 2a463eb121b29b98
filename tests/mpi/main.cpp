// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Every process runs the same test cases. Rank 0 prints; the others keep their text for the case
// that a check of theirs fails. The result is everybody's.
#define DOCTEST_CONFIG_IMPLEMENT
#include "processes.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace {

unsigned cases_run = 0;
unsigned cases_failed = 0;

/// A case counts as failed if it failed on any process.
struct counting_listener : doctest::IReporter {
  explicit counting_listener(doctest::ContextOptions const&) {}
  void report_query(doctest::QueryData const&) override {}
  void test_run_start() override {}
  void test_run_end(doctest::TestRunStats const&) override {}
  void test_case_start(doctest::TestCaseData const&) override {}
  void test_case_reenter(doctest::TestCaseData const&) override {}
  void test_case_end(doctest::CurrentTestCaseStats const& stats) override {
    int const failed = stats.failure_flags != 0;
    int failed_anywhere = 0;
    MPI_Allreduce(&failed, &failed_anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    ++cases_run;
    cases_failed += failed_anywhere != 0;
  }
  void test_case_exception(doctest::TestCaseException const&) override {}
  void subcase_start(doctest::SubcaseSignature const&) override {}
  void subcase_end() override {}
  void log_assert(doctest::AssertData const&) override {}
  void log_message(doctest::MessageData const&) override {}
  void test_case_skipped(doctest::TestCaseData const&) override {}
};

REGISTER_LISTENER("counting", 1, counting_listener);

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
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
