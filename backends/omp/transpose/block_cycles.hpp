// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes a matrix of blocks of bytes within its memory, by the cycles of the permutation: what
// rectangles in place need between blocks (in_place_packed.cpp). A block is read and written once.
#pragma once

#include <xpose/config.hpp>

#include <cstdint>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Slots for blocks, `in_row` of them one after the other in every row. A row may end behind its
/// last slot: `row_bytes` from one row to the next.
struct block_slots {
  char* data;
  index rows;
  index in_row;
  index block_bytes;
  index row_bytes;

  index count() const { return rows * in_row; }
  char* at(index slot) const;
};

/// Slot j * in_row + k takes the block of slot k * rows + j; `gathers`: the other way round.
struct block_permutation {
  block_slots slots;
  bool gathers;

  /// Of the block that belongs in a slot.
  index source_of(index slot) const;
};

/// Memory of permute_blocks: two bits a block, and for each thread some blocks.
index permute_blocks_bytes(block_slots const& slots, int team);
/// Works on the threads of the team. `memory` is aligned to 64 bytes.
void permute_blocks(block_permutation const& p, int team, char* memory);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
