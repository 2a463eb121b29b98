// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "cublasmp.hpp"
#include "found_library.hpp"

#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

cublasmp_functions functions_of(void* library, std::string const& from) {
  cublasmp_functions f;
  find(library, "cublasMpCreate", f.create);
  find(library, "cublasMpDestroy", f.destroy);
  find(library, "cublasMpSetStream", f.set_stream);
  find(library, "cublasMpGridCreate", f.create_grid);
  find(library, "cublasMpGridDestroy", f.destroy_grid);
  find(library, "cublasMpMatrixDescriptorCreate", f.create_matrix);
  find(library, "cublasMpMatrixDescriptorDestroy", f.destroy_matrix);
  find(library, "cublasMpGemm_bufferSize", f.gemm_bytes);
  find(library, "cublasMpGemm", f.gemm);
  find(library, "cublasMpGetVersion", f.get_version);
  f.from = from;
  // Of 0.2 it has two arguments; a library that lacks nothing is newer.
  if (f.has_all()) f.get_version(&f.version);
  return f;
}

kept_library<cublasmp_functions> const& library() {
  static auto const& found = *new kept_library<cublasmp_functions>(
      look_for(functions_of, "XPOSE_CUBLASMP", {"libcublasmp.so.0"}), "cuBLASMp", "XPOSE_CUBLASMP");
  return found;
}

}  // namespace

bool cublasmp_functions::has_all() const {
  return get_version && create && destroy && set_stream && create_grid && destroy_grid &&
         create_matrix && destroy_matrix && gemm_bytes && gemm;
}

bool cublasmp_functions::is_complete() const {
  return has_all() && version >= first_right_cublasmp;
}

std::string why_incomplete(cublasmp_functions const& f) {
  if (!f.has_all()) return "lacks functions";
  return message("is of version ", f.version / 10000, '.', f.version / 100 % 100,
                 "; 0.10 corrects wrong products");
}

cublasmp_functions const* find_cublasmp() { return library().functions(); }

char const* why_no_cublasmp() { return library().why_not(); }

void* cublasmp_grids::handle(void* stream) {
  cublasmp_functions const& f = *find_cublasmp();
  int const status =
      handle_ == nullptr ? f.create(&handle_, stream) : f.set_stream(handle_, stream);
  if (status != cublasmp_success)
    refuse<backend_error>("gemm: cuBLASMp cannot start on this stream: status ", status);
  return handle_;
}

void* cublasmp_grids::grid_of(process_grid grid, void* nccl) noexcept {
  for (made const& m : made_)
    if (m.grid.rows == grid.rows && m.grid.cols == grid.cols && m.grid.ranks == grid.ranks &&
        m.nccl == nccl)
      return m.handle;
  int const by_rows = grid.ranks == row_major ? 1 : 0;
  void* handle = nullptr;
  if (find_cublasmp()->create_grid(grid.rows, grid.cols, by_rows, nccl, &handle) !=
      cublasmp_success)
    return nullptr;
  made_.push_back({grid, nccl, handle});
  return handle;
}

void cublasmp_grids::free() noexcept {
  for (made const& m : made_) find_cublasmp()->destroy_grid(m.handle);
  if (handle_ != nullptr) find_cublasmp()->destroy(handle_);
  forget();
}

void cublasmp_grids::forget() noexcept {
  made_.clear();
  handle_ = nullptr;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
