// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What docs/from_cublas.md shows: the call to cuBLAS and the call to xpose in its place. xpose's
// results are compared with plain loops on every machine, and with cuBLAS's where there is a GPU.
// All numbers are small integers, so every order of summation gives the same bits.

#include "../../examples/managed_vector.hpp"
#include "support/gpu.hpp"

#include <xpose/xpose.hpp>

#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>
#include <complex>

namespace xp = xpose;

namespace {

constexpr int m = 48, n = 80, k = 64, count = 3;

void check(cublasStatus_t status) { REQUIRE(status == CUBLAS_STATUS_SUCCESS); }

/// A stream and a handle on it; both null where there is no GPU.
class connection {
 public:
  connection() {
    if (!has_gpu()) return;
    cudaStreamCreate(&stream);
    check(cublasCreate(&handle));
    check(cublasSetStream(handle, stream));
  }
  ~connection() {
    if (!has_gpu()) return;
    cublasDestroy(handle);
    cudaStreamDestroy(stream);
  }
  connection(connection const&) = delete;
  connection& operator=(connection const&) = delete;

  cudaStream_t stream = nullptr;
  cublasHandle_t handle = nullptr;
};

template <class T>
managed_vector<T> numbers(int size, int seed) {
  managed_vector<T> values(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i)
    values[static_cast<std::size_t>(i)] = T(static_cast<float>((7 * i + i / 5 + seed) % 9 - 4));
  return values;
}

/// matrices x rows x cols values, row-major.
template <class T, class Value>
managed_vector<T> tabulate(int matrices, int rows, int cols, Value const& value) {
  managed_vector<T> values;
  for (int b = 0; b < matrices; ++b)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j) values.push_back(T(value(b, i, j)));
  return values;
}

/// The product of row-major matrices, as three loops.
template <class Sum, class A, class B>
Sum dot(A const* a, B const* b, int i, int j) {
  Sum sum{};
  for (int s = 0; s < k; ++s) sum += Sum(a[i * k + s]) * Sum(b[s * n + j]);
  return sum;
}

/// `replacement` writes `result`. Where there is a GPU `original`, which is a call to cuBLAS,
/// writes the same memory and must leave the same there.
template <class T, class Replacement, class Original>
void compare(managed_vector<T>& result, managed_vector<T> const& expected,
             Replacement const& replacement, Original const& original) {
  connection const gpu;
  managed_vector<T> const before = result;
  replacement(gpu.stream, result.data());
  if (has_gpu()) cudaStreamSynchronize(gpu.stream);
  REQUIRE(result == expected);
  if (!needs_gpu()) return;
  result = before;
  original(gpu.handle, result.data());
  REQUIRE(cudaStreamSynchronize(gpu.stream) == cudaSuccess);
  CHECK(result == expected);
}

TEST_CASE("From cuBLAS: a product of row-major matrices") {
  auto const as = numbers<float>(m * k, 1), bs = numbers<float>(k * n, 2);
  auto cs = numbers<float>(m * n, 3);
  float const *const a = as.data(), *const b = bs.data();
  float const alpha = 2, beta = -1;
  auto const expected = tabulate<float>(1, m, n, [&](int, int i, int j) {
    return 2 * dot<float>(a, b, i, j) - cs[static_cast<std::size_t>(i * n + j)];
  });
  compare(
      cs, expected,
      [&](cudaStream_t stream, float* c) {
        xp::matrix_view<float const> const A(a, m, k), B(b, k, n);
        xp::matrix_view<float> const C(c, m, n);
        xp::gemm(xp::cuda.on(stream).nosync(), alpha, A, B, beta, C);
      },
      [&](cublasHandle_t handle, float* c) {
        // Row-major C = A B is, read by columns, C^T = B^T A^T.
        check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k,  //
                          &alpha, b, n, a, k, &beta, c, n));
      });
}

