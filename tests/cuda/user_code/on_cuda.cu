// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A user's own functions, element types, semirings and epilogues, compiled by nvcc: the same call
// on every backend, against a plain loop.

#include "cases/matrix.hpp"
#include "support/backends.hpp"
#include "support/replay.hpp"

#include <xpose/layer_epilogue.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
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
  backend const on = Backend::get();
  matrix<rgb> colours(on.where, 70, 33, [](xpose::index i, xpose::index j) {
    return rgb{float(i), float(j), float(i - j)};
  });
  matrix<rgb> colours_out(on.where, 33, 70, cases::pattern::row_major);
  xpose::transpose(on.policy, colours.there(), colours_out.there());
  CHECK(colours_out.is([&](auto i, auto j) { return colours.here()(j, i); }));

  matrix<particle> gas(on.where, 33, 70, [](xpose::index i, xpose::index j) {
    return particle{double(i), double(j), int(i * j), int(i + j)};
  });
  matrix<particle> gas_out(on.where, 70, 33, cases::pattern::row_major);
  xpose::transpose(on.policy, gas.there(), gas_out.there());
  CHECK(gas_out.is([&](auto i, auto j) { return gas.here()(j, i); }));
}

struct negative {  // of a picture
  XPOSE_HOST_DEVICE std::uint8_t operator()(std::uint8_t x) const {
    return static_cast<std::uint8_t>(255 - x);
  }
};

// No cast from one byte to another runs on these kernels: those of integers are copies of bits.
TEST_CASE_TEMPLATE("transpose applies a user's function to bytes, aligned, at any address and thin",
                   Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  struct extents {
    xpose::index rows, cols;
  };
  for (extents const e : {extents{1056, 1024}, extents{1041, 1023}, extents{300, 200},
                          extents{20001, 3}, extents{3, 20001}}) {
    matrix<std::uint8_t> picture(on.where, e.rows, e.cols, [](xpose::index i, xpose::index j) {
      return static_cast<std::uint8_t>(i * 7 + j * 3 + i * j % 11);
    });
    matrix<std::uint8_t> transposed(on.where, e.cols, e.rows, cases::pattern::row_major);
    xpose::transpose(on.policy, picture.there(), transposed.there(), negative{});
    CAPTURE(e.rows);
    CAPTURE(e.cols);
    CHECK(transposed.is([&](auto i, auto j) { return negative{}(picture.here()(j, i)); }));
  }
}

TEST_CASE_TEMPLATE("transpose applies a user's function that changes the type", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  matrix<rgb> colours(on.where, 130, 65, [](xpose::index i, xpose::index j) {
    return rgb{float(i), float(j), 1.f};
  });
  matrix<int> out(on.where, 65, 130, cases::pattern::row_major);
  xpose::transpose(on.policy, colours.there(), out.there(), brightness{2.f});
  CHECK(out.is([](auto i, auto j) { return int(2 * (i + j + 1)); }));
}

TEST_CASE_TEMPLATE("copy applies a user's function between any two layouts", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  matrix<rgb> colours(on.where, 40, 50, [](xpose::index i, xpose::index j) {
    return rgb{float(i), float(j), 0.f};
  });
  matrix<int> out(on.where, 40, 50, cases::pattern::row_major);
  xpose::matrix_view<int> const backwards(out.there().data() + 40 * 50 - 1, 40, 50,
                                          xpose::strided{-50, -1});
  xpose::copy(on.policy, colours.there(), backwards, brightness{1.f});
  CHECK(out.is([](auto i, auto j) { return int((39 - i) + (49 - j)); }));
}

/// The widest path: max over k of min(a, b). Not one of xpose's own semirings.
struct widest_path {
  XPOSE_HOST_DEVICE int zero() const { return 0; }
  XPOSE_HOST_DEVICE int add(int a, int b) const { return a > b ? a : b; }
  XPOSE_HOST_DEVICE int multiply(int a, int b) const { return a < b ? a : b; }
};

