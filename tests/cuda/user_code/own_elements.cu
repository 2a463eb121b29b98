// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What xpose owes elements of a user's own on cuda: operators and semirings are called with
// elements and zero() alone, and elements may be large. Compiled for capability 80, where a block
// has 48 KB of shared memory without asking.

#include "cases/matrix.hpp"
#include "support/backends.hpp"

#include <xpose/layer_epilogue.hpp>

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <type_traits>
#include <vector>

// A named namespace: nvcc confuses the unnamed one of a file with those inside doctest's templates.
namespace own_elements {

using xpose::index;

/// In every element, and in nothing that memory happens to hold.
constexpr unsigned good = 0x600DF00Du;

/// How often a function was called with something else.
__device__ unsigned strangers;

unsigned strangers_seen() {
  unsigned count = 0;
  unsigned const none = 0;
  REQUIRE(cudaMemcpyFromSymbol(&count, strangers, sizeof count) == cudaSuccess);
  REQUIRE(cudaMemcpyToSymbol(strangers, &none, sizeof none) == cudaSuccess);
  return count;
}

template <class T>
XPOSE_HOST_DEVICE void look([[maybe_unused]] T const& x) {
#if defined(__CUDA_ARCH__)
  if (x.mark != good) atomicAdd(&strangers, 1u);
#endif
}

struct alignas(8) two_words {  // copied to shared memory as they are
  unsigned mark;
  float value;
};
struct three_words {  // converted
  unsigned mark;
  float value;
  unsigned rest;
};
template <class T>
using if_words =
    std::enable_if_t<std::is_same_v<T, two_words> || std::is_same_v<T, three_words>, T>;

template <class T>
XPOSE_HOST_DEVICE if_words<T> of_value(float value) {
  T x{};
  x.mark = good;
  x.value = value;
  return x;
}
template <class T>
XPOSE_HOST_DEVICE if_words<T> operator+(T const& a, T const& b) {
  look(a);
  look(b);
  return of_value<T>(a.value + b.value);
}
template <class T>
XPOSE_HOST_DEVICE if_words<T> operator*(T const& a, T const& b) {
  look(a);
  look(b);
  return of_value<T>(a.value * b.value);
}
template <class T, class = if_words<T>>
XPOSE_HOST_DEVICE bool operator==(T const& a, T const& b) {
  return a.mark == b.mark && a.value == b.value;
}

/// Its zero is not zero bits.
template <class T>
struct sum_of_products {
  XPOSE_HOST_DEVICE T zero() const { return of_value<T>(0); }
  XPOSE_HOST_DEVICE T add(T const& a, T const& b) const { return a + b; }
  XPOSE_HOST_DEVICE T multiply(T const& a, T const& b) const { return a * b; }
};

}  // namespace own_elements

template <>
struct xpose::scalar_traits<own_elements::two_words> {
  using T = own_elements::two_words;
  XPOSE_HOST_DEVICE static T zero() { return own_elements::of_value<T>(0); }
  XPOSE_HOST_DEVICE static T conj(T const& x) {
    own_elements::look(x);
    return x;
  }
};

