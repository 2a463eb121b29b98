// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm of a user's type, semiring and epilogue, on the backends of the host.

#include "cases/copy_case.hpp"
#include "cases/gemm_cases.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

TEST_SUITE_BEGIN("gemm");

namespace {

using cases::index;

struct quaternion {
  float w, x, y, z;
  friend quaternion operator+(quaternion a, quaternion b) {
    return {a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend quaternion operator*(quaternion a, quaternion b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  }
};

TEST_CASE_TEMPLATE("gemm multiplies a user's type in the right order", Backend, HOST_BACKENDS) {
  backend const on = Backend::get();
  matrix<quaternion> a(on.where, 3, 2, cases::pattern::row_major);
  matrix<quaternion> b(on.where, 2, 3, cases::pattern::col_major);
  matrix<quaternion> c(on.where, 3, 3, cases::pattern::row_major);
  auto const unit = [](index n) {
    return quaternion{n % 4 == 0 ? 1.f : 0.f, n % 4 == 1 ? 1.f : 0.f, n % 4 == 2 ? 1.f : 0.f,
                      n % 4 == 3 ? 1.f : 0.f};
  };
  a.fill([&](index, index i, index j) { return unit(2 * i + j + 1); });
  b.fill([&](index, index i, index j) { return unit(3 * i + 2 * j + 2); });
  xpose::gemm(on.policy, a.there(), b.there(), c.there());
  CHECK(c.holds([&](index, index i, index j) {
    return a.here()(i, 0) * b.here()(0, j) + a.here()(i, 1) * b.here()(1, j);
  }));
}

struct largest_product {
  bool zero() const { return false; }
  bool add(bool a, bool b) const { return a || b; }
  bool multiply(bool a, bool b) const { return a && b; }
};

TEST_CASE_TEMPLATE("gemm takes a user's semiring, over bool too", Backend, HOST_BACKENDS) {
  backend const on = Backend::get();
  matrix<bool> a(on.where, 70, 5, cases::pattern::row_major);
  matrix<bool> c(on.where, 70, 70, cases::pattern::row_major);
  a.fill([](index, index i, index j) { return (i + j) % 7 == 0; });
  xpose::gemm(on.policy, a.there(), a.there().transposed(), c.there(),
              xpose::options().accumulate<bool>().over(largest_product{}));
  CHECK(c.holds([&](index, index i, index j) {
    bool any = false;
    for (index k = 0; k < 5; ++k) any = any || (a.here()(i, k) && a.here()(j, k));
    return any;
  }));
}

TEST_CASE_TEMPLATE("an epilogue sees the scaled sum in the accumulate type", Backend,
                   HOST_BACKENDS) {
  backend const on = Backend::get();
  using complex = std::complex<float>;
  matrix<complex> a(on.where, 4, 2, cases::pattern::row_major);
  matrix<complex> c(on.where, 4, 4, cases::pattern::row_major);
  a.fill([](index, index i, index j) {
    return complex(static_cast<float>(i), static_cast<float>(j));
  });
  xpose::gemm(on.policy, complex(2, 0), a.there(), a.there().transposed(), complex(0, 0), c.there(),
              xpose::options().epilogue([](complex x) { return x + complex(0, 1); }));
  CHECK(c.holds([&](index, index i, index j) {
    complex sum{};
    for (index k = 0; k < 2; ++k) sum += a.here()(i, k) * a.here()(j, k);
    return 2.f * sum + complex(0, 1);
  }));
}

}  // namespace

TEST_SUITE_END();
