// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of gemm on cuda: exact around the edges of every tile in every layout, where the
// depth is split too, the same bits every run, and captured in a graph. Every case needs a GPU.

#include "cases/gemm_cases.hpp"
#include "support/capability.hpp"
#include "support/replay.hpp"
#include "support/small_tests.hpp"

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <string>

TEST_SUITE_BEGIN("cuda.gemm");

namespace {

using namespace gemm_cases;
using gemm_cases::index;

template <class In, class Out = In, class Accumulate = Out>
struct types {
  using input = In;
  using output = Out;
  using accumulate = Accumulate;
};

// Around tiles of 16, 32, 64, 128 and 256 rows and columns, and depths of 8, 16 and 32.
constexpr index edges[] = {1, 15, 16, 17, 31, 33, 64, 65, 127, 128, 129, 257};
constexpr index depths[] = {1, 7, 8, 9, 16, 17, 33, 48, 64, 95};

template <class Types>
void check_edges() {
  backend const on = on_cuda::get();
  int turn = 0;
  for (index const rows : edges)
    for (index const cols : edges) {
      ++turn;
      gemm_case c;
      c.rows = rows;
      c.cols = cols;
      c.depth = depths[turn % 10];
      // Row and column major, 16-byte aligned or not, most of the time; then everything else.
      c.a = cases::input_patterns[turn % 3 != 0 ? turn % 4 : turn % 8];
      c.b = cases::input_patterns[turn % 5 != 0 ? turn / 4 % 4 : turn % 7];
      c.c = cases::output_patterns[turn % 7 != 0 ? turn % 2 : turn % 8];
      c.alpha = turn % 2 == 0 ? 1 : -2;
      c.beta = turn % 3 == 0 ? 3 : 0;
      c.conjugate_a = turn % 5 == 1;
      c.conjugate_b = turn % 4 == 2;
      if (!is_left_out()) check_exact<Types>(on, c);
    }
}

TEST_CASE("gemm on cuda is exact around the edges of its tiles") {
  if (!needs_gpu()) return;
  SUBCASE("float") { check_edges<types<float>>(); }
  SUBCASE("double") { check_edges<types<double>>(); }
  SUBCASE("complex float") { check_edges<types<std::complex<float>>>(); }
  SUBCASE("complex double") { check_edges<types<std::complex<double>>>(); }
  SUBCASE("float16") { check_edges<types<xpose::float16, float>>(); }
  SUBCASE("bfloat16 to bfloat16") { check_edges<types<xpose::bfloat16, xpose::bfloat16, float>>(); }
  SUBCASE("int8") { check_edges<types<std::int8_t, std::int32_t>>(); }
  SUBCASE("uint8") { check_edges<types<std::uint8_t, std::int32_t>>(); }
  SUBCASE("int32") { check_edges<types<std::int32_t>>(); }
  SUBCASE("int64") { check_edges<types<std::int64_t>>(); }
}

/// Few sums of a long depth, which blocks share; and every layout where tiles are whole.
template <class Types>
void check_long_depths_and_layouts() {
  backend const on = on_cuda::get();
  struct {
    index rows, cols, depth;
  } const shapes[] = {{5, 3, 20001},  {64, 64, 8192},   {17, 130, 4099}, {256, 256, 128},
                      {384, 264, 96}, {1, 513, 700},    {513, 1, 700},   {1, 40, 30000},
                      {1, 1, 9001},   {1000, 130, 131}, {70, 68, 8192},  {200, 300, 1100}};
  cases::pattern const majors[] = {cases::pattern::row_major, cases::pattern::col_major};
  int combination = 0;
  for (auto const& shape : shapes)
    for (auto const a : majors)
      for (auto const b : majors) {
        // Another layout for each shape.
        int const number = combination++;
        if (wants_small_tests() && number % 4 != number / 4 % 4) continue;
        gemm_case c;
        c.rows = shape.rows;
        c.cols = shape.cols;
        c.depth = shape.depth;
        c.a = a;
        c.b = b;
        c.c = majors[shape.rows % 2];
        c.beta = 2;
        check_exact<Types>(on, c);
      }
}

TEST_CASE("gemm on cuda is exact in every layout, and where blocks share the depth") {
  if (!needs_gpu()) return;
  SUBCASE("float") { check_long_depths_and_layouts<types<float>>(); }
  SUBCASE("double") { check_long_depths_and_layouts<types<double>>(); }
  SUBCASE("complex double") { check_long_depths_and_layouts<types<std::complex<double>>>(); }
  SUBCASE("complex float") { check_long_depths_and_layouts<types<std::complex<float>>>(); }
  SUBCASE("int32") { check_long_depths_and_layouts<types<std::int32_t>>(); }
  SUBCASE("float16") { check_long_depths_and_layouts<types<xpose::float16, float>>(); }
  SUBCASE("bfloat16") { check_long_depths_and_layouts<types<xpose::bfloat16, float>>(); }
  SUBCASE("int8") { check_long_depths_and_layouts<types<std::int8_t, std::int32_t>>(); }
  SUBCASE("uint8") { check_long_depths_and_layouts<types<std::uint8_t, std::int32_t>>(); }
}

TEST_CASE("gemm on cuda takes operands that begin at any element, and leaves out what is beyond") {
  if (!needs_gpu()) return;
  // Rows of 4 bytes more than a multiple of 16, from element 0 to 3 on; infinities all around.
  constexpr index ld = 77;
  constexpr index rows = 70;
  constexpr index depth = 37;
  constexpr index cols = 68;
  float const infinity = std::numeric_limits<float>::infinity();
  for (index at = 0; at < 4; ++at) {
    matrix<float> a(place::device, 80, ld, cases::pattern::row_major);
    matrix<float> b(place::device, 80, ld, cases::pattern::row_major);
    matrix<float> c(place::device, 80, ld, cases::pattern::row_major);
    auto const inside = [at](index height, index width, index i, index j) {
      return i >= at && i < at + height && j >= at && j < at + width;
    };
    auto const value = [](index i, index j) { return static_cast<float>((i * 3 + j * 5) % 7 - 3); };
    a.fill([&](index, index i, index j) {
      return inside(rows, depth, i, j) ? value(i, j) : infinity;
    });
    b.fill([&](index, index i, index j) {
      return inside(depth, cols, i, j) ? value(j, i) : infinity;
    });
    c.fill([&](index, index, index) { return -1.f; });
    xpose::gemm(xpose::cuda.strict(), a.there().submatrix(at, at, rows, depth),
                b.there().submatrix(at, at, depth, cols), c.there().submatrix(at, at, rows, cols));
    CHECK(c.holds([&](index, index i, index j) {
      if (!inside(rows, cols, i, j)) return -1.f;
      float sum = 0;
      for (index k = 0; k < depth; ++k) sum += value(i, at + k) * value(j, at + k);
      return sum;
    }));
  }
}

TEST_CASE("gemm on cuda keeps a NaN or an infinity in its row and column") {
  if (!needs_gpu()) return;
  constexpr index side = 150;
  matrix<double> a(place::device, side, side, cases::pattern::row_major);
  matrix<double> b(place::device, side, side, cases::pattern::row_major);
  matrix<double> c(place::device, side, side, cases::pattern::row_major);
  double const infinity = std::numeric_limits<double>::infinity();
  a.fill([&](index, index i, index j) { return i == 149 && j == 140 ? infinity : 1.0; });
  b.fill([](index, index i, index j) {
    return i == 149 && j == 3 ? std::numeric_limits<double>::quiet_NaN() : 2.0;
  });
  xpose::gemm(xpose::cuda.strict(), a.there(), b.there(), c.there());
  c.fetch();
  for (index i = 0; i < side; ++i)
    for (index j = 0; j < side; ++j) {
      double const x = c.here()(i, j);
      REQUIRE((j == 3 ? std::isnan(x) : i == 149 ? x == infinity : x == 300.0));
    }
}

std::string kernel_of(index rows, index cols, index depth) {
  matrix<float> a(place::device, rows, depth, cases::pattern::row_major);
  matrix<float> b(place::device, depth, cols, cases::pattern::row_major);
  matrix<float> c(place::device, rows, cols, cases::pattern::row_major);
  return xpose::explain(xpose::cuda.strict(), xpose::operation::gemm, a.there(), b.there(),
                        c.there())
      .kernel;
}

TEST_CASE(
    "gemm on cuda takes large tiles for large products, thin ones for thin, and none for rows") {
  if (!needs_gpu()) return;
  CHECK(kernel_of(2048, 2048, 512) == "f32_128x128");
  CHECK(kernel_of(16, 4096, 2048).substr(0, 7) == "f32_16x");
  CHECK(kernel_of(4096, 16, 2048).substr(0, 7) == "f32_16x");
  CHECK(kernel_of(1, 4096, 4096) == "f32_gemv");
  CHECK(kernel_of(4096, 1, 4096) == "f32_gemv");
}

std::string kernel_of_batch(gemm_case const& g) {
  matrix<float> a(place::device, g.rows, g.depth, g.a, g.batch);
  matrix<float> b(place::device, g.depth, g.cols, g.b, g.batch);
  matrix<float> c(place::device, g.rows, g.cols, g.c, g.batch);
  return xpose::explain(xpose::cuda.strict(), xpose::operation::gemm, a.batch_there(),
                        b.batch_there(), c.batch_there())
      .kernel;
}

TEST_CASE("gemm on cuda of many small matrices takes tiles of two warps, in every layout") {
  if (!needs_gpu()) return;
  struct expected {
    index batch, rows, cols, depth;
    char const* kernel;
  };
  for (expected const& e :
       {expected{1374, 25, 46, 48, "f32_32x64"}, expected{4000, 32, 32, 32, "f32_32x32_k16"},
        expected{4737, 52, 29, 29, "f32_64x32_k8"}})
    for (auto const a : {cases::pattern::row_major, cases::pattern::col_major})
      for (auto const b : {cases::pattern::row_major, cases::pattern::col_major}) {
        gemm_case g;
        g.rows = e.rows;
        g.cols = e.cols;
        g.depth = e.depth;
        g.batch = e.batch;
        g.a = a;
        g.b = b;
        g.beta = a == b ? 3 : 0;
        CHECK(kernel_of_batch(g) == e.kernel);
        check_exact<types<float>>(on_cuda::get(), g);
      }
}

/// rows x depth times depth x cols, all at 8 bytes past a multiple of 16.
void check_loose_complex_doubles(index rows, index cols, index depth, double beta,
                                 bool c_has_columns) {
  using T = std::complex<double>;
  CAPTURE(rows);
  CAPTURE(beta);
  CAPTURE(c_has_columns);
  constexpr std::size_t past = 8;
  auto const image_of = [](index count) {
    return image(place::device, static_cast<std::size_t>(count) * sizeof(T) + past);
  };
  image a = image_of(rows * depth);
  image b = image_of(depth * cols);
  image c = image_of(rows * cols);
  auto const here = [](image& i) { return reinterpret_cast<T*>(i.host() + past); };
  auto const there = [](image& i) { return reinterpret_cast<T*>(i.there() + past); };
  auto const value = [](index n) {
    return T(static_cast<double>(n % 7 - 3), static_cast<double>(n % 5 - 2));
  };
  for (index n = 0; n < rows * depth; ++n) here(a)[n] = value(n);
  for (index n = 0; n < depth * cols; ++n) here(b)[n] = value(n + 1);
  for (index n = 0; n < rows * cols; ++n) here(c)[n] = value(n + 2);
  for (image* const i : {&a, &b, &c}) i->send();
  xpose::strided const order = c_has_columns ? xpose::strided{1, rows} : xpose::strided{cols, 1};
  xpose::gemm(xpose::cuda.strict(), T(1), xpose::matrix_view<T const>(there(a), rows, depth),
              xpose::matrix_view<T const>(there(b), depth, cols), T(beta),
              xpose::matrix_view<T>(there(c), rows, cols, order));
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < cols; ++j) {
      T& sum = here(c)[i * order.row_stride + j * order.col_stride];
      sum *= beta;
      for (index k = 0; k < depth; ++k) sum += here(a)[i * depth + k] * here(b)[k * cols + j];
    }
  bool const is_right = c.is_as_on_host();
  CHECK(is_right);
}

