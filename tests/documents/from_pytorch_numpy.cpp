// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose's half of docs/from_pytorch_numpy.md. Prints a line "name: values" for each piece of code;
// from_pytorch_numpy.py runs this program and compares the lines with what NumPy and PyTorch make
// of the same numbers.

#include <xpose/xpose.hpp>

#include <cmath>
#include <complex>
#include <cstdio>
#include <numeric>
#include <vector>

namespace xp = xpose;

namespace {

template <class T>
std::vector<T> counting(std::size_t size) {
  std::vector<T> values(size);
  std::iota(values.begin(), values.end(), T(0));
  return values;
}

void print(double x) { std::printf(" %.9g", x); }
void print(std::complex<float> x) {
  std::printf(" %.9g %.9g", static_cast<double>(x.real()), static_cast<double>(x.imag()));
}

template <class T>
void show(char const* name, std::vector<T> const& values) {
  std::printf("%s:", name);
  for (T const& x : values) {
    if constexpr (std::is_same_v<T, std::complex<float>>) print(x);
    else print(static_cast<double>(static_cast<float>(x)));
  }
  std::puts("");
}

// A tensor of PyTorch's, as far as the document needs one.
struct tensor {
  float* data;
  std::int64_t extents[2];
  std::int64_t strides[2];

