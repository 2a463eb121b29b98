// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// omp at the edges of a process: in a child of fork(), in functions of atexit and in destructors of
// static objects. Its exit code also tells what happened after main().

#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using xpose::index;

auto const team = xpose::omp.with(xpose::threads{2});

/// What omp makes of operands large enough for a team is what the reference does.
bool is_right() {
  constexpr index rows = 410, cols = 300;
  std::vector<float> a(rows * cols), b(rows * cols), of_omp(rows * rows), of_reference(rows * rows);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7);
  auto const in = xpose::matrix_view<float const>(a.data(), rows, cols);
  auto const out = xpose::matrix_view<float>(b.data(), cols, rows);
  xpose::transpose(team, in, out);
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < cols; ++j)
      if (out(j, i) != in(i, j)) return false;
  xpose::gemm(team, in, out, xpose::matrix_view<float>(of_omp.data(), rows, rows));
  xpose::gemm(xpose::reference, in, out,
              xpose::matrix_view<float>(of_reference.data(), rows, rows));
  xpose::transpose_inplace(team, out);
  return of_omp == of_reference && b == a;
}

/// Ends the process with an error where calls behind main() are wrong; a crash does as well.
void check_after_main(char const* where) {
  if (is_right()) return;
  std::fprintf(stderr, "omp was wrong %s\n", where);
  std::_Exit(1);
}
struct calls_at_its_end {
  calls_at_its_end() {
    std::atexit([] { check_after_main("in a function of atexit"); });
  }
  ~calls_at_its_end() { check_after_main("in the destructor of a static object"); }
};
calls_at_its_end const checks_the_end;

TEST_CASE("omp may be called until the process ends") { CHECK(is_right()); }

TEST_CASE("a child of fork() runs omp on one thread, although its parent has a team") {
  CHECK(is_right());
  std::fflush(nullptr);
  pid_t const child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(60);  // a wait for the parent's threads would never end
    int exit_code = is_right() ? 0 : 1;
    if (xpose::detail::team_size(2, 100) != 1) exit_code = 2;
    std::_Exit(exit_code);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(xpose::detail::team_size(2, 100) > 1);  // the parent keeps its team
}

}  // namespace
