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

/// One row or one column of C: C = M X, where M is the operand that is a matrix. OpenBLAS's gemm
/// takes 0.86 ms for 2048x1x2048 of f32 on two threads, its gemv 0.17 (Zen 4 2026-11-23).
class cblas_gemv_runner : public combine_runner {
 public:
  explicit cblas_gemv_runner(gemm_case const& what) : what_(what) {}

  void run(void const* a, void const* b, void* c) override {
    static constexpr float ones_f32[2] = {1, 0};
    static constexpr double ones_f64[2] = {1, 0};
    static constexpr double zeros[2] = {0, 0};
    void const* const matrix = is_column() ? a : b;
    void const* const vector = is_column() ? b : a;
    auto const as_scalar = [](void const* scalar) { return scalar; };
    switch (what_.type.kind) {
      case element_kind::f32:
        return call<float>(cblas_sgemv, matrix, vector, c, 1.0f, 0.0f);
      case element_kind::f64:
        return call<double>(cblas_dgemv, matrix, vector, c, 1.0, 0.0);
      case element_kind::c64:
        return call<void>(cblas_cgemv, matrix, vector, c, as_scalar(ones_f32), as_scalar(zeros));
      default:
        return call<void>(cblas_zgemv, matrix, vector, c, as_scalar(ones_f64), as_scalar(zeros));
    }
  }
  std::string kernel() const override { return "cblas " + what_.type.name + " gemv"; }

 private:
  bool is_column() const { return what_.n == 1; }

  template <class T, class Gemv, class Scalar>
  void call(Gemv const& gemv, void const* matrix, void const* vector, void* c, Scalar const& one,
            Scalar const& zero) {
    auto const narrow = [](index value) { return static_cast<int>(value); };
    bool const transposed = is_column() ? what_.transposed_a : !what_.transposed_b;
    index const length = is_column() ? what_.m : what_.n;  // of what is computed
    index const stored_rows = transposed ? what_.k : length;
    index const stored_cols = transposed ? length : what_.k;
    index const ld = is_column() ? what_.lda : what_.ldb;
    index const vector_step =
        is_column() ? (what_.transposed_b ? 1 : what_.ldb) : (what_.transposed_a ? what_.lda : 1);
    index const c_step = is_column() ? what_.ldc : 1;
    gemv(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans, narrow(stored_rows),
         narrow(stored_cols), one, static_cast<T const*>(matrix), narrow(ld),
         static_cast<T const*>(vector), narrow(vector_step), zero, static_cast<T*>(c),
         narrow(c_step));
  }

  gemm_case what_;
};

/// gemm or, for a row or a column, the faster of gemm and gemv.
inline std::unique_ptr<combine_runner> make_cblas_gemm(gemm_case const& what, void const* a,
                                                       void const* b, void* c) {
  std::unique_ptr<combine_runner> gemv;
  if (what.batch == 1 && (what.m == 1 || what.n == 1))
    gemv = std::make_unique<cblas_gemv_runner>(what);
  return faster_of(what, std::make_unique<cblas_gemm_runner>(what), std::move(gemv), a, b, c);
}

}  // namespace xpose::bench
