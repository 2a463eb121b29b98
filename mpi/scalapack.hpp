// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// ScaLAPACK's p?gemm and the BLACS functions that it needs, found when the first gemm runs: of the
// program if it has them, else of a shared library. Linking one would decide for the user, whose
// COSMA or MKL has the same names, and would make ScaLAPACK a need of every distributed transpose.
#pragma once

#include <xpose/dist_matrix_view.hpp>

#include <mpi.h>

#include <string>
#include <vector>

namespace xpose {
inline namespace v0 {
namespace detail {

/// p?gemm of any of its four types.
using pgemm_function = void (*)(char const* op_a, char const* op_b, int const* m, int const* n,
                                int const* k, void const* alpha, void const* a, int const* ia,
                                int const* ja, int const* desc_a, void const* b, int const* ib,
                                int const* jb, int const* desc_b, void const* beta, void* c,
                                int const* ic, int const* jc, int const* desc_c);

struct scalapack_functions {
  pgemm_function psgemm = nullptr;
  pgemm_function pdgemm = nullptr;
  pgemm_function pcgemm = nullptr;
  pgemm_function pzgemm = nullptr;
  int (*system_handle)(MPI_Comm) = nullptr;
  void (*free_system_handle)(int) = nullptr;
  void (*gridmap)(int* context, int* ranks, int leading, int rows, int cols) = nullptr;
  void (*gridexit)(int context) = nullptr;
  std::string from;  // "the program", or the library's name

  bool is_complete() const;
};

/// Throws backend_error, which lists what was looked for. Looks once a process.
scalapack_functions const& find_scalapack();

/// BLACS contexts of the grids that were asked for. They cost messages, so they are kept.
class blacs_grids {
 public:
  /// Takes the memory that context_of() needs for a grid: behind it nothing may fail on one process
  /// alone. Throws std::bad_alloc.
  void take_memory(process_grid grid);
  /// Collective, behind take_memory() of that grid. -1 on a process outside of the grid.
  int context_of(scalapack_functions const& functions, MPI_Comm communicator,
                 process_grid grid) noexcept;
  /// Collective.
  void free();

 private:
  struct made {
    process_grid grid;
    int context;
  };
  scalapack_functions const* functions_ = nullptr;
  int system_ = -1;
  std::vector<made> made_;
  std::vector<int> ranks_;  // of the grid that is being made
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
