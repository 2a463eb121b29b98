// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What every header needs first: the index type, the symbol export macro and the mark for functions
// that also run on a device.
#pragma once

#if __cplusplus < 201703L
#error xpose needs C++17: compile with -std=c++17 or later
#include <xpose/needs_cpp17>  // does not exist, so compilers stop here, before 1500 lines of errors
#endif

#include <xpose/export.hpp>
#include <xpose/version.hpp>

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#define XPOSE_HOST_DEVICE __host__ __device__
// Before a template for both sides that calls a user's code, which may exist on the host only: it
// is then used there only.
#define XPOSE_CALLS_USER_CODE _Pragma("nv_exec_check_disable")
#else
#define XPOSE_HOST_DEVICE
#define XPOSE_CALLS_USER_CODE
#endif

/// Everything public lives in `xpose`; the inline namespace carries the ABI version into symbol
/// names.
namespace xpose {
inline namespace v0 {

/// Extents and strides: 64-bit, signed, counted in elements.
using index = std::int64_t;

}  // namespace v0
}  // namespace xpose
