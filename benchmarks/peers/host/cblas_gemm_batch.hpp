// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Batches through gemm_batch_strided, which MKL and OpenBLAS from 0.3.3x share. Each module
// includes its own library's cblas.h first, then this.
#pragma once

#include "peers/host/cblas_gemm.hpp"

namespace xpose::bench {

inline bool is_cblas_batch(gemm_case const& what) {
  return what.batch > 1 &&
         fit_int({what.batch, what.a_batch_stride, what.b_batch_stride, what.c_batch_stride});
}

/// A batch at constant strides, in one call.
class cblas_gemm_batch_runner : public combine_runner {
 public:
  explicit cblas_gemm_batch_runner(gemm_case const& what) : what_(what) {}

  void run(void const* a, void const* b, void* c) override {
    with_cblas_routine(
        what_.type.kind, cblas_sgemm_batch_strided, cblas_dgemm_batch_strided,
        cblas_cgemm_batch_strided, cblas_zgemm_batch_strided,
        [&](auto const& gemm, auto elements, auto one, auto zero) {
          using T = std::remove_pointer_t<decltype(elements)>;
          gemm(CblasRowMajor, cblas_op(what_.transposed_a), cblas_op(what_.transposed_b),
               narrow(what_.m), narrow(what_.n), narrow(what_.k), one, static_cast<T const*>(a),
               narrow(what_.lda), narrow(what_.a_batch_stride), static_cast<T const*>(b),
               narrow(what_.ldb), narrow(what_.b_batch_stride), zero, static_cast<T*>(c),
               narrow(what_.ldc), narrow(what_.c_batch_stride), narrow(what_.batch));
        });
  }
  std::string kernel() const override { return "cblas " + what_.type.name + " gemm_batch_strided"; }

 private:
  gemm_case what_;
};

}  // namespace xpose::bench
