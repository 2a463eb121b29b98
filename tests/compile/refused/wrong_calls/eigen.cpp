// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: for Eigen's matrices include xpose/eigen.hpp

#include <xpose/xpose.hpp>

#if __has_include(<eigen3/Eigen/Core>)
#include <eigen3/Eigen/Core>
#else
namespace Eigen {
struct MatrixXf {
  using Scalar = float;
  using value_type = float;
  enum { RowsAtCompileTime = -1, ColsAtCompileTime = -1 };
  MatrixXf const& derived() const;
  float const* data() const;
  long size() const;
};
}  // namespace Eigen
#endif

void call(Eigen::MatrixXf const& m, xpose::matrix_view<float> out) {
  xpose::transpose(xpose::omp, m, out);
}
