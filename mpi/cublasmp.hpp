// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// cuBLASMp, found when the first gemm on devices runs, as NCCL is.
#pragma once

#include <xpose/dist_matrix_view.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace xpose {
inline namespace v0 {
namespace detail {

/// 0.10, as cublasMpGetVersion counts. 0.7 multiplies 16x8 by the transpose of 1x8 wrongly, of
/// floats in blocks on two processes (two H100, 2026-11-26; all other products of the tests
/// rightly), and the notes of 0.10 list corrected products.
inline constexpr int first_right_cublasmp = 1000;

/// What xpose calls, with the types of cublasmp.h (0.10): enumerations are int, objects and
/// streams pointers. Rows and columns count from 1.
struct cublasmp_functions {
  int (*get_version)(int* version) = nullptr;
  int (*create)(void** handle, void* stream) = nullptr;
  int (*destroy)(void* handle) = nullptr;
  int (*set_stream)(void* handle, void* stream) = nullptr;
  int (*create_grid)(std::int64_t rows, std::int64_t cols, int ranks, void* nccl,
                     void** grid) = nullptr;
  int (*destroy_grid)(void* grid) = nullptr;
  int (*create_matrix)(std::int64_t rows, std::int64_t cols, std::int64_t block_rows,
                       std::int64_t block_cols, std::int64_t first_row, std::int64_t first_col,
                       std::int64_t leading_dimension, int type, void* grid,
                       void** matrix) = nullptr;
  int (*destroy_matrix)(void* matrix) = nullptr;
  int (*gemm_bytes)(void* handle, int op_a, int op_b, std::int64_t m, std::int64_t n,
                    std::int64_t k, void const* alpha, void const* a, std::int64_t ia,
                    std::int64_t ja, void* matrix_a, void const* b, std::int64_t ib,
                    std::int64_t jb, void* matrix_b, void const* beta, void* c, std::int64_t ic,
                    std::int64_t jc, void* matrix_c, int compute, std::size_t* device_bytes,
                    std::size_t* host_bytes) = nullptr;
  int (*gemm)(void* handle, int op_a, int op_b, std::int64_t m, std::int64_t n, std::int64_t k,
              void const* alpha, void const* a, std::int64_t ia, std::int64_t ja, void* matrix_a,
              void const* b, std::int64_t ib, std::int64_t jb, void* matrix_b, void const* beta,
              void* c, std::int64_t ic, std::int64_t jc, void* matrix_c, int compute,
              void* device_work, std::size_t device_bytes, void* host_work,
              std::size_t host_bytes) = nullptr;
  int version = 0;
  std::string from;  // "the program", or the library's name

  bool has_all() const;
  bool is_complete() const;  // and new enough
};
/// Why these are not used.
std::string why_incomplete(cublasmp_functions const& f);
inline constexpr int cublasmp_success = 0;

/// The numbers of cudaDataType_t and cublasComputeType_t.
struct cublasmp_type {
  int type;
  int compute;
};
inline constexpr cublasmp_type cublasmp_f32{0, 68};
inline constexpr cublasmp_type cublasmp_f64{1, 70};
inline constexpr cublasmp_type cublasmp_complex_f32{4, 68};
inline constexpr cublasmp_type cublasmp_complex_f64{5, 70};

/// Null: there is none. Looks once a process.
cublasmp_functions const* find_cublasmp();
/// What to say where there is none.
char const* why_no_cublasmp();

/// A handle, and the grids that were asked for: making one costs messages.
class cublasmp_grids {
 public:
  /// Throws backend_error, std::bad_alloc.
  void* handle(void* stream);
  /// Takes the memory that grid_of() needs. Throws std::bad_alloc.
  void take_memory() { made_.reserve(made_.size() + 1); }
  /// Collective. Null if cuBLASMp refuses.
  void* grid_of(process_grid grid, void* nccl) noexcept;
  /// A grid that one process could not make is asked for no more: others have it.
  void fail() noexcept { has_failed_ = true; }
  bool has_failed() const { return has_failed_; }
  void free() noexcept;
  /// Behind a failure of NCCL, without which nothing can be given back.
  void forget() noexcept;

 private:
  struct made {
    process_grid grid;
    void* nccl;  // of another communicator it is another grid
    void* handle;
  };
  bool has_failed_ = false;
  void* handle_ = nullptr;
  std::vector<made> made_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
