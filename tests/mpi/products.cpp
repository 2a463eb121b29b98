// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "product_checks.hpp"

#include <string>

namespace {

bool has_scalapack() {
  dist_matrix<float> m(xp::dist_layout::row_slabs(1, 1, context().size()), {});
  dist_matrix<float> c(xp::dist_layout::row_slabs(1, 1, context().size()), {});
  try {
    xp::explain(on_processes(), xp::operation::gemm, m.view(), m.view(), c.view());
    return true;
  } catch (xp::backend_error const& e) {
    CHECK(std::string(e.what()).find("ScaLAPACK") != std::string::npos);
    MESSAGE("no ScaLAPACK for this MPI: products are left out");
    return false;
  }
}

template <class T>
void check_products() {
  int number = 0;
  for (product_shape const& shape : shapes)
    for (xp::process_grid const& grid : grids())
      for (int repeat = 0; repeat < 2; ++repeat)
        check_product<dist_matrix, T>(on_processes(), shape, grid, {number++});
}

}  // namespace

TEST_SUITE_BEGIN("mpi.products");

TEST_CASE("gemm of float") {
  if (has_scalapack()) check_products<float>();
}
TEST_CASE("gemm of double") {
  if (has_scalapack()) check_products<double>();
}
TEST_CASE("gemm of complex float") {
  if (has_scalapack()) check_products<std::complex<float>>();
}
TEST_CASE("gemm of complex double") {
  if (has_scalapack()) check_products<std::complex<double>>();
}

TEST_CASE("gemm with alpha zero reads neither A nor B") {
  if (has_scalapack()) check_alpha_zero<dist_matrix>(on_processes());
}

TEST_CASE("explain names the p?gemm and where it was found") {
  if (!has_scalapack()) return;
  xp::process_grid const grid{1, context().size()};
  auto a = operand<dist_matrix, double>(7, 5, grid, lie::as_it_is, {}, 1);
  auto b = operand<dist_matrix, double>(5, 9, grid, lie::as_it_is, {}, 2);
  auto c = operand<dist_matrix, double>(7, 9, grid, lie::as_it_is, {}, 3);
  auto const how = xp::explain(on_processes(), xp::operation::gemm, a.view(), b.view(), c.view());
  CHECK(how.kernel == "pdgemm");
  CHECK(how.reason.find("scalapack") != std::string::npos);
}

TEST_SUITE_END();
