// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// cuBLASLt: the fastest of the algorithms that its heuristic puts first, with a workspace of 64 MB.
// FAST_ACCUM stays off: xpose's float8 promotes its sums to f32 too.

#include "peers/cuda/cublas_types.hpp"
#include "peers/cuda/pick_fastest.hpp"
#include "peers/peer.hpp"

#include <cublasLt.h>

#include <vector>

namespace xpose::bench {
namespace {

constexpr std::size_t workspace_bytes = std::size_t{64} << 20;  // twice what cuBLAS takes on Hopper
constexpr int algorithms_asked = 32;

using matmul_description = owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using matrix_layout = owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using preference = owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

class lt_runner : public combine_runner {
 public:
  lt_runner(cublasLtHandle_t handle, void* workspace, gemm_case const& what,
            cublas_types const& types, cudaStream_t stream)
      : handle_(handle),
        workspace_(workspace),
        stream_(stream),
        scalars_(types.scalars),
        a_bytes_(bytes_of(what.type, what.batch, what.transposed_a ? what.k : what.m, what.lda)),
        b_bytes_(bytes_of(what.type, what.batch, what.transposed_b ? what.n : what.k, what.ldb)),
        c_bytes_(bytes_of(what.c_type, what.batch, what.m, what.ldc)) {
    check_cublas(cublasLtMatmulDescCreate(&matmul_.handle, types.compute, types.scalars),
                 "cublasLtMatmulDescCreate");
    set_op(CUBLASLT_MATMUL_DESC_TRANSA, what.transposed_b);
    set_op(CUBLASLT_MATMUL_DESC_TRANSB, what.transposed_a);
    lay_out(b_, types.operands, what.transposed_b ? what.k : what.n,
            what.transposed_b ? what.n : what.k, what.ldb, what.batch, what.b_batch_stride);
    lay_out(a_, types.operands, what.transposed_a ? what.m : what.k,
            what.transposed_a ? what.k : what.m, what.lda, what.batch, what.a_batch_stride);
    lay_out(c_, types.result, what.n, what.m, what.ldc, what.batch, what.c_batch_stride);
  }

  /// False if no algorithm takes the case.
  bool choose(void const* a, void const* b, void* c) {
    auto const found = algorithms_for(a, b, c);
    if (found.empty()) return false;
    operand_sets const sets({{const_cast<void*>(a), a_bytes_, true},
                             {const_cast<void*>(b), b_bytes_, true},
                             {c, c_bytes_, false}},
                            stream_);
    std::vector<call_on_set> calls;
    for (auto const& algorithm : found)
      calls.emplace_back([&](int set) {
        check_cublas(multiply(algorithm, sets.at(set, 0), sets.at(set, 1), sets.at(set, 2)),
                     "cublasLtMatmul");
      });
    place_ = pick_fastest(calls, sets.count(), stream_);
    algorithm_ = found[place_];
    algorithms_ = found.size();
    return true;
  }

  void run(void const* a, void const* b, void* c) override {
    check_cublas(multiply(algorithm_, a, b, c), "cublasLtMatmul");
  }
  std::string kernel() const override {
    return "cublasLtMatmul, choice " + std::to_string(place_ + 1) + " of " +
           std::to_string(algorithms_);
  }

 private:
  static std::size_t bytes_of(element_type const& type, index batch, index rows, index ld) {
    return static_cast<std::size_t>(batch * rows * ld) * type.bytes;
  }

