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

std::vector<ceiling> copy_ceilings(void*) { return {}; }

std::vector<ceiling> arithmetic_ceilings(void*, element_kind, bool) { return {}; }

index count_mismatches(transpose_case const&, bool, void const*, void const*, void*) { return 0; }

}  // namespace device
}  // namespace xpose::bench
