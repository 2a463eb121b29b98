// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm with precision(fast_f32): as exact as plain float, and plain float where an element has no
// parts; with precision(tf32): within the rounding of operands to ten bits. Every case needs a
// device of capability 90.

#include "cases/gemm_cases.hpp"
#include "support/capability.hpp"
#include "support/replay.hpp"
#include "support/verbose_lines.hpp"

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <string>

TEST_SUITE_BEGIN("cuda.gemm");

namespace {

using namespace gemm_cases;
using gemm_cases::index;

constexpr auto fast = xpose::options().precision(xpose::fast_f32);
constexpr auto rounded = xpose::options().precision(xpose::tf32);

/// Whether the call runs the kernel of parts.
template <class Call>
bool runs_by_parts(Call const& call) {
  return contains(verbose_lines(call), "fast_f32_128x128");
}
template <class Call>
bool runs_in_tf32(Call const& call) {
  return contains(verbose_lines(call), "tf32_");
}

float hashed(index i, index j, int salt) {
  auto const bits = static_cast<std::uint64_t>(i * 7919 + j * 104729 + salt) * 0x9E3779B97F4A7C15u;
  return static_cast<float>(static_cast<std::int32_t>((bits ^ bits >> 29) >> 24)) * 0x1p-31f;
}

/// The largest error of a product of elements of type T, in |A||B|.
template <class T = float>
class error_of {
 public:
  template <class Value>
  error_of(index rows, index cols, index depth, Value const& value)
      : a_(place::device, rows, depth, cases::pattern::row_major),
        b_(place::device, depth, cols, cases::pattern::row_major),
        c_(place::device, rows, cols, cases::pattern::row_major),
        exact_(place::device, rows, cols, cases::pattern::row_major),
        absolute_(place::device, rows, cols, cases::pattern::row_major) {
    auto const of_a = [&](index, index i, index j) { return T(value(i, j, 1)); };
    auto const of_b = [&](index, index i, index j) { return T(value(i, j, 2)); };
    a_.fill(of_a);
    b_.fill(of_b);
    for (bool const is_absolute : {false, true}) {
      matrix<double> a(place::device, rows, depth, cases::pattern::row_major);
      matrix<double> b(place::device, depth, cols, cases::pattern::row_major);
      auto const of = [&](auto const& f) {
        return [&](index m, index i, index j) {
          double const x = static_cast<double>(f(m, i, j));
          return is_absolute ? std::fabs(x) : x;
        };
      };
      a.fill(of(of_a));
      b.fill(of(of_b));
      auto& to = is_absolute ? absolute_ : exact_;
      xpose::gemm(xpose::cuda.strict(), a.there(), b.there(), to.there());
      to.fetch();
    }
  }

  template <class Options>
  double with(Options const& options) {
    lines_ = verbose_lines(
        [&] { xpose::gemm(xpose::cuda.strict(), a_.there(), b_.there(), c_.there(), options); });
    c_.fetch();
    double worst = 0;
    for (index i = 0; i < c_.here().rows(); ++i)
      for (index j = 0; j < c_.here().cols(); ++j)
        worst =
            std::max(worst, std::fabs(static_cast<double>(c_.here()(i, j)) - exact_.here()(i, j)) /
                                absolute_.here()(i, j));
    return worst;
  }
  bool is_by_parts() const { return contains(lines_, "fast_f32_128x128"); }
  bool is_in_tf32() const { return contains(lines_, "tf32_"); }

