// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Each time that a call on omp asks for memory it gets none, once and for ever, on whichever thread
// it asks: the call throws std::bad_alloc and every operand is as it was, bit for bit.

#include "support/failing_memory.hpp"

#include <xpose/backends/omp/transpose/in_place.hpp>
#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

bool has_memory() { return failing_memory::grants(); }

// For the whole program, libxpose included.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  void* data = nullptr;
  return has_memory() && posix_memalign(&data, alignment, bytes) == 0 ? data : nullptr;
}

namespace {

using failing_memory::allocations;
using failing_memory::first_without;
using failing_memory::for_ever;
using failing_memory::never;
using xpose::index;
auto const team = xpose::omp.with(xpose::threads{3});

/// Memory that calls read and write, made and filled while there is memory.
struct operands {
  static constexpr std::size_t bytes = std::size_t{9} << 20;
  std::vector<unsigned char> a, b, c;
  operands() : a(bytes), b(bytes), c(bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
      a[i] = static_cast<unsigned char>(i * 7 % 5);  // as float: small, and never NaN
      b[i] = static_cast<unsigned char>(i * 3 % 7);
      c[i] = static_cast<unsigned char>(i * 11 % 61);
    }
  }
  template <class T>
  static auto matrix(std::vector<unsigned char>& memory, index rows, index cols) {
    REQUIRE(static_cast<std::size_t>(rows * cols) * sizeof(T) <= bytes);
    return xpose::matrix_view<T>(reinterpret_cast<T*>(memory.data()), rows, cols);
  }
  template <class T>
  static auto matrices(std::vector<unsigned char>& memory, index count, index rows, index cols) {
    REQUIRE(static_cast<std::size_t>(count * rows * cols) * sizeof(T) <= bytes);
    return xpose::batch(reinterpret_cast<T*>(memory.data()), count, rows, cols);
  }
  bool operator==(operands const& other) const {
    return a == other.a && b == other.b && c == other.c;
  }
};

/// Fails the first, the second and so on of what call(operands) asks for, until it asks for no
/// more. Each run is made by a thread of its own, which has kept no memory.
template <class Call>
void sweep(char const* name, Call const& call, bool needs_memory = true) {
  CAPTURE(name);
  operands const before;
  operands expected;
  std::thread([&] { call(expected); }).join();
  CHECK(!(expected == before));
  int failures = 0;
  for (bool const always : {false, true})
    for (int k = 0;; ++k) {
      CAPTURE(always);
      CAPTURE(k);
      operands now;
      bool has_thrown = false;
      int asked = 0;
      std::thread([&] {
        for_ever = always;
        allocations = 0;
        first_without = k;
        try {
          call(now);
        } catch (std::bad_alloc const&) {
          has_thrown = true;
        }
        first_without = never;
        asked = allocations;
      }).join();
      if (has_thrown) {
        ++failures;
        CHECK(now == before);
      } else {
        CHECK(now == expected);
      }
      if (asked <= k) break;
    }
  CHECK((failures > 0) == needs_memory);
}

template <class T>
void sweep_moves(char const* name, index rows, index cols) {
  sweep(name, [=](operands& o) {
    xpose::transpose(team, o.matrix<T>(o.a, rows, cols), o.matrix<T>(o.c, cols, rows));
  });
}

struct words {
  float x[3];
  friend words operator+(words a, words b) {
    return {{a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2]}};
  }
  friend words operator*(words a, words b) {
    return {{a.x[0] * b.x[0], a.x[1] * b.x[1], a.x[2] * b.x[2]}};
  }
};

TEST_CASE("transpose, copy and permute on omp without memory leave the output as it was") {
  sweep_moves<char>("1 byte", 900, 700);
  sweep_moves<float>("4 bytes", 900, 700);
  sweep_moves<float>("4 bytes, small", 40, 30);
  sweep_moves<float>("4 bytes, thin", 3, 90000);
  sweep_moves<std::complex<double>>("16 bytes", 500, 700);
  sweep_moves<words>("12 bytes", 500, 700);
  sweep("batch of small matrices", [](operands& o) {
    xpose::transpose(team, o.matrices<float>(o.a, 3000, 20, 30),
                     o.matrices<float>(o.c, 3000, 30, 20));
  });
  sweep("with a function", [](operands& o) {
    xpose::transpose(team, o.matrix<float>(o.a, 900, 700), o.matrix<double>(o.c, 700, 900),
                     [](float x) { return static_cast<double>(x) + 1; });
  });
  sweep("with a cast", [](operands& o) {
    xpose::transpose(team, o.matrix<float>(o.a, 900, 700), o.matrix<xpose::float16>(o.c, 700, 900),
                     xpose::cast<xpose::float16>{});
  });
  sweep(
      "copy",
      [](operands& o) {
        xpose::copy(team, o.matrix<float>(o.a, 900, 700), o.matrix<float>(o.c, 900, 700));
      },
      false);
  sweep("permute", [](operands& o) {
    using tensor = xpose::tensor_view<float, 3>;
    xpose::permute(team, tensor(reinterpret_cast<float*>(o.a.data()), {90, 80, 70}),
                   tensor(reinterpret_cast<float*>(o.c.data()), {70, 90, 80}), {2, 0, 1});
  });
}

