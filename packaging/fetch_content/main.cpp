// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The program that each package's test builds with the package, and runs.

#include <xpose/xpose.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<float> in = {1, 2, 3, 4, 5, 6};
  std::vector<float> out(6);
  xpose::transpose(xpose::omp, xpose::matrix_view<float const>(in.data(), 2, 3),
                   xpose::matrix_view<float>(out.data(), 3, 2));
  for (float x : out) std::printf("%g ", static_cast<double>(x));
  std::puts("");
  return out == std::vector<float>{1, 4, 2, 5, 3, 6} ? 0 : 1;
}
