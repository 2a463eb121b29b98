// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The middle of a distributed two-dimensional transform: every process works on its rows, the
// matrix is transposed over all processes, and every process works on its rows again.
//   mpiexec -n 4 distributed_transpose
#include <xpose/mpi.hpp>

#include <cstdio>
#include <vector>

namespace xp = xpose;

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  bool is_right = true;
  {
    xp::mpi_context const context(MPI_COMM_WORLD);
    int const rank = context.rank();
    auto const by_rows = xp::dist_layout::row_slabs(300, 200, context.size());
    auto const transposed = xp::dist_layout::row_slabs(200, 300, context.size());

    // This process's rows: row-major, packed. The last process may have fewer, or none.
    xp::index const first_row = rank * by_rows.block_rows;
    std::vector<double> in;
    for (xp::index i = 0; i < by_rows.local_rows(rank); ++i)
      for (xp::index j = 0; j < 200; ++j)
        in.push_back(static_cast<double>((first_row + i) * 1000 + j));
    std::vector<double> out(
        static_cast<std::size_t>(transposed.local_rows(rank) * transposed.local_cols(rank)));

    xp::dist_matrix_view<double const> const A(in.data(), by_rows);
    xp::dist_matrix_view<double> const B(out.data(), transposed);
    xp::transpose(xp::mpi(context), A, B);

    xp::index const first_col = rank * transposed.block_rows;
    for (xp::index j = 0; j < transposed.local_rows(rank); ++j)
      for (xp::index i = 0; i < 300; ++i)
        is_right = is_right && out[static_cast<std::size_t>(j * 300 + i)] ==
                                   static_cast<double>(i * 1000 + first_col + j);

    auto const how = xp::explain(xp::mpi(context), xp::operation::transpose, A, B);
    if (rank == 0) std::printf("%s: %s\n", how.kernel.c_str(), how.reason.c_str());
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}
