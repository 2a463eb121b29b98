// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Intel MKL on the threads of libgomp: gemm (strided batches in one call), omatcopy, imatcopy.

#include <mkl.h>

#include "peers/host/cblas_gemm.hpp"

namespace xpose::bench {
namespace {

void transpose_out(transpose_case const& what, void const* in, void* out) {
  auto const rows = static_cast<std::size_t>(what.rows);
  auto const cols = static_cast<std::size_t>(what.cols);
  auto const in_ld = static_cast<std::size_t>(what.in_ld);
  auto const out_ld = static_cast<std::size_t>(what.out_ld);
  switch (what.type.kind) {
    case element_kind::f32:
      return mkl_somatcopy('R', 'T', rows, cols, 1.0f, static_cast<float const*>(in), in_ld,
                           static_cast<float*>(out), out_ld);
    case element_kind::f64:
      return mkl_domatcopy('R', 'T', rows, cols, 1.0, static_cast<double const*>(in), in_ld,
                           static_cast<double*>(out), out_ld);
    case element_kind::c64:
      return mkl_comatcopy('R', 'T', rows, cols, {1, 0}, static_cast<MKL_Complex8 const*>(in),
                           in_ld, static_cast<MKL_Complex8*>(out), out_ld);
    default:
      return mkl_zomatcopy('R', 'T', rows, cols, {1, 0}, static_cast<MKL_Complex16 const*>(in),
                           in_ld, static_cast<MKL_Complex16*>(out), out_ld);
  }
}

void transpose_in_place(transpose_case const& what, void* matrix) {
  auto const rows = static_cast<std::size_t>(what.rows);
  auto const cols = static_cast<std::size_t>(what.cols);
  switch (what.type.kind) {
    case element_kind::f32:
      return mkl_simatcopy('R', 'T', rows, cols, 1.0f, static_cast<float*>(matrix), cols, rows);
    case element_kind::f64:
      return mkl_dimatcopy('R', 'T', rows, cols, 1.0, static_cast<double*>(matrix), cols, rows);
    case element_kind::c64:
      return mkl_cimatcopy('R', 'T', rows, cols, {1, 0}, static_cast<MKL_Complex8*>(matrix), cols,
                           rows);
    default:
      return mkl_zimatcopy('R', 'T', rows, cols, {1, 0}, static_cast<MKL_Complex16*>(matrix), cols,
                           rows);
  }
}

class omatadd_runner : public combine_runner {
 public:
  explicit omatadd_runner(add_case const& what) : what_(what) {}

  void run(void const* a, void const* b, void* c) override {
    auto const alpha = static_cast<float>(add_alpha);
    auto const beta = static_cast<float>(add_beta);
    switch (what_.type.kind) {
      case element_kind::f32:
        return call<float>(mkl_somatadd, alpha, beta, a, b, c);
      case element_kind::f64:
        return call<double>(mkl_domatadd, add_alpha, add_beta, a, b, c);
      case element_kind::c64:
        return call<MKL_Complex8>(mkl_comatadd, MKL_Complex8{alpha, 0}, MKL_Complex8{beta, 0}, a, b,
                                  c);
      default:
        return call<MKL_Complex16>(mkl_zomatadd, MKL_Complex16{add_alpha, 0},
                                   MKL_Complex16{add_beta, 0}, a, b, c);
    }
  }
  std::string kernel() const override { return "mkl omatadd"; }

 private:
  template <class T, class Add>
  void call(Add const& add, T alpha, T beta, void const* a, void const* b, void* c) {
    auto const size = [](index value) { return static_cast<std::size_t>(value); };
    add('R', what_.transposed_a ? 'T' : 'N', what_.transposed_b ? 'T' : 'N', size(what_.rows),
        size(what_.cols), alpha, static_cast<T const*>(a), size(what_.lda), beta,
        static_cast<T const*>(b), size(what_.ldb), static_cast<T*>(c), size(what_.ldc));
  }

