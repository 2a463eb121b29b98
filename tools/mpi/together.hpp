// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What fails on one process fails on all of them, with one sentence.
#pragma once

#include "terminal/failure.hpp"

#include <xpose/mpi.hpp>

#include <new>
#include <string>

namespace xpose::tools {

/// Collective. Throws failure on every process if `sentence` is not empty on one: that of the
/// lowest rank that has one.
void share_sentence(MPI_Comm communicator, std::string const& sentence);

/// Collective. Runs work() on every process, and throws failure on all of them if it throws on one.
/// work() itself waits for no other process.
template <class Work>
void together(MPI_Comm communicator, Work const& work) {
  std::string sentence;
  try {
    work();
  } catch (std::bad_alloc const&) {
    sentence = "memory: not enough for this work";
  } catch (std::exception const& error) {
    sentence = error.what();
  }
  share_sentence(communicator, sentence);
}

/// Throws failure with MPI's text for the code, unless it is MPI_SUCCESS.
void require(int code, std::string const& path);

}  // namespace xpose::tools
