// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// cuBLAS: gemm with its default choice of algorithm, and geam with beta = 0 as a transpose.

#include "peers/cuda/cublas_types.hpp"
#include "peers/peer.hpp"

namespace xpose::bench {
namespace {

class geam_runner : public copy_runner {
 public:
  geam_runner(cublasHandle_t handle, transpose_case const& what) : handle_(handle), what_(what) {}

  void run(void const* in, void* out) override {
    for (index b = 0; b < what_.batch; ++b) {
      auto const bytes = static_cast<index>(what_.type.bytes);
      run_one(static_cast<char const*>(in) + b * what_.in_batch_stride * bytes,
              static_cast<char*>(out) + b * what_.out_batch_stride * bytes);
    }
  }
  std::string kernel() const override { return "cublas geam"; }

 private:
  /// in is column-major cols x rows, out rows x cols.
  template <class T, class Geam>
  void call(Geam const& geam, void const* in, void* out) {
    T one{};
    T zero{};
    *reinterpret_cast<decltype(real_of(one))*>(&one) = 1;
    check_cublas(
        geam(handle_, CUBLAS_OP_T, CUBLAS_OP_N, static_cast<int>(what_.rows),
             static_cast<int>(what_.cols), &one, static_cast<T const*>(in),
             static_cast<int>(what_.in_ld), &zero, static_cast<T*>(out),
             static_cast<int>(what_.out_ld), static_cast<T*>(out), static_cast<int>(what_.out_ld)),
        "geam");
  }
  static float real_of(float x) { return x; }
  static double real_of(double x) { return x; }
  static float real_of(cuComplex x) { return x.x; }
  static double real_of(cuDoubleComplex x) { return x.x; }

  void run_one(void const* in, void* out) {
    switch (what_.type.kind) {
      case element_kind::f32:
        return call<float>(cublasSgeam, in, out);
      case element_kind::f64:
        return call<double>(cublasDgeam, in, out);
      case element_kind::c64:
        return call<cuComplex>(cublasCgeam, in, out);
      default:
        return call<cuDoubleComplex>(cublasZgeam, in, out);
    }
  }

  cublasHandle_t handle_;
  transpose_case what_;
};

class cublas_gemm_runner : public combine_runner {
 public:
  cublas_gemm_runner(cublasHandle_t handle, gemm_case const& what, cublas_types const& types)
      : handle_(handle), what_(what), types_(types), scalars_(types.scalars) {}

  void run(void const* a, void const* b, void* c) override {
    auto const narrow = [](index value) { return static_cast<int>(value); };
    auto const op = [](bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
    check_cublas(
        cublasGemmStridedBatchedEx(
            handle_, op(what_.transposed_b), op(what_.transposed_a), narrow(what_.n),
            narrow(what_.m), narrow(what_.k), &scalars_.one, b, types_.operands, narrow(what_.ldb),
            what_.b_batch_stride, a, types_.operands, narrow(what_.lda), what_.a_batch_stride,
            &scalars_.zero, c, types_.result, narrow(what_.ldc), what_.c_batch_stride,
            narrow(what_.batch), types_.compute, CUBLAS_GEMM_DEFAULT),
        "cublasGemmStridedBatchedEx");
  }
  std::string kernel() const override { return "cublasGemmStridedBatchedEx"; }

 private:
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
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100);
  }

  std::unique_ptr<copy_runner> prepare(transpose_case const& what, peer_context const& where,
                                       void const*, void*) override {
    bool const has_type =
        what.type.kind == element_kind::f32 || what.type.kind == element_kind::f64 ||
        what.type.kind == element_kind::c64 || what.type.kind == element_kind::c128;
    // geam has no batch, and no user would loop over thousands of calls.
    constexpr index most_calls = 64;
    if (!has_type || what.in_place || what.batch > most_calls || !fits_int(what.rows) ||
        !fits_int(what.cols) || !fits_int(what.in_ld) || !fits_int(what.out_ld))
      return nullptr;
    return std::make_unique<geam_runner>(handle_on(where), what);
  }

  std::unique_ptr<combine_runner> prepare(gemm_case const& what, peer_context const& where,
                                          void const* a, void const* b, void* c) override {
    auto const types = cublas_types_of(what);
    if (!types || !fits_int(what.m) || !fits_int(what.n) || !fits_int(what.k) ||
        !fits_int(what.lda) || !fits_int(what.ldb) || !fits_int(what.ldc))
      return nullptr;
    auto runner = std::make_unique<cublas_gemm_runner>(handle_on(where), what, *types);
    try {
      runner->run(a, b, c);
    } catch (std::runtime_error const&) {
      return nullptr;  // int8 has only some layouts and alignments
    }
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
