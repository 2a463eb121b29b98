// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm through the CBLAS interface, which OpenBLAS, BLIS and MKL share. Each module includes its
// own library's cblas.h first, then this.
#pragma once

#include "peers/host/host_cases.hpp"

namespace xpose::bench {

inline bool is_cblas_case(gemm_case const& what) {
  return is_blas_kind(what.type.kind) &&
         fit_int({what.m, what.n, what.k, what.lda, what.ldb, what.ldc});
}

/// One matrix of the batch after the other.
class cblas_gemm_runner : public combine_runner {
 public:
  explicit cblas_gemm_runner(gemm_case const& what) : what_(what) {}

  void run(void const* a, void const* b, void* c) override {
    auto const bytes = static_cast<index>(what_.type.bytes);
    for (index matrix = 0; matrix < what_.batch; ++matrix)
      run_one(static_cast<char const*>(a) + matrix * what_.a_batch_stride * bytes,
              static_cast<char const*>(b) + matrix * what_.b_batch_stride * bytes,
              static_cast<char*>(c) + matrix * what_.c_batch_stride * bytes);
  }
  std::string kernel() const override { return "cblas " + what_.type.name + " gemm"; }

 private:
  template <class T, class Gemm, class Scalar>
  void call(Gemm const& gemm, void const* a, void const* b, void* c, Scalar const& one,
            Scalar const& zero) {
    auto const op = [](bool transposed) { return transposed ? CblasTrans : CblasNoTrans; };
    auto const narrow = [](index value) { return static_cast<int>(value); };
    gemm(CblasRowMajor, op(what_.transposed_a), op(what_.transposed_b), narrow(what_.m),
         narrow(what_.n), narrow(what_.k), one, static_cast<T const*>(a), narrow(what_.lda),
         static_cast<T const*>(b), narrow(what_.ldb), zero, static_cast<T*>(c), narrow(what_.ldc));
  }

  void run_one(void const* a, void const* b, void* c) {
    static constexpr float ones_f32[2] = {1, 0};
    static constexpr double ones_f64[2] = {1, 0};
    static constexpr double zeros[2] = {0, 0};
    auto const as_scalar = [](void const* scalar) { return scalar; };
    switch (what_.type.kind) {
      case element_kind::f32:
        return call<float>(cblas_sgemm, a, b, c, 1.0f, 0.0f);
      case element_kind::f64:
        return call<double>(cblas_dgemm, a, b, c, 1.0, 0.0);
      case element_kind::c64:
        return call<void>(cblas_cgemm, a, b, c, as_scalar(ones_f32), as_scalar(zeros));
      default:
        return call<void>(cblas_zgemm, a, b, c, as_scalar(ones_f64), as_scalar(zeros));
    }
  }

  gemm_case what_;
};

}  // namespace xpose::bench
