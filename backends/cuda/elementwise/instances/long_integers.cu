// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copies through a named function that read integers of 4 and 8 bytes.

#include <xpose/backends/cuda/elementwise/instances/functions.cuh>

template void xpose::detail::cuda_run_functions<xpose::detail::functions_of::long_integers>(
    xpose::detail::execution const&, xpose::detail::copy_request const&);
