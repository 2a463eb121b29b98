// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a view is, as the compiler sees it: plain data of 40 bytes, usable in constant expressions.

#include <xpose/xpose.hpp>

using view = xpose::matrix_view<float>;
using const_view = xpose::matrix_view<float const>;
using batch = xpose::batch_view<float>;
using const_batch = xpose::batch_view<float const>;
using tensor = xpose::tensor_view<float, 3>;
using const_tensor = xpose::tensor_view<float const, 3>;

static_assert(sizeof(view) == 40);
static_assert(std::is_trivially_copyable_v<view> && std::is_standard_layout_v<view>);
static_assert(std::is_trivially_copyable_v<batch> && std::is_trivially_copyable_v<tensor>);
static_assert(std::is_nothrow_default_constructible_v<view>);

// T converts to T const, and not back; other types never.
static_assert(std::is_convertible_v<view, const_view> && !std::is_convertible_v<const_view, view>);
static_assert(std::is_convertible_v<batch, const_batch> &&
              !std::is_convertible_v<const_batch, batch>);
static_assert(std::is_convertible_v<tensor, const_tensor> &&
              !std::is_convertible_v<const_tensor, tensor>);
static_assert(!std::is_constructible_v<view, const_view>);
static_assert(!std::is_constructible_v<xpose::matrix_view<double>, view>);

namespace {

constexpr int numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
constexpr xpose::matrix_view<int const> matrix(numbers, 3, 4);
static_assert(matrix(2, 1) == 9 && matrix.size() == 12 && !matrix.empty());
static_assert(matrix.transposed()(1, 2) == 9 && matrix.transposed().rows() == 4);
static_assert(matrix.submatrix(1, 1, 2, 2)(1, 0) == 9);
static_assert(matrix.row(2)(0, 1) == 9 && matrix.col(1)(2, 0) == 9);
static_assert(xpose::matrix_view<int const>(numbers, 3, 4, xpose::col_major)(2, 1) == 5);
static_assert(xpose::matrix_view<int const>(numbers, 2, 3, xpose::row_major, 5)(1, 2) == 7);
static_assert(xpose::matrix_view<int const>(numbers, 2, 3, xpose::strided{6, 2})(1, 2) == 10);
static_assert(xpose::matrix_view<int>().empty());

constexpr xpose::batch_view<int const> matrices = xpose::batch(numbers, 2, 2, 3);
static_assert(matrices[1](1, 2) == 11 && matrices.count() == 2);
static_assert(matrices.transposed()[1](2, 1) == 11);

// Policies are constants too.
static_assert(xpose::cuda.nosync().strict().is_nosync());
static_assert(xpose::omp.with(xpose::threads{8}).thread_count() == 8);
static_assert(xpose::is_policy<xpose::seq_policy> && !xpose::is_policy<int>);

}  // namespace
