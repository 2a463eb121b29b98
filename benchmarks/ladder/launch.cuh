// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The one door to the device, and what a block takes there.
#pragma once

#include "cuda/check.hpp"
#include "ladder/kernels/tile_order.hpp"
#include "ladder/ladder.hpp"

namespace xpose::bench::ladder {

using word = std::uint32_t;

constexpr index most_blocks = 2147483647;  // of grid.x

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), index blocks, dim3 threads, std::size_t shared_bytes,
            void* stream, Arguments... arguments) {
  if (blocks == 0) return;
  if (blocks > most_blocks)
    throw std::runtime_error("a ladder kernel needs " + std::to_string(blocks) +
                             " blocks; a grid has at most " + std::to_string(most_blocks));
  kernel<<<static_cast<unsigned>(blocks), threads, shared_bytes,
           static_cast<cudaStream_t>(stream)>>>(arguments...);
  check(cudaGetLastError(), "launch of a ladder kernel");
}

template <class Kernel>
occupancy occupancy_of(Kernel kernel, dim3 threads, std::size_t dynamic_shared_bytes) {
  cudaFuncAttributes attributes{};
  auto const* const symbol = reinterpret_cast<void const*>(kernel);
  check(cudaFuncGetAttributes(&attributes, symbol), "cudaFuncGetAttributes");
  occupancy o;
  o.threads_in_block = static_cast<int>(threads.x * threads.y);
  o.registers = attributes.numRegs;
  o.shared_bytes = static_cast<int>(attributes.sharedSizeBytes + dynamic_shared_bytes);
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&o.blocks_on_multiprocessor, symbol,
                                                      o.threads_in_block, dynamic_shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return o;
}

}  // namespace xpose::bench::ladder
