// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What docs/from_scalapack.md shows: the call to ScaLAPACK and the call to xpose in its place, on
// four processes. The results are compared bit for bit; all numbers are small integers, so every
// order of summation gives the same bits.
#include <xpose/mpi.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace xp = xpose;

extern "C" {
int Csys2blacs_handle(MPI_Comm);
void Cblacs_gridinit(int* context, char const* order, int rows, int cols);
void Cblacs_gridinfo(int context, int* rows, int* cols, int* row, int* col);
void Cblacs_gridexit(int context);
int numroc_(int const* n, int const* nb, int const* process, int const* first,
            int const* processes);
void descinit_(int* desc, int const* m, int const* n, int const* mb, int const* nb, int const* rsrc,
               int const* csrc, int const* context, int const* lld, int* info);
void pdtran_(int const* m, int const* n, double const* alpha, double const* a, int const* ia,
             int const* ja, int const* desca, double const* beta, double* c, int const* ic,
             int const* jc, int const* descc);
void pdgeadd_(char const* op, int const* m, int const* n, double const* alpha, double const* a,
              int const* ia, int const* ja, int const* desca, double const* beta, double* c,
              int const* ic, int const* jc, int const* descc);
void pdgemm_(char const* op_a, char const* op_b, int const* m, int const* n, int const* k,
             double const* alpha, double const* a, int const* ia, int const* ja, int const* desca,
             double const* b, int const* ib, int const* jb, int const* descb, double const* beta,
             double* c, int const* ic, int const* jc, int const* descc);
void Cpdgemr2d(int m, int n, double const* a, int ia, int ja, int const* desca, double* b, int ib,
               int jb, int const* descb, int context);
}

namespace {

int const m = 45, n = 37, k = 29, mb = 8, nb = 6;
int const zero = 0, first = 1;
double const alpha = 2, beta = -1;

bool all_is_equal = true;

/// Whether both results are the same on this process.
void check_same(char const* what, std::vector<double> const& theirs,
                std::vector<double> const& ours) {
  if (theirs == ours) return;
  std::printf("%s: xpose's result is another\n", what);
  all_is_equal = false;
}

/// Small integers, others on each process.
std::vector<double> numbers(std::size_t count, int rank) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<double>((i * 7 + i / 5 + static_cast<std::size_t>(rank)) % 9) - 4;
  return values;
}

struct description {
  int desc[9];
  xp::dist_layout layout;
  std::size_t elements;
};

/// The same matrix, described to both.
description describe(int blacs, int rank, int rows, int cols, int block_rows, int block_cols) {
  int grid_rows, grid_cols, row, col, info;
  Cblacs_gridinfo(blacs, &grid_rows, &grid_cols, &row, &col);
  description d{};
  int const local_rows = numroc_(&rows, &block_rows, &row, &zero, &grid_rows);
  int const lld = std::max(1, local_rows);
  descinit_(d.desc, &rows, &cols, &block_rows, &block_cols, &zero, &zero, &blacs, &lld, &info);
  d.layout = xp::dist_layout{rows, cols, block_rows, block_cols, {grid_rows, grid_cols}};
  all_is_equal = all_is_equal && info == 0 && d.layout.local_rows(rank) == local_rows;
  d.elements = static_cast<std::size_t>(d.layout.local_rows(rank) * d.layout.local_cols(rank));
  return d;
}

void compare_transposes(xp::mpi_context const& context, int blacs) {
  int const rank = context.rank();
  description const of_a = describe(blacs, rank, m, n, mb, nb);
  description const of_c = describe(blacs, rank, n, m, mb, nb);
  auto const a = numbers(of_a.elements, rank);
  std::vector<double> theirs(of_c.elements), ours(of_c.elements);
  int const* const desca = of_a.desc;
  int const* const descc = of_c.desc;
  double* c = theirs.data();
  {
    double const one = 1, none = 0;
    pdtran_(&n, &m, &one, a.data(), &first, &first, desca, &none, c, &first, &first, descc);
  }
  c = ours.data();
  {
    xp::dist_layout const by_blocks{m, n, mb, nb, {2, 2}};
    xp::dist_layout const of_transpose{n, m, mb, nb, {2, 2}};
    xp::dist_matrix_view<double const> const A(a.data(), by_blocks, xp::col_major);
    xp::dist_matrix_view<double> const C(c, of_transpose, xp::col_major);
    xp::transpose(xp::mpi(context), A, C);
  }
  check_same("transpose", theirs, ours);
}

