// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The calls that the documents show first, as a plain C++ compiler sees them, word for word.

#include "block.hpp"

#include <doctest/doctest.h>

#include <complex>

namespace xp = xpose;

namespace {

struct matrices {
  block_memory p_memory{98304 * sizeof(float)};
  block_memory q_memory{298901 * sizeof(float)};
  block_memory r_memory{298901 * sizeof(float)};
  float* p = p_memory.counting<float>(98304, -30.f);
  float* q = q_memory.counting<float>(298901, 0.f);
  float* r = r_memory.counting<float>(298901, 5.f);

  xp::matrix_view<float const> A{p, 300, 200};  // row-major, packed
  xp::matrix_view<float> B{q, 200, 300};
  xp::matrix_view<float> C{q, 200, 300, xp::col_major,
                           256};  // explicit order and leading dimension
  xp::matrix_view<float> S{q, 200, 300, xp::strided{1, 999}};  // row stride, column stride

  void forget() { q_memory.counting<float>(298901, -1000.f); }
};

TEST_CASE("views of the block describe the memory that they say") {
  matrices m;
  auto B = m.B;
  auto C = m.C;
  auto S = m.S;
  auto tile = B.submatrix(16, 0, 32, 300);
  CHECK(&tile(0, 0) == &B(16, 0));
  CHECK(&tile.row(2)(0, 7) == &B(18, 7));
  CHECK(&tile.col(7)(2, 0) == &B(18, 7));
  CHECK(&tile.transposed()(7, 2) == &B(18, 7));
  CHECK(&C(3, 4) == m.q + 3 + 4 * 256);
  CHECK(&S(3, 4) == m.q + 3 + 4 * 999);
}

TEST_CASE("transpose, on every policy of the block and to every layout") {
  matrices m;
  block_stream const stream;
  auto A = m.A;
  auto B = m.B;
  auto const is_right_after = [&](auto const& call, auto out) {
    m.forget();
    call();
    stream.wait();
    return is_transpose(A, out);
  };
  CHECK(is_right_after([&] { xp::transpose(xp::seq, A, B); }, B));
  CHECK(is_right_after([&] { xp::transpose(xp::omp.with(xp::threads{8}), A, B); }, B));
  CHECK(is_right_after([&] { xp::transpose(xp::cuda.on(stream), A, B); }, B));
  CHECK(is_right_after([&] { xp::transpose(xp::cuda.on(stream).nosync(), A, B); }, B));
  CHECK(is_right_after([&] { xp::transpose(xp::automatic, A, B); }, B));
  CHECK(is_right_after([&] { xp::transpose(xp::cuda, A, m.C); }, m.C));
  CHECK(is_right_after([&] { xp::transpose(xp::omp, A, m.S); }, m.S));
}

TEST_CASE("transpose with a function: the user's own, conjugate, and a cast") {
  matrices m;
  auto A = m.A;
  auto B = m.B;
  xp::transpose(xp::omp, A, B, [](float x) { return 2 * x; });
  CHECK(is_transpose(A, B, [](float x) { return 2 * x; }));

  xp::matrix_view<std::complex<float>> Z(m.p_memory.as<std::complex<float>>(), 30, 20);
  xp::matrix_view<std::complex<float>> W(m.q_memory.as<std::complex<float>>(), 20, 30);
  xp::transpose(xp::cuda, Z, W, xp::conjugate{});
  CHECK(is_transpose(Z, W, [](std::complex<float> z) { return std::conj(z); }));

  xp::matrix_view<xp::bfloat16> H(m.q_memory.as<xp::bfloat16>(), 200, 300);
  xp::transpose(xp::cuda, A, H, xp::cast<xp::bfloat16>{});
  CHECK(is_transpose(A, H));  // these whole numbers are bfloat16s
}

TEST_CASE("transpose of a batch") {
  matrices m;
  float* p = m.p;
  float* q = m.q;
  xp::transpose(xp::cuda, xp::batch(p, 64, 32, 48), xp::batch(q, 64, 48, 32));
  for (xp::index b = 0; b < 64; ++b)
    CHECK(is_transpose(xp::batch(p, 64, 32, 48)[b], xp::batch(q, 64, 48, 32)[b]));
}

TEST_CASE("copy between two layouts") {
  matrices m;
  auto A = m.A;
  xp::matrix_view<float> D(m.q, 300, 200, xp::col_major, 301);
  xp::copy(xp::cuda, A, D);
  CHECK(is_transpose(A, D.transposed()));
}

TEST_CASE("transpose_inplace returns the view of what it has turned") {
  matrices m;
  auto B = m.B;
  std::vector<float> const before(m.q, m.q + 200 * 300);
  auto Bt = xp::transpose_inplace(xp::omp, B);
  CHECK(is_transpose(xp::matrix_view<float const>(before.data(), 200, 300), Bt));
}

TEST_CASE("permute by NumPy's rule") {
  matrices m;
  float* p = m.p;
  float* q = m.q;
  xp::permute(xp::omp, xp::tensor_view<float, 3>{p, {4, 5, 6}},
              xp::tensor_view<float, 3>{q, {6, 4, 5}}, std::array<int, 3>{2, 0, 1});
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 5; ++k) CHECK(q[(i * 4 + j) * 5 + k] == p[(j * 5 + k) * 6 + i]);
}

