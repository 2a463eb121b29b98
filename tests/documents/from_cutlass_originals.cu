// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// CUTLASS's half of docs/from_cutlass.md: the products of from_cutlass.cu. Built where CUTLASS is
// found (CUTLASS_INCLUDE_DIR).

#include "from_cutlass.hpp"

#include <cutlass/epilogue/thread/linear_combination_relu.h>
#include <cutlass/gemm/device/gemm.h>
#include <cutlass/gemm/device/gemm_batched.h>
#include <cutlass/gemm/device/gemm_splitk_parallel.h>

// A named namespace: nvcc confuses the unnamed one of a file with those inside doctest's templates.
namespace from_cutlass {

void check(cutlass::Status status) {
  INFO(cutlass::cutlassGetStatusString(status));
  REQUIRE(status == cutlass::Status::kSuccess);
}

using RowMajor = cutlass::layout::RowMajor;

// Tile shapes have to be named before the epilogue can be.
using GemmRelu = cutlass::gemm::device::Gemm<
    float, RowMajor, float, RowMajor, float, RowMajor, float, cutlass::arch::OpClassSimt,
    cutlass::arch::Sm80, cutlass::gemm::GemmShape<128, 128, 8>, cutlass::gemm::GemmShape<32, 64, 8>,
    cutlass::gemm::GemmShape<1, 1, 1>,
    cutlass::epilogue::thread::LinearCombinationRelu<float, 1, float, float>>;

TEST_CASE("CUTLASS: a product of float16, B by columns") {
  if (!needs_gpu()) return;
  product<cutlass::half_t> p({1, m, k, n, true},
                             [](float sum, float c, int) { return 2 * sum - c; });
  on_a_stream const gpu;
  auto const stream = gpu.stream;
  cutlass::half_t const *const a = p.a.data(), *const b = p.b.data();
  float* const c = p.c.data();
  float const alpha = 2, beta = -1;

  using Gemm = cutlass::gemm::device::Gemm<           //
      cutlass::half_t, cutlass::layout::RowMajor,     // A
      cutlass::half_t, cutlass::layout::ColumnMajor,  // B
      float, cutlass::layout::RowMajor, float,        // C, sums
      cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80>;
  check(Gemm()({{m, n, k}, {a, k}, {b, k}, {c, n}, {c, n}, {alpha, beta}}, nullptr, stream));

  gpu.wait();
  CHECK(p.c == p.expected);
}

TEST_CASE("CUTLASS: an epilogue") {
  if (!needs_gpu()) return;
  managed_vector<float> biases;
  for (int j = 0; j < n; ++j) biases.push_back(product<float>::number(j, 4));
  float const* const bias = biases.data();
  product<float> p({1, m, k, n, false},
                   [&](float sum, float, int j) { return sum + bias[j] < 0 ? 0 : sum + bias[j]; });
  on_a_stream const gpu;
  auto const stream = gpu.stream;
  float const *const a = p.a.data(), *const b = p.b.data();
  float* const c = p.c.data();

  // The bias is the matrix C, with 0 elements from one row to the next.
  check(GemmRelu()({{m, n, k}, {a, k}, {b, n}, {bias, 0}, {c, n}, {1, 1}}, nullptr, stream));

  gpu.wait();
  CHECK(p.c == p.expected);
}

TEST_CASE("CUTLASS: a batch") {
  if (!needs_gpu()) return;
  product<float> p({count, m, k, n, false}, sum_alone);
  on_a_stream const gpu;
  auto const stream = gpu.stream;
  float const *const a = p.a.data(), *const b = p.b.data();
  float* const c = p.c.data();

  using Gemm =
      cutlass::gemm::device::GemmBatched<float, RowMajor, float, RowMajor, float, RowMajor>;
  check(
      Gemm()({{m, n, k}, {a, k}, m * k, {b, n}, k * n, {c, n}, m * n, {c, n}, m * n, {1, 0}, count},
             nullptr, stream));

  gpu.wait();
  CHECK(p.c == p.expected);
}

TEST_CASE("CUTLASS: a depth split among blocks") {
  if (!needs_gpu()) return;
  constexpr int deep = 4096;
  product<float> p({1, 8, deep, 16, false}, sum_alone);
  on_a_stream const gpu;
  auto const stream = gpu.stream;
  float const *const a = p.a.data(), *const b = p.b.data();
  float* const c = p.c.data();

  using Gemm =
      cutlass::gemm::device::GemmSplitKParallel<float, RowMajor, float, RowMajor, float, RowMajor>;
  int const slices = 16;
  Gemm::Arguments const arguments({8, 16, deep}, {a, deep}, {b, 16}, {c, 16}, {c, 16}, {1, 0},
                                  slices);
  managed_vector<char> workspace(Gemm::get_workspace_size(arguments));
  Gemm gemm;
  check(gemm.initialize(arguments, workspace.data()));
  check(gemm.run(stream));

  gpu.wait();
  CHECK(p.c == p.expected);
}

}  // namespace from_cutlass
