// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm of 1- and 2-byte elements by warpgroups, on devices of capability 90: exact in every layout
// and at every alignment, against omp. Every case needs such a GPU.

#include "cases/gemm_cases.hpp"
#include "support/capability.hpp"
#include "support/replay.hpp"

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <limits>
#include <string>

TEST_SUITE_BEGIN("cuda.gemm");

namespace {

using namespace gemm_cases;
using gemm_cases::index;

/// Compares with omp, which is checked against plain loops elsewhere; says which kernel ran, or of
/// which kind it is.
template <class In, class Out>
std::string check_against_omp(gemm_case const& g) {
  using K = std::conditional_t<std::is_integral_v<In>, std::int32_t, float>;
  CAPTURE(g.rows);
  CAPTURE(g.cols);
  CAPTURE(g.depth);
  CAPTURE(g.batch);
  CAPTURE(static_cast<int>(g.a));
  CAPTURE(static_cast<int>(g.b));
  CAPTURE(static_cast<int>(g.c));
  matrix<In> a(place::device, g.rows, g.depth, g.a, g.batch);
  matrix<In> b(place::device, g.depth, g.cols, g.b, g.b_is_single ? 1 : g.batch);
  matrix<Out> c(place::device, g.rows, g.cols, g.c, g.batch);
  matrix<Out> expected(place::host, g.rows, g.cols, cases::pattern::row_major, g.batch);
  a.fill([](index m, index i, index j) { return small_integer<In>(m, i, j, 1); });
  b.fill([](index m, index i, index j) { return small_integer<In>(m, i, j, 2); });
  auto const before = [&](index m, index i, index j) {
    bool const is_read = g.beta != 0 || std::is_integral_v<Out>;
    return is_read ? small_integer<Out>(m, i, j, 3)
                   : static_cast<Out>(std::numeric_limits<float>::quiet_NaN());
  };
  c.fill(before);
  expected.fill(before);
  K const alpha = static_cast<K>(g.alpha);
  K const beta = static_cast<K>(g.beta);
  auto const run = [&](auto const& policy, auto const& a_view, auto const& b_all,
                       auto const& c_view) {
    if (g.b_is_single) xpose::gemm(policy, alpha, a_view, b_all.first(), beta, c_view);
    else xpose::gemm(policy, alpha, a_view, b_all, beta, c_view);
  };
  run(xpose::cuda.strict(), a.batch_there(), b.batch_there(), c.batch_there());
  run(xpose::omp, a.batch_here(), b.batch_here(), expected.batch_there());
  auto const results = expected.batch_there();
  CHECK(c.holds([&](index m, index i, index j) { return results[m](i, j); }));
  CHECK(a.is_untouched());
  CHECK(b.is_untouched());
  auto const kernel_for = [&](auto const& b_view) -> std::string {
    return xpose::explain(xpose::cuda.strict(), xpose::operation::gemm, a.batch_there(), b_view,
                          c.batch_there())
        .kernel;
  };
  std::string const kernel = g.b_is_single ? kernel_for(b.there()) : kernel_for(b.batch_there());
  return kernel;
}
template <class In, class Out>
std::string kind_against_omp(gemm_case const& g) {
  std::string const kernel = check_against_omp<In, Out>(g);
  return kernel.substr(0, kernel.find('_'));
}

/// Large enough that the table takes warpgroups, copies of operands included; where bytes would
/// have to be copied in the other order, up to these sizes mma.sync may do. Registers take an A by
/// columns of integers.
template <class In, class Out>
void check_layouts() {
  using cases::pattern;
  struct {
    index rows, cols, depth;
  } const shapes[] = {
      {2000, 1536, 1000}, {2047, 2050, 1001}, {1536, 3000, 800}, {1030, 4100, 1200}};
  pattern const inputs[] = {pattern::row_major, pattern::col_major,     pattern::padded_rows,
                            pattern::spread,    pattern::odd_offset,    pattern::padded_cols,
                            pattern::col_major, pattern::negative_rows, pattern::broadcast};
  int turn = 0;
  for (auto const& shape : shapes)
    for (int layouts = 0; layouts < 4; ++layouts, ++turn) {
      gemm_case g;
      g.rows = shape.rows;
      g.cols = shape.cols;
      g.depth = shape.depth;
      g.a = turn < 8 ? inputs[layouts % 2] : inputs[turn % 9];
      g.b = turn < 8 ? inputs[layouts / 2] : inputs[(turn * 2 + turn / 9) % 9];
      g.c = cases::output_patterns[turn % 3 == 2 ? turn % 8 : 0];
      g.alpha = turn % 2 == 0 ? 1 : 2;
      g.beta = turn % 4 == 3 ? 3 : 0;
      std::string const kernel = kind_against_omp<In, Out>(g);
      bool const is_reordered =
          sizeof(In) == 1 &&
          (g.b != pattern::col_major || (!std::is_integral_v<In> && g.a == pattern::col_major));
      if (!is_reordered) CHECK(kernel == "wgmma");
    }
}

TEST_CASE("gemm by warpgroups is exact in every layout and at every alignment") {
  if (!needs_capability_90()) return;
  SUBCASE("float16") { check_layouts<xpose::float16, xpose::float16>(); }
  SUBCASE("float16 to float") { check_layouts<xpose::float16, float>(); }
  SUBCASE("bfloat16") { check_layouts<xpose::bfloat16, xpose::bfloat16>(); }
  SUBCASE("bfloat16 to float") { check_layouts<xpose::bfloat16, float>(); }
  SUBCASE("float8_e4m3 to float") { check_layouts<xpose::float8_e4m3, float>(); }
  SUBCASE("float8_e4m3 to bfloat16") { check_layouts<xpose::float8_e4m3, xpose::bfloat16>(); }
  SUBCASE("float8_e5m2 to float") { check_layouts<xpose::float8_e5m2, float>(); }
  SUBCASE("int8") { check_layouts<std::int8_t, std::int32_t>(); }
  SUBCASE("uint8") { check_layouts<std::uint8_t, std::int32_t>(); }
}

TEST_CASE("gemm by warpgroups takes batches, and a matrix that all of a batch share") {
  if (!needs_capability_90()) return;
  for (bool const b_is_single : {false, true})
    for (auto const layout : {cases::pattern::row_major, cases::pattern::col_major}) {
      gemm_case g;
      g.rows = 640;
      g.cols = 760;
      g.depth = 520;
      g.batch = 5;
      g.a = layout;
      g.b = layout;
      g.b_is_single = b_is_single;
      CHECK(kind_against_omp<xpose::float16, xpose::float16>(g) == "wgmma");
      g.cols = 759;
      CHECK(kind_against_omp<xpose::bfloat16, float>(g) == "wgmma");
    }
}

/// Kernels of a call whose operands lie in rows along the depth.
std::ptrdiff_t kernels_of(index rows, index cols, index depth) {
  matrix<xpose::float16> a(place::device, rows, depth, cases::pattern::row_major);
  matrix<xpose::float16> b(place::device, cols, depth, cases::pattern::row_major);
  matrix<float> c(place::device, rows, cols, cases::pattern::row_major);
  stream const s;
  return kernels_launched(s, [&] {
    xpose::gemm(xpose::cuda.on(s.handle).nosync(), a.there(), b.there().transposed(), c.there());
  });
}

TEST_CASE("gemm by warpgroups aligns rows that begin anywhere by one launch for both operands") {
  if (!needs_capability_90()) return;
  CHECK(kernels_of(640, 768, 520) == 1);
  CHECK(kernels_of(640, 768, 521) == 2);
}

TEST_CASE("gemm by warpgroups is exact a few rows and columns beyond full tiles") {
  if (!needs_capability_90()) return;
  struct extents {
    index rows, cols;
  };
  for (extents const e : {extents{4096, 1025}, extents{2049, 2056}, extents{4104, 2048}})
    for (auto const layout : {cases::pattern::col_major, cases::pattern::odd_offset}) {
      gemm_case g;
      g.rows = e.rows;
      g.cols = e.cols;
      g.depth = 2048;
      g.a = layout;
      g.b = cases::pattern::row_major;
      g.c = layout;
      g.alpha = 2;
      g.beta = layout == cases::pattern::col_major ? -1 : 0;
      CHECK(kind_against_omp<xpose::bfloat16, float>(g) == "wgmma");
    }
}

/// Columns of the tiles of "wgmma_64x160".
index tile_cols(std::string const& kernel) {
  return std::stol(kernel.substr(kernel.find('x') + 1));
}

TEST_CASE("gemm by warpgroups stores columns of C where only its rows fill tiles") {
  if (!needs_capability_90()) return;
  for (auto const a : {cases::pattern::row_major, cases::pattern::col_major})
    for (auto const b : {cases::pattern::row_major, cases::pattern::col_major})
      for (index const rows : {80, 320}) {
        gemm_case g;
        g.rows = rows;
        g.cols = 3600;
        g.depth = 2000;
        g.a = a;
        g.b = b;
        std::string const kernel = check_against_omp<xpose::float16, xpose::float16>(g);
        CAPTURE(kernel);
        if (rows == 320) CHECK(rows % tile_cols(kernel) == 0);
        g.c = cases::pattern::padded_rows;
        g.batch = 2;
        g.alpha = 2;
        CHECK(kind_against_omp<xpose::bfloat16, xpose::bfloat16>(g) == "wgmma");
      }
  gemm_case g;
  g.rows = 320;
  g.cols = 3600;
  g.depth = 2000;
  g.b = cases::pattern::col_major;
  CHECK(kind_against_omp<xpose::float8_e4m3, xpose::bfloat16>(g) == "wgmma");
}

TEST_CASE("gemm by warpgroups gives the same bits every run, from a graph too") {
  if (!needs_capability_90()) return;
  // Rows of 1031 elements are copied to aligned ones first, inside the graph.
  constexpr index side = 1031;
  auto const real = [](index, index i, index j) {
    return xpose::float16(static_cast<float>((i * 31 + j * 7) % 1009) / 1009.f - .5f);
  };
  matrix<xpose::float16> a(place::device, side, side, cases::pattern::row_major);
  matrix<xpose::float16> b(place::device, side, side, cases::pattern::row_major);
  matrix<float> first(place::device, side, side, cases::pattern::row_major);
  matrix<float> again(place::device, side, side, cases::pattern::row_major);
  a.fill(real);
  b.fill(real);
  xpose::gemm(xpose::cuda.strict(), a.there(), b.there(), first.there());
  first.fetch();
  auto const same = [&](index, index i, index j) { return first.here()(i, j); };
  CHECK(first.here()(0, 1) != 0);
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

TEST_CASE("gemm by warpgroups keeps a NaN or an infinity in its row and column") {
  if (!needs_capability_90()) return;
  constexpr index side = 1030;  // tiles end inside the matrix, and their last stage too
  matrix<xpose::float16> a(place::device, side, side, cases::pattern::row_major);
  matrix<xpose::float16> b(place::device, side, side, cases::pattern::col_major);
  matrix<float> c(place::device, side, side, cases::pattern::row_major);
  float const infinity = std::numeric_limits<float>::infinity();
  a.fill([&](index, index i, index j) {
    return xpose::float16(i == side - 1 && j == side - 1 ? infinity : 1.f);
  });
  b.fill([](index, index i, index j) {
    return xpose::float16(i == side - 1 && j == 3 ? std::numeric_limits<float>::quiet_NaN() : 2.f);
  });
  xpose::gemm(xpose::cuda.strict(), a.there(), b.there(), c.there());
  c.fetch();
  bool is_right = true;
  for (index i = 0; i < side; ++i)
    for (index j = 0; j < side; ++j) {
      float const x = c.here()(i, j);
      is_right = is_right && (j == 3 ? x != x : x == (i == side - 1 ? infinity : 2.f * side));
    }
  CHECK(is_right);
}

}  // namespace

TEST_SUITE_END();
