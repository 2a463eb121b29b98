// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A user's own functions, element types, semirings and epilogues, compiled by nvcc: the same call
// on every backend, against a plain loop.

#include "backends.hpp"
#include "matrix.hpp"

#include <doctest/doctest.h>

#include <type_traits>

// A named namespace: nvcc confuses the unnamed one of a file with those inside doctest's templates.
namespace user_code {

struct rgb {  // 12 bytes
  float r, g, b;
  friend bool operator==(rgb x, rgb y) { return x.r == y.r && x.g == y.g && x.b == y.b; }
};

struct particle {  // 24 bytes
  double mass, charge;
  int id, kind;
  friend bool operator==(particle x, particle y) {
    return x.mass == y.mass && x.charge == y.charge && x.id == y.id && x.kind == y.kind;
  }
};
static_assert(sizeof(rgb) == 12 && sizeof(particle) == 24);

struct brightness {
  float scale;
  XPOSE_HOST_DEVICE int operator()(rgb c) const {
    return static_cast<int>(scale * (c.r + c.g + c.b));
  }
};

TEST_CASE_TEMPLATE("transpose moves a user's elements of 12 and 24 bytes", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  matrix<rgb> colours(Backend::where, 70, 33, [](xpose::index i, xpose::index j) {
    return rgb{float(i), float(j), float(i - j)};
  });
  matrix<rgb> colours_out(Backend::where, 33, 70);
  xpose::transpose(Backend::policy(), colours.view(), colours_out.view());
  CHECK(colours_out.has([&](auto i, auto j) { return colours.at(j, i); }));

  matrix<particle> gas(Backend::where, 33, 70, [](xpose::index i, xpose::index j) {
    return particle{double(i), double(j), int(i * j), int(i + j)};
  });
  matrix<particle> gas_out(Backend::where, 70, 33);
  xpose::transpose(Backend::policy(), gas.view(), gas_out.view());
  CHECK(gas_out.has([&](auto i, auto j) { return gas.at(j, i); }));
}

TEST_CASE_TEMPLATE("transpose applies a user's function that changes the type", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  matrix<rgb> colours(Backend::where, 130, 65, [](xpose::index i, xpose::index j) {
    return rgb{float(i), float(j), 1.f};
  });
  matrix<int> out(Backend::where, 65, 130);
  xpose::transpose(Backend::policy(), colours.view(), out.view(), brightness{2.f});
  CHECK(out.has([](auto i, auto j) { return int(2 * (i + j + 1)); }));
}

TEST_CASE_TEMPLATE("copy applies a user's function between any two layouts", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  matrix<rgb> colours(Backend::where, 40, 50, [](xpose::index i, xpose::index j) {
    return rgb{float(i), float(j), 0.f};
  });
  matrix<int> out(Backend::where, 40, 50);
  xpose::matrix_view<int> const backwards(out.view().data() + 40 * 50 - 1, 40, 50,
                                          xpose::strided{-50, -1});
  xpose::copy(Backend::policy(), colours.view(), backwards, brightness{1.f});
  CHECK(out.has([](auto i, auto j) { return int((39 - i) + (49 - j)); }));
}

/// The widest path: max over k of min(a, b). Not one of xpose's own semirings.
struct widest_path {
  XPOSE_HOST_DEVICE int zero() const { return 0; }
  XPOSE_HOST_DEVICE int add(int a, int b) const { return a > b ? a : b; }
  XPOSE_HOST_DEVICE int multiply(int a, int b) const { return a < b ? a : b; }
};

template <class A, class B, class Semiring>
auto product(matrix<A> const& a, matrix<B> const& b, Semiring const& semiring) {
  return [&a, &b, semiring](xpose::index i, xpose::index j) {
    auto sum = semiring.zero();
    for (xpose::index k = 0; k < a.cols(); ++k)
      sum = semiring.add(sum, semiring.multiply(a.at(i, k), b.at(k, j)));
    return sum;
  };
}

TEST_CASE_TEMPLATE("gemm runs over a user's semiring", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  auto const width = [](xpose::index i, xpose::index j) { return int(1 + (i * 7 + j * 13) % 101); };
  matrix<int> a(Backend::where, 37, 70, width);
  matrix<int> b(Backend::where, 70, 45, width);
  matrix<int> c(Backend::where, 37, 45);
  xpose::gemm(Backend::policy(), a.view(), b.view(), c.view(),
              xpose::options().over(widest_path{}));
  CHECK(c.has(product(a, b, widest_path{})));
}

/// Numbers modulo 97: a user's type with + and *.
struct modular {
  unsigned value;
  XPOSE_HOST_DEVICE friend modular operator+(modular a, modular b) {
    return {(a.value + b.value) % 97u};
  }
  XPOSE_HOST_DEVICE friend modular operator*(modular a, modular b) {
    return {(a.value * b.value) % 97u};
  }
  XPOSE_HOST_DEVICE friend bool operator==(modular a, modular b) { return a.value == b.value; }
};

struct modular_arithmetic {
  modular zero() const { return {0}; }
  modular add(modular a, modular b) const { return a + b; }
  modular multiply(modular a, modular b) const { return a * b; }
};

TEST_CASE_TEMPLATE("gemm multiplies a user's type that has + and *", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  auto const residue = [](xpose::index i, xpose::index j) {
    return modular{unsigned(i * 31 + j * 17) % 97u};
  };
  matrix<modular> a(Backend::where, 33, 65, residue);
  matrix<modular> b(Backend::where, 65, 40, residue);
  matrix<modular> c(Backend::where, 33, 40, residue);
  auto const ab = product(a, b, modular_arithmetic{});
  xpose::gemm(Backend::policy(), a.view(), b.view(), c.view());
  CHECK(c.has(ab));

  // 3 A B + 5 C, C being A B by now.
  xpose::gemm(Backend::policy(), modular{3}, a.view(), b.view(), modular{5}, c.view());
  CHECK(c.has([&](auto i, auto j) { return modular{8} * ab(i, j); }));
}

struct relu {
  XPOSE_HOST_DEVICE float operator()(float x) const { return x > 0 ? x : 0; }
};

struct lower_triangle {
  float below;
  XPOSE_HOST_DEVICE float operator()(float x, xpose::index i, xpose::index j) const {
    return j > i ? 0 : x + below;
  }
};

struct arithmetic {
  float zero() const { return 0; }
  float add(float a, float b) const { return a + b; }
  float multiply(float a, float b) const { return a * b; }
};

TEST_CASE_TEMPLATE("gemm stores through a user's epilogue, of the sum alone or with its place",
                   Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  auto const small = [](xpose::index i, xpose::index j) { return float((i + 2 * j) % 7 - 3); };
  matrix<float> a(Backend::where, 50, 34, small);
  matrix<float> b(Backend::where, 34, 66, small);
  matrix<float> c(Backend::where, 50, 66);
  auto const ab = product(a, b, arithmetic{});

  xpose::gemm(Backend::policy(), a.view(), b.view(), c.view(), xpose::options().epilogue(relu{}));
  CHECK(c.has([&](auto i, auto j) { return relu{}(ab(i, j)); }));

  xpose::gemm(Backend::policy(), a.view(), b.view(), c.view(),
              xpose::options().epilogue(lower_triangle{.5f}));
  CHECK(c.has([&](auto i, auto j) { return lower_triangle{.5f}(ab(i, j), i, j); }));
}

TEST_CASE_TEMPLATE("a __host__ __device__ lambda runs on every backend", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  matrix<float> in(Backend::where, 41, 59,
                   [](xpose::index i, xpose::index j) { return float(i * 59 + j); });
  matrix<double> out(Backend::where, 59, 41);
  double const factor = 0.5;
  xpose::transpose(Backend::policy(), in.view(), out.view(),
                   [factor] __host__ __device__(float x) { return factor * x; });
  CHECK(out.has([&](auto i, auto j) { return 0.5 * in.at(j, i); }));
}

TEST_CASE("a __device__ lambda runs on cuda") {
  if (!needs_gpu()) return;
  matrix<float> in(place::device, 41, 59,
                   [](xpose::index i, xpose::index j) { return float(i * 59 + j); });
  matrix<int> out(place::device, 59, 41);
  int const add = 3;
  xpose::transpose(xpose::cuda, in.view(), out.view(),
                   [add] __device__(float x) { return int(x) + add; });
  CHECK(out.has([&](auto i, auto j) { return int(in.at(j, i)) + 3; }));
}

TEST_CASE("a __device__ lambda is refused on the host, and nothing is written") {
  matrix<float> in(place::host, 4, 5, [](xpose::index, xpose::index) { return 1.f; });
  matrix<float> out(place::host, 5, 4, [](xpose::index, xpose::index) { return 7.f; });
  auto const on_device_only = [] __device__(float x) { return x + 1; };
  CHECK_THROWS_AS(xpose::transpose(xpose::omp, in.view(), out.view(), on_device_only),
                  xpose::backend_error);
  CHECK(out.has([](auto, auto) { return 7.f; }));
}

}  // namespace user_code
