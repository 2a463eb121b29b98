// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Tiles of gemm by AMX, the matrix units of x86 processors from Sapphire Rapids on: bytes with sums
// of int32, and bfloat16 with sums of float. A tile of C is 32 x 32. Panels are blocks of 16 units
// of four bytes along k: B's has 16 steps of 32 columns, as other kernels' panels, A's 32 rows of
// 16 units. A last block is completed by zeros.
//
// The units of bfloat16 take numbers below 2^-126 for zeros, operands, products and sums alike, and
// add the products of even and of odd k of a block apart.
#pragma once

#include <xpose/backends/omp/gemm/kernel/kernel.hpp>

// Compilers from GCC 11 and clang 12 on know the instructions.
#if defined(__x86_64__) && defined(__linux__) && \
    (__GNUC__ >= 11 || (defined(__clang__) && __clang_major__ >= 12))
#define XPOSE_HAS_AMX 1

namespace xpose {
inline namespace v0 {
namespace detail {

inline constexpr index amx_side = 32;      // of a tile of C
inline constexpr index amx_k_groups = 16;  // of a block along k
inline constexpr index amx_k_group_bytes = 4;

/// Whether the processor has the units and the system lets this process use them.
bool has_amx_bytes();
bool has_amx_bfloat16();

/// Around the products of a thread: the units are set up for these tiles, and released.
void configure_amx_tiles();
void release_amx_tiles();

void amx_microkernel_i8(microkernel_args const& job);
void amx_microkernel_u8(microkernel_args const& job);
void amx_microkernel_bfloat16(microkernel_args const& job);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
#endif
