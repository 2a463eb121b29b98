// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/gemm/loops.hpp>

#include <algorithm>
#include <cstdlib>

namespace xpose {
inline namespace v0 {
namespace detail {

namespace {

/// Prefetches the rows of panels that are next to each other in these, each row in one piece:
/// packing takes a few elements of each, which the hardware's prefetch does not foresee. It does
/// foresee longer pieces, and of elements far apart most of a piece is not wanted.
void prefetch_rows(panel_format const& format, index batch, range panels, range k) {
  range const first = format.width_of(panels.first);
  range const last = format.width_of(panels.end - 1);
  index const step = format.operand.step;
  index const bytes = (last.end - first.first) * std::abs(step);
  if (std::abs(step) > 64 || bytes > gemm_tuning.own_row_bytes) return;
  for (index p = k.first; p < k.end; ++p) {
    char const* const row = format.address_of(batch, step < 0 ? last.end - 1 : first.first, p);
    for (index byte = 0; byte < bytes; byte += 64) __builtin_prefetch(row + byte);
    __builtin_prefetch(row + bytes - 1);
  }
}

}  // namespace

void pack(loop_context const& loops, panel_format const& format, gemm_block const& block,
          range panels, char* to) {
  gemm_operand const& o = format.operand;
  auto const k_of = [&](index k_group) {
    return std::min(loops.call.k_extent, k_group * loops.kernel.k_group_size);
  };
  // Where the panels' width is contiguous: a few k-groups of each panel at a time.
  bool const is_wide = std::abs(o.step) < std::abs(o.k_step) && panels.count() > 1;
  index const at_once = is_wide ? gemm_tuning.k_groups_side_by_side : block.k_groups.count();
  for (index g = block.k_groups.first; g < block.k_groups.end; g += at_once) {
    range const k{k_of(g), k_of(std::min(block.k_groups.end, g + at_once))};
    if (is_wide) prefetch_rows(format, block.batch, panels, k);
    for (index panel = panels.first; panel < panels.end; ++panel) {
      range const width = format.width_of(panel);
      format.pack({format.address_of(block.batch, width.first, k.first), o.step, o.k_step,
                   width.count(), k.count(), o.conjugated, loops.call.problem},
                  to + (panel - panels.first) * format.bytes + format.header_bytes +
                      (g - block.k_groups.first) * format.k_group_bytes);
    }
  }
  if (format.finish == nullptr) return;
  for (index panel = 0; panel < panels.count(); ++panel)
    format.finish(to + panel * format.bytes, block.k_groups.count());
}

/// A's panels and then B's, each thread as nearly the same width of both as panels allow: in groups
/// of eight panels, 1024x1024x1024 of f32 had 15 unequal ones for 16 threads.
void pack_shared(loop_context const& loops, gemm_block const& block, block_memory const& memory) {
  gemm_kernel const& kernel = loops.kernel;
  index const a_panels = memory.layout.a_is_shared ? block.rows.count() : 0;
  index const b_panels = memory.layout.b_is_shared ? block.cols.count() : 0;
  if (a_panels + b_panels == 0) return;
  index const a_width = a_panels * kernel.mr;
  auto const shares = even_parts::of(a_width + b_panels * kernel.nr, loops.blocking.threads);
  auto const first_panel_from = [&](index width) {
    return width < a_width ? ceil_div(width, kernel.mr)
                           : a_panels + ceil_div(width - a_width, kernel.nr);
  };
  auto const pack_groups = [&](panel_format const& format, range panels, index first, char* to) {
    index const most = gemm_tuning.panels_side_by_side;
    for (index p = panels.first; p < panels.end; p += most)
      pack(loops, format, block, {first + p, first + std::min(panels.end, p + most)},
           to + p * format.bytes);
  };
  parallel_for(loops.team, loops.blocking.threads, [&](index thread) {
    index const begin = first_panel_from(shares.begin(thread));
    index const end = first_panel_from(shares.begin(thread + 1));
    pack_groups(loops.a, {begin, std::min(end, a_panels)}, block.rows.first, memory.a);
    pack_groups(loops.b, {std::max<index>(0, begin - a_panels), end - a_panels}, block.cols.first,
                memory.b);
  });
}

void multiply_row_panel(loop_context const& loops, gemm_block const& block, range cols,
                        row_panel const& row) {
  gemm_call const& call = loops.call;
  gemm_kernel const& kernel = loops.kernel;
  gemm_blocking const& blocking = loops.blocking;
  range const rows = loops.a.width_of(row.number);
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
  if (blocking.a_by_rows) args.a_row_step = pitch_of_packed_rows(kernel);
  if (blocking.a_in_place) {
    args.a = loops.a.address_of(block.batch, rows.first, k_group);
    args.a_row_step = call.a.step;
  }
  char const* b = row.b + kernel.b_header;
  index b_panel_step = loops.b.bytes;
  args.b_k_step = kernel.b_step;
  if (blocking.b_in_place) {
    b = loops.b.address_of(block.batch, first_col, k_group);
    b_panel_step = kernel.nr * call.b.step;
    args.b_k_step = call.b.k_step;
  }
  char* tiles = row.tiles;
  index tile_step = blocking.accumulates_in_workspace ? loops.tile_bytes : 0;
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
    args.cols = loops.b.width_of(c).count();
    args.b = b + (c - cols.first) * b_panel_step;
    args.accumulators = tiles + (c - cols.first) * tile_step;
    kernel.microkernel(args);
    if (!writes_back) continue;
    write_back(loops, block.batch, row.number, c, args.accumulators, args.accumulators_pitch);
    restore_tiles(loops);
  }
}

/// Row panels that a thread packs for itself at a time: several, where their width is contiguous,
/// so that rows are read in long pieces.
static index own_row_panels(loop_context const& loops) {
  gemm_operand const& a = loops.a.operand;
  if (std::abs(a.step) >= std::abs(a.k_step)) return 1;
  index const in_a_row = quotient(gemm_tuning.own_row_bytes, loops.kernel.a_step);
  index const in_l2 = quotient(l2_cache_bytes() / 4, loops.a.bytes);
  index const most = loops.kernel.k_group_size > 1 ? gemm_tuning.most_own_row_panels_of_groups
                                                   : gemm_tuning.most_own_row_panels;
  return std::clamp<index>(std::min(in_a_row, in_l2), 1, most);
}

index macro_kernel_bytes(loop_context const& loops, block_layout const& layout, index cols) {
  index const b_panels = std::min(cols, loops.blocking.col_panels_in_l2);
  return (loops.packs_own_a(layout) ? own_row_panels(loops) * loops.a.bytes : 0) +
         (loops.packs_own_b(layout) ? b_panels * loops.b.bytes : 0) + loops.tile_bytes;
}

void macro_kernel(loop_context const& loops, gemm_block const& block, block_memory const& memory,
                  range rows, range cols, char* own) {
  gemm_blocking const& blocking = loops.blocking;
  bool const packs_a = loops.packs_own_a(memory.layout);
  bool const packs_b = loops.packs_own_b(memory.layout);
  index const cols_at_once = std::min(cols.count(), blocking.col_panels_in_l2);
  objects_in_use const objects(loops.kernel, own,
                               macro_kernel_bytes(loops, memory.layout, cols.count()));
  index const rows_at_once = own_row_panels(loops);
  char* const own_b = own + (packs_a ? rows_at_once * loops.a.bytes : 0);
  char* const own_tile = own_b + (packs_b ? cols_at_once * loops.b.bytes : 0);
  tiles_in_use const in_use(loops.kernel, blocking.threads > 1);

  for (index first = cols.first; first < cols.end; first += cols_at_once) {
    range const here{first, std::min(cols.end, first + cols_at_once)};
    index const c = first - block.cols.first;
    if (packs_b) pack(loops, loops.b, block, here, own_b);
    for (index number = rows.first; number < rows.end; ++number) {
      index const r = number - block.rows.first;
      index const in_group = (number - rows.first) % rows_at_once;
      if (packs_a && in_group == 0)
        pack(loops, loops.a, block, {number, std::min(rows.end, number + rows_at_once)}, own);
      row_panel row{number, packs_a ? own + in_group * loops.a.bytes : memory.a + r * loops.a.bytes,
                    packs_b ? own_b : memory.b + c * loops.b.bytes,
                    blocking.accumulates_in_workspace
                        ? memory.c + (r * block.cols.count() + c) * loops.tile_bytes
                        : own_tile,
                    nullptr};
      if (blocking.prefetches_a && number + 1 < rows.end)
        row.a_next = loops.a.address_of(block.batch, loops.a.width_of(number + 1).first,
                                        block.k_groups.first);
      else if (blocking.prefetches_a && block.k_groups.end < blocking.k_group_count)
        row.a_next =
            loops.a.address_of(block.batch, loops.a.width_of(rows.first).first, block.k_groups.end);
      multiply_row_panel(loops, block, here, row);
    }
  }
}

void macro_kernel_in_place(loop_context const& loops, index batch, char*) {
  gemm_block const all =
      loops.block_of(batch, {0, loops.blocking.row_panels}, {0, loops.blocking.col_panels}, 0);
  for (index r = 0; r < all.rows.end; ++r)
    multiply_row_panel(loops, all, all.cols, {r, nullptr, nullptr, nullptr, nullptr});
}

void write_back(loop_context const& loops, index batch, index r, index c, char const* accumulators,
                index pitch) {
  range const rows = loops.a.width_of(r);
  range const cols = loops.b.width_of(c);
  apply_epilogue(loops.call, {batch, rows.first, cols.first, rows.count(), cols.count(),
                              accumulators, pitch, loops.kernel.accumulator_bytes});
}

void restore_tiles(loop_context const& loops) {
  if (loops.call.epilogue_is_user_code && loops.kernel.configure_tiles != nullptr)
    loops.kernel.configure_tiles();
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
