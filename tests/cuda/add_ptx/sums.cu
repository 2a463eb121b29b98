// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Kernels of add for check_stores.py, which reads their PTX.

#include <xpose/backends/cuda/add/driver.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

template void cuda_add(execution const&, add_problem<float, float, float, float> const&);
template void cuda_add(execution const&, add_problem<double, double, double, double> const&);
template void cuda_add(execution const&, add_problem<std::int16_t, std::int16_t, std::int16_t,
                                                     std::int16_t> const&);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
