// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose/linalg.hpp with the mdspans that this machine has: cuda::std's, Kokkos's and std's, in each
// of their layouts, and with the accessors and layout_transpose of cuda::std::linalg.

#include "matrices.hpp"

#include <xpose/linalg.hpp>

#include <doctest/doctest.h>

#if __has_include(<cuda/std/linalg>) && __has_include(<cuda/std/mdspan>)
#define HAS_CUDA_MDSPAN 1
#include <cuda/std/linalg>
#include <cuda/std/mdspan>
#endif
#if __has_include(<mdspan/mdspan.hpp>)
#define HAS_KOKKOS_MDSPAN 1
#include <mdspan/mdspan.hpp>
#endif
#if __cplusplus > 202002L && __has_include(<mdspan>)
#include <mdspan>
#endif

namespace {

namespace linalg = xpose::linalg;
using namespace linalg_tests;

/// Unused where no mdspan of others is found.
[[maybe_unused]] std::vector<double> numbers(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = number<double>(i);
  return values;
}

/// The elements of an mdspan; a vector is one column.
template <class M>
matrix<double> elements(M const& m) {
  bool const is_matrix = M::rank() == 2;
  auto const stride = [&](std::size_t d) { return static_cast<long>(m.stride(d)); };
  long const cols = is_matrix ? static_cast<long>(m.extent(M::rank() - 1)) : 1;
  return made_by<double>(static_cast<long>(m.extent(0)), cols, [&](long i, long j) {
    return m.data_handle()[i * stride(0) + j * (is_matrix ? stride(M::rank() - 1) : 0)];
  });
}

/// A is m x k and B k x n, both of any layout, C m x n, turned n x k;
/// x has k elements and y has m.
template <class A, class B, class C, class D, class X, class Y>
void every_name(A a, B b, C c, D turned, X x, Y y) {
  auto const product = elements(a) * elements(b);
  linalg::matrix_product(xpose::omp, a, b, c);
  CHECK(elements(c) == product);
  linalg::matrix_product(xpose::omp, linalg::transposed(b), linalg::transposed(a),
                         linalg::scaled(2, linalg::transposed(c)), linalg::transposed(c));
  CHECK(elements(c) == 3. * product);
  auto const of_x = elements(a) * elements(x);
  linalg::matrix_vector_product(xpose::omp, a, x, y);
  CHECK(elements(y) == of_x);
  linalg::matrix_vector_product(xpose::omp, linalg::scaled(-1, a), x, linalg::scaled(3, y), y);
  CHECK(elements(y) == 2. * of_x);
  linalg::add(xpose::omp, linalg::conjugated(y), linalg::scaled(0.5, y), y);
  CHECK(elements(y) == 3. * of_x);
  linalg::scale(xpose::omp, 2, y);
  CHECK(elements(y) == 6. * of_x);
  linalg::copy(xpose::omp, linalg::conjugate_transposed(b), turned);
  CHECK(elements(turned) == transposed(elements(b)));
}

// What the tests below have in common, with the names of one library; 3, 5 and 4 are m, k and n.
#define MDSPANS_OF(other, array)                                                           \
  auto a = numbers(15), b = numbers(20), c = numbers(40), d = numbers(20), x = numbers(5), \
       y = numbers(3);                                                                     \
  using extents = other::dextents<int, 2>;                                                 \
  using line = other::dextents<std::size_t, 1>;                                            \
  using strided = other::layout_stride::mapping<extents>;                                  \
  other::mdspan<double const, other::extents<unsigned, 3, 5>> const A(a.data());           \
  other::mdspan<double, extents, other::layout_left> const B(b.data(), 5, 4);              \
  other::mdspan<double, extents, other::layout_stride> const C(                            \
      c.data(), strided(extents(3, 4), array<int, 2>{2, 7}));                              \
  other::mdspan<double, extents> const D(d.data(), 4, 5);                                  \
  other::mdspan<double, line> const X(x.data(), 5);                                        \
  other::mdspan<double, line> const Y(y.data(), 3)

#if HAS_CUDA_MDSPAN
TEST_CASE("cuda::std's mdspans, its layout_transpose and its accessors") {
  MDSPANS_OF(cuda::std, cuda::std::array);
  every_name(A, B, C, D, X, Y);

  namespace views = cuda::std::linalg;
  using layout = views::layout_transpose<cuda::std::layout_right>;
  cuda::std::mdspan<double, extents> const rows(b.data(), 4, 5);
  cuda::std::mdspan<double, extents, layout> const turned(b.data(),
                                                          layout::mapping<extents>(rows.mapping()));
  every_name(A, turned, C, D, X, Y);

  linalg::matrix_product(xpose::omp, views::scaled(2., A), linalg::scaled(-1, views::conjugated(B)),
                         C);
  CHECK(elements(C) == -2. * (elements(A) * elements(B)));
  linalg::copy(xpose::omp, linalg::transposed(views::scaled(3., B)), D);
  CHECK(elements(D) == 3. * transposed(elements(B)));
}
#endif

#if HAS_KOKKOS_MDSPAN
TEST_CASE("Kokkos's mdspans") {
  MDSPANS_OF(Kokkos, std::array);
  every_name(A, B, C, D, X, Y);
}
#endif

#if defined(__cpp_lib_mdspan)
TEST_CASE("std's mdspans") {
  MDSPANS_OF(std, std::array);
  every_name(A, B, C, D, X, Y);
}
#endif

}  // namespace