TEST_CASE("add: operands read transposed") {
  matrices m;
  auto A = m.A;
  auto B = m.B;
  block_memory memory(200 * 300 * sizeof(float));
  xp::matrix_view<float> C(memory.as<float>(), 200, 300);
  xp::add(xp::omp, 2.f, A.transposed(), -1.f, B, C);
  for (int i = 0; i < 200; i += 7)
    for (int j = 0; j < 300; j += 11) CHECK(C(i, j) == 2 * A(j, i) - B(i, j));
}

TEST_CASE("gemm: the product, operands read transposed, batches, semirings") {
  matrices m;
  auto A = m.A;
  auto B = m.B;
  float* p = m.p;
  float* q = m.q;
  float* r = m.r;
  block_memory g_memory(300 * 300 * sizeof(float));
  block_memory h_memory(200 * 200 * sizeof(float));
  xp::matrix_view<float> G(g_memory.as<float>(), 300, 300);
  xp::matrix_view<float> H(h_memory.as<float>(), 200, 200);

  xp::gemm(xp::cuda, A, B, G);
  CHECK(is_product(A, B, G));

  xp::gemm(xp::omp, 1.f, A.transposed(), B.transposed(), 0.f, H);
  CHECK(is_product(A.transposed(), B.transposed(), H));

  xp::gemm(xp::omp, A, B, G, xp::options().over(xp::min_plus{}));
  CHECK(is_product(A, B, G, smallest_sum{}));

  xp::gemm(xp::cuda, A, B, G, xp::options().accumulate<float>());
  CHECK(is_product(A, B, G));

  xp::gemm(xp::cuda, xp::batch(p, 8, 4, 4), xp::batch(r, 8, 4, 4), xp::batch(q, 8, 4, 4));
  for (xp::index b = 0; b < 8; ++b)
    CHECK(is_product(xp::batch(p, 8, 4, 4)[b], xp::batch(r, 8, 4, 4)[b], xp::batch(q, 8, 4, 4)[b]));
}

TEST_CASE("an error names the operand, its values and the rule") {
  matrices m;
  auto tile = m.B.submatrix(16, 0, 32, 300);
  try {
    xp::transpose(xp::cuda, m.A, tile);
    FAIL("no shape_error");
  } catch (xp::shape_error const& e) {
    CHECK(std::string(e.what()) == "transpose: out is 32x300, expected 200x300");
  }
}

TEST_CASE("explain says which backend a call would run on") {
  matrices m;
  CHECK(xp::explain(xp::seq, xp::operation::transpose, m.A, m.B).backend == "omp");
  CHECK(xp::explain(xp::cuda, xp::operation::transpose, m.A, m.B).backend ==
        (has_gpu() ? "cuda" : "omp"));
}

}  // namespace