TEST_CASE("From cuBLAS: a transposed operand") {
  auto const as = numbers<float>(k * m, 1), bs = numbers<float>(k * n, 2);
  managed_vector<float> cs(m * n);
  float const *const a = as.data(), *const b = bs.data();
  float const alpha = 1, beta = 0;
  auto const expected = tabulate<float>(1, m, n, [&](int, int i, int j) {
    float sum = 0;
    for (int s = 0; s < k; ++s) sum += a[s * m + i] * b[s * n + j];
    return sum;
  });
  compare(
      cs, expected,
      [&](cudaStream_t stream, float* c) {
        xp::matrix_view<float const> const A(a, k, m), B(b, k, n);
        xp::gemm(xp::cuda.on(stream).nosync(), A.transposed(), B, xp::matrix_view<float>(c, m, n));
      },
      [&](cublasHandle_t handle, float* c) {
        // Row-major C = A^T B, A being k x m.
        check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, m, k,  //
                          &alpha, b, n, a, m, &beta, c, n));
      });
}

TEST_CASE("From cuBLAS: column-major matrices with leading dimensions") {
  constexpr int lda = m + 4, ldb = k + 1, ldc = m;
  auto const as = numbers<float>(lda * k, 1), bs = numbers<float>(ldb * n, 2);
  managed_vector<float> cs(ldc * n);
  float const *const a = as.data(), *const b = bs.data();
  float const alpha = 1, beta = 0;
  auto const expected = tabulate<float>(1, n, m, [&](int, int j, int i) {
    float sum = 0;
    for (int s = 0; s < k; ++s) sum += a[i + s * lda] * b[s + j * ldb];
    return sum;
  });
  compare(
      cs, expected,
      [&](cudaStream_t stream, float* c) {
        xp::matrix_view<float const> const A(a, m, k, xp::col_major, lda);
        xp::matrix_view<float const> const B(b, k, n, xp::col_major, ldb);
        xp::matrix_view<float> const C(c, m, n, xp::col_major, ldc);
        xp::gemm(xp::cuda.on(stream).nosync(), A, B, C);
      },
      [&](cublasHandle_t handle, float* c) {
        check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k,  //
                          &alpha, a, lda, b, ldb, &beta, c, ldc));
      });
}

TEST_CASE("From cuBLAS: a conjugate transpose") {
  managed_vector<std::complex<float>> as, bs;
  for (float const x : numbers<float>(k * m, 1)) as.emplace_back(x, 1 - x);
  for (float const x : numbers<float>(k * n, 2)) bs.emplace_back(x, 2 + x);
  managed_vector<std::complex<float>> cs(m * n);
  std::complex<float> const *const a = as.data(), *const b = bs.data();
  auto const expected = tabulate<std::complex<float>>(1, n, m, [&](int, int j, int i) {
    std::complex<float> sum = 0;
    for (int s = 0; s < k; ++s) sum += std::conj(a[s + i * k]) * b[s + j * k];
    return sum;
  });
  compare(
      cs, expected,
      [&](cudaStream_t stream, std::complex<float>* c) {
        xp::matrix_view<std::complex<float> const> const A(a, k, m, xp::col_major);
        xp::matrix_view<std::complex<float> const> const B(b, k, n, xp::col_major);
        xp::matrix_view<std::complex<float>> const C(c, m, n, xp::col_major);
        xp::gemm(xp::cuda.on(stream).nosync(), xp::conjugated(A).transposed(), B, C);
      },
      [&](cublasHandle_t handle, std::complex<float>* c) {
        cuComplex const one = {1, 0}, zero = {0, 0};
        check(cublasCgemm(handle, CUBLAS_OP_C, CUBLAS_OP_N, m, n, k,  //
                          &one, reinterpret_cast<cuComplex const*>(a), k,
                          reinterpret_cast<cuComplex const*>(b), k,  //
                          &zero, reinterpret_cast<cuComplex*>(c), m));
      });
}

TEST_CASE("From cuBLAS: a matrix times a vector whose elements lie apart") {
  constexpr int incx = 3;
  auto const as = numbers<float>(m * k, 1), xs = numbers<float>(incx * k, 2);
  managed_vector<float> ys(m);
  float const *const a = as.data(), *const x = xs.data();
  float const alpha = 1, beta = 0;
  auto const expected = tabulate<float>(1, m, 1, [&](int, int i, int) {
    float sum = 0;
    for (int s = 0; s < k; ++s) sum += a[i * k + s] * x[s * incx];
    return sum;
  });
  compare(
      ys, expected,
      [&](cudaStream_t stream, float* y) {
        xp::matrix_view<float const> const A(a, m, k);
        xp::matrix_view<float const> const X(x, k, 1, xp::strided{incx, 1});
        xp::gemm(xp::cuda.on(stream).nosync(), A, X, xp::matrix_view<float>(y, m, 1));
      },
      [&](cublasHandle_t handle, float* y) {
        check(cublasSgemv(handle, CUBLAS_OP_T, k, m, &alpha, a, k, x, incx, &beta, y, 1));
      });
}

