// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copies through a named function that read integers of 1 and 2 bytes.

#include <xpose/backends/cuda/elementwise/instances/functions.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

template void cuda_run_functions<functions_of::short_integers>(execution const&,
                                                               copy_request const&);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
