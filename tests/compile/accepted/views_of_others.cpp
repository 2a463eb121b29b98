// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the refused mdspan_, dlpack_ and view_ files are near to: the command that refuses them
// accepts this one. In C++20 it has std::span too.

#include "interop/views_of_others/dlpack_structures.hpp"
#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/dlpack.hpp>
#include <xpose/mdspan.hpp>

#include <complex>
#include <vector>

#if __cplusplus >= 202002L
#include <span>
auto of_span(std::span<float const> numbers) { return xpose::view(std::span(numbers), 2, 3); }
#endif

using complex = std::complex<float>;

void call(alike::mdspan<complex, 2> const& in, alike::mdspan<complex, 2> const& out,
          alike::mdspan<int, 2> const& integers) {
  xpose::transpose(xpose::cuda, alike::conjugated(in), out);
  xpose::transpose(xpose::omp, alike::scaled(2.f, in), out);
  xpose::gemm(xpose::cuda, alike::scaled(2.f, in), alike::conjugated(in), out);
  xpose::add(xpose::cuda, 1, alike::scaled(2.f, in), 0, in, out);
  xpose::gemm(xpose::omp, alike::scaled(2, integers), integers, integers);
  xpose::tensor(in);
}

void permute(alike::mdspan<float, 3> const& in, alike::mdspan<float, 3> const& out) {
  xpose::permute(xpose::cuda, in, out, std::array<int, 3>{2, 1, 0});
}

auto of_tensor(DLTensor const& tensor) { return xpose::view<float>(tensor); }

auto of_vector(std::vector<float> const& numbers) { return xpose::view(numbers, 2, 3); }
