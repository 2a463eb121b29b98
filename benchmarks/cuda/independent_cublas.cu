// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Times cuBLAS on its own, with no code of xpose-bench, to check the figures that xpose-bench has
// for this peer: scripts/check-peer-figures compares them. Every call works on operands of its own,
// which together are three times the L2 cache at least. A round is 20 calls between two events; the
// median of 15 rounds counts.
//   independent_cublas [REST]   rests for REST times the length of a round behind each (0)

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

void check(int status, char const* call) {
  if (status == 0) return;
  std::fprintf(stderr, "%s: %d\n", call, status);
  std::exit(1);
}

struct cell {
  char const* type;
  char const* shape;
  int m, n, k;  // k = 0: a transpose of m x n by geam
  cudaDataType data;
  cublasComputeType_t compute;
  int component_bytes;
  int components;
};
constexpr cell cells[] = {
    {"f32", "3000x1200x2000", 3000, 1200, 2000, CUDA_R_32F, CUBLAS_COMPUTE_32F, 4, 1},
    {"f32", "777x4096x555", 777, 4096, 555, CUDA_R_32F, CUBLAS_COMPUTE_32F, 4, 1},
    {"f32", "4096x4096x4096", 4096, 4096, 4096, CUDA_R_32F, CUBLAS_COMPUTE_32F, 4, 1},
    {"f64", "2048x2048x2048", 2048, 2048, 2048, CUDA_R_64F, CUBLAS_COMPUTE_64F, 8, 1},
    {"f64", "1500x900x3000", 1500, 900, 3000, CUDA_R_64F, CUBLAS_COMPUTE_64F, 8, 1},
    {"c64", "1024x2048x1024", 1024, 2048, 1024, CUDA_C_32F, CUBLAS_COMPUTE_32F, 4, 2},
    {"c128", "1000x700x1500", 1000, 700, 1500, CUDA_C_64F, CUBLAS_COMPUTE_64F, 8, 2},
    {"f32", "8192x8192", 8192, 8192, 0, CUDA_R_32F, CUBLAS_COMPUTE_32F, 4, 1},
    {"f32", "5001x9001", 5001, 9001, 0, CUDA_R_32F, CUBLAS_COMPUTE_32F, 4, 1},
    {"f64", "6000x4000", 6000, 4000, 0, CUDA_R_64F, CUBLAS_COMPUTE_64F, 8, 1},
};

__global__ void fill(float* f, double* d, std::size_t count) {
  std::size_t const i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= count) return;
  std::uint64_t bits = i + 12345;  // the finalizer of MurmurHash3
  bits = (bits ^ bits >> 33) * 0xFF51AFD7ED558CCDu;
  bits = (bits ^ bits >> 33) * 0xC4CEB9FE1A85EC53u;
  double const value = static_cast<double>(static_cast<std::int64_t>(bits ^ bits >> 33)) * 0x1p-63;
  if (f != nullptr) f[i] = static_cast<float>(value);
  else d[i] = value;
}

double time_of(cublasHandle_t blas, cell const& c, void* memory, std::size_t memory_bytes,
               std::size_t cache_bytes, double rest) {
  auto const bytes_of = [&](std::size_t rows, std::size_t cols) {
    return (rows * cols * c.component_bytes * c.components + 255) / 256 * 256;
  };
  auto const m = static_cast<std::size_t>(c.m);
  auto const n = static_cast<std::size_t>(c.n);
  auto const k = static_cast<std::size_t>(c.k);
  std::size_t const a_bytes = c.k > 0 ? bytes_of(m, k) : bytes_of(m, n);
  std::size_t const b_bytes = c.k > 0 ? bytes_of(k, n) : 0;
  std::size_t const set = a_bytes + b_bytes + bytes_of(m, n);
  std::size_t const sets =
      std::clamp<std::size_t>(3 * cache_bytes / set + 1, 2, memory_bytes / set);
  std::size_t const count = sets * set / c.component_bytes;
  fill<<<static_cast<unsigned>((count + 255) / 256), 256>>>(
      c.component_bytes == 4 ? static_cast<float*>(memory) : nullptr,
      c.component_bytes == 8 ? static_cast<double*>(memory) : nullptr, count);
  check(cudaGetLastError(), "fill");
  double one[2] = {1, 0}, zero[2] = {0, 0};
  float one_f[2] = {1, 0}, zero_f[2] = {0, 0};
  void const* const alpha = c.component_bytes == 4 ? static_cast<void*>(one_f) : one;
  void const* const beta = c.component_bytes == 4 ? static_cast<void*>(zero_f) : zero;
  auto const call = [&](std::size_t number) {
    char* const a = static_cast<char*>(memory) + number % sets * set;
    char* const b = a + a_bytes;
    char* const out = b + b_bytes;
    // Row-major C = A B is C^T = B^T A^T for cuBLAS, whose matrices are column-major.
    if (c.k > 0)
      check(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, c.n, c.m, c.k, alpha, b, c.data, c.n, a,
                         c.data, c.k, beta, out, c.data, c.n, c.compute, CUBLAS_GEMM_DEFAULT),
            "cublasGemmEx");
    else if (c.component_bytes == 4)
      check(cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, c.m, c.n, one_f,
                        reinterpret_cast<float*>(a), c.n, zero_f, reinterpret_cast<float*>(out),
                        c.m, reinterpret_cast<float*>(out), c.m),
            "cublasSgeam");
    else
      check(cublasDgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, c.m, c.n, one, reinterpret_cast<double*>(a),
                        c.n, zero, reinterpret_cast<double*>(out), c.m,
                        reinterpret_cast<double*>(out), c.m),
            "cublasDgeam");
  };
  constexpr int calls = 20;
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start), "cudaEventCreate");
  check(cudaEventCreate(&stop), "cudaEventCreate");
  std::vector<double> times;
  for (int round = 0; round < 18; ++round) {
    check(cudaEventRecord(start), "cudaEventRecord");
    for (int i = 0; i < calls; ++i) call(static_cast<std::size_t>(round) * calls + i);
    check(cudaEventRecord(stop), "cudaEventRecord");
    check(cudaEventSynchronize(stop), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start, stop), "cudaEventElapsedTime");
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(rest * milliseconds));
    if (round >= 3) times.push_back(1e-3 * milliseconds / calls);
  }
  check(cudaEventDestroy(start), "cudaEventDestroy");
  check(cudaEventDestroy(stop), "cudaEventDestroy");
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

/// One line of each cell: operation, type, shape, microseconds.
int main(int argc, char** argv) {
  double const rest = argc > 1 ? std::atof(argv[1]) : 0;
  cudaDeviceProp gpu{};
  check(cudaGetDeviceProperties(&gpu, 0), "cudaGetDeviceProperties");
  cublasHandle_t blas;
  check(cublasCreate(&blas), "cublasCreate");
  constexpr std::size_t memory_bytes = std::size_t{3} << 30;
  void* memory = nullptr;
  check(cudaMalloc(&memory, memory_bytes), "cudaMalloc");
  for (cell const& c : cells)
    std::printf("%s %s %s %.3f\n", c.k > 0 ? "gemm" : "transpose", c.type, c.shape,
                1e6 * time_of(blas, c, memory, memory_bytes,
                              static_cast<std::size_t>(gpu.l2CacheSize), rest));
  check(cudaFree(memory), "cudaFree");
  check(cublasDestroy(blas), "cublasDestroy");
}
