// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A bit copy to memory that no cache has, as across() unpacks its pinned blocks.
#pragma once

#include <xpose/backends/omp/transpose/simd/moves.hpp>
#include <xpose/detail/request.hpp>

namespace xpose::detail {

/// As omp_copy_bits; with store_mode::streamed whatever the size, so that the output is not read
/// into the caches first. Blocks of 8 MiB in the third-level cache go to memory at 26.6 GB/s with
/// one thread and 58.5 with two so, at 23.4 and 44.6 otherwise (AMD EPYC, 2026-11-26). Into such
/// blocks, which are in the cache, ordinary stores are faster: 25.8 and 51.1, 24.5 and 47.4.
void omp_copy_bits(execution const& where, tensor_operand const& in, tensor_operand const& out,
                   char* memory, store_mode mode);

}  // namespace xpose::detail
