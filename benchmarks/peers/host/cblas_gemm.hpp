// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm through the CBLAS interface, which OpenBLAS, BLIS and MKL share. Each module includes its
// own library's cblas.h first, then this.
#pragma once

#include "peers/host/host_cases.hpp"

#include <type_traits>

namespace xpose::bench {

inline bool is_cblas_case(gemm_case const& what) {
  return is_blas_kind(what.type.kind) &&
         fit_int({what.m, what.n, what.k, what.lda, what.ldb, what.ldc});
}

inline int narrow(index value) { return static_cast<int>(value); }
inline auto cblas_op(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }

/// call(routine, null pointer to the elements as the routine takes them, one, zero): the routine of
/// the kind, and its alpha and beta, which complex routines take by address.
template <class S, class D, class C, class Z, class Call>
void with_cblas_routine(element_kind kind, S const& s, D const& d, C const& c, Z const& z,
                        Call const& call) {
  static constexpr float ones_f32[2] = {1, 0};
  static constexpr double ones_f64[2] = {1, 0};
  static constexpr double zeros[2] = {0, 0};
  auto const as_scalar = [](void const* scalar) { return scalar; };
  switch (kind) {
    case element_kind::f32:
      return call(s, static_cast<float*>(nullptr), 1.0f, 0.0f);
    case element_kind::f64:
      return call(d, static_cast<double*>(nullptr), 1.0, 0.0);
    case element_kind::c64:
      return call(c, static_cast<void*>(nullptr), as_scalar(ones_f32), as_scalar(zeros));
    default:
      return call(z, static_cast<void*>(nullptr), as_scalar(ones_f64), as_scalar(zeros));
  }
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
  void run_one(void const* a, void const* b, void* c) {
    with_cblas_routine(what_.type.kind, cblas_sgemm, cblas_dgemm, cblas_cgemm, cblas_zgemm,
                       [&](auto const& gemm, auto elements, auto one, auto zero) {
                         using T = std::remove_pointer_t<decltype(elements)>;
                         gemm(CblasRowMajor, cblas_op(what_.transposed_a),
                              cblas_op(what_.transposed_b), narrow(what_.m), narrow(what_.n),
                              narrow(what_.k), one, static_cast<T const*>(a), narrow(what_.lda),
                              static_cast<T const*>(b), narrow(what_.ldb), zero, static_cast<T*>(c),
                              narrow(what_.ldc));
                       });
  }

  gemm_case what_;
};

/// One row or one column of C: C = M X, where M is the operand that is a matrix. OpenBLAS's gemm
/// takes 0.86 ms for 2048x1x2048 of f32 on two threads, its gemv 0.17 (Zen 4 2026-11-23).
class cblas_gemv_runner : public combine_runner {
 public:
  explicit cblas_gemv_runner(gemm_case const& what) : what_(what) {}

  void run(void const* a, void const* b, void* c) override {
    bool const is_column = what_.n == 1;
    void const* const matrix = is_column ? a : b;
    void const* const vector = is_column ? b : a;
    bool const transposed = is_column ? what_.transposed_a : !what_.transposed_b;
    index const length = is_column ? what_.m : what_.n;  // of what is computed
    index const stored_rows = transposed ? what_.k : length;
    index const stored_cols = transposed ? length : what_.k;
    index const ld = is_column ? what_.lda : what_.ldb;
    index const vector_step =
        is_column ? (what_.transposed_b ? 1 : what_.ldb) : (what_.transposed_a ? what_.lda : 1);
    index const c_step = is_column ? what_.ldc : 1;
    with_cblas_routine(what_.type.kind, cblas_sgemv, cblas_dgemv, cblas_cgemv, cblas_zgemv,
                       [&](auto const& gemv, auto elements, auto one, auto zero) {
                         using T = std::remove_pointer_t<decltype(elements)>;
                         gemv(CblasRowMajor, cblas_op(transposed), narrow(stored_rows),
                              narrow(stored_cols), one, static_cast<T const*>(matrix), narrow(ld),
                              static_cast<T const*>(vector), narrow(vector_step), zero,
                              static_cast<T*>(c), narrow(c_step));
                       });
  }
  std::string kernel() const override { return "cblas " + what_.type.name + " gemv"; }

 private:
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
