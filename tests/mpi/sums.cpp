// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "dist_matrix.hpp"
#include "layouts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

/// Blocks of one size that the library has asked for.
struct watched_blocks {
  std::size_t bytes = 0;  // of each; 0: none are watched
  int asked_for = 0;
  int not_given_back = 0;
  void* data[8] = {};
};
watched_blocks watched;

}  // namespace

#if !defined(__SANITIZE_ADDRESS__)  // has its own operator new
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  auto const a = static_cast<std::size_t>(alignment);
  void* const data = std::aligned_alloc(a, (bytes + a - 1) / a * a);
  if (data == nullptr) throw std::bad_alloc();
  if (bytes == watched.bytes && bytes != 0) {
    ++watched.asked_for;
    ++watched.not_given_back;
    void** const unused = std::find(watched.data, watched.data + 8, nullptr);
    if (unused != watched.data + 8) *unused = data;
  }
  return data;
}
void operator delete(void* data, std::align_val_t) noexcept {
  void** const found = std::find(watched.data, watched.data + 8, data);
  if (data != nullptr && found != watched.data + 8) {
    --watched.not_given_back;
    *found = nullptr;
  }
  std::free(data);
}
void operator delete(void* data, std::size_t, std::align_val_t alignment) noexcept {
  operator delete(data, alignment);
}
#endif

namespace {

/// Small numbers, so that sums are exact in any order.
template <class T>
struct small {
  int salt;
  T operator()(xp::index i, xp::index j) const {
    return static_cast<T>(static_cast<float>((i * 7 + j * 3 + salt) % 11 - 5));
  }
};

template <class T>
void check_sums(xp::index rows, xp::index cols) {
  auto const layouts = layouts_of(rows, cols);
  auto const mirrored = layouts_of(cols, rows);
  for (std::size_t number = 0; number < layouts.size(); ++number) {
    CAPTURE(number);
    auto const& c_layout = layouts[number];
    auto const& b_layout = layouts[(number + 1) % layouts.size()];
    auto const& a_layout = mirrored[(number + 2) % mirrored.size()];
    dist_matrix<T> a(a_layout, {xp::row_major, 1});
    dist_matrix<T> b(number % 2 == 0 ? b_layout : c_layout, {xp::col_major, 0});
    dist_matrix<T> c(c_layout, {number % 2 == 0 ? xp::row_major : xp::col_major, 2});
    a.fill(small<T>{1});
    b.fill(small<T>{2});
    xp::add(on_processes(), T(2), a.view().transposed(), T(-3), b.view(), c.view());
    CHECK(c.wrong_elements([](xp::index i, xp::index j) {
      return T(2) * small<T>{1}(j, i) + T(-3) * small<T>{2}(i, j);
    }) == 0);
    CHECK(c.written_outside() == 0);
  }
}

}  // namespace

TEST_SUITE_BEGIN("mpi.sums");

TEST_CASE("add with operands in any layouts") {
  for (auto const [rows, cols] : all_extents) {
    check_sums<double>(rows, cols);
    check_sums<float>(rows, cols);
  }
  check_sums<int>(13, 17);
  check_sums<std::complex<float>>(13, 17);
}

TEST_CASE("add onto an operand, in place") {
  for (xp::dist_layout const& layout : layouts_of(13, 9)) {
    dist_matrix<double> a(layout, {});
    dist_matrix<double> b(xp::dist_layout::row_slabs(13, 9, context().size()), {});
    a.fill(small<double>{1});
    b.fill(small<double>{2});
    xp::add(on_processes(), 1, a.view(), 1, b.view(), a.view());
    CHECK(a.wrong_elements([](xp::index i, xp::index j) {
      return small<double>{1}(i, j) + small<double>{2}(i, j);
    }) == 0);
  }
}

TEST_CASE("add does not read an operand whose scalar is zero") {
  auto const layout = xp::dist_layout::row_slabs(13, 9, context().size());
  auto const elsewhere = xp::dist_layout::col_slabs(13, 9, context().size());
  dist_matrix<double> a(elsewhere, {});
  dist_matrix<double> b(elsewhere, {});
  dist_matrix<double> c(layout, {});
  a.fill([](xp::index, xp::index) { return std::numeric_limits<double>::quiet_NaN(); });
  b.fill(small<double>{2});
  xp::add(on_processes(), 0, a.view(), 1, b.view(), c.view());
  CHECK(c.wrong_elements(small<double>{2}) == 0);
}

#if !defined(__SANITIZE_ADDRESS__)
/// C on the first process, A and B in slabs. Returns what that process saw.
watched_blocks add_to_first_process(xp::index n, int calls) {
  xp::dist_layout const whole{n, n, n, 64, {1, 1}};  // slabs of one process have other blocks
  auto const slabs = xp::dist_layout::row_slabs(n, n, context().size());
  dist_matrix<float> a(slabs, {});
  dist_matrix<float> b(slabs, {});
  dist_matrix<float> c(whole, {});
  a.fill(small<float>{1});
  b.fill(small<float>{2});
  watched = {};
  watched.bytes = context().rank() == 0 ? static_cast<std::size_t>(n * n) * sizeof(float) : 0;
  watched_blocks seen;
  {
    xp::mpi_context const fresh(MPI_COMM_WORLD);
    for (int call = 0; call < calls; ++call)
      xp::add(xp::mpi(fresh).with(xp::seq), 1, a.view(), 1, b.view(), c.view());
    seen = watched;
  }
  CHECK(watched.not_given_back == 0);
  watched.bytes = 0;
  CHECK(c.wrong_elements([](xp::index i, xp::index j) {
    return small<float>{1}(i, j) + small<float>{2}(i, j);
  }) == 0);
  return seen;
}

TEST_CASE("add asks for memory once, and the context's end gives it back") {
  watched_blocks const seen = add_to_first_process(257, 5);
  bool const has_c = context().rank() == 0;
  CHECK(seen.asked_for == (has_c ? 2 : 0));
  CHECK(seen.not_given_back == (has_c ? 2 : 0));
}

TEST_CASE("add keeps no more than 64 MB of an operand") {
  watched_blocks const seen = add_to_first_process(4099, 2);  // 67 MB
  CHECK(seen.asked_for == (context().rank() == 0 ? 4 : 0));
  CHECK(seen.not_given_back == 0);
}
#endif

TEST_SUITE_END();
