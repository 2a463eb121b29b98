// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "../product_checks.hpp"
#include "device_matrix.hpp"

#include <cstdlib>
#include <string>

namespace {

xp::mpi_policy on_devices() { return on_processes().with(xp::cuda); }

/// What a product of fitting blocks on all processes runs on; empty where neither engine is found.
xp::explanation explained(product_blocks blocks) {
  xp::process_grid const grid{context().size(), 1};
  auto a = operand<device_matrix, float>(5, 7, grid, lie::as_it_is, {}, 1, blocks.m, blocks.k);
  auto b = operand<device_matrix, float>(7, 9, grid, lie::as_it_is, {}, 2, blocks.k, blocks.n);
  auto c = operand<device_matrix, float>(5, 9, grid, lie::as_it_is, {}, 3, blocks.m, blocks.n);
  try {
    return xp::explain(on_devices(), xp::operation::gemm, a.view(), b.view(), c.view());
  } catch (xp::backend_error const& e) {
    CHECK(std::string(e.what()).find("gemm: no cuBLASMp: ") != std::string::npos);
    MESSAGE("no cuBLASMp and no ScaLAPACK here: products are left out");
    return {};
  }
}
bool has_engine() { return !explained(fitting).kernel.empty(); }

/// Whether there was an engine: cuBLASMp does not take every layout, and ScaLAPACK may be missing.
template <class T>
bool check_if_possible(product_shape shape, xp::process_grid grid, product_variant v,
                       product_blocks blocks) {
  try {
    check_product<device_matrix, T>(on_devices(), shape, grid, v, blocks);
    return true;
  } catch (xp::backend_error const& e) {
    std::string const text = e.what();
    bool const lacks_scalapack = text.find("gemm: no cuBLASMp: ") != std::string::npos &&
                                 text.find("none was found as") != std::string::npos;
    CAPTURE(text);
    CHECK(lacks_scalapack);
    return false;
  }
}

template <class T>
void check_products(product_blocks blocks) {
  int number = 0;
  int possible = 0;
  for (product_shape const& shape : shapes)
    for (xp::process_grid const& grid : grids())
      for (int repeat = 0; repeat < 2; ++repeat)
        possible += check_if_possible<T>(shape, grid, {number++}, blocks);
  CAPTURE(number - possible);
  CHECK((possible == number || !machine::can_share_devices()));
}

}  // namespace

TEST_SUITE_BEGIN("mpi.devices.products");

TEST_CASE("gemm on devices, of blocks that fit each other") {
  if (!has_engine()) return;
  check_products<float>(fitting);
  check_products<double>(fitting);
  check_products<std::complex<float>>(fitting);
  check_products<std::complex<double>>(fitting);
}

TEST_CASE("gemm on devices, of any blocks") {
  if (!has_engine()) return;
  check_products<float>({0, 0, 0});
  check_products<std::complex<double>>({0, 0, 0});
}

TEST_CASE("gemm on devices with alpha zero reads neither A nor B") {
  if (has_engine()) check_alpha_zero<device_matrix>(on_devices());
}

TEST_CASE("explain names the product's engine, and what is in the way of cuBLASMp") {
  xp::explanation const how = explained(fitting);
  if (how.kernel.empty()) return;
  CAPTURE(how.reason);
  if (how.kernel == "cublasMpGemm") {
    CHECK(how.reason.find("cublasmp") != std::string::npos);
    if (context().size() < 4) return;
    xp::process_grid const grid{2, 2};
    auto m = operand<device_matrix, float>(8, 8, grid, lie::as_it_is, {}, 1, 3, 2);
    auto c = operand<device_matrix, float>(8, 8, grid, lie::as_it_is, {}, 3, 3, 2);
    auto const other = xp::explain(on_devices(), xp::operation::gemm, m.view(), m.view(), c.view());
    CHECK(other.kernel == "psgemm");
    CHECK(other.reason.find("through memory of the host; not cuBLASMp: ") != std::string::npos);
  } else {
    CHECK(how.kernel == "psgemm");
    CHECK(how.reason.find("not cuBLASMp: ") != std::string::npos);
  }
}

TEST_CASE("a grid or a product that cuBLASMp refuses on one process") {
  if (!machine::can_share_devices() || context().size() < 2 || !has_engine()) return;
  for (char const* const way : {"grid", "gemm"}) {
    CAPTURE(way);
    xp::mpi_context const own(MPI_COMM_WORLD);
    auto const policy = xp::mpi(own).timeout(std::chrono::seconds(60)).with(xp::cuda);
    xp::process_grid const grid{context().size(), 1};
    setenv("XPOSE_CUBLASMP_DOUBLE", way, 1);
    if (std::string(way) == "grid") {
      check_product<device_matrix, float>(policy, {7, 9, 5}, grid, {0}, fitting);
    } else {
      std::string text;
      try {
        check_product<device_matrix, float>(policy, {7, 9, 5}, grid, {0}, fitting);
      } catch (xp::backend_error const& e) {
        text = e.what();
      }
      CHECK(text.find("gemm: cublasMpGemm: status 5") != std::string::npos);
    }
    setenv("XPOSE_CUBLASMP_DOUBLE", "", 1);
    check_product<device_matrix, float>(policy, {7, 9, 5}, grid, {0}, fitting);
  }
}

TEST_SUITE_END();