TEST_CASE("gemm on cuda of complex doubles at addresses that no 16 divides") {
  if (!needs_gpu()) return;
  for (double const beta : {0.0, 3.0})
    for (bool const c_has_columns : {false, true}) {
      check_loose_complex_doubles(37, 29, 70, beta, c_has_columns);
      check_loose_complex_doubles(130, 66, 9, beta, c_has_columns);
      check_loose_complex_doubles(24, 40, 5000, beta, c_has_columns);
    }
}

/// Of every step-th column of square matrices in rows of `pitch`.
std::string kernel_of_halves(index side, index pitch, index step = 1) {
  auto const view = [&](matrix<xpose::float16>& m) {
    return xpose::matrix_view<xpose::float16>(m.there().data(), side, side,
                                              xpose::strided{pitch, step});
  };
  matrix<xpose::float16> a(place::device, side, pitch, cases::pattern::row_major);
  matrix<xpose::float16> b(place::device, side, pitch, cases::pattern::row_major);
  matrix<xpose::float16> c(place::device, side, pitch, cases::pattern::row_major);
  return xpose::explain(xpose::cuda.strict(), xpose::operation::gemm, view(a), view(b), view(c))
      .kernel;
}

TEST_CASE("gemm on cuda of short elements gathers only small operands that lie scattered") {
  if (!needs_gpu()) return;
  CHECK(kernel_of_halves(60, 120, 2) == "gathering_64x64");
  CHECK(kernel_of_halves(60, 61) != "gathering_64x64");
  CHECK(kernel_of_halves(60, 64) != "gathering_64x64");
  CHECK(kernel_of_halves(500, 1000, 2) != "gathering_64x64");
}

