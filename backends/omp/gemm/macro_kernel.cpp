// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/gemm/loops.hpp>

#include <cstdlib>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

panel_source source_of(loop_context const& loops, gemm_operand const& o, index batch, range width,
                       range k_groups) {
  index const k_begin = loops.k_of(k_groups.first);
  return {
      address_of(o, batch, width.first, k_begin), o.step,       o.k_step,          width.count(),
      loops.k_of(k_groups.end) - k_begin,         o.conjugated, loops.call.problem};
}

/// pack(panel, k-groups) for each panel; a few k-groups of each at a time where it is their width
/// that is contiguous.
template <class Pack>
void pack_panels(gemm_operand const& o, range panels, range k_groups, Pack const& pack) {
  bool const is_wide = std::abs(o.step) < std::abs(o.k_step) && panels.count() > 1;
  index const at_once = is_wide ? gemm_tuning.k_groups_side_by_side : k_groups.count();
  for (index first = k_groups.first; first < k_groups.end; first += at_once)
    for (index panel = panels.first; panel < panels.end; ++panel)
      pack(panel, range{first, std::min(k_groups.end, first + at_once)});
}

/// Of panels that are packed side by side.
template <class Pack>
void for_each_group(range panels, Pack const& pack) {
  index const most = gemm_tuning.panels_side_by_side;
  for (index first = panels.first; first < panels.end; first += most)
    pack(range{first, std::min(panels.end, first + most)});
}

}  // namespace

void pack_a(loop_context const& loops, gemm_block const& block, range panels, char* to) {
  gemm_kernel const& kernel = loops.kernel;
  pack_panels(loops.call.a, panels, block.k_groups, [&](index panel, range k_groups) {
    kernel.pack_a(source_of(loops, loops.call.a, block.batch, loops.rows_of(panel), k_groups),
                  to + (panel - panels.first) * loops.a_panel_bytes +
                      (k_groups.first - block.k_groups.first) * kernel.a_step);
  });
}

void pack_b(loop_context const& loops, gemm_block const& block, range panels, char* to) {
  gemm_kernel const& kernel = loops.kernel;
  pack_panels(loops.call.b, panels, block.k_groups, [&](index panel, range k_groups) {
    kernel.pack_b(source_of(loops, loops.call.b, block.batch, loops.cols_of(panel), k_groups),
                  to + (panel - panels.first) * loops.b_panel_bytes + kernel.b_header +
                      (k_groups.first - block.k_groups.first) * kernel.b_step);
  });
  if (kernel.finish_b_panel != nullptr)
    for (index panel = 0; panel < panels.count(); ++panel)
      kernel.finish_b_panel(to + panel * loops.b_panel_bytes, block.k_groups.count());
}

/// A's panels and then B's, each thread as nearly the same width of both as panels allow: in groups
/// of eight panels, 1024x1024x1024 of f32 had 15 unequal ones for 16 threads.
void pack_shared(loop_context const& loops, gemm_block const& block, block_memory const& memory) {
  gemm_kernel const& kernel = loops.kernel;
  index const a_panels = memory.a_is_shared ? block.rows.count() : 0;
  index const b_panels = memory.b_is_shared ? block.cols.count() : 0;
  if (a_panels + b_panels == 0) return;
  index const a_width = a_panels * kernel.mr;
  auto const shares = even_parts::of(a_width + b_panels * kernel.nr, loops.blocking.threads);
  auto const first_panel_from = [&](index width) {
    return width < a_width ? ceil_div(width, kernel.mr)
                           : a_panels + ceil_div(width - a_width, kernel.nr);
  };
  loops.for_each(loops.blocking.threads, [&](index thread) {
    range const own{first_panel_from(shares.begin(thread)),
                    first_panel_from(shares.begin(thread + 1))};
    for_each_group({own.first, std::min(own.end, a_panels)}, [&](range some) {
      pack_a(loops, block, {block.rows.first + some.first, block.rows.first + some.end},
             memory.a + some.first * loops.a_panel_bytes);
    });
    for_each_group({std::max<index>(0, own.first - a_panels), own.end - a_panels}, [&](range some) {
      pack_b(loops, block, {block.cols.first + some.first, block.cols.first + some.end},
             memory.b + some.first * loops.b_panel_bytes);
    });
  });
}