namespace own_elements {

float value_at(index i, index j) { return static_cast<float>((i * 7 + j * 3) % 11 - 5); }

/// At the edges of tiles, with a depth that fills them and one that does not.
template <class T>
void multiply_marked(index rows, index cols, index depth, cases::pattern of_a,
                     cases::pattern of_b) {
  auto const marked = [](index i, index j) { return of_value<T>(value_at(i, j)); };
  matrix<T> a(place::device, rows, depth, of_a);
  matrix<T> b(place::device, depth, cols, of_b);
  matrix<T> c(place::device, rows, cols, cases::pattern::row_major);
  a.fill([&](index, index i, index j) { return marked(i, j); });
  b.fill([&](index, index i, index j) { return marked(i, j); });
  auto const options = xpose::options().template accumulate<T>().over(sum_of_products<T>{});
  if constexpr (std::is_same_v<T, two_words>)
    xpose::gemm(xpose::cuda, xpose::conjugated(a.there()), b.there(), c.there(), options);
  else xpose::gemm(xpose::cuda, a.there(), b.there(), c.there(), options);
  CAPTURE(rows);
  CAPTURE(depth);
  CHECK(strangers_seen() == 0);
  CHECK(c.is([&](index i, index j) {
    float sum = 0;
    for (index k = 0; k < depth; ++k) sum += value_at(i, k) * value_at(k, j);
    return of_value<T>(sum);
  }));
}

TEST_CASE("a user's semiring on cuda is called with elements and zero() alone") {
  if (!needs_gpu()) return;
  for (auto const of_a : {cases::pattern::row_major, cases::pattern::col_major})
    for (auto const of_b : {cases::pattern::row_major, cases::pattern::col_major})
      for (index const depth : {32, 33}) {
        multiply_marked<three_words>(70, 71, depth, of_a, of_b);
        multiply_marked<two_words>(70, 71, depth, of_a, of_b);
        multiply_marked<two_words>(70, 74, depth, of_a, of_b);
        multiply_marked<two_words>(5, 3, 4000 + depth, of_a, of_b);
      }
}

TEST_CASE(
    "a user's + and * on cuda are called with elements alone where rows end inside 16 bytes") {
  if (!needs_gpu()) return;
  constexpr index rows = 1024, cols = 1023, pitch = 1024;
  using view = xpose::matrix_view<two_words>;
  // What lies between rows has no mark.
  auto const operand = [](index used_rows, index used_cols) {
    std::vector<two_words> elements(pitch * pitch, two_words{0xBADu, 0});
    view const used(elements.data(), used_rows, used_cols, xpose::row_major, pitch);
    for (index i = 0; i < used_rows; ++i)
      for (index j = 0; j < used_cols; ++j) used(i, j) = of_value<two_words>(value_at(i, j));
    return elements;
  };
  auto a_here = operand(rows, cols);
  auto b_here = operand(cols, rows);
  std::vector<two_words> c_here(a_here.size());
  std::size_t const bytes = a_here.size() * sizeof(two_words);
  place_memory a(place::device, bytes), b(place::device, bytes), c(place::device, bytes);
  a.write(a_here.data());
  b.write(b_here.data());
  auto const there = [](place_memory const& m) { return reinterpret_cast<two_words*>(m.data()); };
  view const of_a(there(a), rows, cols, xpose::row_major, pitch);
  view const of_b(there(b), cols, rows, xpose::row_major, pitch);
  auto const check = [&](view const& x, view const& y, auto const& sum_at) {
    view const of_c(there(c), x.rows(), x.cols(), xpose::row_major, pitch);
    xpose::add(xpose::cuda, of_value<two_words>(2), x, of_value<two_words>(3), y, of_c);
    CHECK(strangers_seen() == 0);
    c.read(c_here.data());
    index wrong = 0;
    for (index i = 0; i < x.rows(); ++i)
      for (index j = 0; j < x.cols(); ++j)
        wrong +=
            c_here[static_cast<std::size_t>(i * pitch + j)] == of_value<two_words>(sum_at(i, j))
                ? 0
                : 1;
    CHECK(wrong == 0);
  };
  check(of_a, of_b.transposed(),
        [](index i, index j) { return 2 * value_at(i, j) + 3 * value_at(j, i); });
  check(of_a.transposed(), of_a.transposed(), [](index i, index j) { return 5 * value_at(j, i); });
}

/// Numbers that are added, and multiplied, one by one.
template <int Count>
struct numbers {
  double x[Count];
  XPOSE_HOST_DEVICE static numbers all(double value) {
    numbers n;
    for (int i = 0; i < Count; ++i) n.x[i] = value + i % 3;
    return n;
  }
  XPOSE_HOST_DEVICE friend numbers operator+(numbers a, numbers const& b) {
    for (int i = 0; i < Count; ++i) a.x[i] += b.x[i];
    return a;
  }
  XPOSE_HOST_DEVICE friend numbers operator*(numbers a, numbers const& b) {
    for (int i = 0; i < Count; ++i) a.x[i] *= b.x[i];
    return a;
  }
  XPOSE_HOST_DEVICE friend bool operator==(numbers const& a, numbers const& b) {
    for (int i = 0; i < Count; ++i)
      if (a.x[i] != b.x[i]) return false;
    return true;
  }
};

template <int Count>
numbers<Count> at(index i, index j) {
  return numbers<Count>::all(static_cast<double>(value_at(i, j)));
}

template <int Count>
void add_large() {
  using T = numbers<Count>;
  matrix<T> a(place::device, 70, 90, at<Count>);
  matrix<T> b(place::device, 90, 70, at<Count>);
  matrix<T> c(place::device, 70, 90, cases::pattern::row_major);
  T const three = T::all(3);
  xpose::add(xpose::cuda, three, a.there(), three, b.there().transposed(), c.there());
  CHECK(c.is([&](index i, index j) { return three * at<Count>(i, j) + three * at<Count>(j, i); }));
}

TEST_CASE("add on cuda takes elements whose tiles do not fit shared memory") {
  if (!needs_gpu()) return;
  add_large<3>();
  add_large<32>();
}

template <int Count>
void multiply_large(index depth) {
  using T = numbers<Count>;
  matrix<T> a(place::device, 20, depth, at<Count>);
  matrix<T> b(place::device, depth, 19, at<Count>);
  matrix<T> c(place::device, 20, 19, cases::pattern::row_major);
  xpose::gemm(xpose::cuda, a.there(), b.there(), c.there());
  CAPTURE(Count);
  CAPTURE(depth);
  CHECK(c.is([&](index i, index j) {
    T sum{};
    for (index k = 0; k < depth; ++k) sum = sum + at<Count>(i, k) * at<Count>(k, j);
    return sum;
  }));
}

TEST_CASE("gemm on cuda sums in up to 1024 bytes, with its depth split too") {
  if (!needs_gpu()) return;
  for (index const depth : {7, 700}) {
    multiply_large<25>(depth);
    multiply_large<128>(depth);
  }
}

// Here, for 80: the hundred kernels by wgmma would take minutes more.
TEST_CASE_TEMPLATE("a layer of float16 and a C of float is instantiated", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  auto const small = [](index i, index j) { return float((i + 2 * j) % 7 - 3); };
  for (index const cols : {704, 701}) {
    matrix<xpose::float16> a(on.where, 700, 72, small);
    matrix<xpose::float16> b(on.where, 72, cols, small);
    matrix<float> c(on.where, 700, cols, cases::pattern::row_major);
    matrix<float> scale(on.where, 700, 1, small);
    matrix<float> bias(on.where, 1, cols, small);
    auto const ab = [&](index i, index j) {
      float sum = 0;
      for (index k = 0; k < 72; ++k) sum += float(a.here()(i, k)) * float(b.here()(k, j));
      return sum;
    };
    auto const layer = xpose::layer_epilogue<float>().scale(scale.there()).bias(bias.there());
    xpose::gemm(on.policy, a.there(), b.there(), c.there(),
                xpose::options().epilogue(layer.activate(xpose::activation::relu)));
    CHECK(
        c.is([&](auto i, auto j) { return std::max(0.f, ab(i, j) * small(i, 0) + small(0, j)); }));
  }
}

}  // namespace own_elements
