// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Microkernels with AMX tiles (x86, from Sapphire Rapids on): bytes accumulated in int32, bfloat16
// in float. MR = NR = 32. A tile register holds 16 rows of 64 bytes, that is 16 k-groups of four
// bytes of 16 rows of A, or 16 accumulators of 16 rows of C:
//
//                   tmm6  tmm7    B: a block is 16 k-groups of 32 columns, as in other panels
//            tmm4   tmm0  tmm1
//            tmm5   tmm2  tmm3    C
//   A: a block is 32 rows of 16 k-groups. Zeros complete a last block.
//
// AMX's bfloat16 takes numbers below 2^-126 for zeros, operands, products and sums alike, and adds
// the products of even and of odd k of a block apart.
#pragma once

#include <xpose/backends/omp/gemm/kernel/kernel.hpp>

// Compilers from GCC 11 and clang 12 on know the instructions.
#if defined(__x86_64__) && defined(__linux__) && \
    (__GNUC__ >= 11 || (defined(__clang__) && __clang_major__ >= 12))
#define XPOSE_HAS_AMX 1

namespace xpose {
inline namespace v0 {
namespace detail {

inline constexpr index amx_side = 32;      // MR and NR
inline constexpr index amx_k_groups = 16;  // of a block
inline constexpr index amx_k_group_bytes = 4;

/// Whether the processor has the instructions and the system lets this process use them.
bool has_amx_bytes();
bool has_amx_bfloat16();

/// Around the microkernels of a thread: loads the tile configuration (ldtilecfg); tilerelease.
void configure_amx_tiles();
void release_amx_tiles();

enum class amx_instruction { i8, u8, bf16 };
template <amx_instruction Product>
void amx_microkernel(microkernel_args const& args);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
#endif