TEST_CASE("From cuBLAS: geam as a transpose") {
  constexpr int rows = 60, cols = 44;
  auto const ins = numbers<float>(rows * cols, 1);
  managed_vector<float> outs(cols * rows);
  float const* const in = ins.data();
  auto const expected =
      tabulate<float>(1, cols, rows, [&](int, int j, int i) { return in[i * cols + j]; });
  compare(
      outs, expected,
      [&](cudaStream_t stream, float* out) {
        xp::transpose(xp::cuda.on(stream).nosync(), xp::matrix_view<float const>(in, rows, cols),
                      xp::matrix_view<float>(out, cols, rows));
      },
      [&](cublasHandle_t handle, float* out) {
        float const one = 1, zero = 0;
        check(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, cols,  //
                          &one, in, cols, &zero, out, rows, out, rows));
      });
}

TEST_CASE("From cuBLAS: geam as a sum") {
  auto const as = numbers<float>(n * m, 1), bs = numbers<float>(m * n, 2);
  managed_vector<float> cs(m * n);
  float const *const a = as.data(), *const b = bs.data();
  auto const expected =
      tabulate<float>(1, m, n, [&](int, int i, int j) { return 2 * a[j * m + i] - b[i * n + j]; });
  compare(
      cs, expected,
      [&](cudaStream_t stream, float* c) {
        xp::matrix_view<float const> const A(a, n, m), B(b, m, n);
        xp::add(xp::cuda.on(stream).nosync(), 2.f, A.transposed(), -1.f, B,
                xp::matrix_view<float>(c, m, n));
      },
      [&](cublasHandle_t handle, float* c) {
        // Row-major C = 2 A^T - B, A being n x m.
        float const two = 2, minus_one = -1;
        check(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, m,  //
                          &two, a, m, &minus_one, b, n, c, n));
      });
}

TEST_CASE("From cuBLAS: products of a strided batch") {
  auto const as = numbers<float>(count * m * k, 1), bs = numbers<float>(k * n, 2);
  managed_vector<float> cs(count * m * n);
  float const *const a = as.data(), *const b = bs.data();
  float const alpha = 1, beta = 0;
  auto const expected = tabulate<float>(
      count, m, n, [&](int l, int i, int j) { return dot<float>(a + l * m * k, b, i, j); });
  compare(
      cs, expected,
      [&](cudaStream_t stream, float* c) {
        xp::matrix_view<float const> const B(b, k, n);  // one for all of the batch
        xp::gemm(xp::cuda.on(stream).nosync(), xp::batch(a, count, m, k), B,
                 xp::batch(c, count, m, n));
      },
      [&](cublasHandle_t handle, float* c) {
        check(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k,  //
                                        &alpha, b, n, 0, a, k, m * k,               //
                                        &beta, c, n, m * n, count));
      });
}

TEST_CASE("From cuBLAS: products of matrices that pointers name") {
  auto const as = numbers<float>(count * m * k, 1), bs = numbers<float>(count * k * n, 2);
  managed_vector<float> cs(count * m * n);
  float const alpha = 1, beta = 0;
  // The last matrix of each is the first one, so that no distance describes them.
  managed_vector<float const*> as_by_name, bs_by_name;
  for (int l = count - 1; l >= 0; --l) {
    as_by_name.push_back(as.data() + (l * l + 1) % count * m * k);
    bs_by_name.push_back(bs.data() + l * k * n);
  }
  float const *const *const a = as_by_name.data(), *const *const b = bs_by_name.data();
  auto const expected = tabulate<float>(
      count, m, n, [&](int l, int i, int j) { return dot<float>(a[l], b[l], i, j); });
  auto const pointers = [](float* c) {
    managed_vector<float*> result;
    for (int l = 0; l < count; ++l) result.push_back(c + l * m * n);
    return result;
  };
  compare(
      cs, expected,
      [&](cudaStream_t stream, float* all) {
        auto const to = pointers(all);
        float* const* const c = to.data();
        auto const in_order = xp::cuda.on(stream).nosync();
        for (int l = 0; l < count; ++l)  // a, b, c: arrays on the host, of pointers to the device
          xp::gemm(in_order, xp::matrix_view<float const>(a[l], m, k),
                   xp::matrix_view<float const>(b[l], k, n), xp::matrix_view<float>(c[l], m, n));
      },
      [&](cublasHandle_t handle, float* all) {
        auto const to = pointers(all);
        float* const* const c = to.data();
        // a, b, c: arrays on the device, of pointers to the device
        check(cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k,  //
                                 &alpha, b, n, a, k, &beta, c, n, count));
        cudaDeviceSynchronize();  // before `to` goes
      });
}

