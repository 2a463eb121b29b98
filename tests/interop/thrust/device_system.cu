// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Under nvcc CUDA policies are there beside, whatever the device system is.

#include "device_system.hpp"

namespace {

TEST_CASE("thrust::cuda::par asks for cuda where the device system is another") {
  using traits = xpose::detail::policy_traits<std::decay_t<decltype(thrust::cuda::par)>>;
  CHECK(traits::make(thrust::cuda::par).backend == xpose::detail::backend_id::cuda);
}

}  // namespace
