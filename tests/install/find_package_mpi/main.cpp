// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A user's program of one process or many.
#include <xpose/mpi.hpp>

#include <cstdio>
#include <vector>

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  bool is_right = true;
  {
    xpose::mpi_context const context;
    auto const from = xpose::dist_layout::row_slabs(2, 3, context.size());
    auto const to = xpose::dist_layout::row_slabs(3, 2, context.size());
    std::vector<float> in{1, 2, 3, 4, 5, 6};
    std::vector<float> out(6);
    xpose::transpose(xpose::mpi(context), xpose::dist_matrix_view<float const>(in.data(), from),
                     xpose::dist_matrix_view<float>(out.data(), to));
    if (context.size() == 1) is_right = out == std::vector<float>{1, 4, 2, 5, 3, 6};
  }
  std::printf(is_right ? "right\n" : "wrong\n");
  MPI_Finalize();
  return is_right ? 0 : 1;
}
