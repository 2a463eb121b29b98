// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "../everyone_throws.hpp"
#include "nccl_here.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

namespace {

using xp::dist_layout;

double value(xp::index i, xp::index j) { return distinct<double>(i, j); }
double value_of_transpose(xp::index i, xp::index j) { return distinct<double>(j, i); }

/// A transpose of slabs, in a context of its own: a failure of NCCL stays in the context.
struct slabs {
  dist_layout from = dist_layout::row_slabs(2 * context().size(), 6, context().size());
  dist_layout to = dist_layout::row_slabs(6, 2 * context().size(), context().size());
  device_matrix<double> in{from, {}};
  device_matrix<double> out{to, {}};
  xp::mpi_context own{MPI_COMM_WORLD};
  xp::mpi_policy policy =
      xp::mpi(own).timeout(std::chrono::seconds(60)).piece_bytes(64).with(xp::cuda);

  slabs() { in.fill(value); }
  void run(xp::mpi_policy const& p) { xp::transpose(p, in.view(), out.view()); }
  void check_run(xp::mpi_policy const& p) {
    run(p);
    CHECK(out.wrong_elements(value_of_transpose) == 0);
    CHECK(out.written_outside() == 0);
  }
  xp::explanation explained(xp::mpi_policy const& p) {
    return xp::explain(p, xp::operation::transpose, in.view(), out.view());
  }
};

/// Of nccl_double.cpp; not on a GPU, where NCCL is real.
bool let_nccl_fail(char const* way) {
  setenv("XPOSE_NCCL_DOUBLE", way, 1);
  return machine::can_share_devices() && context().size() > 1;
}

std::string from_culprit(std::string const& sentence) {
  return "rank " + std::to_string(culprit()) + ": transpose: " + sentence;
}

}  // namespace

TEST_SUITE_BEGIN("mpi.devices.errors");

TEST_CASE("an operand in memory of the host, on one process") {
  slabs s;
  dist_matrix<double> on_host(s.from, {});
  auto const in = is_culprit() ? on_host.view() : s.in.view();
  everyone_throws<xp::residency_error>(from_culprit("in's local matrix: copy: in ("),
                                       [&] { xp::transpose(s.policy, in, s.out.view()); });
  CHECK(s.out.written_outside() == 0);
  s.check_run(s.policy);
}

TEST_CASE("an operand in memory of a device under a policy of the host, on one process") {
  slabs s;
  dist_matrix<double> in(s.from, {});
  dist_matrix<double> out(s.to, {});
  auto const given = is_culprit() ? s.out.view() : out.view();
  if (s.to.local_rows(culprit()) == 0) return;
  everyone_throws<xp::residency_error>(from_culprit("out's local matrix: copy: out ("), [&] {
    xp::transpose(xp::mpi(s.own).with(xp::seq), in.view(), given);
  });
  CHECK(out.written_outside() == 0);
}

TEST_CASE("processes of which one works on its processor") {
  slabs s;
  dist_matrix<double> in(s.from, {});
  dist_matrix<double> out(s.to, {});
  in.fill(value);
  auto const how = is_culprit() ? s.policy.with(xp::seq) : s.policy;
  xp::transpose(how, is_culprit() ? in.view() : s.in.view(),
                is_culprit() ? out.view() : s.out.view());
  CHECK((is_culprit() ? out.wrong_elements(value_of_transpose)
                      : s.out.wrong_elements(value_of_transpose)) == 0);
}

TEST_CASE("NCCL is for devices alone") {
  if (context().size() < 2) return;
  slabs s;
  dist_matrix<double> in(s.from, {});
  dist_matrix<double> out(s.to, {});
  everyone_throws<xp::backend_error>("transpose: the engine nccl needs", [&] {
    xp::transpose(xp::mpi(s.own).engine(xp::mpi_engine::nccl), in.view(), out.view());
  });
}

TEST_CASE("two processes that have the same device are no case for NCCL, and explain says so") {
  if (context().size() < 2) return;
  if (!machine::can_share_devices() && machine::has_device_for_each(context().size())) return;
  if (machine::can_share_devices()) machine::share_devices(true);
  slabs s;
  s.check_run(s.policy);
  CHECK(s.explained(s.policy).reason.find("not nccl: two processes have the same device") !=
        std::string::npos);
  everyone_throws<xp::backend_error>("transpose: the engine nccl needs NCCL",
                                     [&] { s.run(s.policy.engine(xp::mpi_engine::nccl)); });
  if (machine::can_share_devices()) machine::share_devices(false);
}

TEST_CASE("explain on devices has what the cost model expects of NCCL") {
  if (context().size() < 2 || !has_nccl()) return;
  slabs s;
  auto const how = s.explained(s.policy.engine(xp::mpi_engine::nccl));
  CHECK(how.kernel == "nccl");
  CHECK(how.reason.find("nccl ") != std::string::npos);
  CHECK(s.out.written_outside() == 0);
}

TEST_CASE("a communicator that NCCL cannot make on one process") {
  if (!let_nccl_fail("init")) return;
  slabs s;
  everyone_throws<xp::backend_error>("transpose: the engine nccl needs NCCL",
                                     [&] { s.run(s.policy.engine(xp::mpi_engine::nccl)); });
  s.check_run(s.policy);
  let_nccl_fail("");
}

TEST_CASE("a send that NCCL refuses on one process, and work of NCCL that breaks there") {
  for (char const* const way : {"send", "late"}) {
    if (!let_nccl_fail(way)) return;
    CAPTURE(way);
    slabs s;
    everyone_throws<xp::backend_error>(from_culprit(""),
                                       [&] { s.run(s.policy.engine(xp::mpi_engine::nccl)); });
    everyone_throws<xp::backend_error>("it failed in this context",
                                       [&] { s.run(s.policy.engine(xp::mpi_engine::nccl)); });
    s.check_run(s.policy);
    let_nccl_fail("");
  }
}

TEST_CASE("every call of the CUDA runtime fails once on one process") {
  if (!machine::can_share_devices()) return;
  for (auto const engine : {xp::mpi_engine::pairwise, xp::mpi_engine::shared_memory,
                            xp::mpi_engine::collective, xp::mpi_engine::nccl}) {
    if (engine == xp::mpi_engine::nccl && context().size() < 2) continue;
    CAPTURE(static_cast<int>(engine));
    int failures = 0;
    bool is_over = false;
    for (int call = 0; !is_over && call < 2000; call += 1 + call / 60) {
      slabs s;
      if (is_culprit()) machine::fail_call(call);
      int own = 0;
      try {
        s.run(s.policy.engine(engine));
      } catch (xp::error const&) {
        own = 1;
      } catch (std::bad_alloc const&) {
        own = 1;
      }
      int is_past = is_culprit() && machine::calls() <= call;
      machine::fail_call(-1);
      int all[2] = {own, is_past};
      int sums[2] = {};
      MPI_Allreduce(all, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      CAPTURE(call);
      CHECK((sums[0] == 0 || sums[0] == context().size()));
      if (sums[0] == 0) CHECK(s.out.wrong_elements(value_of_transpose) == 0);
      failures += sums[0] != 0;
      is_over = sums[1] != 0;
    }
    CHECK(failures > 5);
    CHECK(is_over);
  }
}

TEST_SUITE_END();
