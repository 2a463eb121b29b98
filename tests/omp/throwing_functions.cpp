// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A user's function, operator, constructor or semiring throws on one of omp's threads: the caller
// gets the exception, nothing leaks, and the next call is fine.

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <vector>

TEST_SUITE_BEGIN("omp.user_code");

namespace {

using xpose::index;

constexpr index side = 700;  // far beyond what one thread is given
constexpr float last = static_cast<float>(side * side - 1);

auto const team = xpose::omp.with(xpose::threads{4});

std::vector<float> numbered() {
  std::vector<float> values(side * side);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return values;
}

std::vector<float> const in_values = numbered();
std::vector<float> out_values(side* side);

xpose::matrix_view<float const> in() { return {in_values.data(), side, side}; }
xpose::matrix_view<float> out() { return {out_values.data(), side, side}; }

/// Throws for one value, or for all from there on: several threads then do at once.
struct throws_at {
  float from, to;
  float operator()(float x) const {
    return from <= x && x <= to ? throw std::runtime_error("my own") : -x;
  }
};
constexpr throws_at ways[] = {{last, last}, {0, last}, {last / 3, last}};

/// The exception leaves call(f), which is fine when f does not throw.
template <class Call>
void check(Call const& call) {
  for (throws_at const& f : ways) {
    CHECK_THROWS_WITH_AS(call(f), "my own", std::runtime_error);
    CHECK_NOTHROW(call(throws_at{-2, -1}));
    CHECK(out_values[1] != 0);
    out_values.assign(out_values.size(), 0.f);
  }
}

TEST_CASE("a function that throws leaves transpose, copy and permute on omp's threads") {
  check([](throws_at const& f) { xpose::transpose(team, in(), out(), f); });
  check([](throws_at const& f) { xpose::copy(team, in(), out(), f); });
  check([](throws_at const& f) {
    using tensor = xpose::tensor_view<float, 3>;
    xpose::permute(team, tensor(const_cast<float*>(in_values.data()), {7, side / 7, side}),
                   tensor(out_values.data(), {side, 7, side / 7}), {2, 0, 1}, f);
  });
}

/// Sums that count themselves: what is built is destroyed, also when building one throws.
struct counted {
  static std::atomic<int> alive;
  static std::atomic<int> left_to_build;
  counted(float x = 0) : value(x) {
    if (left_to_build-- == 0) throw std::runtime_error("my own");
    ++alive;
  }
  counted(counted const& other) : value(other.value) { ++alive; }
  counted& operator=(counted const&) = default;
  ~counted() { --alive; }
  explicit operator float() const { return value; }
  friend counted operator+(counted const& a, counted const& b) { return a.value + b.value; }
  friend counted operator*(counted const& a, counted const& b) { return a.value * b.value; }
  float value;
};
std::atomic<int> counted::alive{0};
std::atomic<int> counted::left_to_build{0};

TEST_CASE("a type whose constructor throws leaves gemm on omp's threads, and none is left alive") {
  auto const multiply = [](int left) {
    counted::left_to_build = left;
    xpose::gemm(team, in().submatrix(0, 0, 64, 40), in().submatrix(0, 0, 40, 64),
                out().submatrix(0, 0, 64, 64), xpose::options().accumulate<counted>());
  };
  constexpr int unlimited = 1 << 30;
  multiply(unlimited);
  int const needed = unlimited - counted::left_to_build;
  CHECK(counted::alive == 0);
  for (int left = 0; left < needed; left += 1 + left / 3) {
    CAPTURE(left);
    CHECK_THROWS_WITH_AS(multiply(left), "my own", std::runtime_error);
    CHECK(counted::alive == 0);
  }
  CHECK_NOTHROW(multiply(unlimited));
}

/// An element whose product throws.
struct money {
  float value;
  friend money operator+(money a, money b) { return {a.value + b.value}; }
  friend money operator*(money a, money b) {
    return a.value == 13 || b.value == 13 ? throw std::runtime_error("my own")
                                          : money{a.value * b.value};
  }
};

TEST_CASE("an operator that throws leaves add and gemm on omp's threads") {
  std::vector<money> a(side * side, money{1});
  std::vector<money> c(side * side);
  xpose::matrix_view<money> const va(a.data(), side, side);
  xpose::matrix_view<money> const vc(c.data(), side, side);
  for (float const value : {13.f, 1.f}) {
    va(side - 1, side - 1) = {value};
    auto const add = [&] { xpose::add(team, money{2}, va, money{3}, va.transposed(), vc); };
    auto const multiply = [&] {
      auto const part = va.submatrix(side - 100, side - 100, 100, 100);
      xpose::gemm(team, part, part, vc.submatrix(0, 0, 100, 100));
    };
    if (value == 13) {
      CHECK_THROWS_WITH_AS(add(), "my own", std::runtime_error);
      CHECK_THROWS_WITH_AS(multiply(), "my own", std::runtime_error);
    } else {
      add();
      CHECK(vc(side - 1, 0).value == 5);
      multiply();
      CHECK(vc(99, 99).value == 100);
    }
  }
}

/// Plus and times that throw for one product.
struct throwing_semiring {
  float zero() const { return 0; }
  float add(float a, float b) const { return a + b; }
  float multiply(float a, float b) const {
    return a == unwanted ? throw std::runtime_error("my own") : a * b;
  }
  float unwanted;
};

TEST_CASE("a semiring and an epilogue that throw leave gemm on omp's threads") {
  auto const a = in().submatrix(0, 0, 200, 200);
  auto const c = out().submatrix(0, 0, 200, 200);
  auto const over = [&](float unwanted) {
    xpose::gemm(team, a, a, c,
                xpose::options().accumulate<float>().over(throwing_semiring{unwanted}));
  };
  CHECK_THROWS_WITH_AS(over(a(199, 199)), "my own", std::runtime_error);
  CHECK_NOTHROW(over(-1));
  auto const through = [&](index row) {
    xpose::gemm(team, a, a, c, xpose::options().epilogue([row](float x, index i, index) {
      return i == row ? throw std::runtime_error("my own") : x;
    }));
  };
  CHECK_THROWS_WITH_AS(through(199), "my own", std::runtime_error);
  CHECK_NOTHROW(through(200));
}

TEST_CASE("what is no std::exception leaves omp's threads too") {
  CHECK_THROWS_AS(
      xpose::transpose(team, in(), out(), [](float x) { return x == last ? throw 7 : x; }), int);
}

}  // namespace

TEST_SUITE_END();