TEST_CASE("gemm on cuda of short elements copies no small operands whose rows lie at any address") {
  if (!needs_capability_90()) return;
  auto const shifts = [](std::string const& kernel) { return kernel.rfind("unaligned_", 0) == 0; };
  CHECK(shifts(kernel_of_halves(60, 61)));
  CHECK(shifts(kernel_of_halves(31, 33)));
  CHECK_FALSE(shifts(kernel_of_halves(60, 64)));
  CHECK_FALSE(shifts(kernel_of_halves(60, 120, 2)));
  CHECK_FALSE(shifts(kernel_of_halves(3000, 3001)));
}

TEST_CASE("gemm on cuda of short elements leaves out what is beyond its operands") {
  if (!needs_gpu()) return;
  // Operands are every column, or every second one, from any element on of rows of 303; infinities
  // all around. Small scattered ones are gathered, small others shifted, large ones copied to where
  // they are aligned.
  constexpr index ld = 303;
  xpose::float16 const infinity(std::numeric_limits<float>::infinity());
  for (index const step : {1, 2})
    for (index const side : {index{70}, 290 / step})
      for (index at = 0; at < 9; ++at) {
        index const depth = side / 2 + at;
        matrix<xpose::float16> a(place::device, ld, ld, cases::pattern::row_major);
        matrix<xpose::float16> b(place::device, ld, ld, cases::pattern::row_major);
        matrix<float> c(place::device, ld, ld, cases::pattern::row_major);
        auto const inside = [at](index height, index width, index across, index i, index j) {
          return i >= at && i < at + height && j >= at && j < at + width * across &&
                 (j - at) % across == 0;
        };
        auto const value = [](index i, index j) {
          return static_cast<float>((i * 3 + j * 5) % 7 - 3);
        };
        auto const view = [&](matrix<xpose::float16>& m, index height, index width) {
          return xpose::matrix_view<xpose::float16>(&m.there()(at, at), height, width,
                                                    xpose::strided{ld, step});
        };
        a.fill([&](index, index i, index j) {
          return inside(side, depth, step, i, j) ? xpose::float16(value(i, j)) : infinity;
        });
        b.fill([&](index, index i, index j) {
          return inside(depth, side, step, i, j) ? xpose::float16(value(j, i)) : infinity;
        });
        c.fill([&](index, index, index) { return -1.f; });
        xpose::gemm(xpose::cuda.strict(), view(a, side, depth), view(b, depth, side),
                    c.there().submatrix(at, at, side, side));
        CHECK(c.holds([&](index, index i, index j) {
          if (!inside(side, side, 1, i, j)) return -1.f;
          float sum = 0;
          for (index k = 0; k < depth; ++k)
            sum += value(i, at + k * step) * value(at + (j - at) * step, at + k);
          return sum;
        }));
      }
}