TEST_CASE("From cuBLAS: GemmEx of float16 to float") {
  auto const as = numbers<__half>(m * k, 1), bs = numbers<__half>(k * n, 2);
  managed_vector<float> cs(m * n);
  __half const *const a = as.data(), *const b = bs.data();
  float const alpha = 1, beta = 0;
  auto const expected = tabulate<float>(1, m, n, [&](int, int i, int j) {
    float sum = 0;
    for (int s = 0; s < k; ++s) sum += __half2float(a[i * k + s]) * __half2float(b[s * n + j]);
    return sum;
  });
  compare(
      cs, expected,
      [&](cudaStream_t stream, float* c) {
        // float16 has the bits of __half, bfloat16 those of __nv_bfloat16.
        xp::matrix_view<xp::float16 const> const A(reinterpret_cast<xp::float16 const*>(a), m, k);
        xp::matrix_view<xp::float16 const> const B(reinterpret_cast<xp::float16 const*>(b), k, n);
        xp::matrix_view<float> const C(c, m, n);
        xp::gemm(xp::cuda.on(stream).nosync(), A, B, C);  // sums in float
      },
      [&](cublasHandle_t handle, float* c) {
        check(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k,   //
                           &alpha, b, CUDA_R_16F, n, a, CUDA_R_16F, k,  //
                           &beta, c, CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
      });
}

TEST_CASE("From cuBLAS: GemmEx of int8 to int32") {
  auto const as = numbers<std::int8_t>(m * k, 1), bs = numbers<std::int8_t>(n * k, 2);
  managed_vector<std::int32_t> cs(m * n);
  std::int8_t const *const a = as.data(), *const b = bs.data();
  std::int32_t const alpha = 1, beta = 0;
  auto const expected = tabulate<std::int32_t>(1, m, n, [&](int, int i, int j) {
    std::int32_t sum = 0;
    for (int s = 0; s < k; ++s) sum += a[i * k + s] * b[j * k + s];
    return sum;
  });
  compare(
      cs, expected,
      [&](cudaStream_t stream, std::int32_t* c) {
        xp::matrix_view<std::int8_t const> const A(a, m, k), B(b, n, k);
        xp::matrix_view<std::int32_t> const C(c, m, n);
        xp::gemm(xp::cuda.on(stream).nosync(), A, B.transposed(), C);  // sums in int32
      },
      [&](cublasHandle_t handle, std::int32_t* c) {
        check(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, m, k,  //
                           &alpha, b, CUDA_R_8I, k, a, CUDA_R_8I, k,   //
                           &beta, c, CUDA_R_32I, n, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
      });
}

TEST_CASE("From cuBLAS: a product of floats on the matrix units") {
  auto const as = numbers<float>(m * k, 1), bs = numbers<float>(k * n, 2);
  managed_vector<float> cs(m * n);
  float const *const a = as.data(), *const b = bs.data();
  float const alpha = 1, beta = 0;
  auto const expected =
      tabulate<float>(1, m, n, [&](int, int i, int j) { return dot<float>(a, b, i, j); });
  compare(
      cs, expected,
      [&](cudaStream_t stream, float* c) {
        xp::matrix_view<float const> const A(a, m, k), B(b, k, n);
        xp::matrix_view<float> const C(c, m, n);
        xp::gemm(xp::cuda.on(stream).nosync(), A, B, C, xp::options().precision(xp::tf32));
      },
      [&](cublasHandle_t handle, float* c) {
        check(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH));
        check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k,  //
                          &alpha, b, n, a, k, &beta, c, n));
      });
}

}  // namespace
