// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The context that all test cases share.
#pragma once

#include <xpose/mpi.hpp>

#include <chrono>

namespace xp = xpose;

/// Made by the first case; never destroyed before free_context().
xp::mpi_context& context();
void free_context();
/// Of this process, before anything else: its device, if the program's matrices lie on one.
void start_process(int rank);

/// The policy of the tests: what would wait for ever ends soon.
inline xp::mpi_policy on_processes() {
  return xp::mpi(context()).timeout(std::chrono::seconds(60));
}