  template <class T>
  T* data_ptr() const {
    return data;
  }
  std::int64_t size(int d) const { return extents[d]; }
  std::int64_t stride(int d) const { return strides[d]; }
};

// For at::Tensor; stride() counts elements, as xpose does.
template <class Tensor>
xp::matrix_view<float> matrix_of(Tensor const& t) {
  return {t.template data_ptr<float>(), t.size(0), t.size(1),
          xp::strided{t.stride(0), t.stride(1)}};
}

constexpr int rows = 4, cols = 6;

void moves() {
  auto const a = counting<float>(rows * cols);
  {
    std::vector<float> packed(a.size());
    xp::matrix_view<float const> const A(a.data(), rows, cols);
    auto const turned = A.transposed();  // a view: nothing moves
    xp::copy(xp::omp, turned, xp::matrix_view<float>(packed.data(), cols, rows));  // moves
    show("transposed", packed);
    xp::transpose(xp::omp, A,
                  xp::matrix_view<float>(packed.data(), cols, rows));  // the same in one
    show("transposed in one", packed);
  }
  {
    std::vector<float> by_columns(a.size());
    xp::matrix_view<float const> const A(a.data(), rows, cols);
    xp::copy(xp::omp, A, xp::matrix_view<float>(by_columns.data(), rows, cols, xp::col_major));
    show("by columns", by_columns);
  }
  {
    std::vector<float> packed(rows * cols / 2);
    // Rows backwards, columns 1, 3 and 5; data is element (0, 0) of the slice.
    xp::matrix_view<float const> const slice(a.data() + (rows - 1) * cols + 1, rows, cols / 2,
                                             xp::strided{-cols, 2});
    xp::copy(xp::omp, slice, xp::matrix_view<float>(packed.data(), rows, cols / 2));
    show("slice", packed);
  }
  {
    auto const pixels = counting<float>(5 * 4 * 3);
    std::vector<float> turned(pixels.size());
    xp::tensor_view<float const, 3> const images(pixels.data(), {5, 4, 3});
    xp::tensor_view<float, 3> const channels_first(turned.data(), {3, 5, 4});
    xp::permute(xp::omp, images, channels_first, std::array<int, 3>{2, 0, 1});
    show("permuted", turned);
  }
  {
    std::vector<xp::float16> half(a.size());
    xp::matrix_view<float const> const A(a.data(), rows, cols);
    xp::matrix_view<xp::float16> const H(half.data(), cols, rows);
    xp::transpose(xp::omp, A, H, xp::cast<xp::float16>{});
    show("cast", half);
  }
  {
    std::vector<float> roots(a.size());
    xp::matrix_view<float const> const A(a.data(), rows, cols);
    xp::matrix_view<float> const R(roots.data(), cols, rows);
    xp::transpose(xp::omp, A, R, [](float x) { return std::sqrt(x); });
    show("roots", roots);
  }
  {
    std::vector<std::complex<float>> z;
    for (float const x : a) z.emplace_back(x, 1 - 2 * x);
    std::vector<std::complex<float>> h(z.size());
    xp::matrix_view<std::complex<float> const> const Z(z.data(), rows, cols);
    xp::transpose(xp::omp, xp::conjugated(Z),
                  xp::matrix_view<std::complex<float>>(h.data(), cols, rows));
    show("conjugate transpose", h);
  }
  {
    auto storage = counting<float>(rows * cols);
    xp::matrix_view<float> const A(storage.data(), rows, cols);
    auto const At = xp::transpose_inplace(xp::omp, A);  // the same memory, now 6 x 4
    show("in place", storage);
    show("in place, read by the view", std::vector<float>{At(0, 0), At(0, 1), At(5, 3)});
  }
  {
    auto storage = counting<float>(rows * cols);
    tensor const t{storage.data(), {cols, rows}, {1, cols}};  // A.t()
    std::vector<float> packed(storage.size());
    xp::copy(xp::omp, matrix_of(t), xp::matrix_view<float>(packed.data(), cols, rows));
    show("tensor", packed);
  }
}

void sums() {
  auto const a = counting<float>(rows * cols);
  auto const bias = counting<float>(cols);
  std::vector<float> c(a.size());
  {
    xp::matrix_view<float const> const A(a.data(), rows, cols);
    xp::matrix_view<float const> const each_row(bias.data(), rows, cols, xp::strided{0, 1});
    xp::add(xp::omp, 1.f, A, 1.f, each_row, xp::matrix_view<float>(c.data(), rows, cols));
    show("broadcast sum", c);
  }
  {
    xp::matrix_view<float const> const each_row(bias.data(), rows, cols, xp::strided{0, 1});
    xp::copy(xp::omp, each_row, xp::matrix_view<float>(c.data(), rows, cols));
    show("broadcast copy", c);
  }
}

void products() {
  constexpr int m = 6, n = 5, k = 4, count = 3;
  auto const a = counting<float>(k * m), b = counting<float>(k * n);
  {
    std::vector<float> c = counting<float>(m * n);
    xp::matrix_view<float const> const A(a.data(), k, m), B(b.data(), k, n);
    xp::gemm(xp::omp, 2.f, A.transposed(), B, -1.f, xp::matrix_view<float>(c.data(), m, n));
    show("product", c);
  }
  {
    auto const batch = counting<float>(count * m * k);
    std::vector<float> c(count * m * n);
    xp::matrix_view<float const> const B(b.data(), k, n);  // for each matrix of the batch
    xp::gemm(xp::omp, xp::batch(batch.data(), count, m, k), B, xp::batch(c.data(), count, m, n));
    show("batched product", c);
  }
  {
    std::vector<std::int8_t> const a8(m * k, 100), b8(k * n, 3);
    std::vector<std::int32_t> c(m * n);
    xp::matrix_view<std::int8_t const> const A(a8.data(), m, k), B(b8.data(), k, n);
    xp::gemm(xp::omp, A, B, xp::matrix_view<std::int32_t>(c.data(), m, n));  // sums in int32
    show("product of int8", c);
  }
}

void scores_of_attention() {
  constexpr xp::index batches = 2, length = 5, heads = 3, depth = 4;
  auto const qs = counting<float>(batches * length * heads * depth);
  auto const ks = counting<float>(batches * length * heads * depth);
  std::vector<float> out(batches * heads * length * length);
  float const *q = qs.data(), *k = ks.data();
  float* s = out.data();
  // One batch of `heads` products; a head is a matrix whose rows lie heads * depth apart.
  xp::index const row = heads * depth;
  for (xp::index b = 0; b < batches; ++b) {
    xp::matrix_view<float const> const Q(q + b * length * row, length, depth, xp::row_major, row);
    xp::matrix_view<float const> const K(k + b * length * row, length, depth, xp::row_major, row);
    xp::gemm(xp::omp, xp::batch(Q, heads, depth), xp::batch(K, heads, depth).transposed(),
             xp::batch(s + b * heads * length * length, heads, length, length));
  }
  show("scores", out);
}

}  // namespace

int main() {
  moves();
  sums();
  products();
  scores_of_attention();
}
