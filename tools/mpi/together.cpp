// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "mpi/together.hpp"

namespace xpose::tools {

void share_sentence(MPI_Comm communicator, std::string const& sentence) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &size);
  int const own = sentence.empty() ? size : rank;
  int lowest = size;
  MPI_Allreduce(&own, &lowest, 1, MPI_INT, MPI_MIN, communicator);
  if (lowest == size) return;
  int length = static_cast<int>(sentence.size());
  MPI_Bcast(&length, 1, MPI_INT, lowest, communicator);
  std::string shared =
      rank == lowest ? sentence : std::string(static_cast<std::size_t>(length), ' ');
  MPI_Bcast(shared.data(), length, MPI_CHAR, lowest, communicator);
  throw std::runtime_error(shared);
}

void require(int code, std::string const& path) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw failure(path, text);
}

}  // namespace xpose::tools
