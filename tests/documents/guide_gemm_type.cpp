// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Multiplies by the GEMM type that docs/adding_a_kernel.md adds, int16 to int32, on each policy of
// the host, and compares with plain loops. perform_guide.py compiles it where the type has been
// added.

#include <xpose/xpose.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using xpose::index;

static_assert(
    xpose::detail::is_compiled_gemm<
        xpose::detail::gemm_types<std::int16_t, std::int16_t, std::int32_t, std::int64_t>>,
    "the guide adds int16 to int32 with accumulators of int64");

struct extents {
  index rows, cols, k;
};

std::vector<std::int16_t> numbers(index count, unsigned salt) {
  std::vector<std::int16_t> values;
  for (index i = 0; i < count; ++i)
    values.push_back(static_cast<std::int16_t>((static_cast<unsigned>(i) + salt) * 40503u >> 3));
  return values;
}

template <class Policy>
bool is_right(Policy const& policy, char const* name, extents const& e) {
  auto a = numbers(e.rows * e.k, 1), b = numbers(e.k * e.cols, 2);
  std::vector<std::int32_t> c(static_cast<std::size_t>(e.rows * e.cols));
  xpose::matrix_view<std::int16_t const> const A(a.data(), e.rows, e.k), B(b.data(), e.k, e.cols);
  xpose::matrix_view<std::int32_t> const C(c.data(), e.rows, e.cols);
  xpose::gemm(policy, A, B, C);
  for (index i = 0; i < e.rows; ++i)
    for (index j = 0; j < e.cols; ++j) {
      std::int64_t sum = 0;
      for (index k = 0; k < e.k; ++k) sum += std::int64_t{A(i, k)} * B(k, j);
      if (C(i, j) != static_cast<std::int32_t>(sum)) {
        std::printf("%s: %td x %td x %td: element (%td, %td) is wrong\n", name, e.rows, e.cols, e.k,
                    i, j);
        return false;
      }
    }
  return true;
}

}  // namespace

int main() {
  bool is = true;
  for (extents const& e : {extents{1, 1, 1},
                           {5, 7, 3},
                           {64, 48, 33},
                           {1, 65, 129},
                           {129, 1, 64},
                           {127, 131, 257},
                           {3, 200, 1025}})
    is = is_right(xpose::reference, "reference", e) && is_right(xpose::seq, "seq", e) &&
         is_right(xpose::omp, "omp", e) && is;
  std::vector<std::int16_t> a(64 * 64, -3);
  std::vector<std::int32_t> c(64 * 64);
  xpose::matrix_view<std::int16_t const> const A(a.data(), 64, 64);
  std::string const kernel = xpose::explain(xpose::omp, xpose::operation::gemm, A, A,
                                            xpose::matrix_view<std::int32_t>(c.data(), 64, 64))
                                 .kernel;
  std::printf("omp multiplies int16 by %s\n", kernel.c_str());
  return is && kernel == "gemm_i16" ? 0 : 1;
}