TEST_CASE("transpose_inplace on omp without memory leaves the matrix as it was, bit for bit") {
  sweep("square",
        [](operands& o) { xpose::transpose_inplace(team, o.matrix<float>(o.a, 900, 900)); });
  sweep("square of 2 bytes",
        [](operands& o) { xpose::transpose_inplace(team, o.matrix<short>(o.a, 900, 900)); });
  sweep("packed",
        [](operands& o) { xpose::transpose_inplace(team, o.matrix<float>(o.a, 900, 700)); });
  sweep("packed, beyond 4 MB in all",
        [](operands& o) { xpose::transpose_inplace(team, o.matrices<float>(o.a, 30, 300, 200)); });
  sweep("packed, by panels", [](operands& o) {
    xpose::detail::set_in_place_limits(1, 4096);
    xpose::transpose_inplace(team, o.matrix<float>(o.a, 900, 700));
    xpose::detail::set_in_place_limits(0, 0);
  });
  xpose::detail::set_in_place_limits(0, 0);
  sweep("elements of 24 bytes", [](operands& o) {
    using element = std::array<double, 3>;
    xpose::transpose_inplace(team, o.matrices<element>(o.a, 2, 300, 200));
  });
}

TEST_CASE("add on omp without memory leaves the output as it was") {
  sweep("rows", [](operands& o) {
    xpose::add(team, 2.f, o.matrix<float>(o.a, 900, 700), 3.f, o.matrix<float>(o.b, 900, 700),
               o.matrix<float>(o.c, 900, 700));
  });
  sweep("one operand transposed", [](operands& o) {
    xpose::add(team, 2.f, o.matrix<float>(o.a, 700, 900).transposed(), 3.f,
               o.matrix<float>(o.c, 900, 700), o.matrix<float>(o.c, 900, 700));
  });
  sweep("a type with operators", [](operands& o) {
    xpose::add(team, words{{2, 3, 4}}, o.matrix<words>(o.a, 700, 500).transposed(),
               words{{1, 1, 2}}, o.matrix<words>(o.b, 500, 700), o.matrix<words>(o.c, 500, 700));
  });
}

template <class A, class C, class Options>
void sweep_gemm(char const* name, index rows, index cols, index k, Options const& options,
                bool needs_memory = true) {
  sweep(
      name,
      [=](operands& o) {
        xpose::gemm(team, o.matrix<A>(o.a, rows, k), o.matrix<A>(o.b, k, cols),
                    o.matrix<C>(o.c, rows, cols), options);
      },
      needs_memory);
}

/// An accumulator that is constructed and destroyed.
struct counted_sum {
  counted_sum() {}  // NOLINT: not trivial
  explicit counted_sum(float x) : value(x) {}
  ~counted_sum() {}  // NOLINT
  explicit operator float() const { return value; }
  float value = 0;
  friend counted_sum operator+(counted_sum const& a, counted_sum const& b) {
    return counted_sum(a.value + b.value);
  }
  friend counted_sum operator*(counted_sum const& a, counted_sum const& b) {
    return counted_sum(a.value * b.value);
  }
};

TEST_CASE("gemm on omp without memory leaves C as it was") {
  auto const plain = xpose::options();
  sweep_gemm<float, float>("f32", 300, 280, 500, plain);
  sweep_gemm<float, float>("f32, several blocks of k and many rows", 1400, 300, 900, plain);
  sweep_gemm<float, float>("f32, long k", 40, 48, 20000, plain);
  sweep_gemm<float, float>("f32, few rows", 7, 900, 900, plain);
  sweep_gemm<std::int8_t, std::int32_t>("i8", 300, 280, 500, plain);
  sweep_gemm<xpose::bfloat16, float>("bf16", 300, 280, 500, plain);
  sweep_gemm<xpose::float16, xpose::float16>("f16", 300, 280, 500, plain);
  sweep_gemm<std::complex<double>, std::complex<double>>("c128", 200, 180, 300, plain);
  sweep_gemm<float, float>("with an epilogue", 300, 280, 500,
                           xpose::options().epilogue([](float x) { return 2 * x; }));
  sweep_gemm<float, float>("over a semiring", 200, 180, 300,
                           xpose::options().over(xpose::min_plus{}));
  sweep_gemm<float, float>("in accumulators that are objects", 90, 80, 70,
                           xpose::options().accumulate<counted_sum>());
  sweep_gemm<float, double>("a matrix times a vector to another type", 1500, 1, 1200,
                            xpose::options().accumulate<float>());
  sweep("short columns times a vector, k in parts", [](operands& o) {
    xpose::gemm(team, o.matrix<float>(o.a, 2000, 1000).transposed(),
                xpose::matrix_view<float>(reinterpret_cast<float*>(o.b.data()), 2000, 1,
                                          xpose::strided{3, 1}),
                o.matrix<float>(o.c, 1000, 1));
  });
  sweep("a batch of which threads take products", [](operands& o) {
    xpose::gemm(team, o.matrices<float>(o.a, 30, 100, 200), o.matrices<float>(o.b, 30, 200, 300),
                o.matrices<float>(o.c, 30, 100, 300));
  });
  sweep("a batch whose products threads share", [](operands& o) {
    xpose::gemm(team, o.matrices<float>(o.a, 2, 500, 500), o.matrices<float>(o.b, 2, 500, 600),
                o.matrices<float>(o.c, 2, 500, 600));
  });
  sweep("C by columns", [](operands& o) {
    xpose::gemm(team, o.matrix<float>(o.a, 300, 500), o.matrix<float>(o.b, 500, 280),
                o.matrix<float>(o.c, 280, 300).transposed());
  });
}

}  // namespace
