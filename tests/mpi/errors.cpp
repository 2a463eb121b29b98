// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "dist_matrix.hpp"
#include "everyone_throws.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <new>
#include <string>

namespace {

using xp::dist_layout;

/// A transpose that is right, whose parts a case makes wrong on one process.
struct right_call {
  dist_layout from = dist_layout::row_slabs(2 * context().size(), 6, context().size());
  dist_layout to = dist_layout::row_slabs(6, 2 * context().size(), context().size());
  dist_matrix<double> in{from, {}};
  dist_matrix<double> out{to, {}};
  xp::mpi_policy policy = on_processes();

  void run() { xp::transpose(policy, in.view(), out.view()); }
};

std::string from_culprit(std::string const& sentence) {
  return "rank " + std::to_string(culprit()) + ": transpose: " + sentence;
}

/// Error and sentence of a transpose whose operands change(in, out) makes wrong on the culprit;
/// then out is as it was, and the context works.
template <class Error, class Change>
void check_mistake(std::string const& sentence, Change const& change) {
  right_call right;
  right.in.fill(distinct<double>);
  auto in = right.in.view();
  auto out = right.out.view();
  if (is_culprit()) change(right, in, out);
  everyone_throws<Error>(from_culprit(sentence), [&] { xp::transpose(right.policy, in, out); });
  CHECK(right.out.written_outside() == 0);
  right_call again;
  again.in.fill(distinct<double>);
  again.run();
  CHECK(again.out.wrong_elements([](xp::index i, xp::index j) { return distinct<double>(j, i); }) ==
        0);
}

using view = xp::dist_matrix_view<double>;

}  // namespace

TEST_SUITE_BEGIN("mpi.errors");

TEST_CASE("a local matrix that is null, on one process") {
  check_mistake<xp::layout_error>(
      "in's local matrix: data is null",
      [](right_call& right, view& in, view&) { in = view(nullptr, right.from); });
}

TEST_CASE("a leading dimension below its extent, on one process") {
  check_mistake<xp::layout_error>(
      "in: leading dimension 5 of a row-major 2x6 local matrix is below",
      [](right_call& right, view& in, view&) {
        in = view(right.in.data(), right.from, xp::row_major, 5);
      });
}

TEST_CASE("a local view of other extents, on one process") {
  check_mistake<xp::shape_error>("in's local matrix is 1x6, its layout gives this process 2x6",
                                 [](right_call& right, view& in, view&) {
                                   in = view(xp::matrix_view<double>(right.in.data(), 1, 6),
                                             right.from);
                                 });
}

TEST_CASE("an address that is not aligned, on one process") {
  check_mistake<xp::layout_error>("in's local matrix: copy: in at", [](right_call& right, view& in,
                                                                       view&) {
    in = view(reinterpret_cast<double*>(reinterpret_cast<char*>(right.in.data()) + 1), right.from);
  });
}

TEST_CASE("layouts that cannot be, on one process") {
  auto const with = [](auto const& change) {
    return [change](right_call& right, view& in, view&) {
      dist_layout layout = right.from;
      change(layout);
      in = view(right.in.data(), layout);
    };
  };
  check_mistake<xp::shape_error>("in has -1x6 elements", with([](dist_layout& l) { l.rows = -1; }));
  check_mistake<xp::layout_error>("in has blocks of 0x6",
                                  with([](dist_layout& l) { l.block_rows = 0; }));
  check_mistake<xp::layout_error>("in is on a grid of 0x1",
                                  with([](dist_layout& l) { l.grid.rows = 0; }));
  check_mistake<xp::shape_error>("in is on a grid of 99x1 processes, the communicator has",
                                 with([](dist_layout& l) { l.grid.rows = 99; }));
  check_mistake<xp::shape_error>("in is on a grid of 2147483647x2147483647",
                                 with([](dist_layout& l) {
                                   l.grid.rows = std::numeric_limits<int>::max();
                                   l.grid.cols = std::numeric_limits<int>::max();
                                 }));
  check_mistake<xp::layout_error>("in begins on the process at (0, 1)",
                                  with([](dist_layout& l) { l.first_col = 1; }));
}

TEST_CASE("an output of other extents, on one process") {
  check_mistake<xp::shape_error>("out is 6x" + std::to_string(2 * context().size() + 3) +
                                     ", expected 6x" + std::to_string(2 * context().size()),
                                 [](right_call& right, view&, view& out) {
                                   dist_layout layout = right.to;
                                   layout.cols += 3;
                                   out = view(right.out.data(), layout, xp::row_major, 100);
                                 });
}

