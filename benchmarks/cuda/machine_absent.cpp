// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A build without CUDA.

#include "ceilings/ceilings.hpp"
#include "verify/verify.hpp"

#include <stdexcept>

namespace xpose::bench {

std::unique_ptr<machine> make_cuda_machine() {
  throw std::runtime_error("this build has no CUDA backend (configure with -DXPOSE_CUDA=ON)");
}

namespace device {

std::vector<copy_ceiling> copy_ceilings(void*) { return {}; }

std::vector<arithmetic_ceiling> arithmetic_ceilings(void*, gemm_type const&) { return {}; }

std::vector<sum_ceiling> sum_ceilings(void*) { return {}; }

void read_operands(void*, std::array<read_only_memory, 3> const&) {}

index count_mismatches(transpose_case const&, bool, void const*, void const*, void*) { return 0; }

}  // namespace device
}  // namespace xpose::bench