void compare_sums(xp::mpi_context const& context, int blacs) {
  int const rank = context.rank();
  description const of_a = describe(blacs, rank, m, n, mb, nb);
  description const of_c = describe(blacs, rank, n, m, nb, mb);
  auto const a = numbers(of_a.elements, rank);
  auto theirs = numbers(of_c.elements, rank + 1);
  auto ours = theirs;
  int const* const desca = of_a.desc;
  int const* const descc = of_c.desc;
  double* c = theirs.data();
  pdgeadd_("T", &n, &m, &alpha, a.data(), &first, &first, desca, &beta, c, &first, &first, descc);
  c = ours.data();
  xp::dist_matrix_view<double const> const A(a.data(), of_a.layout, xp::col_major);
  xp::dist_matrix_view<double> const C(c, of_c.layout, xp::col_major);
  xp::add(xp::mpi(context), alpha, A.transposed(), beta, C, C);
  check_same("add", theirs, ours);
}

void compare_products(xp::mpi_context const& context, int blacs) {
  int const rank = context.rank();
  description const of_a = describe(blacs, rank, k, m, mb, nb);
  description const of_b = describe(blacs, rank, k, n, nb, mb);
  description const of_c = describe(blacs, rank, m, n, mb, mb);
  auto const a = numbers(of_a.elements, rank);
  auto const b = numbers(of_b.elements, rank + 1);
  auto theirs = numbers(of_c.elements, rank + 2);
  auto ours = theirs;
  int const* const desca = of_a.desc;
  int const* const descb = of_b.desc;
  int const* const descc = of_c.desc;
  double* c = theirs.data();
  // C = alpha A^T B + beta C.
  pdgemm_("T", "N", &m, &n, &k, &alpha, a.data(), &first, &first, desca,  //
          b.data(), &first, &first, descb, &beta, c, &first, &first, descc);
  c = ours.data();
  xp::dist_matrix_view<double const> const A(a.data(), of_a.layout, xp::col_major);
  xp::dist_matrix_view<double const> const B(b.data(), of_b.layout, xp::col_major);
  xp::dist_matrix_view<double> const C(c, of_c.layout, xp::col_major);
  xp::gemm(xp::mpi(context), alpha, A.transposed(), B, beta, C);
  check_same("gemm", theirs, ours);
  auto const how = xp::explain(xp::mpi(context), xp::operation::gemm, A.transposed(), B, C);
  all_is_equal = all_is_equal && how.reason.find("of the program") != std::string::npos;
}

void compare_redistributions(xp::mpi_context const& context, int blacs) {
  int const rank = context.rank();
  description const of_a = describe(blacs, rank, m, n, mb, nb);
  description const of_c = describe(blacs, rank, m, n, 3, 16);
  auto const a = numbers(of_a.elements, rank);
  std::vector<double> theirs(of_c.elements), ours(of_c.elements);
  int const* const desca = of_a.desc;
  int const* const descc = of_c.desc;
  double* c = theirs.data();
  Cpdgemr2d(m, n, a.data(), 1, 1, desca, c, 1, 1, descc, blacs);
  c = ours.data();
  xp::dist_matrix_view<double const> const A(a.data(), of_a.layout, xp::col_major);
  xp::dist_matrix_view<double> const C(c, of_c.layout, xp::col_major);
  xp::redistribute(xp::mpi(context), A, C);
  check_same("redistribute", theirs, ours);
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  {
    int blacs = Csys2blacs_handle(MPI_COMM_WORLD);
    Cblacs_gridinit(&blacs, "Row-major", 2, 2);
    xp::mpi_context const context(MPI_COMM_WORLD);
    compare_transposes(context, blacs);
    compare_sums(context, blacs);
    compare_products(context, blacs);
    compare_redistributions(context, blacs);
    Cblacs_gridexit(blacs);
  }
  bool is_right = false;
  MPI_Allreduce(&all_is_equal, &is_right, 1, MPI_CXX_BOOL, MPI_LAND, MPI_COMM_WORLD);
  MPI_Finalize();
  return is_right ? 0 : 1;
}