TEST_CASE("an output over its input, on one process") {
  // The culprit has elements of out only if 6 rows reach to it.
  if (dist_layout::row_slabs(6, 1, context().size()).local_rows(culprit()) == 0) return;
  check_mistake<xp::alias_error>("out's local matrix at", [](right_call& right, view&, view& out) {
    out = view(right.in.data(), right.to);
  });
}

TEST_CASE("an output whose elements share an address, on one process") {
  if (dist_layout::row_slabs(6, 1, context().size()).local_rows(culprit()) < 2) return;
  check_mistake<xp::layout_error>("out's local matrix: copy: out is", [](right_call& right, view&,
                                                                         view& out) {
    xp::index const rows = right.to.local_rows(culprit());
    out = view(xp::matrix_view<double>(right.out.data(), rows, right.to.cols, xp::strided{0, 1}),
               right.to);
  });
}

TEST_CASE("pieces smaller than an element, on one process") {
  check_mistake<xp::shape_error>("piece_bytes is 7", [](right_call& right, view&, view&) {
    right.policy = right.policy.piece_bytes(7);
  });
}

#if !defined(__SANITIZE_ADDRESS__)  // ends the program when there is no memory
TEST_CASE("memory that one process has not") {
  // All columns are on the first process before, and on the last one behind the move.
  int const processes = context().size();
  if (processes < 2) return;
  xp::index const huge = xp::index{1} << 45;
  dist_layout const from{1, huge, 1, huge, {1, processes}, 0, 0};
  dist_layout const to{1, huge, 1, huge, {1, processes}, 0, culprit()};
  auto* const nowhere = reinterpret_cast<double*>(std::uintptr_t{1} << 30);
  auto const policy = on_processes().engine(xp::mpi_engine::collective);
  bool is_bad_alloc = false;
  try {
    xp::redistribute(policy, view(nowhere, from), view(nowhere, to));
  } catch (std::bad_alloc const&) {
    is_bad_alloc = true;
  }
  CHECK(is_bad_alloc);
}
#endif

TEST_CASE("a mistake of every process has the sentence of rank 0") {
  right_call right;
  dist_layout layout = right.to;
  layout.rows = 7;
  everyone_throws<xp::shape_error>("rank 0: transpose: out is 7x", [&] {
    xp::transpose(right.policy, right.in.view(), view(right.out.data(), layout));
  });
}

TEST_CASE("layouts and policies that differ between processes") {
  if (context().size() < 2) return;
  auto const sentence = [](std::string const& text) { return from_culprit(text); };
  right_call right;
  dist_layout from = right.from;
  dist_layout to = right.to;
  if (is_culprit()) {
    from.rows -= 1;
    to.cols -= 1;
  }
  everyone_throws<xp::shape_error>(sentence("in has layout().rows = "), [&] {
    xp::transpose(right.policy, view(right.in.data(), from), view(right.out.data(), to));
  });
  from = right.from;
  if (is_culprit()) from.grid.ranks = xp::col_major;
  everyone_throws<xp::layout_error>(
      sentence("in has layout().grid.ranks = 1, on rank 0 it is 0"),
      [&] { xp::transpose(right.policy, view(right.in.data(), from), right.out.view()); });
  auto const policy = is_culprit() ? right.policy.engine(xp::mpi_engine::pairwise) : right.policy;
  everyone_throws<xp::layout_error>(sentence("the policy has engine() = "), [&] {
    xp::transpose(policy, right.in.view(), right.out.view());
  });
  everyone_throws<xp::layout_error>(
      ": this process calls redistribute, rank 0 calls transpose", [&] {
        if (is_culprit())
          xp::redistribute(right.policy, right.in.view().transposed(), right.out.view());
        else right.run();
      });
}

TEST_CASE("alpha that differs between processes") {
  if (context().size() < 2) return;
  right_call right;
  dist_matrix<double> c(right.from, {});
  everyone_throws<xp::layout_error>("the call has bits of alpha and beta", [&] {
    xp::add(right.policy, is_culprit() ? 2.0 : 1.0, right.in.view(), 1.0, right.in.view(),
            c.view());
  });
  CHECK(c.written_outside() == 0);
}

