// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// cuBLASLt: the fastest of the algorithms that its heuristic puts first, with a workspace of 64 MB.

#include "peers/cuda/cublas_types.hpp"
#include "peers/peer.hpp"

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <vector>

namespace xpose::bench {
namespace {

constexpr std::size_t workspace_bytes = std::size_t{64} << 20;
constexpr int algorithms_asked = 8;
constexpr int calls_timed = 5;

void check_cuda(cudaError_t status, char const* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

template <class Handle, cublasStatus_t (*Destroy)(Handle)>
struct owned {
  owned() = default;
  owned(owned const&) = delete;
  owned& operator=(owned const&) = delete;
  ~owned() {
    if (handle != nullptr) Destroy(handle);
  }
  Handle handle = nullptr;
};
using matmul_description = owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using matrix_layout = owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using preference = owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

class lt_runner : public combine_runner {
 public:
  lt_runner(cublasLtHandle_t handle, void* workspace, gemm_case const& what,
            cublas_types const& types, cudaStream_t stream)
      : handle_(handle), workspace_(workspace), stream_(stream), scalars_(types.scalars) {
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
    preference wishes;
    check_cublas(cublasLtMatmulPreferenceCreate(&wishes.handle), "cublasLtMatmulPreferenceCreate");
    set_preference(wishes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace_bytes);
    set_preference(wishes, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(b));
    set_preference(wishes, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(a));
    set_preference(wishes, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(c));
    set_preference(wishes, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(c));
    std::vector<cublasLtMatmulHeuristicResult_t> found(algorithms_asked);
    int count = 0;
    cublasLtMatmulAlgoGetHeuristic(handle_, matmul_.handle, b_.handle, a_.handle, c_.handle,
                                   c_.handle, wishes.handle, algorithms_asked, found.data(),
                                   &count);
    float best = 0;
    for (int f = 0; f < count; ++f) {
      algorithm_ = found[static_cast<std::size_t>(f)].algo;
      float const milliseconds = time_of_calls(a, b, c);
      if (milliseconds <= 0 || (best > 0 && milliseconds >= best)) continue;
      best = milliseconds;
      chosen_ = algorithm_;
      place_of_chosen_ = f;
    }
    algorithm_ = chosen_;
    algorithms_ = count;
    return best > 0;
  }

  void run(void const* a, void const* b, void* c) override {
    check_cublas(multiply(a, b, c), "cublasLtMatmul");
  }
  std::string kernel() const override {
    return "cublasLtMatmul, choice " + std::to_string(place_of_chosen_ + 1) + " of " +
           std::to_string(algorithms_);
  }

 private:
  static unsigned alignment_of(void const* memory) {
    auto const address = reinterpret_cast<std::uintptr_t>(memory);
    return std::min(256u, static_cast<unsigned>(address & (~address + 1)));
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

  cublasStatus_t multiply(void const* a, void const* b, void* c) {
    return cublasLtMatmul(handle_, matmul_.handle, &scalars_.one, b, b_.handle, a, a_.handle,
                          &scalars_.zero, c, c_.handle, c, c_.handle, &algorithm_, workspace_,
                          workspace_bytes, stream_);
  }

  /// 0 if the algorithm fails.
  float time_of_calls(void const* a, void const* b, void* c) {
    if (multiply(a, b, c) != CUBLAS_STATUS_SUCCESS) return 0;
    cudaEvent_t events[2];
    for (auto& event : events) check_cuda(cudaEventCreate(&event), "cudaEventCreate");
    check_cuda(cudaEventRecord(events[0], stream_), "cudaEventRecord");
    for (int call = 0; call < calls_timed; ++call)
      check_cublas(multiply(a, b, c), "cublasLtMatmul");
    check_cuda(cudaEventRecord(events[1], stream_), "cudaEventRecord");
    check_cuda(cudaEventSynchronize(events[1]), "cudaEventSynchronize");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, events[0], events[1]), "cudaEventElapsedTime");
    for (auto& event : events) check_cuda(cudaEventDestroy(event), "cudaEventDestroy");
    return milliseconds;
  }

  cublasLtHandle_t handle_;
  void* workspace_;
  cudaStream_t stream_;
  cublas_scalars scalars_;
  matmul_description matmul_;
  matrix_layout a_;
  matrix_layout b_;
  matrix_layout c_;
  cublasLtMatmulAlgo_t algorithm_{};
  cublasLtMatmulAlgo_t chosen_{};
  int place_of_chosen_ = 0;
  int algorithms_ = 0;
};

class cublaslt_peer : public peer {
 public:
  std::string version() const override {
    std::size_t const version = cublasLtGetVersion();
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100);
  }

  std::unique_ptr<combine_runner> prepare(gemm_case const& what, peer_context const& where,
                                          void const* a, void const* b, void* c) override {
    auto const types = cublas_types_of(what);
    if (!types) return nullptr;
    if (handle_ == nullptr) {
      check_cublas(cublasLtCreate(&handle_), "cublasLtCreate");
      check_cuda(cudaMalloc(&workspace_, workspace_bytes), "cudaMalloc");
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