template <class A, class B, class Semiring>
auto product(matrix<A>& a, matrix<B>& b, Semiring const& semiring) {
  return [&a, &b, semiring](xpose::index i, xpose::index j) {
    auto sum = semiring.zero();
    for (xpose::index k = 0; k < a.here().cols(); ++k)
      sum = semiring.add(sum, semiring.multiply(a.here()(i, k), b.here()(k, j)));
    return sum;
  };
}

TEST_CASE_TEMPLATE("gemm runs over a user's semiring", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  auto const width = [](xpose::index i, xpose::index j) { return int(1 + (i * 7 + j * 13) % 101); };
  matrix<int> a(on.where, 37, 70, width);
  matrix<int> b(on.where, 70, 45, width);
  matrix<int> c(on.where, 37, 45, cases::pattern::row_major);
  xpose::gemm(on.policy, a.there(), b.there(), c.there(), xpose::options().over(widest_path{}));
  CHECK(c.is(product(a, b, widest_path{})));
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
  backend const on = Backend::get();
  auto const residue = [](xpose::index i, xpose::index j) {
    return modular{unsigned(i * 31 + j * 17) % 97u};
  };
  matrix<modular> a(on.where, 33, 65, residue);
  matrix<modular> b(on.where, 65, 40, residue);
  matrix<modular> c(on.where, 33, 40, residue);
  auto const ab = product(a, b, modular_arithmetic{});
  xpose::gemm(on.policy, a.there(), b.there(), c.there());
  CHECK(c.is(ab));

  // 3 A B + 5 C, C being A B by now.
  xpose::gemm(on.policy, modular{3}, a.there(), b.there(), modular{5}, c.there());
  CHECK(c.is([&](auto i, auto j) { return modular{8} * ab(i, j); }));
}

TEST_CASE_TEMPLATE("add takes mixed types and a user's own", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  matrix<signed char> a(on.where, 70, 90, cases::pattern::col_major);
  matrix<float> b(on.where, 70, 90, cases::pattern::row_major);
  matrix<double> c(on.where, 70, 90, cases::pattern::padded_rows);
  a.fill([](auto, auto i, auto j) { return static_cast<signed char>(i - j); });
  b.fill([](auto, auto i, auto j) { return float(i * j); });
  xpose::add(on.policy, 0.5, a.there(), -2, b.there(), c.there());
  CHECK(c.holds([](auto, auto i, auto j) {
    return 0.5 * static_cast<signed char>(i - j) - 2.0 * double(i * j);
  }));

  matrix<modular> x(on.where, 33, 65,
                    [](auto i, auto j) { return modular{unsigned(i + j) % 97u}; });
  matrix<modular> y(on.where, 65, 33, cases::pattern::row_major);
  xpose::add(on.policy, modular{3}, x.there().transposed(), modular{5}, x.there().transposed(),
             y.there());
  CHECK(y.is([](auto i, auto j) { return modular{8u * unsigned(i + j) % 97u}; }));
}

