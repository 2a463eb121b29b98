// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the refused files are near to: the command that refuses them accepts this one.

#include <xpose/xpose.hpp>

#include <algorithm>
#include <memory_resource>
#include <vector>

struct widest_path {
  float zero() const { return 0; }
  float add(float a, float b) const { return a > b ? a : b; }
  float multiply(float a, float b) const { return a < b ? a : b; }
};

void call(xpose::matrix_view<float const> in, xpose::matrix_view<float> out,
          xpose::matrix_view<double> wide) {
  xpose::transpose(xpose::omp, in, out, [](float x) { return 2 * x; });
  xpose::transpose(xpose::seq, in, wide, xpose::cast<double>{});
  xpose::gemm(xpose::omp, in, in, out, xpose::options().over(widest_path{}));
  xpose::gemm(xpose::cuda, in, in, out, xpose::options().over(xpose::min_plus{}));
  xpose::add(xpose::cuda, 2.f, in.transposed(), 0.5, in, out);
  xpose::add(xpose::omp, 1, in, 1, in, wide);
  xpose::matrix_view<float const> const read_only = out;
  xpose::transpose(xpose::cuda, read_only, out);
}

xpose::matrix_view<float> with_tensors(xpose::tensor_view<float const, 8> const& in,
                                       xpose::tensor_view<float, 8> const& out,
                                       xpose::matrix_view<float> matrix) {
  xpose::permute(xpose::cuda, in, out, std::array<int, 8>{7, 6, 5, 4, 3, 2, 1, 0});
  return xpose::transpose_inplace(xpose::cuda, matrix);
}

xpose::matrix_view<float> with_order(float* p) { return {p, 3, 5, xpose::row_major, 8}; }

void with_iterator(std::vector<bool>::const_iterator first, xpose::matrix_view<bool> out,
                   xpose::matrix_view<float> numbers) {
  xpose::transpose(xpose::automatic, xpose::view(first, 3, 5), out);
  xpose::copy(xpose::omp, xpose::view(first, 3, 5, xpose::col_major, 8), numbers,
              xpose::cast<float>{});
}

void with_pool(std::pmr::memory_resource& pool, std::pmr::polymorphic_allocator<char>& allocator,
               xpose::matrix_view<float> matrix) {
  xpose::transpose_inplace(xpose::cuda.with(pool).nosync(), matrix);
  xpose::transpose_inplace(xpose::omp.with(allocator).with(xpose::threads{2}), matrix);
}

// The overloads for wrong calls take none of these from the functions that they are for.

struct images : xpose::tensor_view<float, 3> {
  using tensor_view::tensor_view;
};
struct thread_setting {
  operator xpose::threads() const { return {3}; }
};

namespace application {
struct matrix {};
struct name {
  name(char const*) {}
};
int copy(xpose::omp_policy const&, matrix const&, matrix&) { return 1; }
int copy(name const&, name const&) { return 2; }
}  // namespace application

int with_names_of_others(images const& in, images const& out, application::matrix& m,
                         std::vector<xpose::matrix_view<float>> const& views,
                         std::vector<xpose::matrix_view<float>>& others) {
  using namespace application;
  using namespace std;
  using namespace xpose;
  permute(omp, in, out, {2, 0, 1});
  permute(omp.with({4}).with(thread_setting{}), in, out, std::array<int, 3>{2, 0, 1});
  copy(views.begin(), views.end(), others.begin());
  copy("from", "to");
  return copy(omp, m, m);
}