 private:
  matrix<T> a_, b_;
  matrix<float> c_;
  matrix<double> exact_, absolute_;
  std::string lines_;
};

template <class Value>
void check_error(Value const& value) {
  struct {
    index rows, cols, depth;
  } const shapes[] = {{1600, 1536, 1700}, {2050, 1281, 8200}};
  for (auto const& shape : shapes) {
    CAPTURE(shape.depth);
    error_of<> error(shape.rows, shape.cols, shape.depth, value);
    double const of_plain = error.with(xpose::options());
    CHECK_FALSE(error.is_by_parts());
    double const of_fast = error.with(fast);
    CHECK(error.is_by_parts());
    CHECK(of_plain > 0);
    CHECK(of_fast > 0);
    CHECK(of_fast <= 2 * of_plain);
  }
}

TEST_CASE("fast_f32's error is at most twice that of float") {
  if (!needs_capability_90()) return;
  SUBCASE("between -1 and 1") {
    check_error([](index i, index j, int salt) { return hashed(i, j, salt); });
  }
  SUBCASE("positive") {
    check_error([](index i, index j, int salt) { return std::fabs(hashed(i, j, salt)); });
  }
  SUBCASE("of scales from 2^-20 to 2^20") {
    check_error([](index i, index j, int salt) {
      return hashed(i, j, salt) * std::exp2(20 * hashed(j, i, salt + 5));
    });
  }
  SUBCASE("that cancel") {
    check_error([](index i, index j, int salt) {
      return ((salt == 1 ? j : i) % 2 == 0 ? 1000.f : -1000.f) + hashed(i, j, salt);
    });
  }
}

struct extents {
  index rows, cols, depth;
};
constexpr extents odd_extents{1537, 1411, 1601};
constexpr extents aligned_extents{1540, 1412, 1600};  // every line at multiples of 16 bytes

/// Small integers are exact in ten bits, and in every part of a float.
template <class Options, class IsRun>
void check_layouts(extents const& shape, Options const& options, IsRun const& is_run) {
  using cases::pattern;
  pattern const inputs[] = {pattern::row_major,     pattern::col_major, pattern::odd_offset,
                            pattern::negative_rows, pattern::spread,    pattern::broadcast};
  int turn = 0;
  for (pattern const a_layout : inputs)
    for (pattern const b_layout : {pattern::row_major, pattern::col_major}) {
      ++turn;
      CAPTURE(turn);
      index const batch = turn % 4 == 3 ? 3 : 1;
      matrix<float> a(place::device, shape.rows, shape.depth, a_layout, batch);
      matrix<float> b(place::device, shape.depth, shape.cols, b_layout, batch);
      matrix<float> c(place::device, shape.rows, shape.cols,
                      turn % 3 == 0 ? pattern::col_major
                      : turn < 5    ? pattern::row_major
                                    : pattern::padded_rows,
                      batch);
      matrix<float> expected(place::host, shape.rows, shape.cols, pattern::row_major, batch);
      auto const of = [](int salt) {
        return [salt](index m, index i, index j) { return small_integer<float>(m, i, j, salt); };
      };
      a.fill(of(1));
      b.fill(of(2));
      float const alpha = turn % 2 == 0 ? 2.f : 1.f;
      float const beta = turn % 5 == 0 ? -3.f : 0.f;
      auto const before = [&](index m, index i, index j) {
        return beta == 0 ? std::numeric_limits<float>::quiet_NaN()
                         : small_integer<float>(m, i, j, 3);
      };
      c.fill(before);
      expected.fill(before);
      CHECK(is_run([&] {
        xpose::gemm(xpose::cuda.strict(), alpha, a.batch_there(), b.batch_there(), beta,
                    c.batch_there(), options);
      }));
      xpose::gemm(xpose::omp, alpha, a.batch_here(), b.batch_here(), beta, expected.batch_there(),
                  options);
      auto const results = expected.batch_there();
      CHECK(c.holds([&](index m, index i, index j) { return results[m](i, j); }));
      CHECK(a.is_untouched());
      CHECK(b.is_untouched());
    }
}

TEST_CASE("fast_f32 is exact where float is: layouts, scalars, batches") {
  if (!needs_capability_90()) return;
  check_layouts(odd_extents, fast, [](auto const& call) { return runs_by_parts(call); });
}

TEST_CASE("tf32 is exact where ten bits are: layouts, scalars, batches") {
  if (!needs_capability_90()) return;
  for (extents const& shape : {odd_extents, aligned_extents})
    check_layouts(shape, rounded, [](auto const& call) { return runs_in_tf32(call); });
}

TEST_CASE("tf32's error is what rounding operands to ten bits explains, and no less") {
  if (!needs_capability_90()) return;
  constexpr double of_rounding = 0x1p-10;  // of two factors
  auto const check = [&](auto const& value) {
    error_of<> error(1025, 1281, 1700, value);
    double const worst = error.with(rounded);
    CHECK(error.is_in_tf32());
    CHECK(worst <= of_rounding);
    CHECK(worst > 0x1p-20);
  };
  SUBCASE("between -1 and 1") {
    check([](index i, index j, int salt) { return hashed(i, j, salt); });
  }
  SUBCASE("positive: rounded to nearest, not cut") {
    error_of<> error(1025, 1281, 1700,
                     [](index i, index j, int salt) { return std::fabs(hashed(i, j, salt)); });
    CHECK(error.with(rounded) < of_rounding / 8);
    CHECK(error.is_in_tf32());
  }
  SUBCASE("of scales from 2^-20 to 2^20") {
    check([](index i, index j, int salt) {
      return hashed(i, j, salt) * std::exp2(20 * hashed(j, i, salt + 5));
    });
  }
}

TEST_CASE("tf32 keeps a NaN or an infinity in its row and column") {
  if (!needs_capability_90()) return;
  constexpr index side = 1030;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  matrix<float> a(place::device, side, side, cases::pattern::row_major);
  matrix<float> b(place::device, side, side, cases::pattern::col_major);
  matrix<float> c(place::device, side, side, cases::pattern::row_major);
  a.fill([&](index, index i, index j) { return i == side - 1 && j == side - 1 ? infinity : 1.f; });
  b.fill([](index, index i, index j) {
    return i == side - 1 && j == 3 ? std::numeric_limits<float>::quiet_NaN() : 2.f;
  });
  CHECK(runs_in_tf32(
      [&] { xpose::gemm(xpose::cuda.strict(), a.there(), b.there(), c.there(), rounded); }));
  c.fetch();
  index wrong = 0;
  for (index i = 0; i < side; ++i)
    for (index j = 0; j < side; ++j) {
      float const x = c.here()(i, j);
      wrong += !(j == 3 ? x != x : x == (i == side - 1 ? infinity : 2.f * side));
    }
  CHECK(wrong == 0);
}

TEST_CASE("fast_f32 takes plain float where an element has no parts, from a graph too") {
  if (!needs_capability_90()) return;
  constexpr index side = 1540;
  matrix<float> a(place::device, side, side, cases::pattern::row_major);
  matrix<float> b(place::device, side, side, cases::pattern::row_major);
  matrix<float> c(place::device, side, side, cases::pattern::row_major);
  matrix<float> plain(place::device, side, side, cases::pattern::row_major);
  b.fill([](index, index i, index j) { return small_integer<float>(0, i, j, 2); });

  // The first and the last have parts: what the graph found out before is forgotten.
  constexpr float specials[] = {1.f,
                                std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN(),
                                3.3e38f,
                                1.5e14f,
                                1e-40f,
                                1e-31f,
                                -0.f};
  auto const change = [&](int n) {
    a.fill([&](index, index i, index j) {
      if (i == side - 1) return j == 700 ? specials[n] : 0.f;  // alone in its row: exact
      return small_integer<float>(0, i, j, 1);
    });
    c.fill([](index, index, index) { return -7.f; });
    xpose::gemm(xpose::cuda.strict(), a.there(), b.there(), plain.there());
    plain.fetch();
  };
  auto const check = [&](int n) {
    CAPTURE(specials[n]);
    c.fetch();
    index wrong = 0;
    for (index i = 0; i < side; ++i)
      for (index j = 0; j < side; ++j) {
        float const x = c.here()(i, j);
        float const y = plain.here()(i, j);
        wrong += !(x == y || (x != x && y != y));
      }
    CHECK(wrong == 0);
  };
  stream const s;
  replay(
      s, static_cast<int>(std::size(specials)),
      [&] {
        CHECK(runs_by_parts([&] {
          xpose::gemm(xpose::cuda.on(s.handle).nosync(), a.there(), b.there(), c.there(), fast);
        }));
      },
      change, check);
}

TEST_CASE("gemm of float8 by matrix units adds groups of 128 products in float") {
  if (!needs_capability_90()) return;
  // Within a group the units cut sums to about 14 bits (H100: 226 units of 2^-24 |A||B| between -1
  // and 1, 9412 for positive operands). Were all of 8200 in one group, positive operands would show
  // it: the sum grows, what is added does not.
  constexpr double of_group = 0x1p-10;
  auto const check = [&](auto const& value) {
    error_of<xpose::float8_e4m3> error(520, 650, 8200, value);
    double const worst = error.with(xpose::options());
    CHECK(worst <= of_group);
  };
  SUBCASE("between -1 and 1") {
    check([](index i, index j, int salt) { return hashed(i, j, salt); });
  }
  SUBCASE("positive") {
    check([](index i, index j, int salt) { return std::fabs(hashed(i, j, salt)); });
  }
}

TEST_CASE("fast_f32 and tf32 give the same bits every run, from a graph too") {
  if (!needs_capability_90()) return;
  constexpr index side = 1601;  // whose rows are copied to aligned ones first, in the graph
  auto const check = [&](auto const& options) {
    matrix<float> a(place::device, side, side, cases::pattern::row_major);
    matrix<float> first(place::device, side, side, cases::pattern::row_major);
    matrix<float> again(place::device, side, side, cases::pattern::row_major);
    a.fill([](index, index i, index j) { return hashed(i, j, 3); });
    xpose::gemm(xpose::cuda.strict(), a.there(), a.there(), first.there(), options);
    first.fetch();
    stream const s;
    replay(
        s, 3,
        [&] {
          xpose::gemm(xpose::cuda.on(s.handle).nosync(), a.there(), a.there(), again.there(),
                      options);
        },
        [&](int) { again.fill([](index, index, index) { return -7.f; }); },
        [&](int) {
          CHECK(again.holds([&](index, index i, index j) { return first.here()(i, j); }));
        });
  };
  SUBCASE("fast_f32") { check(fast); }
  SUBCASE("tf32") { check(rounded); }
}

}  // namespace

TEST_SUITE_END();