TEST_CASE("gemm on cuda aligns doubles that lie unaligned where products are large") {
  if (!needs_capability_90()) return;
  struct size {
    index side;
    std::ptrdiff_t kernels;
  };
  for (size const large_or_small : {size{2002, 2}, size{1002, 1}})
    for (auto const layout : {cases::pattern::row_major, cases::pattern::negative_rows}) {
      // Rows lie an odd number of elements apart: backwards, one more than they have.
      index const rows = large_or_small.side;
      index const cols = rows + (layout == cases::pattern::row_major ? 1 : 2);
      index const depth = cols + 2;
      matrix<double> a(place::device, rows, depth, layout);
      matrix<double> b(place::device, depth, cols, layout);
      matrix<double> c(place::device, rows, cols, layout);
      matrix<double> expected(place::host, rows, cols, cases::pattern::row_major);
      a.fill([](index m, index i, index j) { return small_integer<double>(m, i, j, 1); });
      b.fill([](index m, index i, index j) { return small_integer<double>(m, i, j, 2); });
      c.fill([](index, index, index) { return std::numeric_limits<double>::quiet_NaN(); });
      stream const s;
      auto const multiply = [&] {
        xpose::gemm(xpose::cuda.on(s.handle).nosync(), a.there(), b.there(), c.there());
      };
      CHECK(kernels_launched(s, multiply) == large_or_small.kernels);
      multiply();
      CHECK(cudaStreamSynchronize(s.handle) == cudaSuccess);
      xpose::gemm(xpose::omp, a.batch_here(), b.batch_here(), expected.batch_there());
      auto const results = expected.there();
      CHECK(c.holds([&](index, index i, index j) { return results(i, j); }));
      CHECK(a.is_untouched());
      CHECK(b.is_untouched());
    }
}

