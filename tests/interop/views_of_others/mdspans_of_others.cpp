// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Views of the mdspans that this machine has: cuda::std's in a build with CUDA, Kokkos's and std's
// where found.

#include <xpose/mdspan.hpp>

#include <doctest/doctest.h>

#include <array>
#include <vector>

#if __has_include(<cuda/std/linalg>) && __has_include(<cuda/std/mdspan>)
#define HAS_CUDA_MDSPAN 1
#include <cuda/std/linalg>
#include <cuda/std/mdspan>
#include <xpose/cuda_complex.hpp>
#endif
#if __has_include(<mdspan/mdspan.hpp>)
#define HAS_KOKKOS_MDSPAN 1
#include <mdspan/mdspan.hpp>
#endif
#if defined(__has_include) && __cplusplus > 202002L && __has_include(<mdspan>)
#include <mdspan>
#endif

namespace {

using layout = std::array<xpose::index, 4>;

template <class T>
layout layout_of(xpose::matrix_view<T> v) {
  return {v.rows(), v.cols(), v.row_stride(), v.col_stride()};
}

/// The three layouts that every mdspan has, with static and dynamic extents.
template <class Right, class Left, class Stride, class Static>
void views_of_every_layout(Right const& right, Left const& left, Stride const& stride,
                           Static const& with_static_extents) {
  CHECK(layout_of(xpose::view(right)) == layout{2, 3, 3, 1});
  CHECK(layout_of(xpose::view(left)) == layout{2, 3, 1, 2});
  CHECK(layout_of(xpose::view(stride)) == layout{2, 3, 7, 2});
  auto const v = xpose::view(with_static_extents);
  static_assert(std::is_same_v<decltype(v), xpose::matrix_view<double const> const>);
  CHECK(layout_of(v) == layout{2, 3, 3, 1});
  CHECK(v.data() == with_static_extents.data_handle());
}

#if HAS_CUDA_MDSPAN
TEST_CASE("views of cuda::std::mdspan in each of its layouts") {
  namespace other = cuda::std;
  std::vector<double> memory(40);
  double* const p = memory.data();
  using extents = other::dextents<int, 2>;
  views_of_every_layout(
      other::mdspan<double, extents>(p, 2, 3),
      other::mdspan<double, extents, other::layout_left>(p, 2, 3),
      other::mdspan<double, extents, other::layout_stride>(
          p, other::layout_stride::mapping<extents>(extents(2, 3), other::array<int, 2>{7, 2})),
      other::mdspan<double const, other::extents<unsigned, 2, 3>>(p));
}

TEST_CASE("scaled and conjugated mdspans of cuda::std::linalg are read so") {
  namespace other = cuda::std;
  using number = other::complex<double>;
  using matrix = other::mdspan<number, other::dextents<long, 2>>;
  std::vector<number> memory{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}};
  std::vector<number> out(6), square(4);
  number const factor{0, 2};
  auto const read = [&](int i, int j) {
    return other::conj(factor * memory[static_cast<std::size_t>(3 * i + j)]);
  };
  auto const a =
      other::linalg::conjugated(other::linalg::scaled(factor, matrix(memory.data(), 2, 3)));
  xpose::transpose(xpose::omp, a, matrix(out.data(), 3, 2));
  CHECK(out == std::vector<number>{read(0, 0), read(1, 0), read(0, 1), read(1, 1), read(0, 2),
                                   read(1, 2)});
  xpose::gemm(xpose::omp, a, other::linalg::transposed(a), matrix(square.data(), 2, 2));
  CHECK(square[1] == read(0, 0) * read(1, 0) + read(0, 1) * read(1, 1) + read(0, 2) * read(1, 2));
}
#endif

#if HAS_KOKKOS_MDSPAN
TEST_CASE("views of Kokkos's mdspan in each of its layouts, padded ones too") {
  namespace other = Kokkos;
  std::vector<double> memory(40);
  double* const p = memory.data();
  using extents = other::dextents<int, 2>;
  views_of_every_layout(
      other::mdspan<double, extents>(p, 2, 3),
      other::mdspan<double, extents, other::layout_left>(p, 2, 3),
      other::mdspan<double, extents, other::layout_stride>(
          p, other::layout_stride::mapping<extents>(extents(2, 3), std::array<int, 2>{7, 2})),
      other::mdspan<double const, other::extents<unsigned, 2, 3>>(p));
  using left = other::Experimental::layout_left_padded<>::mapping<extents>;
  using right = other::Experimental::layout_right_padded<>::mapping<extents>;
  CHECK(layout_of(
            xpose::view(other::mdspan<double, extents, other::Experimental::layout_left_padded<>>(
                p, left(extents(2, 3), 8)))) == layout{2, 3, 1, 8});
  CHECK(layout_of(
            xpose::view(other::mdspan<double, extents, other::Experimental::layout_right_padded<>>(
                p, right(extents(2, 3), 4)))) == layout{2, 3, 4, 1});
}
#endif

#if defined(__cpp_lib_mdspan)
TEST_CASE("views of std::mdspan in each of its layouts") {
  std::vector<double> memory(40);
  double* const p = memory.data();
  using extents = std::dextents<int, 2>;
  views_of_every_layout(
      std::mdspan<double, extents>(p, 2, 3),
      std::mdspan<double, extents, std::layout_left>(p, 2, 3),
      std::mdspan<double, extents, std::layout_stride>(
          p, std::layout_stride::mapping<extents>(extents(2, 3), std::array<int, 2>{7, 2})),
      std::mdspan<double const, std::extents<unsigned, 2, 3>>(p));
}
#endif

}  // namespace
