// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "scalapack.hpp"
#include "found_library.hpp"

#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

// A ScaLAPACK is built for one MPI: another's would crash, so names that do not tell are not tried.
constexpr char const* library_names[] = {
#if defined(OMPI_MAJOR_VERSION)
    "libscalapack-openmpi.so", "libscalapack-openmpi.so.2.2", "libscalapack-openmpi.so.2.1"
#else
    "libscalapack-mpich.so", "libscalapack-mpich.so.2.2", "libscalapack-mpich.so.2.1"
#endif
};

scalapack_functions functions_of(void* library, std::string const& from) {
  scalapack_functions f;
  find(library, "psgemm_", f.psgemm);
  find(library, "pdgemm_", f.pdgemm);
  find(library, "pcgemm_", f.pcgemm);
  find(library, "pzgemm_", f.pzgemm);
  find(library, "Csys2blacs_handle", f.system_handle);
  find(library, "Cfree_blacs_system_handle", f.free_system_handle);
  find(library, "Cblacs_gridmap", f.gridmap);
  find(library, "Cblacs_gridexit", f.gridexit);
  f.from = from;
  return f;
}

scalapack_functions look_for_scalapack() {
  return look_for(functions_of, "XPOSE_SCALAPACK",
                  {std::begin(library_names), std::end(library_names)});
}

}  // namespace

bool scalapack_functions::is_complete() const {
  return psgemm && pdgemm && pcgemm && pzgemm && system_handle && free_system_handle && gridmap &&
         gridexit;
}

scalapack_functions const& find_scalapack() {
  static scalapack_functions const found = look_for_scalapack();
  if (!found.is_complete())
    refuse<backend_error>(
        "gemm: xpose::mpi multiplies by ScaLAPACK's p?gemm, but the program is linked to none and "
        "none was found as ",
        found.from, "; install ScaLAPACK for this MPI, link one, or name it in XPOSE_SCALAPACK");
  return found;
}

void blacs_grids::take_memory(process_grid grid) {
  ranks_.resize(static_cast<std::size_t>(grid.size()));
  made_.reserve(made_.size() + 1);
}

int blacs_grids::context_of(scalapack_functions const& functions, MPI_Comm communicator,
                            process_grid grid) noexcept {
  for (made const& m : made_)
    if (m.grid.rows == grid.rows && m.grid.cols == grid.cols && m.grid.ranks == grid.ranks)
      return m.context;
  functions_ = &functions;
  if (system_ < 0) system_ = functions.system_handle(communicator);
  for (int row = 0; row < grid.rows; ++row)
    for (int col = 0; col < grid.cols; ++col)
      ranks_[static_cast<std::size_t>(row + col * grid.rows)] = grid.rank_at({row, col});
  int context = system_;
  functions.gridmap(&context, ranks_.data(), grid.rows, grid.rows, grid.cols);
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  if (grid.position_of(rank).row < 0) context = -1;
  made_.push_back({grid, context});
  return context;
}

void blacs_grids::free() {
  for (made const& m : made_)
    if (m.context >= 0) functions_->gridexit(m.context);
  if (system_ >= 0) functions_->free_system_handle(system_);
  made_.clear();
  system_ = -1;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
