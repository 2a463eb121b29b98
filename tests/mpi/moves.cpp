// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "layouts.hpp"
#include "move_checks.hpp"

namespace {

/// Of the host.
move_site const here{{xp::mpi_engine::by_cost, xp::mpi_engine::pairwise, xp::mpi_engine::collective,
                      xp::mpi_engine::shared_memory},
                     [](xp::mpi_policy const& policy, int number) {
                       return number % 2 == 0 ? policy.with(xp::seq)
                                              : policy.with(xp::omp.with(xp::threads{1}));
                     }};

void check_all_pairs(bool transposes) {
  int number = 0;
  for (auto const [rows, cols] : all_extents)
    for (xp::dist_layout const& from : layouts_of(rows, cols))
      for (xp::dist_layout const& to : transposes ? layouts_of(cols, rows) : layouts_of(rows, cols))
        check_any_size<dist_matrix>(from, to, {here, number++}, transposes);
}

}  // namespace

TEST_SUITE_BEGIN("mpi.moves");

TEST_CASE("extents of local matrices are those of the layout's definition") {
  for (auto const [rows, cols] : all_extents)
    for (xp::dist_layout const& layout : layouts_of(rows, cols)) {
      dist_matrix<char> const matrix(layout, {});
      CHECK(layout.local_rows(context().rank()) == matrix.local_rows());
      CHECK(layout.local_cols(context().rank()) == matrix.local_cols());
    }
}

TEST_CASE("transpose from every layout to every layout") { check_all_pairs(true); }

TEST_CASE("redistribute from every layout to every layout") { check_all_pairs(false); }

TEST_CASE("every engine moves every element size") {
  int const processes = context().size();
  auto const from = xp::dist_layout::row_slabs(37, 29, processes);
  auto const to = xp::dist_layout::row_slabs(29, 37, processes);
  for (int number = 0; number < 28; ++number)
    check_any_size<dist_matrix>(from, to, {here, number}, true);
}

TEST_CASE("a matrix whose messages have many pieces") {
  int const processes = context().size();
  xp::dist_layout const from{301, 257, 7, 5, {1, processes}, 0, 0};
  xp::dist_layout const to{257, 301, 3, 16, {processes, 1}, 0, 0};
  for (int const number : {9, 11, 15, 18})
    check_any_size<dist_matrix>(from, to, {here, number}, true);
}

TEST_CASE("the layout of the transpose needs no messages") {
  for (xp::dist_layout const& layout : layouts_of(31, 23)) {
    dist_matrix<float> in(layout, {});
    dist_matrix<float> out(layout.transposed(), {});
    auto const how = xp::explain(on_processes(), xp::operation::transpose, in.view(), out.view());
    CHECK(how.backend == "mpi");
    CHECK(how.kernel == "local");
    check_moves<dist_matrix, float>(layout, layout.transposed(), {here, 0}, true);
  }
}

TEST_CASE("a transposed view is the transpose") {
  auto const layout = xp::dist_layout::row_slabs(19, 11, context().size());
  xp::dist_layout const to{11, 19, 2, 2, {context().size(), 1}, 0, 0};
  for (xp::index const padding : {0, 3}) {
    dist_matrix<double> in(layout, {xp::row_major, padding});
    dist_matrix<double> out(to, {xp::col_major, padding});
    in.fill(distinct<double>);
    xp::redistribute(on_processes(), in.view().transposed(), out.view());
    CHECK(out.wrong_elements([](xp::index i, xp::index j) { return distinct<double>(j, i); }) == 0);
  }
}

TEST_CASE("local matrices given as views of any strides") {
  int const processes = context().size();
  auto const from = xp::dist_layout::row_slabs(12, 10, processes);
  auto const to = xp::dist_layout::col_slabs(12, 10, processes);
  xp::index const rows = from.local_rows(context().rank());
  std::vector<int> memory(static_cast<std::size_t>(rows * 10 * 6 + 1), -1);
  xp::matrix_view<int> const local(memory.data(), rows, 10, xp::strided{60, 6});
  for (xp::index i = 0; i < rows; ++i)
    for (xp::index j = 0; j < 10; ++j)
      local(i, j) = distinct<int>(context().rank() * from.block_rows + i, j);
  dist_matrix<int> out(to, {});
  xp::redistribute(on_processes(), xp::dist_matrix_view<int>(local, from), out.view());
  CHECK(out.wrong_elements(distinct<int>) == 0);
}

TEST_CASE("explain names the engine and what it expects") {
  int const processes = context().size();
  dist_matrix<double> in(xp::dist_layout::row_slabs(400, 300, processes), {});
  dist_matrix<double> out(xp::dist_layout::row_slabs(300, 400, processes), {});
  auto const how = xp::explain(on_processes(), xp::operation::transpose, in.view(), out.view());
  CAPTURE(how.reason);
  if (processes == 1) {
    CHECK(how.kernel == "local");
    return;
  }
  CHECK(how.reason.find("expected: ") != std::string::npos);
  CHECK(how.reason.find(how.kernel) != std::string::npos);
  auto const asked = xp::explain(on_processes().engine(xp::mpi_engine::pairwise),
                                 xp::operation::transpose, in.view(), out.view());
  CHECK(asked.kernel == "pairwise");
  CHECK(asked.reason.find("asked for") != std::string::npos);
  CHECK(out.written_outside() == 0);
}

TEST_SUITE_END();
