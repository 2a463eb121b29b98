// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a layer_epilogue's scale and bias have C's element type

#include <xpose/layer_epilogue.hpp>
#include <xpose/plan.hpp>

auto make(xpose::matrix_view<double const> a, xpose::matrix_view<double> c,
          xpose::matrix_view<float const> bias) {
  auto const layer = xpose::layer_epilogue<float>().bias(bias);
  return xpose::plan(xpose::omp, a, a, c, xpose::options().epilogue(layer));
}
