// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The stride of a dimension of one element means nothing, and may be any number. That nothing is
// calculated with it is what UndefinedBehaviorSanitizer says in the preset asan.

#include "cases/matrix.hpp"
#include "support/backends.hpp"

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <array>
#include <limits>

TEST_SUITE_BEGIN("views");

namespace {

using cases::index;
using xpose::batch_view;
using xpose::matrix_view;
using xpose::strided;

constexpr index extreme_strides[] = {std::numeric_limits<index>::min(),
                                     std::numeric_limits<index>::min() + 1,
                                     std::numeric_limits<index>::max()};
constexpr index extents[] = {1, 40};

template <class T>
matrix_view<T> with_stride(matrix_view<T> v, index stride) {
  return {
      v.data(), v.rows(), v.cols(),
      strided{v.rows() == 1 ? stride : v.row_stride(), v.cols() == 1 ? stride : v.col_stride()}};
}
template <class T>
batch_view<T> batch_of_one(matrix_view<T> v, index stride) {
  return xpose::batch(with_stride(v, stride), 1, stride);
}

/// Small numbers, exact in every type.
index number(index i, index j) { return (3 * i + j) % 5 - 2; }

/// visit(stride, rows, cols)
template <class Visit>
void for_each_shape(Visit const& visit) {
  for (index const stride : extreme_strides)
    for (index const rows : extents)
      for (index const cols : extents) {
        CAPTURE(stride);
        CAPTURE(rows);
        CAPTURE(cols);
        visit(stride, rows, cols);
      }
}

TEST_CASE_TEMPLATE("moves take any stride in dimensions of one element", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  for_each_shape([&](index stride, index rows, index cols) {
    matrix<float> const in(on.where, rows, cols, number);
    matrix_view<float> const from = with_stride(in.there(), stride);
    auto const transposed = [](index i, index j) { return number(j, i); };
    matrix<float> out(on.where, cols, rows, cases::pattern::row_major);
    xpose::transpose(on.policy, from, with_stride(out.there(), stride));
    CHECK(out.is(transposed));
    matrix<double> cast_out(on.where, cols, rows, cases::pattern::row_major);
    xpose::transpose(on.policy, from, with_stride(cast_out.there(), stride), xpose::cast<double>{});
    CHECK(cast_out.is(transposed));
    matrix<float> copied(on.where, rows, cols, cases::pattern::col_major);
    xpose::copy(on.policy, batch_of_one(in.there(), stride), batch_of_one(copied.there(), stride));
    CHECK(copied.is(number));
    matrix<float> permuted(on.where, cols, rows, cases::pattern::row_major);
    matrix_view<float> const to = with_stride(permuted.there(), stride);
    xpose::permute(on.policy,
                   xpose::tensor_view<float, 3>(from.data(), {rows, 1, cols},
                                                {from.row_stride(), stride, from.col_stride()}),
                   xpose::tensor_view<float, 3>(to.data(), {cols, rows, 1},
                                                {to.row_stride(), to.col_stride(), stride}),
                   std::array<int, 3>{2, 0, 1});
    CHECK(permuted.is(transposed));
    CHECK_NOTHROW(xpose::explain(on.policy, xpose::operation::transpose, from,
                                 with_stride(out.there(), stride)));
  });
}

TEST_CASE_TEMPLATE("transpose_inplace takes any stride in dimensions of one element", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  for_each_shape([&](index stride, index rows, index cols) {
    matrix<float> memory(on.where, rows, cols, number);
    auto const turned = xpose::transpose_inplace(on.policy, batch_of_one(memory.there(), stride));
    CHECK(turned.rows() == cols);
    matrix<float> read(on.where, cols, rows, cases::pattern::row_major);
    xpose::copy(on.policy, turned, xpose::batch(read.there(), 1, 0));
    CHECK(read.is([](index i, index j) { return number(j, i); }));
    CHECK_NOTHROW(xpose::explain(on.policy, xpose::operation::transpose_inplace,
                                 batch_of_one(memory.there(), stride)));
  });
}

template <class T>
void check_add(backend const& on) {
  for_each_shape([&](index stride, index rows, index cols) {
    matrix<T> const a(on.where, rows, cols, number);
    matrix<T> const b(on.where, cols, rows, number);
    matrix<T> c(on.where, rows, cols, cases::pattern::row_major);
    matrix_view<T> const x = with_stride(a.there(), stride);
    matrix_view<T> const y = with_stride(b.there(), stride).transposed();
    xpose::add(on.policy, T(2), x, T(1), y, with_stride(c.there(), stride));
    CHECK(c.is([](index i, index j) { return 2 * number(i, j) + number(j, i); }));
    xpose::add(on.policy, T(1), batch_of_one(a.there(), stride), T(3), x,
               batch_of_one(c.there(), stride));
    CHECK(c.is([](index i, index j) { return 4 * number(i, j); }));
  });
}

TEST_CASE_TEMPLATE("add takes any stride in dimensions of one element", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  check_add<float>(Backend::get());
  check_add<double>(Backend::get());
  check_add<std::int8_t>(Backend::get());
}

template <class T>
void check_gemm(backend const& on, index depth) {
  using K = xpose::accumulator_t<T>;
  auto const sum = [depth](index i, index j) {
    index all = 0;
    for (index k = 0; k < depth; ++k) all += number(i, k) * number(k, j);
    return all;
  };
  for_each_shape([&](index stride, index rows, index cols) {
    CAPTURE(depth);
    matrix<T> const a(on.where, rows, depth, number);
    matrix<T> const b(on.where, depth, cols, number);
    matrix<K> c(on.where, rows, cols, cases::pattern::row_major);
    matrix_view<T> const x = with_stride(a.there(), stride);
    matrix_view<T> const y = with_stride(b.there(), stride);
    xpose::gemm(on.policy, x, y, with_stride(c.there(), stride));
    CHECK(c.is(sum));
    xpose::gemm(on.policy, K(1), batch_of_one(a.there(), stride), batch_of_one(b.there(), stride),
                K(1), batch_of_one(c.there(), stride));
    CHECK(c.is([&](index i, index j) { return 2 * sum(i, j); }));
  });
}

TEST_CASE_TEMPLATE("gemm takes any stride in dimensions of one element", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  for (index const depth : extents) {
    check_gemm<float>(Backend::get(), depth);
    check_gemm<double>(Backend::get(), depth);
    check_gemm<std::int8_t>(Backend::get(), depth);
  }
}

}  // namespace

TEST_SUITE_END();
