// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A user's program: compiled headers, a template of the backends, and the version that the package
// says. Compiled with the user's own flags, which are none.

#include <xpose/xpose.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<float> in{1, 2, 3, 4, 5, 6};
  std::vector<float> out(6);
  std::vector<double> doubled(6);
  xpose::matrix_view<float const> const A(in.data(), 2, 3);
  xpose::transpose(xpose::omp, A, xpose::matrix_view<float>(out.data(), 3, 2));
  xpose::transpose(xpose::omp, A, xpose::matrix_view<double>(doubled.data(), 3, 2),
                   [](float x) { return 2.0 * x; });
  bool refused = false;
  try {
    xpose::transpose(xpose::seq, A, xpose::matrix_view<float>(out.data(), 2, 3));
  } catch (xpose::shape_error const&) {
    refused = true;  // thrown by the library, caught here: one type on both sides
  }
  bool const right = out == std::vector<float>{1, 4, 2, 5, 3, 6} &&
                     doubled == std::vector<double>{2, 8, 4, 10, 6, 12} && refused;
  std::printf("xpose %s: %s\n", XPOSE_VERSION, right ? "right" : "WRONG");
  return right ? 0 : 1;
}
