// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Policies: which backend runs, with how many threads, what happens without a device, and what
// explain() says of it.

#include "cases/gemm_cases.hpp"
#include "support/refusal.hpp"
#include "support/verbose_lines.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

TEST_SUITE_BEGIN("policies");

namespace {

std::vector<float> const in_values(300 * 200, 1.f);
std::vector<float> out_values(300 * 200);

xpose::matrix_view<float const> in() { return {in_values.data(), 300, 200}; }
xpose::matrix_view<float> out() { return {out_values.data(), 200, 300}; }

template <class Policy>
std::string lines(Policy const& policy) {
  return verbose_lines([&] { xpose::transpose(policy, in(), out()); });
}

bool runs_on(std::string const& text, std::string const& backend) {
  return contains(text, "backend " + backend + ",");
}

TEST_CASE("reference runs on the reference, omp on omp with the threads it is given") {
  CHECK(runs_on(lines(xpose::reference), "reference"));
  CHECK(runs_on(lines(xpose::omp), "omp"));
  CHECK(contains(lines(xpose::omp.with(xpose::threads{3})), "threads 3"));
}

TEST_CASE("seq is told to run on omp's kernel and one thread") {
  std::string const ran = lines(xpose::seq);
  CHECK(runs_on(ran, "omp"));
  CHECK(contains(ran, ", threads 1 "));
  auto const told = xpose::explain(xpose::seq, xpose::operation::transpose, in(), out());
  CHECK(told.backend == "omp");
  CHECK(told.kernel == xpose::explain(xpose::omp, xpose::operation::transpose, in(), out()).kernel);
  CHECK(contains(told.reason, "the policy is xpose::seq: one thread"));
}

TEST_CASE("automatic runs on omp for data on the host") {
  std::string const ran = lines(xpose::automatic);
  CHECK(runs_on(ran, "omp"));
  CHECK(contains(ran, "xpose::automatic found every operand in host memory"));
}

TEST_CASE("gemm reports the backend that ran") {
  std::vector<float> c(300 * 300);
  xpose::matrix_view<float> const vc(c.data(), 300, 300);
  auto const ran = [&](auto const& policy) {
    return verbose_lines([&] { xpose::gemm(policy, in(), in().transposed(), vc); });
  };
  CHECK(runs_on(ran(xpose::reference), "reference"));
  CHECK(runs_on(ran(xpose::seq), "omp"));
  CHECK(runs_on(ran(xpose::omp), "omp"));
  auto const told = xpose::explain(xpose::omp, xpose::operation::gemm, in(), in().transposed(), vc);
  CHECK(told.backend == "omp");
  CHECK(told.kernel == "gemm_f32");
  CHECK(told.reason == "the policy is xpose::omp");
}

TEST_CASE("a user's function reports the backend that ran") {
  auto const ran =
      verbose_lines([&] { xpose::transpose(xpose::omp, in(), out(), [](float x) { return -x; }); });
  CHECK(runs_on(ran, "omp"));
  CHECK(contains(ran, "kernel transpose_tile<function>"));
}

TEST_CASE("nothing is reported unless XPOSE_VERBOSE is 1") {
  auto const ran = verbose_lines([&] {
    environment_variable const quiet("XPOSE_VERBOSE", "0");
    xpose::transpose(xpose::omp, in(), out());
  });
  CHECK(ran.empty());
}

TEST_CASE(
    "a variable of the environment counts from the first call or from reload_environment() on") {
  auto const ran = verbose_lines([&] {
    xpose::transpose(xpose::omp, in(), out());  // reads XPOSE_VERBOSE=1
    setenv("XPOSE_VERBOSE", "0", 1);
    xpose::transpose(xpose::omp, in(), out());  // writes its line, too
    xpose::reload_environment();
    xpose::transpose(xpose::omp, in(), out());
  });
  CHECK(std::count(ran.begin(), ran.end(), '\n') == 2);
}

TEST_CASE("without a device cuda falls back to omp and says why") {
  if (has_gpu()) return;
  std::string const ran = lines(xpose::cuda);
  CHECK(runs_on(ran, "omp"));
  CHECK(contains(ran, "xpose::cuda fell back to the processor"));
  CHECK(out_values[12345] == 1.f);
  auto const told = xpose::explain(xpose::cuda, xpose::operation::transpose, in(), out());
  CHECK(told.backend == "omp");
  CHECK(contains(told.reason, "fell back"));
}

TEST_CASE(
    "without a device strict() and XPOSE_FALLBACK=error throw backend_error and leave the output "
    "alone") {
  if (has_gpu()) return;
  out_values.assign(out_values.size(), -3.f);
  CHECK_THROWS_AS(xpose::transpose(xpose::cuda.strict(), in(), out()), xpose::backend_error);
  {
    environment_variable const fallback("XPOSE_FALLBACK", "error");
    CHECK_THROWS_AS(xpose::transpose(xpose::cuda, in(), out()), xpose::backend_error);
    CHECK_THROWS_AS(xpose::transpose(xpose::cuda, in(), out()), xpose::error);
    CHECK_THROWS_AS(xpose::transpose(xpose::cuda, in(), out()), std::runtime_error);
    CHECK_NOTHROW(xpose::explain(xpose::automatic, xpose::operation::transpose, in(), out()));
  }
  CHECK(out_values == std::vector<float>(out_values.size(), -3.f));
  CHECK_NOTHROW(xpose::transpose(xpose::cuda, in(), out()));
}

TEST_CASE("without a device an XPOSE_FALLBACK that says neither error nor omp is refused by name") {
  if (has_gpu()) return;
  auto const said = [](char const* value) {
    environment_variable const fallback("XPOSE_FALLBACK", value);
    return refusal<xpose::backend_error>([] { xpose::transpose(xpose::cuda, in(), out()); });
  };
  for (char const* const forbids : {"error", "ERROR", "Error"})
    CHECK(contains(said(forbids), "transpose: xpose::cuda cannot run: "));
  for (char const* const allows : {"", "omp", "OMP"}) CHECK(said(allows) == "nothing thrown");
  CHECK(
      said("yes") ==
      "XPOSE_FALLBACK is \"yes\", and may be \"error\" (xpose::cuda throws where it cannot run) or "
      "\"omp\" (it runs there, as without the variable)");
  CHECK(contains(said(" error"), "XPOSE_FALLBACK is \" error\""));
  CHECK(contains(said("0"), "XPOSE_FALLBACK is \"0\""));
}

TEST_CASE("policies are shared by threads, and their results do not depend on interleaving") {
  std::vector<std::vector<float>> results(8, std::vector<float>(300 * 200));
  std::vector<float> numbered(300 * 200);
  for (std::size_t i = 0; i < numbered.size(); ++i) numbered[i] = static_cast<float>(i);
  std::vector<std::thread> users;
  for (auto& result : results)
    users.emplace_back([&numbered, &result] {
      for (int run = 0; run < 20; ++run)
        xpose::transpose(xpose::omp, xpose::matrix_view<float const>(numbered.data(), 300, 200),
                         xpose::matrix_view<float>(result.data(), 200, 300));
    });
  for (auto& user : users) user.join();
  for (auto const& result : results) CHECK(result == results[0]);
  CHECK(results[0][1] == 200.f);
}

TEST_CASE("inside a parallel region of the user's a call stays on its own thread and is right") {
  std::vector<float> results[4];
#pragma omp parallel for num_threads(4)
  for (int t = 0; t < 4; ++t) {
    results[t].resize(300 * 200);
    xpose::transpose(xpose::omp, in(), xpose::matrix_view<float>(results[t].data(), 200, 300));
  }
  for (auto const& result : results) CHECK(result == in_values);
}

}  // namespace

TEST_SUITE_END();