void multiply_row_panel(loop_context const& loops, gemm_block const& block, range cols,
                        row_panel const& row) {
  gemm_call const& call = loops.call;
  gemm_kernel const& kernel = loops.kernel;
  gemm_blocking const& blocking = loops.blocking;
  range const rows = loops.rows_of(row.number);
  index const k_group = block.k_groups.first;
  index const first_col = cols.first * kernel.nr;

  // Not copied for each tile: a load wider than the stores before it waits for them, which took 2 %
  // of 256x256x256.
  microkernel_args args{};
  args.k_groups = block.k_groups.count();
  args.rows = rows.count();
  args.continues = !block.is_first;
  args.is_split_k = blocking.split_k > 1;
  args.context = call.problem;
  args.a_next = row.a_next;
  args.a = row.a;
  if (blocking.a_in_place) {
    args.a = address_of(call.a, block.batch, rows.first, k_group);
    args.a_row_step = call.a.step;
  }
  char const* b = row.b;
  index b_panel_step = loops.b_panel_bytes;
  args.b_k_step = kernel.b_step;
  if (blocking.b_in_place) {
    b = address_of(call.b, block.batch, first_col, k_group);
    b_panel_step = kernel.nr * call.b.step;
    args.b_k_step = call.b.k_step;
  }
  char* tiles = row.tiles;
  index tile_step = row.tile_step;
  args.accumulators_pitch = loops.tile_pitch();
  if (blocking.accumulates_in_c) {
    tiles = call.c + block.batch * call.c_batch_step + rows.first * call.c_row_step +
            first_col * call.c_col_step;
    tile_step = kernel.nr * call.c_col_step;
    args.accumulators_pitch = call.c_row_step;
  }
  bool const writes_back =
      block.is_last && !(blocking.accumulates_in_c && call.c_needs_no_epilogue);
  for (index c = cols.first; c < cols.end; ++c, args.a_next = nullptr) {
    args.cols = loops.cols_of(c).count();
    args.b = b + (c - cols.first) * b_panel_step;
    args.accumulators = tiles + (c - cols.first) * tile_step;
    kernel.microkernel(args);
    if (!writes_back) continue;
    write_back(loops, block.batch, row.number, c, args.accumulators, args.accumulators_pitch);
    restore_tiles(loops);
  }
}

index macro_kernel_bytes(loop_context const& loops, block_layout const& layout, index cols) {
  index const b_panels = std::min(cols, loops.blocking.col_panels_in_l2);
  return (loops.packs_own_a(layout) ? loops.a_panel_bytes : 0) +
         (loops.packs_own_b(layout) ? b_panels * loops.b_panel_bytes : 0) + loops.tile_bytes;
}

void macro_kernel(loop_context const& loops, gemm_block const& block, block_memory const& memory,
                  range rows, range cols, char* own) {
  gemm_blocking const& blocking = loops.blocking;
  bool const packs_a = loops.packs_own_a(memory);
  bool const packs_b = loops.packs_own_b(memory);
  index const cols_at_once = std::min(cols.count(), blocking.col_panels_in_l2);
  objects_in_use const objects(loops.kernel, own, macro_kernel_bytes(loops, memory, cols.count()));
  char* const own_b = own + (packs_a ? loops.a_panel_bytes : 0);
  char* const tile = own_b + (packs_b ? cols_at_once * loops.b_panel_bytes : 0);
  tiles_in_use const in_use(loops.kernel, blocking.threads > 1);

  for (index first = cols.first; first < cols.end; first += cols_at_once) {
    range const here{first, std::min(cols.end, first + cols_at_once)};
    index const col_in_block = first - block.cols.first;
    if (packs_b) pack_b(loops, block, here, own_b);
    for (index r = rows.first; r < rows.end; ++r) {
      index const row_in_block = r - block.rows.first;
      if (packs_a) pack_a(loops, block, {r, r + 1}, own);
      row_panel row{r,
                    packs_a ? own : memory.a + row_in_block * loops.a_panel_bytes,
                    packs_b ? own_b : memory.b + col_in_block * loops.b_panel_bytes,
                    tile,
                    0,
                    nullptr};
      if (blocking.accumulates_in_workspace) {
        row.tiles =
            memory.c + (row_in_block * block.cols.count() + col_in_block) * loops.tile_bytes;
        row.tile_step = loops.tile_bytes;
      }
      if (blocking.prefetches_a && r + 1 < rows.end)
        row.a_next =
            address_of(loops.call.a, block.batch, loops.rows_of(r + 1).first, block.k_groups.first);
      else if (blocking.prefetches_a && block.k_groups.end < blocking.k_group_count)
        row.a_next = address_of(loops.call.a, block.batch, loops.rows_of(rows.first).first,
                                block.k_groups.end);
      multiply_row_panel(loops, block, here, row);
    }
  }
}

void macro_kernel_in_place(loop_context const& loops, index batch, char*) {
  gemm_block const all =
      loops.block_of(batch, {0, loops.blocking.row_panels}, {0, loops.blocking.col_panels}, 0);
  for (index r = 0; r < all.rows.end; ++r)
    multiply_row_panel(loops, all, all.cols, {r, nullptr, nullptr, nullptr, 0, nullptr});
}

void write_back(loop_context const& loops, index batch, index r, index c, char const* accumulators,
                index pitch) {
  gemm_call const& call = loops.call;
  range const rows = loops.rows_of(r);
  range const cols = loops.cols_of(c);
  index const step = loops.kernel.accumulator_bytes;
  if (call.is_transposed)
    call.epilogue(call.problem, {batch, cols.first, rows.first, cols.count(), rows.count(),
                                 accumulators, step, pitch});
  else
    call.epilogue(call.problem, {batch, rows.first, cols.first, rows.count(), cols.count(),
                                 accumulators, pitch, step});
}

void restore_tiles(loop_context const& loops) {
  if (loops.call.epilogue_is_user_code && loops.kernel.configure_tiles != nullptr)
    loops.kernel.configure_tiles();
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
