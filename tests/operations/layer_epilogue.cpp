// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm with a layer_epilogue, by the library's kernels and by templates instantiated here: exact
// with small integers but for gelu, whose bound is absolute.

#include "cases/gemm_cases.hpp"
#include "support/refusal.hpp"

#include <xpose/layer_epilogue.hpp>

#include <doctest/doctest.h>

#include <cmath>

TEST_SUITE_BEGIN("gemm");

namespace {

using namespace gemm_cases;
using gemm_cases::index;
using xpose::activation;

/// How an operand of the epilogue repeats: its extents for those of C.
enum class repeats { absent, by_rows, by_cols, both, never };

gemm_shape extents_of(repeats r, index rows, index cols) {
  return {r == repeats::by_rows || r == repeats::both ? 1 : rows,
          r == repeats::by_cols || r == repeats::both ? 1 : cols, 0};
}

double gelu_of(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }

template <class In, class Out, class K>
void check_layer(backend const& on, gemm_case const& g, repeats scale_is, repeats bias_is,
                 activation last) {
  CAPTURE(on.name);
  CAPTURE(g.rows);
  CAPTURE(g.cols);
  CAPTURE(g.depth);
  CAPTURE(static_cast<int>(scale_is));
  CAPTURE(static_cast<int>(bias_is));
  CAPTURE(static_cast<int>(last));
  matrix<In> a(on.where, g.rows, g.depth, g.a, g.batch);
  matrix<In> b(on.where, g.depth, g.cols, g.b, g.batch);
  matrix<Out> c(on.where, g.rows, g.cols, g.c, g.batch);
  auto const s = extents_of(scale_is, g.rows, g.cols);
  auto const t = extents_of(bias_is, g.rows, g.cols);
  matrix<Out> scale(on.where, s.rows, s.cols, cases::pattern::padded_cols);
  matrix<Out> bias(on.where, t.rows, t.cols, cases::pattern::odd_offset);
  a.fill([](index m, index i, index j) { return small_integer<In>(m, i, j, 1); });
  b.fill([](index m, index i, index j) { return small_integer<In>(m, i, j, 2); });
  c.fill([](index m, index i, index j) { return small_integer<Out>(m, i, j, 3); });
  scale.fill([](index m, index i, index j) { return small_integer<Out>(m, i, j, 4); });
  bias.fill([](index m, index i, index j) { return small_integer<Out>(m, i, j, 5); });

  auto layer = xpose::layer_epilogue<Out>().activate(last);
  if (scale_is != repeats::absent) layer = layer.scale(scale.there());
  if (bias_is != repeats::absent) layer = layer.bias(bias.there());
  auto const options = xpose::options().epilogue(layer);
  K const alpha = static_cast<K>(g.alpha);
  K const beta = static_cast<K>(g.beta);
  if (g.batch > 1)
    xpose::gemm(on.policy, alpha, a.batch_there(), b.batch_there(), beta, c.batch_there(), options);
  else if (g.beta == 0 && g.alpha == 1)
    xpose::gemm(on.policy, a.there(), b.there(), c.there(), options);
  else xpose::gemm(on.policy, alpha, a.there(), b.there(), beta, c.there(), options);

  auto const a_here = a.batch_here();  // patterns repeat rows
  auto const b_here = b.batch_here();
  auto const expected = [&](index m, index i, index j) {
    double x = 0;
    for (index k = 0; k < g.depth; ++k)
      x += static_cast<double>(static_cast<float>(a_here[m](i, k))) *
           static_cast<double>(static_cast<float>(b_here[m](k, j)));
    x *= g.alpha;  // without beta, C adds no zero, whose sign would show
    if (g.beta != 0)
      x += g.beta * static_cast<double>(static_cast<float>(small_integer<Out>(m, i, j, 3)));
    auto const repeated = [&](gemm_shape const& of, int salt) {
      return static_cast<double>(static_cast<float>(
          small_integer<Out>(0, of.rows == 1 ? 0 : i, of.cols == 1 ? 0 : j, salt)));
    };
    if (scale_is != repeats::absent) x *= repeated(s, 4);
    if (bias_is != repeats::absent) x += repeated(t, 5);
    if (last == activation::relu) return x < 0 ? 0.0 : x;
    return last == activation::gelu ? gelu_of(x) : x;
  };
  if (last != activation::gelu) {
    CHECK(c.holds([&](index m, index i, index j) { return static_cast<K>(expected(m, i, j)); }));
    return;
  }
  c.fetch();
  auto const found_here = c.batch_here();
  double const step = std::is_same_v<Out, double>           ? 1e-15
                      : sizeof(Out) == 4                    ? 5e-7
                      : std::is_same_v<Out, xpose::float16> ? 1e-3
                                                            : 8e-3;
  bool is_near = true;
  for (index m = 0; m < g.batch; ++m)
    for (index i = 0; i < g.rows; ++i)
      for (index j = 0; j < g.cols; ++j) {
        double const x = expected(m, i, j);
        double const found = static_cast<double>(static_cast<K>(found_here[m](i, j)));
        is_near = is_near && std::abs(found - x) <= step * (8 + std::abs(x));
      }
  CHECK(is_near);
}

template <class In, class Out, class K>
void check_layers(backend const& on) {
  constexpr activation all[] = {activation::none, activation::relu, activation::gelu};
  int turn = 0;
  for (auto const& shape : shapes())
    for (activation const last : all) {
      gemm_case c;
      c.rows = shape.rows;
      c.cols = shape.cols;
      c.depth = shape.depth > 100 ? 33 : shape.depth;  // float16 counts to 2048
      c.a = cases::input_patterns[turn % 9];
      c.b = cases::input_patterns[(turn / 2 + 1) % 9];
      c.c = cases::output_patterns[(turn / 3) % 8];
      c.alpha = turn % 4 == 3 ? -1 : 1;
      c.beta = turn % 5 == 4 ? 1 : 0;
      c.batch = turn % 6 == 5 ? 3 : 1;
      auto const scale = static_cast<repeats>(turn % 5);
      auto const bias = static_cast<repeats>(turn / 2 % 5);
      check_layer<In, Out, K>(on, c, scale, bias, last);
      ++turn;
    }
}

TEST_CASE_TEMPLATE("gemm with a layer's epilogue scales, adds the bias and activates", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  check_layers<float, float, float>(on);
  check_layers<double, double, double>(on);
  check_layers<xpose::float16, xpose::float16, float>(on);
  check_layers<xpose::bfloat16, xpose::bfloat16, float>(on);
}

TEST_CASE_TEMPLATE("a layer of types that the library has not compiled is instantiated", Backend,
                   HOST_BACKENDS) {
  check_layers<xpose::bfloat16, float, float>(Backend::get());
}

TEST_CASE_TEMPLATE("a layer of bytes gives floats, scaled by columns", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  constexpr index rows = 37, cols = 65, depth = 130;
  matrix<std::int8_t> a(on.where, rows, depth, cases::pattern::odd_offset);
  matrix<std::int8_t> b(on.where, depth, cols, cases::pattern::col_major);
  matrix<float> c(on.where, rows, cols, cases::pattern::padded_rows);
  matrix<float> scale(on.where, 1, cols, cases::pattern::row_major);
  a.fill([](index, index i, index j) { return small_integer<std::int8_t>(0, i, j, 1); });
  b.fill([](index, index i, index j) { return small_integer<std::int8_t>(0, i, j, 2); });
  auto const scale_of = [](index j) { return 0.25F * static_cast<float>(j % 7 + 1); };
  scale.fill([&](index, index, index j) { return scale_of(j); });
  auto const layer = xpose::layer_epilogue<float>().scale(scale.there()).activate(activation::relu);
  xpose::gemm(on.policy, a.there(), b.there(), c.there(), xpose::options().epilogue(layer));
  CHECK(c.holds([&](index, index i, index j) {
    int sum = 0;
    for (index k = 0; k < depth; ++k)
      sum += small_integer<std::int8_t>(0, i, k, 1) * small_integer<std::int8_t>(0, k, j, 2);
    return sum < 0 ? 0.0F : static_cast<float>(sum) * scale_of(j);
  }));
}

TEST_CASE_TEMPLATE("relu keeps a NaN, and gelu of large numbers is the number or zero", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  matrix<float> a(on.where, 1, 1, cases::pattern::row_major);
  matrix<float> b(on.where, 1, 3, cases::pattern::row_major);
  matrix<float> c(on.where, 1, 3, cases::pattern::row_major);
  a.fill([](index, index, index) { return 1.0F; });
  auto const run = [&](activation last) {
    auto const layer = xpose::layer_epilogue<float>().activate(last);
    xpose::gemm(on.policy, a.there(), b.there(), c.there(), xpose::options().epilogue(layer));
    c.fetch();
    return c.here();
  };
  b.fill([](index, index, index j) { return j == 0 ? NAN : j == 1 ? -1e30F : 1e30F; });
  auto const rectified = run(activation::relu);
  CHECK(std::isnan(rectified(0, 0)));
  CHECK(rectified(0, 1) == 0);
  CHECK(rectified(0, 2) == 1e30F);
  auto const smooth = run(activation::gelu);
  CHECK(std::isnan(smooth(0, 0)));
  CHECK(smooth(0, 1) == 0);
  CHECK(smooth(0, 2) == 1e30F);
}

TEST_CASE("a layer's operands are checked before C is written") {
  float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 2, 3, 4, 5, 6}, c[4] = {7, 7, 7, 7}, bias[3] = {};
  xpose::matrix_view<float const> const A(a, 2, 3), B(b, 3, 2);
  xpose::matrix_view<float> const C(c, 2, 2);
  auto const call = [&](xpose::matrix_view<float const> given) {
    return [=] {
      xpose::gemm(xpose::omp, A, B, C,
                  xpose::options().epilogue(xpose::layer_epilogue<float>().bias(given)));
    };
  };
  CHECK(refusal<xpose::shape_error>(call({bias, 1, 3})) ==
        "gemm: bias is 1x3, expected 1 or 2 rows and 1 or 2 columns, for C 2x2");
  CHECK(refusal<xpose::alias_error>(call({c, 1, 2})).find(" overlaps bias ") != std::string::npos);
  CHECK(c[0] == 7);
  CHECK(xpose::explain(xpose::omp, xpose::operation::gemm, A, B, C,
                       xpose::options().epilogue(xpose::layer_epilogue<float>()))
            .backend == std::string("omp"));
}

}  // namespace

TEST_SUITE_END();
