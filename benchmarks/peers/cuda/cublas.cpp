// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// cuBLAS: gemm with its default choice of algorithm, geam as the sum of two matrices and, with
// beta = 0, as a transpose.

#include "peers/cuda/cublas_types.hpp"
#include "peers/cuda/device_library.hpp"
#include "peers/peer.hpp"

#include <cuComplex.h>

namespace xpose::bench {
namespace {

/// A term of geam's sum, row-major as the bench has it.
struct geam_term {
  void const* data;
  index ld;
  bool is_transposed;
  double factor;
};

void assign(float& to, double value) { to = static_cast<float>(value); }
void assign(double& to, double value) { to = value; }
void assign(cuComplex& to, double value) { to = make_cuComplex(static_cast<float>(value), 0); }
void assign(cuDoubleComplex& to, double value) { to = make_cuDoubleComplex(value, 0); }

/// C = A + B: C is rows x cols, which cuBLAS knows as cols x rows in column-major order.
template <class T, class Geam>
void call_geam(Geam const& geam, cublasHandle_t handle, index rows, index cols, geam_term const& a,
               geam_term const& b, void* c, index ldc) {
  auto const narrow = [](index value) { return static_cast<int>(value); };
  auto const op = [](geam_term const& t) { return t.is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
  T alpha;
  T beta;
  assign(alpha, a.factor);
  assign(beta, b.factor);
  check_cublas(geam(handle, op(a), op(b), narrow(cols), narrow(rows), &alpha,
                    static_cast<T const*>(a.data), narrow(a.ld), &beta,
                    static_cast<T const*>(b.data), narrow(b.ld), static_cast<T*>(c), narrow(ldc)),
               "geam");
}

bool geam_has(element_kind kind) {
  return kind == element_kind::f32 || kind == element_kind::f64 || kind == element_kind::c64 ||
         kind == element_kind::c128;
}

void geam(cublasHandle_t handle, element_kind kind, index rows, index cols, geam_term const& a,
          geam_term const& b, void* c, index ldc) {
  switch (kind) {
    case element_kind::f32:
      return call_geam<float>(cublasSgeam, handle, rows, cols, a, b, c, ldc);
    case element_kind::f64:
      return call_geam<double>(cublasDgeam, handle, rows, cols, a, b, c, ldc);
    case element_kind::c64:
      return call_geam<cuComplex>(cublasCgeam, handle, rows, cols, a, b, c, ldc);
    default:
      return call_geam<cuDoubleComplex>(cublasZgeam, handle, rows, cols, a, b, c, ldc);
  }
}

class geam_transpose_runner : public copy_runner {
 public:
  geam_transpose_runner(cublasHandle_t handle, transpose_case const& what)
      : handle_(handle), what_(what) {}

  void run(void const* in, void* out) override {
    auto const bytes = static_cast<index>(what_.type.bytes);
    for (index b = 0; b < what_.batch; ++b) {
      auto const* const from = static_cast<char const*>(in) + b * what_.in_batch_stride * bytes;
      auto* const to = static_cast<char*>(out) + b * what_.out_batch_stride * bytes;
      // With beta = 0, C in place of B is not read.
      geam(handle_, what_.type.kind, what_.cols, what_.rows, {from, what_.in_ld, true, 1},
           {to, what_.out_ld, false, 0}, to, what_.out_ld);
    }
  }
  std::string kernel() const override { return "cublas geam"; }

 private:
  cublasHandle_t handle_;
  transpose_case what_;
};

class geam_add_runner : public combine_runner {
 public:
  geam_add_runner(cublasHandle_t handle, add_case const& what) : handle_(handle), what_(what) {}

  void run(void const* a, void const* b, void* c) override {
    geam(handle_, what_.type.kind, what_.rows, what_.cols,
         {a, what_.lda, what_.transposed_a, add_alpha},
         {b, what_.ldb, what_.transposed_b, add_beta}, c, what_.ldc);
  }
  std::string kernel() const override { return "cublas geam"; }

 private:
  cublasHandle_t handle_;
  add_case what_;
};

class cublas_gemm_runner : public combine_runner {
 public:
  cublas_gemm_runner(cublasHandle_t handle, gemm_case const& what, cublas_types const& types)
      : handle_(handle), what_(what), types_(types), scalars_(types.scalars) {}

  void run(void const* a, void const* b, void* c) override {
    check_cublas(multiply(a, b, c), kernel_name());
  }
  std::string kernel() const override { return kernel_name(); }

  cublasStatus_t multiply(void const* a, void const* b, void* c) {
    if (what_.may_take_three_products) return multiply_by_three(a, b, c);
    if (what_.batch == 1)
      return cublasGemmEx(handle_, op(what_.transposed_b), op(what_.transposed_a), narrow(what_.n),
                          narrow(what_.m), narrow(what_.k), &scalars_.one, b, types_.operands,
                          narrow(what_.ldb), a, types_.operands, narrow(what_.lda), &scalars_.zero,
                          c, types_.result, narrow(what_.ldc), types_.compute, CUBLAS_GEMM_DEFAULT);
    return cublasGemmStridedBatchedEx(
        handle_, op(what_.transposed_b), op(what_.transposed_a), narrow(what_.n), narrow(what_.m),
        narrow(what_.k), &scalars_.one, b, types_.operands, narrow(what_.ldb), what_.b_batch_stride,
        a, types_.operands, narrow(what_.lda), what_.a_batch_stride, &scalars_.zero, c,
        types_.result, narrow(what_.ldc), what_.c_batch_stride, narrow(what_.batch), types_.compute,
        CUBLAS_GEMM_DEFAULT);
  }

 private:
  static int narrow(index value) { return static_cast<int>(value); }
  static cublasOperation_t op(bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

  /// Of column-major matrices, which those of row-major ones are transposed.
  template <class K, class Function>
  cublasStatus_t multiply_as(Function function, void const* a, void const* b, void* c) {
    K const one{1, 0};
    K const zero{0, 0};
    return function(handle_, op(what_.transposed_b), op(what_.transposed_a), narrow(what_.n),
                    narrow(what_.m), narrow(what_.k), &one, static_cast<K const*>(b),
                    narrow(what_.ldb), static_cast<K const*>(a), narrow(what_.lda), &zero,
                    static_cast<K*>(c), narrow(what_.ldc));
  }
  cublasStatus_t multiply_by_three(void const* a, void const* b, void* c) {
    return what_.type.kind == element_kind::c64
               ? multiply_as<cuComplex>(cublasCgemm3m, a, b, c)
               : multiply_as<cuDoubleComplex>(cublasZgemm3m, a, b, c);
  }

  char const* kernel_name() const {
    if (what_.may_take_three_products)
      return what_.type.kind == element_kind::c64 ? "cublasCgemm3m" : "cublasZgemm3m";
    return what_.batch == 1 ? "cublasGemmEx" : "cublasGemmStridedBatchedEx";
  }

  cublasHandle_t handle_;
  gemm_case what_;
  cublas_types types_;
  cublas_scalars scalars_;
};

class cublas_peer : public peer {
 public:
  std::string version() const override {
    int version = 0;
    if (cublasGetVersion(nullptr, &version) != CUBLAS_STATUS_SUCCESS) version = CUBLAS_VERSION;
    return library_version(static_cast<std::size_t>(version), cublasCreate, cublas_headers());
  }

  std::unique_ptr<copy_runner> prepare(transpose_case const& what, peer_context const& where,
                                       void const*, void*) override {
    // geam has no batch, and no user would loop over thousands of calls.
    constexpr index most_calls = 64;
    if (!geam_has(what.type.kind) || what.in_place || what.batch > most_calls ||
        !fits_int(what.rows) || !fits_int(what.cols) || !fits_int(what.in_ld) ||
        !fits_int(what.out_ld))
      return nullptr;
    return std::make_unique<geam_transpose_runner>(handle_on(where), what);
  }

  std::unique_ptr<combine_runner> prepare(add_case const& what, peer_context const& where,
                                          void const*, void const*, void*) override {
    if (!geam_has(what.type.kind) || !fits_int(what.rows) || !fits_int(what.cols) ||
        !fits_int(what.lda) || !fits_int(what.ldb) || !fits_int(what.ldc))
      return nullptr;
    return std::make_unique<geam_add_runner>(handle_on(where), what);
  }

  std::unique_ptr<combine_runner> prepare(gemm_case const& what, peer_context const& where,
                                          void const* a, void const* b, void* c) override {
    auto const types = cublas_types_of(what);
    if (!types || !fits_int(what.m) || !fits_int(what.n) || !fits_int(what.k) ||
        !fits_int(what.lda) || !fits_int(what.ldb) || !fits_int(what.ldc) || !fits_int(what.batch))
      return nullptr;
    auto runner = std::make_unique<cublas_gemm_runner>(handle_on(where), what, *types);
    cublasStatus_t const status = runner->multiply(a, b, c);
    if (is_absent(status)) return nullptr;
    check_cublas(status, "cuBLAS gemm");
    return runner;
  }

 private:
  cublasHandle_t handle_on(peer_context const& where) {
    if (handle_ == nullptr) {
      check_cublas(cublasCreate(&handle_), "cublasCreate");
      // Split-K partial sums stay in the compute type, as xpose's do.
      check_cublas(
          cublasSetMathMode(
              handle_, static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH |
                                                 CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)),
          "cublasSetMathMode");
    }
    check_cublas(cublasSetStream(handle_, static_cast<cudaStream_t>(where.stream)),
                 "cublasSetStream");
    return handle_;
  }

  cublasHandle_t handle_ = nullptr;
};

}  // namespace
}  // namespace xpose::bench

extern "C" __attribute__((visibility("default"))) xpose::bench::peer* xpose_bench_peer() {
  static xpose::bench::cublas_peer the_peer;
  return &the_peer;
}