  std::vector<cublasLtMatmulAlgo_t> algorithms_for(void const* a, void const* b, void const* c) {
    preference wishes;
    check_cublas(cublasLtMatmulPreferenceCreate(&wishes.handle), "cublasLtMatmulPreferenceCreate");
    set_preference(wishes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                   std::uint64_t{workspace_bytes});
    set_preference(wishes, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(b));
    set_preference(wishes, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(a));
    set_preference(wishes, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(c));
    set_preference(wishes, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(c));
    std::vector<cublasLtMatmulHeuristicResult_t> found(algorithms_asked);
    int count = 0;
    auto const status = cublasLtMatmulAlgoGetHeuristic(
        handle_, matmul_.handle, b_.handle, a_.handle, c_.handle, c_.handle, wishes.handle,
        algorithms_asked, found.data(), &count);
    if (is_absent(status)) return {};
    check_cublas(status, "cublasLtMatmulAlgoGetHeuristic");
    found.resize(static_cast<std::size_t>(count));
    std::vector<cublasLtMatmulAlgo_t> algorithms;
    for (auto const& f : found)
      if (f.state == CUBLAS_STATUS_SUCCESS) algorithms.push_back(f.algo);
    return algorithms;
  }
  template <class Value>
  static void set_preference(preference& wishes, cublasLtMatmulPreferenceAttributes_t name,
                             Value const& value) {
    check_cublas(cublasLtMatmulPreferenceSetAttribute(wishes.handle, name, &value, sizeof value),
                 "cublasLtMatmulPreferenceSetAttribute");
  }
  void set_op(cublasLtMatmulDescAttributes_t name, bool transposed) {
    cublasOperation_t const op = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    check_cublas(cublasLtMatmulDescSetAttribute(matmul_.handle, name, &op, sizeof op),
                 "cublasLtMatmulDescSetAttribute");
  }
  static void lay_out(matrix_layout& layout, cudaDataType_t type, index rows, index cols, index ld,
                      index batch, index batch_stride) {
    check_cublas(cublasLtMatrixLayoutCreate(&layout.handle, type, static_cast<std::uint64_t>(rows),
                                            static_cast<std::uint64_t>(cols), ld),
                 "cublasLtMatrixLayoutCreate");
    auto const count = static_cast<std::int32_t>(batch);
    check_cublas(cublasLtMatrixLayoutSetAttribute(layout.handle, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                  &count, sizeof count),
                 "batch count");
    check_cublas(
        cublasLtMatrixLayoutSetAttribute(layout.handle, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                         &batch_stride, sizeof batch_stride),
        "batch stride");
  }

  cublasStatus_t multiply(cublasLtMatmulAlgo_t const& algorithm, void const* a, void const* b,
                          void* c) {
    return cublasLtMatmul(handle_, matmul_.handle, &scalars_.one, b, b_.handle, a, a_.handle,
                          &scalars_.zero, c, c_.handle, c, c_.handle, &algorithm, workspace_,
                          workspace_bytes, stream_);
  }

  cublasLtHandle_t handle_;
  void* workspace_;
  cudaStream_t stream_;
  cublas_scalars scalars_;
  std::size_t a_bytes_;
  std::size_t b_bytes_;
  std::size_t c_bytes_;
  matmul_description matmul_;
  matrix_layout a_;
  matrix_layout b_;
  matrix_layout c_;
  cublasLtMatmulAlgo_t algorithm_{};
  std::size_t place_ = 0;
  std::size_t algorithms_ = 0;
};

class cublaslt_peer : public peer {
 public:
  std::string version() const override {
    return library_version(cublasLtGetVersion(), cublasLtGetVersion, cublas_headers());
  }

  std::unique_ptr<combine_runner> prepare(gemm_case const& what, peer_context const& where,
                                          void const* a, void const* b, void* c) override {
    auto const types = cublas_types_of(what);
    if (!types) return nullptr;
    if (handle_ == nullptr) {
      check_cublas(cublasLtCreate(&handle_), "cublasLtCreate");
      check(cudaMalloc(&workspace_, workspace_bytes), "cudaMalloc");
    }
    auto runner = std::make_unique<lt_runner>(handle_, workspace_, what, *types,
                                              static_cast<cudaStream_t>(where.stream));
    if (!runner->choose(a, b, c)) return nullptr;
    return runner;
  }

 private:
  cublasLtHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
};

}  // namespace
}  // namespace xpose::bench

extern "C" __attribute__((visibility("default"))) xpose::bench::peer* xpose_bench_peer() {
  static xpose::bench::cublaslt_peer the_peer;
  return &the_peer;
}
