// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A process that is lost while NCCL moves its matrix: the last one of "lost_process stopped" goes
// no further, that of "lost_process killed" ends. The program must end by itself, without a good
// exit code.
#include "machine.hpp"

#include <xpose/mpi.hpp>

#include <unistd.h>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

namespace xp = xpose;

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int const signal = count > 1 && std::string(arguments[1]) == "killed" ? SIGKILL : SIGSTOP;
  int rank = 0;
  int processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  machine::start(rank);
  if (!machine::has_device_for_each(processes)) {
    std::printf("not a device for each process\n");
    MPI_Finalize();
    return 0;
  }
  xp::mpi_context const context;
  constexpr xp::index side = 2048;
  auto const layout = xp::dist_layout::row_slabs(side, side, processes);
  auto const bytes = static_cast<std::size_t>(side * side) * sizeof(double);
  auto* const in = static_cast<double*>(machine::allocate(bytes));
  auto* const out = static_cast<double*>(machine::allocate(bytes));
  auto const transpose = [&] {
    xp::transpose(xp::mpi(context)
                      .timeout(std::chrono::seconds(2))
                      .engine(xp::mpi_engine::nccl)
                      .with(xp::cuda),
                  xp::dist_matrix_view<double>(in, layout),
                  xp::dist_matrix_view<double>(out, layout));
  };
  transpose();
  if (rank == 0) std::printf("the first call returned\n"), std::fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == processes - 1)
    std::thread([signal] {
      std::this_thread::sleep_for(std::chrono::milliseconds(700));
      kill(getpid(), signal);
    }).detach();
  while (true) transpose();
}