TEST_CASE("gemm on cuda writes a C of 2^29 columns of tiles") {
  if (!needs_gpu()) return;
  constexpr index cols = index{1} << 35;
  constexpr std::size_t bytes = std::size_t{cols} * sizeof(xpose::float16);
  std::size_t free_bytes = 0, all_bytes = 0;
  REQUIRE(cudaMemGetInfo(&free_bytes, &all_bytes) == cudaSuccess);
  if (free_bytes < bytes + (std::size_t{2} << 30)) {
    MESSAGE("left out: the device has less than 66 GiB free");
    return;
  }
  using real = xpose::float16;
  real const factors[] = {real(2.f), real(3.f)};
  place_memory scalars(place::device, sizeof factors);
  scalars.write(const_cast<real*>(factors));
  place_memory c(place::device, bytes);
  REQUIRE(cudaMemset(c.data(), 0, bytes) == cudaSuccess);
  auto* const two = reinterpret_cast<real const*>(scalars.data());
  auto* const first = reinterpret_cast<real*>(c.data());
  xpose::gemm(xpose::cuda.strict(), xpose::matrix_view<real const>(two, 1, 1),
              xpose::matrix_view<real const>(two + 1, 1, cols, xpose::strided{0, 0}),
              xpose::matrix_view<real>(first, 1, cols));
  for (index const at : {index{0}, cols / 3, cols / 2 + 17, cols - 1}) {
    real got;
    REQUIRE(cudaMemcpy(&got, first + at, sizeof got, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(static_cast<float>(got) == 6);
  }
}

TEST_CASE("gemm on cuda whose depth is split gives the same bits every run, from a graph too") {
  if (!needs_gpu()) return;
  matrix<float> a(place::device, 60, 30000, cases::pattern::row_major);
  matrix<float> b(place::device, 30000, 50, cases::pattern::row_major);
  auto const real = [](index, index i, index j) {
    return std::sin(static_cast<float>(i * 31 + j));
  };
  a.fill(real);
  b.fill(real);
  matrix<float> first(place::device, 60, 50, cases::pattern::row_major);
  matrix<float> again(place::device, 60, 50, cases::pattern::row_major);
  xpose::gemm(xpose::cuda.strict(), a.there(), b.there(), first.there());
  first.fetch();
  auto const same = [&](index, index i, index j) { return first.here()(i, j); };
  for (int run = 0; run < 3; ++run) {
    xpose::gemm(xpose::cuda.strict(), a.there(), b.there(), again.there());
    CHECK(again.holds(same));
  }

  stream const s;
  replay(
      s, 2,
      [&] { xpose::gemm(xpose::cuda.on(s.handle).nosync(), a.there(), b.there(), again.there()); },
      [&](int) { again.fill([](index, index, index) { return -7.f; }); },
      [&](int) { CHECK(again.holds(same)); });
}

}  // namespace

TEST_SUITE_END();
