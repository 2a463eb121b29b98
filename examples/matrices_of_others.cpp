// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A matrix class of one's own on every policy, by one function, xpose_view, in the namespace of the
// class; and Eigen's matrices, where it is installed, by including xpose/eigen.hpp.

#include "managed_vector.hpp"  // a std::vector that a GPU reaches too

#include <xpose/xpose.hpp>

#include <cstdio>
#include <utility>

#if __has_include(<Eigen/Core>)
#include <xpose/eigen.hpp>
#endif

namespace xp = xpose;

namespace imaging {

// Rows begin at multiples of 16 elements.
class picture {
 public:
  picture(xp::index height, xp::index width)
      : height_(height),
        width_(width),
        pitch_((width + 15) / 16 * 16),
        pixels_(static_cast<std::size_t>(height * pitch_)) {}

  float& at(xp::index y, xp::index x) { return pixels_[static_cast<std::size_t>(y * pitch_ + x)]; }

  friend xp::matrix_view<float> xpose_view(picture& p) {
    return {p.pixels_.data(), p.height_, p.width_, xp::row_major, p.pitch_};
  }
  friend xp::matrix_view<float const> xpose_view(picture const& p) {
    return {p.pixels_.data(), p.height_, p.width_, xp::row_major, p.pitch_};
  }

 private:
  xp::index height_;
  xp::index width_;
  xp::index pitch_;
  managed_vector<float> pixels_;
};

}  // namespace imaging

#if __has_include(<Eigen/Core>)
// Products and transposes of Eigen's matrices, against Eigen's own. Their memory is the host's.
bool agrees_with_eigen() {
  using row_major_matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::MatrixXd const A = Eigen::MatrixXd::Random(40, 30);  // column-major
  row_major_matrix const B = row_major_matrix::Random(50, 30);
  Eigen::MatrixXd C(40, 50);
  xp::gemm(xp::omp, A, B.transpose(), C);

  double memory[60];
  Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>> strided(memory, 10, 5,
                                                               Eigen::OuterStride<>(12));
  xp::transpose(xp::omp, B.block(3, 4, 5, 10), strided);
  return C.isApprox(A * B.transpose()) && strided == B.block(3, 4, 5, 10).transpose();
}
#else
bool agrees_with_eigen() { return true; }
#endif

int main() {
  imaging::picture upright(300, 200);
  imaging::picture sideways(200, 300);
  for (xp::index y = 0; y < 300; ++y)
    for (xp::index x = 0; x < 200; ++x) upright.at(y, x) = static_cast<float>(1000 * y + x);

  xp::transpose(xp::cuda, std::as_const(upright), sideways);

  bool right = agrees_with_eigen();
  for (xp::index y = 0; y < 300; ++y)
    for (xp::index x = 0; x < 200; ++x) right = right && sideways.at(x, y) == upright.at(y, x);
  std::puts(right ? "the pictures and matrices are right" : "the results are wrong");
  return right ? 0 : 1;
}
