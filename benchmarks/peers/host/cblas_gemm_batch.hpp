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
    static constexpr float ones_f32[2] = {1, 0};
    static constexpr double ones_f64[2] = {1, 0};
    static constexpr double zeros[2] = {0, 0};
    void const* const zero = zeros;
    void const* const one =
        what_.type.kind == element_kind::c64 ? static_cast<void const*>(ones_f32) : ones_f64;
    switch (what_.type.kind) {
      case element_kind::f32:
        return call<float>(cblas_sgemm_batch_strided, a, b, c, 1.0f, 0.0f);
      case element_kind::f64:
        return call<double>(cblas_dgemm_batch_strided, a, b, c, 1.0, 0.0);
      case element_kind::c64:
        return call<void>(cblas_cgemm_batch_strided, a, b, c, one, zero);
      default:
        return call<void>(cblas_zgemm_batch_strided, a, b, c, one, zero);
    }
  }
  std::string kernel() const override { return "cblas " + what_.type.name + " gemm_batch_strided"; }

 private:
  template <class T, class Gemm, class Scalar>
  void call(Gemm const& gemm, void const* a, void const* b, void* c, Scalar const& one,
            Scalar const& zero) {
    auto const op = [](bool transposed) { return transposed ? CblasTrans : CblasNoTrans; };
    auto const narrow = [](index value) { return static_cast<int>(value); };
    gemm(CblasRowMajor, op(what_.transposed_a), op(what_.transposed_b), narrow(what_.m),
         narrow(what_.n), narrow(what_.k), one, static_cast<T const*>(a), narrow(what_.lda),
         narrow(what_.a_batch_stride), static_cast<T const*>(b), narrow(what_.ldb),
         narrow(what_.b_batch_stride), zero, static_cast<T*>(c), narrow(what_.ldc),
         narrow(what_.c_batch_stride), narrow(what_.batch));
  }

  gemm_case what_;
};

}  // namespace xpose::bench