TEST_CASE("sums whose operands do not fit, on one process") {
  right_call right;
  dist_matrix<double> c(right.from, {});
  auto a = right.in.view();
  if (is_culprit()) a = view(nullptr, right.from);
  everyone_throws<xp::layout_error>("add: A's local matrix: data is null", [&] {
    xp::add(right.policy, 1.0, a, 1.0, right.in.view(), c.view());
  });
  // C over the part of A that has to move.
  dist_layout const elsewhere =
      dist_layout::col_slabs(right.from.rows, right.from.cols, context().size());
  if (context().size() > 1)
    everyone_throws<xp::alias_error>("add: C's local matrix at", [&] {
      xp::add(right.policy, 1.0, view(c.data(), elsewhere), 1.0, right.in.view(), c.view());
    });
  CHECK(c.written_outside() == 0);
}

TEST_CASE("products whose grids or extents do not fit") {
  int const processes = context().size();
  right_call right;
  auto const a = right.in.view();
  auto const b = right.out.view();
  auto const square = dist_layout::row_slabs(right.from.rows, right.from.rows, processes);
  dist_matrix<double> c(square, {});
  dist_matrix<double> unfit(dist_layout::row_slabs(7, 5, processes), {});
  everyone_throws<xp::shape_error>("rank 0: gemm: B is 7x5, expected 6x5",
                                   [&] { xp::gemm(right.policy, a, unfit.view(), c.view()); });
  if (processes >= 4) {
    dist_layout other = right.from;
    other.grid = {2, 2};
    dist_matrix<double> on_square_grid(other, {});
    everyone_throws<xp::layout_error>("rank 0: gemm: A is on a 2x2 grid, C on a ", [&] {
      xp::gemm(right.policy, on_square_grid.view(), b, c.view());
    });
  }
  auto const c_or_null = is_culprit() ? view(nullptr, square) : c.view();
  everyone_throws<xp::layout_error>("gemm: C's local matrix: data is null",
                                    [&] { xp::gemm(right.policy, a, b, c_or_null); });
  CHECK(c.written_outside() == 0);
}

TEST_CASE("sizes beyond 32 bits are moved, and refused by p?gemm") {
  // Addresses that nobody reads: explain only checks.
  auto const at = [](std::uint64_t terabytes) {
    return reinterpret_cast<double*>(terabytes << 40);
  };
  int const processes = context().size();
  xp::index const rows = xp::index{1} << 20;
  xp::index const cols = xp::index{1} << 21;
  auto const from = dist_layout::row_slabs(rows, cols, processes);
  auto const to = dist_layout::row_slabs(cols, rows, processes);
  auto const how =
      xp::explain(on_processes(), xp::operation::transpose, view(at(32), from), view(at(64), to));
  CHECK(how.kernel == (processes == 1 ? "local" : "shared_memory"));

  xp::index const tall = xp::index{3} << 30;
  auto const a = dist_layout::row_slabs(tall, 1, processes);
  auto const b = dist_layout::row_slabs(1, 1, processes);
  everyone_throws<xp::backend_error>("rank 0: gemm: A is 3221225472x1", [&] {
    xp::gemm(on_processes(), view(at(32), a), view(at(64), b), view(at(96), a));
  });
}

TEST_CASE("without a device xp::cuda works on the processor, and strict() is refused") {
  right_call right;
  float in[4] = {};
  float out[4] = {};
  auto const how =
      xp::explain(xp::cuda, xp::operation::transpose, xp::matrix_view<float const>(in, 2, 2),
                  xp::matrix_view<float>(out, 2, 2));
  if (how.backend == "cuda") return;
  right.in.fill(distinct<double>);
  xp::transpose(right.policy.with(xp::cuda), right.in.view(), right.out.view());
  CHECK(right.out.wrong_elements([](xp::index i, xp::index j) { return distinct<double>(j, i); }) ==
        0);
  auto const policy = is_culprit() ? right.policy.with(xp::cuda.strict()) : right.policy;
  everyone_throws<xp::backend_error>(
      from_culprit("the local policy: copy: xpose::cuda cannot run: "),
      [&] { xp::transpose(policy, right.in.view(), right.out.view()); });
}

TEST_CASE("a context needs a communicator") {
  CHECK_THROWS_AS(xp::mpi_context{MPI_COMM_NULL}, xp::backend_error);
}

TEST_CASE("an error of MPI has its code and its text") {
  xp::mpi_error const e(MPI_ERR_COMM, "MPI_Call: text");
  CHECK(e.code() == MPI_ERR_COMM);
  CHECK(std::string(e.what()) == "MPI_Call: text");
}

TEST_SUITE_END();
