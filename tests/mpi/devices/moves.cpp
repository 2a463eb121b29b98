// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "../layouts.hpp"
#include "../move_checks.hpp"
#include "nccl_here.hpp"

#include <xpose/copy.hpp>

namespace {

/// Engines that this machine's processes have.
move_site const& there() {
  static move_site const site = [] {
    move_site s{{xp::mpi_engine::by_cost, xp::mpi_engine::pairwise, xp::mpi_engine::collective,
                 xp::mpi_engine::shared_memory},
                [](xp::mpi_policy const& policy, int) { return policy.with(xp::cuda); }};
    if (has_nccl()) s.engines.push_back(xp::mpi_engine::nccl);
    return s;
  }();
  return site;
}

void check_some_pairs(bool transposes) {
  constexpr global_extents extents[] = {{0, 5}, {1, 1}, {7, 9}, {13, 17}, {1, 97}, {48, 64}};
  int number = 0;
  for (auto const [rows, cols] : extents)
    for (xp::dist_layout const& from : layouts_of(rows, cols))
      for (xp::dist_layout const& to : transposes ? layouts_of(cols, rows) : layouts_of(rows, cols))
        check_any_size<device_matrix>(from, to, {there(), number++}, transposes);
}

}  // namespace

TEST_SUITE_BEGIN("mpi.devices.moves");

TEST_CASE("transpose between devices from every layout to every layout") { check_some_pairs(true); }

TEST_CASE("redistribute between devices from every layout to every layout") {
  check_some_pairs(false);
}

TEST_CASE("every engine moves every element size between devices") {
  if (machine::can_share_devices()) CHECK(there().engines.back() == xp::mpi_engine::nccl);
  int const processes = context().size();
  auto const from = xp::dist_layout::row_slabs(37, 29, processes);
  auto const to = xp::dist_layout::row_slabs(29, 37, processes);
  for (int number = 0; number < 35; ++number)
    check_any_size<device_matrix>(from, to, {there(), number}, true);
}

TEST_CASE("a matrix whose messages between devices have many pieces") {
  int const processes = context().size();
  xp::dist_layout const from{301, 257, 7, 5, {1, processes}, 0, 0};
  xp::dist_layout const to{257, 301, 3, 16, {processes, 1}, 0, 0};
  for (int const number : {9, 11, 13, 17, 19, 22})
    check_any_size<device_matrix>(from, to, {there(), number}, true);
}

TEST_CASE("sums of operands on devices, in any layouts") {
  int const processes = context().size();
  auto const value = [](int salt) {
    return [salt](xp::index i, xp::index j) {
      return static_cast<float>((i * 7 + j * 3 + salt) % 11 - 5);
    };
  };
  auto const layouts = layouts_of(13, 17);
  auto const mirrored = layouts_of(17, 13);
  for (std::size_t n = 0; n < layouts.size(); ++n) {
    CAPTURE(n);
    device_matrix<float> a(mirrored[(n + 2) % mirrored.size()], {xp::row_major, 1});
    device_matrix<float> b(layouts[(n + n % 2) % layouts.size()], {xp::col_major, 0});
    device_matrix<float> c(layouts[n], {xp::row_major, 2});
    a.fill(value(1));
    b.fill(value(2));
    auto const policy = on_processes().with(xp::cuda);
    xp::add(policy, 2.f, a.view().transposed(), -3.f, b.view(), c.view());
    CHECK(c.wrong_elements([&](xp::index i, xp::index j) {
      return 2 * value(1)(j, i) - 3 * value(2)(i, j);
    }) == 0);
    CHECK(c.written_outside() == 0);
    xp::add(policy, 0.f, a.view().transposed(), 1.f, b.view(), c.view());
    CHECK(c.wrong_elements(value(2)) == 0);
  }
  device_matrix<float> same(xp::dist_layout::row_slabs(9, 5, processes), {});
  same.fill(value(3));
  xp::add(on_processes().with(xp::cuda), 1.f, same.view(), 1.f, same.view(), same.view());
  CHECK(same.wrong_elements([&](xp::index i, xp::index j) { return 2 * value(3)(i, j); }) == 0);
}

TEST_CASE("work that is enqueued before a call comes before it") {
  int const processes = context().size();
  auto const from = xp::dist_layout::row_slabs(40, 30, processes);
  auto const to = xp::dist_layout::row_slabs(30, 40, processes);
  for (xp::mpi_engine const engine : there().engines) {
    CAPTURE(static_cast<int>(engine));
    device_matrix<float> source(from, {});
    device_matrix<float> in(from, {});
    device_matrix<float> out(to, {});
    device_matrix<float> saved(to, {});
    auto const old = [](xp::index i, xp::index j) { return static_cast<float>(-i * 40 - j); };
    source.fill(distinct<float>);
    out.fill(old);
    auto const local = [](device_matrix<float>& m, xp::dist_layout const& l) {
      int const rank = context().rank();
      return xp::matrix_view<float>(m.data(), l.local_rows(rank), l.local_cols(rank));
    };
    xp::copy(xp::cuda.nosync(), local(source, from), local(in, from));
    xp::copy(xp::cuda.nosync(), local(out, to), local(saved, to));
    xp::transpose(on_processes().engine(engine).piece_bytes(640).with(xp::cuda), in.view(),
                  out.view());
    CHECK(saved.wrong_elements(old) == 0);
    CHECK(out.wrong_elements([](xp::index i, xp::index j) { return distinct<float>(j, i); }) == 0);
  }
}

TEST_CASE("calls on devices do nothing that a machine would not") {
  CHECK(std::string(machine::wrongs()) == "");
}

TEST_SUITE_END();
