// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "processes.hpp"

#include <optional>

namespace {
std::optional<xp::mpi_context> shared_context;
}

xp::mpi_context& context() {
  if (!shared_context) shared_context.emplace(MPI_COMM_WORLD);
  return *shared_context;
}
void free_context() { shared_context.reset(); }
