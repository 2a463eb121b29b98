// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// mdspans under nvcc, whose kernels take the factor of a scaled one, and the devices of DLPack.

#include "dlpack_structures.hpp"

#include "cases/matrix.hpp"
#include "support/backends.hpp"

#include <xpose/cuda_complex.hpp>
#include <xpose/dlpack.hpp>
#include <xpose/linalg.hpp>
#include <xpose/mdspan.hpp>
#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <cuda/std/linalg>
#include <cuda/std/mdspan>

#include <cuda_runtime_api.h>

// A named namespace: nvcc confuses the unnamed one of a file with those inside doctest's templates.
namespace views_of_others {

using complex = cuda::std::complex<double>;

template <class T>
auto as_mdspan(xpose::matrix_view<T> v) {
  return cuda::std::mdspan<T, cuda::std::dextents<xpose::index, 2>>(v.data(), v.rows(), v.cols());
}

TEST_CASE_TEMPLATE("a scaled and conjugated mdspan is read so on every backend", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  complex const factor{2, 3};
  auto const value = [](xpose::index i, xpose::index j) {
    return complex{static_cast<double>(i), static_cast<double>(j)};
  };
  matrix<complex> in(on.where, 70, 33, value);
  matrix<complex> out(on.where, 33, 70, cases::pattern::row_major);
  auto const scaled = cuda::std::linalg::scaled(factor, as_mdspan(in.there()));
  xpose::transpose(on.policy, cuda::std::linalg::conjugated(scaled), as_mdspan(out.there()));
  CHECK(out.is([&](auto i, auto j) { return cuda::std::conj(factor * value(j, i)); }));

  matrix<complex> product(on.where, 70, 70, cases::pattern::row_major);
  xpose::gemm(on.policy, scaled, as_mdspan(out.there()), as_mdspan(product.there()));
  CHECK(product.is([&](auto i, auto j) {
    complex sum = 0;
    for (xpose::index k = 0; k < 33; ++k)
      sum += factor * value(i, k) * cuda::std::conj(factor * value(j, k));
    return sum;
  }));
}

TEST_CASE_TEMPLATE("linalg's product with an addend and its sum run on every backend", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  namespace linalg = xpose::linalg;
  backend const on = Backend::get();
  auto const value = [](xpose::index i, xpose::index j) {
    return static_cast<float>((i * 7 + j * 5) % 11) - 5;
  };
  matrix<float> a(on.where, 33, 70, value), b(on.where, 33, 20, value), e(on.where, 70, 20, value);
  matrix<float> c(on.where, 70, 20, cases::pattern::row_major);
  auto const C = as_mdspan(c.there());
  auto const A = linalg::scaled(2, linalg::conjugate_transposed(as_mdspan(a.there())));
  linalg::matrix_product(on.policy, A, as_mdspan(b.there()), as_mdspan(e.there()), C);
  linalg::add(on.policy, C, linalg::scaled(-3, as_mdspan(e.there())), C);
  CHECK(c.is([&](auto i, auto j) {
    float sum = -2 * value(i, j);
    for (xpose::index k = 0; k < 33; ++k) sum += 2 * value(k, i) * value(k, j);
    return sum;
  }));
}

TEST_CASE("arrays are operands of files that nvcc compiles, too") {
  float a[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}, turned[4][3];
  xpose::transpose(xpose::omp, a, turned);
  CHECK(turned[3][1] == 8);
}

TEST_CASE("a DLPack tensor of CUDA's memory says of which kind it is") {
  if (!needs_gpu()) return;
  float* memory[3] = {};
  REQUIRE(cudaMalloc(&memory[0], 24) == cudaSuccess);
  REQUIRE(cudaMallocManaged(&memory[1], 24) == cudaSuccess);
  REQUIRE(cudaMallocHost(&memory[2], 24) == cudaSuccess);
  DLDeviceType const types[] = {kDLCUDA, kDLCUDAManaged, kDLCUDAHost};
  int current = -1;
  REQUIRE(cudaGetDevice(&current) == cudaSuccess);
  for (int kind = 0; kind < 3; ++kind) {
    auto exported = xpose::to_dlpack<DLTensor>(xpose::matrix_view<float>(memory[kind], 2, 3));
    CHECK(exported.tensor()->device.device_type == types[kind]);
    CHECK(exported.tensor()->device.device_id == (kind == 0 ? current : 0));
    CHECK(xpose::view<float>(*exported.tensor()).data() == memory[kind]);
  }
  cudaFree(memory[0]);
  cudaFree(memory[1]);
  cudaFreeHost(memory[2]);
}

}  // namespace views_of_others
