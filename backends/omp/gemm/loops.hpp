// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The loops around the microkernel, and what all of them share. In BLIS's words, outermost first:
//
//   for NC columns of C                loops.cpp
//     for MC rows of C                 loops.cpp
//       for KC elements of k           loops.cpp, packs A and B
//         for each MR rows             macro_kernel.cpp
//           for each NR columns        macro_kernel.cpp
//             microkernel: C(MR x NR) += A(MR x KC) B(KC x NR), one micro-panel of each
//
// BLIS has KC outside MC. Here all k of a block of C comes before the next block.
#pragma once

#include <xpose/backends/omp/gemm/blocking.hpp>
#include <xpose/backends/omp/runtime/team.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {

/// How the micro-panels of A, or of B, are packed.
struct panel_format {
  gemm_operand const& operand;
  even_parts widths;  // at most MR rows, or NR columns
  index extent;       // all rows of C, or columns
  void (*pack)(panel_source const& source, char* panel);
  void (*finish)(char* panel, index k_groups);  // or null
  index header_bytes;
  index k_group_bytes;
  index bytes;  // of a panel

  /// Rows, or columns, of C.
  range width_of(index panel) const {
    return {widths.begin(panel), std::min(extent, widths.begin(panel + 1))};
  }
  /// Element (i, p).
  char const* address_of(index batch, index i, index p) const {
    return operand.data + batch * operand.batch_step + i * operand.step + p * operand.k_step;
  }
};

/// A block of C and of k: micro-panels of rows and columns, k-groups.
struct gemm_block {
  index batch;
  range rows;
  range cols;
  range k_groups;
  bool is_first;  // along k
  bool is_last;
};

/// How threads share a block, and the bytes of what they share: packed panels, tiles of
/// accumulators.
struct block_layout {
  thread_grid grid;
  bool a_is_shared;  // packed by all threads for all; otherwise each packs what it needs when it
  bool b_is_shared;  // needs it, and uses it while it is in its caches
  index a_bytes;
  index b_bytes;
  index c_bytes;
};
struct block_memory {
  block_layout const& layout;
  char* a;
  char* b;
  char* c;
};

/// One call and its blocking.
struct loop_context {
  loop_context(gemm_call const& call, gemm_blocking const& blocking, int threads);

  gemm_call const& call;
  gemm_kernel const& kernel;
  gemm_blocking const& blocking;
  int team;  // of which blocking.threads have something to do
  panel_format a;
  panel_format b;
  index tile_bytes;  // of an MR x NR tile of accumulators
  /// The loop nest that the blocking asks for, of one matrix of the batch.
  void (*run)(loop_context const& loops, index batch, char* memory);
  index shared_bytes = 0;      // of the memory of run, for all threads
  index own_bytes = 0;         // and for each
  block_layout layouts[2][2];  // of blocks of full and of lesser height, and width

  index workspace_bytes() const { return shared_bytes + blocking.threads * own_bytes; }

  range k_groups_of(index k_block) const {
    return {blocking.k_groups.begin(k_block), blocking.k_groups.begin(k_block + 1)};
  }
  gemm_block block_of(index batch, range rows, range cols, index k_block) const {
    return {
        batch, rows, cols, k_groups_of(k_block), k_block == 0, k_block + 1 == blocking.k_blocks};
  }
  /// From row to row of accumulators that are not in C.
  index tile_pitch() const { return kernel.nr * kernel.accumulator_bytes; }

  bool packs_own_a(block_layout const& l) const { return !blocking.a_in_place && !l.a_is_shared; }
  bool packs_own_b(block_layout const& l) const { return !blocking.b_in_place && !l.b_is_shared; }
};

/// AMX needs its tiles configured while a thread multiplies: all products of a call, where a single
/// thread multiplies them (configured for each of 1000 of 32x32x32 of bfloat16: half of their
/// time).
class tiles_in_use {
 public:
  tiles_in_use(gemm_kernel const& kernel, bool is_used)
      : release_(is_used ? kernel.release_tiles : nullptr) {
    if (release_ != nullptr) kernel.configure_tiles();
  }
  tiles_in_use(tiles_in_use const&) = delete;
  ~tiles_in_use() {
    if (release_ != nullptr) release_();
  }

 private:
  void (*const release_)();
};

/// Accumulators that are objects live in panels only while these are used: memory that lasts for
/// the whole call holds them for one block. Built-in types need neither constructor nor destructor.
class objects_in_use {
 public:
  objects_in_use(gemm_kernel const& kernel, char* memory, index bytes)
      : kernel_(kernel),
        memory_(memory),
        count_(kernel.construct != nullptr ? bytes / kernel.accumulator_bytes : 0) {
    if (count_ != 0) kernel.construct(memory, count_);
  }
  ~objects_in_use() {
    if (count_ != 0) kernel_.destroy(memory_, count_);
  }
  objects_in_use(objects_in_use const&) = delete;

 private:
  gemm_kernel const& kernel_;
  char* memory_;
  index count_;
};

/// From row to row of a panel of A with blocking.a_by_rows.
constexpr index pitch_of_packed_rows(gemm_kernel const& kernel) {
  return gemm_tuning.skinny_kc * kernel.in_place_bytes;
}
/// Packs panels, with the block's k, one behind the other.
void pack(loop_context const& loops, panel_format const& format, gemm_block const& block,
          range panels, char* to);
/// What the layout shares of a block, by all threads.
void pack_shared(loop_context const& loops, gemm_block const& block, block_memory const& memory);

/// Panels `rows` of A times panels `cols` of B over the block's k, by one thread, which packs what
/// is not shared. `own` has macro_kernel_bytes().
void macro_kernel(loop_context const& loops, gemm_block const& block, block_memory const& memory,
                  range rows, range cols, char* own);
index macro_kernel_bytes(loop_context const& loops, block_layout const& layout, index cols);

/// The same with nothing to pack and nothing to keep: what the general loops do for that costs
/// small matrices as much as the multiplication.
void macro_kernel_in_place(loop_context const& loops, index batch, char* memory);

/// What the microkernel works on, of one row panel.
struct row_panel {
  index number;
  char const* a;       // packed; unused where A is read in place
  char const* b;       // the packed panels of the columns; unused where B is read in place
  char* tiles;         // of the columns, in the workspace; or one tile; unused where C holds them
  char const* a_next;  // to be prefetched, or null
};
/// One row panel of A times panels `cols` of B: the innermost loop around the microkernel.
void multiply_row_panel(loop_context const& loops, gemm_block const& block, range cols,
                        row_panel const& row);

/// Tile (r, c) of C from its accumulators, `pitch` bytes from row to row.
void write_back(loop_context const& loops, index batch, index r, index c, char const* accumulators,
                index pitch);
/// After what a function of the user may have done to AMX: calling conventions keep neither its
/// tiles, of which none is needed here, nor their configuration. Where the kernel is in use.
void restore_tiles(loop_context const& loops);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