  add_case what_;
};

class batch_runner : public combine_runner {
 public:
  explicit batch_runner(gemm_case const& what) : what_(what) {}

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
    auto const narrow = [](index value) { return static_cast<MKL_INT>(value); };
    gemm(CblasRowMajor, op(what_.transposed_a), op(what_.transposed_b), narrow(what_.m),
         narrow(what_.n), narrow(what_.k), one, static_cast<T const*>(a), narrow(what_.lda),
         narrow(what_.a_batch_stride), static_cast<T const*>(b), narrow(what_.ldb),
         narrow(what_.b_batch_stride), zero, static_cast<T*>(c), narrow(what_.ldc),
         narrow(what_.c_batch_stride), narrow(what_.batch));
  }

  gemm_case what_;
};

class bfloat16_runner : public combine_runner {
 public:
  explicit bfloat16_runner(gemm_case const& what) : what_(what) {}

  void run(void const* a, void const* b, void* c) override {
    auto const op = [](bool transposed) { return transposed ? CblasTrans : CblasNoTrans; };
    auto const narrow = [](index value) { return static_cast<MKL_INT>(value); };
    for (index matrix = 0; matrix < what_.batch; ++matrix)
      cblas_gemm_bf16bf16f32(
          CblasRowMajor, op(what_.transposed_a), op(what_.transposed_b), narrow(what_.m),
          narrow(what_.n), narrow(what_.k), 1.0f,
          static_cast<MKL_BF16 const*>(a) + matrix * what_.a_batch_stride, narrow(what_.lda),
          static_cast<MKL_BF16 const*>(b) + matrix * what_.b_batch_stride, narrow(what_.ldb), 0.0f,
          static_cast<float*>(c) + matrix * what_.c_batch_stride, narrow(what_.ldc));
  }
  std::string kernel() const override { return "cblas_gemm_bf16bf16f32"; }

 private:
  gemm_case what_;
};

class mkl_peer : public peer {
 public:
  mkl_peer() {
    // One pool of threads for all: two would fight over the cores.
    mkl_set_threading_layer(MKL_THREADING_GNU);
    mkl_set_interface_layer(MKL_INTERFACE_LP64);
  }

  std::string version() const override {
    MKLVersion v;
    mkl_get_version(&v);
    return std::to_string(v.MajorVersion) + "." + std::to_string(v.UpdateVersion) + ", " +
           v.Processor;
  }

  std::unique_ptr<copy_runner> prepare(transpose_case const& what, peer_context const& where,
                                       void const*, void*) override {
    if (!is_blas_kind(what.type.kind)) return nullptr;
    mkl_set_num_threads(where.threads);
    if (what.in_place)
      return make_looped_transpose(what, "mkl imatcopy", [what](void const*, void* matrix) {
        transpose_in_place(what, matrix);
      });
    return make_looped_transpose(
        what, "mkl omatcopy", [what](void const* in, void* out) { transpose_out(what, in, out); });
  }

  std::unique_ptr<combine_runner> prepare(add_case const& what, peer_context const& where,
                                          void const*, void const*, void*) override {
    mkl_set_num_threads(where.threads);
    return std::make_unique<omatadd_runner>(what);
  }

  std::unique_ptr<combine_runner> prepare(gemm_case const& what, peer_context const& where,
                                          void const*, void const*, void*) override {
    mkl_set_num_threads(where.threads);
    if (what.type.kind == element_kind::bf16 && what.c_type.kind == element_kind::f32 &&
        fit_int({what.m, what.n, what.k, what.lda, what.ldb, what.ldc}))
      return std::make_unique<bfloat16_runner>(what);
    if (!is_cblas_case(what)) return nullptr;
    if (what.batch > 1 && fit_int({what.a_batch_stride, what.b_batch_stride, what.c_batch_stride}))
      return std::make_unique<batch_runner>(what);
    return std::make_unique<cblas_gemm_runner>(what);
  }
};

}  // namespace
}  // namespace xpose::bench

extern "C" __attribute__((visibility("default"))) xpose::bench::peer* xpose_bench_peer() {
  static xpose::bench::mkl_peer the_peer;
  return &the_peer;
}
