// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A process that others wait for and that is not there: "lost_process absent" leaves out a call,
// "lost_process dead" ends in the middle of the program. The program must end by itself, without a
// good exit code.
#include <xpose/mpi.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace xp = xpose;

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  std::string const way = count > 1 ? arguments[1] : "";
  xp::mpi_context const context;
  int const processes = context.size();
  auto const from = xp::dist_layout::row_slabs(8, 8, processes);
  std::vector<double> in(64);
  std::vector<double> out(64);
  auto const transpose = [&] {
    xp::transpose(xp::mpi(context).timeout(std::chrono::seconds(2)),
                  xp::dist_matrix_view<double>(in.data(), from),
                  xp::dist_matrix_view<double>(out.data(), from));
  };
  transpose();
  if (context.rank() == 0) std::printf("the first call returned\n"), std::fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  if (context.rank() == processes - 1) {
    // mpiexec ends all others at once, and what it has not yet read of their output is lost.
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    if (way == "dead") std::raise(SIGKILL);
    std::this_thread::sleep_for(std::chrono::minutes(5));
  }
  transpose();
  std::printf("the second call returned\n");
  MPI_Finalize();
  return 0;
}
