// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "../../../mpi/cublasmp.hpp"

#include <doctest/doctest.h>

using namespace xpose::detail;

TEST_SUITE_BEGIN("mpi.devices.products");

TEST_CASE("cuBLASMp before 0.10 is not used, and the message says why") {
  cublasmp_functions const* const found = find_cublasmp();
  REQUIRE(found != nullptr);
  cublasmp_functions old = *found;
  CHECK(old.is_complete());
  old.version = 905;
  CHECK_FALSE(old.is_complete());
  CHECK(why_incomplete(old) == "is of version 0.9; 0.10 corrects wrong products");
  old.version = 10000;
  CHECK(old.is_complete());
  old.gemm = nullptr;
  CHECK(why_incomplete(old) == "lacks functions");
}

TEST_SUITE_END();