struct vec3 {  // 24 bytes, two tiles of which are more than 48 KB
  double x, y, z;
  XPOSE_HOST_DEVICE friend vec3 operator+(vec3 a, vec3 b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  XPOSE_HOST_DEVICE friend vec3 operator*(vec3 a, vec3 b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
  }
  friend bool operator==(vec3 a, vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
};

TEST_CASE_TEMPLATE("add takes a user's elements of 24 bytes, in order and transposed", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  matrix<vec3> a(on.where, 70, 90, [](auto i, auto j) {
    return vec3{double(i), double(j), double(i - j)};
  });
  matrix<vec3> b(on.where, 90, 70, [](auto i, auto j) {
    return vec3{double(j), double(i * j), 1};
  });
  matrix<vec3> c(on.where, 70, 90, cases::pattern::row_major);
  vec3 const twice{2, 2, 2}, thrice{3, 3, 3};
  xpose::add(on.policy, twice, a.there(), thrice, b.there().transposed(), c.there());
  CHECK(c.is([&](auto i, auto j) { return twice * a.here()(i, j) + thrice * b.here()(j, i); }));
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

struct add_bias {
  float const* bias;  // of every column
  XPOSE_HOST_DEVICE float operator()(float x, xpose::index, xpose::index j) const {
    return x + bias[j];
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
  backend const on = Backend::get();
  auto const small = [](xpose::index i, xpose::index j) { return float((i + 2 * j) % 7 - 3); };
  matrix<float> a(on.where, 50, 34, small);
  matrix<float> b(on.where, 34, 66, small);
  matrix<float> c(on.where, 50, 66, cases::pattern::row_major);
  auto const ab = product(a, b, arithmetic{});

  xpose::gemm(on.policy, a.there(), b.there(), c.there(), xpose::options().epilogue(relu{}));
  CHECK(c.is([&](auto i, auto j) { return relu{}(ab(i, j)); }));

  xpose::gemm(on.policy, a.there(), b.there(), c.there(),
              xpose::options().epilogue(lower_triangle{.5f}));
  CHECK(c.is([&](auto i, auto j) { return lower_triangle{.5f}(ab(i, j), i, j); }));
}

TEST_CASE_TEMPLATE("gemm of float16 stores through a user's epilogue, of elements of C alone",
                   Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  constexpr xpose::index rows = 700, depth = 70, cols = 701;
  auto const small = [](xpose::index i, xpose::index j) { return float((i + 2 * j) % 7 - 3); };
  matrix<xpose::float16> a(on.where, rows, depth, small);
  matrix<xpose::float16> b(on.where, depth, cols, small);
  matrix<float> c(on.where, rows, cols, cases::pattern::row_major);
  matrix<float> bias(on.where, 1, cols, [](xpose::index, xpose::index j) { return float(j); });
  auto const ab = product(a, b, arithmetic{});
  xpose::gemm(on.policy, a.there(), b.there(), c.there(),
              xpose::options().epilogue(add_bias{bias.there().data()}));
  CHECK(c.is([&](auto i, auto j) { return ab(i, j) + float(j); }));
}

// Not of 16-bit types: their hundred kernels are those of the library, and take minutes.
TEST_CASE_TEMPLATE("a layer of types that the library has not compiled is instantiated", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  auto const small = [](xpose::index i, xpose::index j) { return double((i + 2 * j) % 7 - 3); };
  for (xpose::index const cols : {704, 701}) {
    matrix<float> a(on.where, 700, 72, small);
    matrix<float> b(on.where, 72, cols, small);
    matrix<double> c(on.where, 700, cols, cases::pattern::row_major);
    matrix<double> scale(on.where, 700, 1, small);
    matrix<double> bias(on.where, 1, cols, small);
    auto const ab = product(a, b, arithmetic{});
    auto const layer = xpose::layer_epilogue<double>().scale(scale.there()).bias(bias.there());
    xpose::gemm(on.policy, a.there(), b.there(), c.there(),
                xpose::options().epilogue(layer.activate(xpose::activation::relu)));
    CHECK(c.is([&](auto i, auto j) { return std::max(0., ab(i, j) * small(i, 0) + small(0, j)); }));
  }
}

TEST_CASE_TEMPLATE("a __host__ __device__ lambda runs on every backend", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  matrix<float> in(on.where, 41, 59,
                   [](xpose::index i, xpose::index j) { return float(i * 59 + j); });
  matrix<double> out(on.where, 59, 41, cases::pattern::row_major);
  double const factor = 0.5;
  xpose::transpose(on.policy, in.there(), out.there(),
                   [factor] __host__ __device__(float x) { return factor * x; });
  CHECK(out.is([&](auto i, auto j) { return 0.5 * in.here()(j, i); }));
}

TEST_CASE("functions that exist on the host only serve omp and seq in a file for nvcc") {
  matrix<float> in(place::host, 20, 30,
                   [](xpose::index i, xpose::index j) { return float(i + j); });
  matrix<float> out(place::host, 30, 20, cases::pattern::row_major);
  auto const twice = [](float x) { return 2 * x; };
  xpose::transpose(xpose::omp, in.there(), out.there(), twice);
  xpose::transpose(xpose::seq, in.there(), out.there(), twice);
  CHECK(out.is([](auto i, auto j) { return float(2 * (i + j)); }));
  matrix<float> product(place::host, 20, 20, cases::pattern::row_major);
  xpose::gemm(xpose::omp, in.there(), out.there(), product.there(),
              xpose::options().epilogue(twice));
  CHECK(product.here()(0, 0) != 0);
}

TEST_CASE_TEMPLATE("a real becomes a std::complex", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  matrix<float> in(on.where, 41, 59,
                   [](xpose::index i, xpose::index j) { return float(i * 59 + j); });
  matrix<std::complex<float>> out(on.where, 59, 41, cases::pattern::row_major);
  xpose::transpose(on.policy, in.there(), out.there(), xpose::cast<std::complex<float>>{});
  CHECK(out.is([](auto i, auto j) { return std::complex<float>(float(j * 59 + i), 0.f); }));
}

TEST_CASE("user code of every operation with nosync is captured and replayed") {
  if (!needs_gpu()) return;
  stream const s;
  auto const policy = make_backend("cuda", place::device, xpose::cuda.on(s.handle).nosync()).policy;
  matrix<rgb> colours(place::device, 130, 65, cases::pattern::row_major);
  matrix<int> bright(place::device, 65, 130, cases::pattern::row_major);
  matrix<int> width(place::device, 37, 37, cases::pattern::row_major);
  matrix<int> widest(place::device, 37, 37, cases::pattern::row_major);
  matrix<float> small(place::device, 50, 50, cases::pattern::row_major);
  matrix<float> positive(place::device, 50, 50, cases::pattern::row_major);
  matrix<modular> x(place::device, 33, 65, cases::pattern::row_major);
  matrix<modular> y(place::device, 65, 33, cases::pattern::row_major);
  replay(
      s, 2,
      [&] {
        xpose::transpose(policy, colours.there(), bright.there(), brightness{2.f});
        xpose::gemm(policy, width.there(), width.there(), widest.there(),
                    xpose::options().over(widest_path{}));
        xpose::gemm(policy, small.there(), small.there(), positive.there(),
                    xpose::options().epilogue(relu{}));
        xpose::add(policy, modular{3}, x.there().transposed(), modular{5}, x.there().transposed(),
                   y.there());
      },
      [&](int n) {
        colours.fill([n](auto, auto i, auto j) { return rgb{float(i), float(j), float(n)}; });
        width.fill([n](auto, auto i, auto j) { return int(1 + (i * 7 + j * 13 + n) % 101); });
        small.fill([n](auto, auto i, auto j) { return float((i + (2 + n) * j) % 7 - 3); });
        x.fill([n](auto, auto i, auto j) { return modular{unsigned(i + j + n) % 97u}; });
      },
      [&](int n) {
        CHECK(bright.is([n](auto i, auto j) { return int(2 * (i + j + n)); }));
        CHECK(widest.is(product(width, width, widest_path{})));
        auto const squared = product(small, small, arithmetic{});
        CHECK(positive.is([&](auto i, auto j) { return relu{}(squared(i, j)); }));
        CHECK(y.is([n](auto i, auto j) { return modular{8u * unsigned(i + j + n) % 97u}; }));
      });
}

TEST_CASE("a __device__ lambda runs on cuda") {
  if (!needs_gpu()) return;
  matrix<float> in(place::device, 41, 59,
                   [](xpose::index i, xpose::index j) { return float(i * 59 + j); });
  matrix<int> out(place::device, 59, 41, cases::pattern::row_major);
  int const add = 3;
  xpose::transpose(xpose::cuda, in.there(), out.there(),
                   [add] __device__(float x) { return int(x) + add; });
  CHECK(out.is([&](auto i, auto j) { return int(in.here()(j, i)) + 3; }));
}

TEST_CASE("a __device__ lambda is refused on the host, and nothing is written") {
  matrix<float> in(place::host, 4, 5, [](xpose::index, xpose::index) { return 1.f; });
  matrix<float> out(place::host, 5, 4, [](xpose::index, xpose::index) { return 7.f; });
  auto const on_device_only = [] __device__(float x) { return x + 1; };
  CHECK_THROWS_AS(xpose::transpose(xpose::omp, in.there(), out.there(), on_device_only),
                  xpose::backend_error);
  CHECK(out.is([](auto, auto) { return 7.f; }));
}

}  // namespace user_code
