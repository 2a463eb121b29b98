// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/gemm/loops.hpp>

#include <cstring>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Bytes of a panel, or of a tile of accumulators. Packing with vectors writes up to one behind a
/// panel. What holds objects is whole objects, so that all of them begin where they were
/// constructed.
index padded(gemm_kernel const& kernel, index bytes) {
  return kernel.construct != nullptr ? bytes : (bytes + 2 * 64 - 1) / 64 * 64;
}

/// Columns of A to rows.
template <int Bytes>
void pack_rows(panel_source const& source, char* panel) {
  for (index i = 0; i < source.width; ++i)
    for (index p = 0; p < source.k_extent; ++p)
      std::memcpy(panel + (i * gemm_tuning.skinny_kc + p) * Bytes,
                  source.first + i * source.step + p * source.k_step, Bytes);
}

void choose_layout(loop_context const& loops, index row_panels, index col_panels, block_layout& l) {
  gemm_blocking const& blocking = loops.blocking;
  panel_costs const costs = costs_of_packing(loops.kernel, blocking, row_panels, col_panels);
  l.grid = choose_thread_grid(row_panels, col_panels, blocking.threads, costs);
  bool const a_is_used_once = l.grid.cols == 1 && col_panels <= blocking.col_panels_in_l2;
  bool const b_is_used_once = l.grid.rows == 1;
  l.a_is_shared = !blocking.a_in_place && !a_is_used_once && !costs.each_packs;
  l.b_is_shared = !blocking.b_in_place && !b_is_used_once && !costs.each_packs;
  l.a_bytes = l.a_is_shared ? row_panels * loops.a.bytes : 0;
  l.b_bytes = l.b_is_shared ? col_panels * loops.b.bytes : 0;
  l.c_bytes = blocking.accumulates_in_workspace ? row_panels * col_panels * loops.tile_bytes : 0;
}

/// Blocks have at most two heights and two widths: those of the first and of the last.
void choose_layouts(loop_context& loops) {
  gemm_blocking const& blocking = loops.blocking;
  auto const last_of = [](index all, index at_once) { return at_once < all ? all % at_once : 0; };
  index const heights[] = {blocking.mc_panels, last_of(blocking.row_panels, blocking.mc_panels)};
  index const widths[] = {blocking.nc_panels, last_of(blocking.col_panels, blocking.nc_panels)};
  for (int h = 0; h < 2; ++h)
    for (int w = 0; w < 2; ++w) {
      if ((h == 1 && heights[h] == 0) || (w == 1 && widths[w] == 0)) continue;
      block_layout& l = loops.layouts[h][w];
      choose_layout(loops, heights[h], widths[w], l);
      loops.shared_bytes = std::max(loops.shared_bytes, l.a_bytes + l.b_bytes + l.c_bytes);
      loops.own_bytes =
          std::max(loops.own_bytes, macro_kernel_bytes(loops, l, ceil_div(widths[w], l.grid.cols)));
    }
}

/// All k of a block of MC x NC: for each KC, packs what threads share, and multiplies.
void loop_over_k(loop_context const& loops, index batch, range rows, range cols, char* memory) {
  gemm_blocking const& blocking = loops.blocking;
  block_layout const& l = loops.layouts[rows.count() < blocking.mc_panels ? 1 : 0]
                                       [cols.count() < blocking.nc_panels ? 1 : 0];
  block_memory const m{l, memory, memory + l.a_bytes, memory + l.a_bytes + l.b_bytes};
  objects_in_use const objects(loops.kernel, memory, l.a_bytes + l.b_bytes + l.c_bytes);

  index const cells = l.grid.rows * l.grid.cols;
  auto const multiply = [&](index k_block, index cell) {
    macro_kernel(loops, loops.block_of(batch, rows, cols, k_block), m,
                 rows.part(l.grid.rows, cell / l.grid.cols),
                 cols.part(l.grid.cols, cell % l.grid.cols),
                 memory + loops.shared_bytes + cell * loops.own_bytes);
  };
  if (!l.a_is_shared && !l.b_is_shared)  // no thread waits for another
    return parallel_for(loops.team, cells, [&](index cell) {
      for (index n = 0; n < blocking.k_blocks; ++n) multiply(n, cell);
    });
  for (index n = 0; n < blocking.k_blocks; ++n) {
    pack_shared(loops, loops.block_of(batch, rows, cols, n), m);
    parallel_for(loops.team, cells, [&](index cell) { multiply(n, cell); });
  }
}

/// NC columns, MC rows, and then all k.
void loop_over_blocks(loop_context const& loops, index batch, char* memory) {
  gemm_blocking const& blocking = loops.blocking;
  for (range cols{0, 0}; cols.end < blocking.col_panels;) {
    cols = {cols.end, std::min(blocking.col_panels, cols.end + blocking.nc_panels)};
    for (range rows{0, 0}; rows.end < blocking.row_panels;) {
      rows = {rows.end, std::min(blocking.row_panels, rows.end + blocking.mc_panels)};
      loop_over_k(loops, batch, rows, cols, memory);
    }
  }
}

/// A thread's in the second phase of loop_with_b_in_l2(): a panel of A, a row of tiles.
index row_panel_bytes(loop_context const& loops) {
  return (loops.blocking.a_in_place ? 0 : loops.a.bytes) +
         loops.blocking.col_panels * loops.tile_bytes;
}

/// A thread's row panels, each through all k.
void multiply_row_panels(loop_context const& loops, index batch, range rows, char const* b,
                         char* own) {
  gemm_blocking const& blocking = loops.blocking;
  range const cols{0, blocking.col_panels};
  char* const tiles = own + (blocking.a_in_place ? 0 : loops.a.bytes);
  objects_in_use const objects(loops.kernel, own, row_panel_bytes(loops));
  tiles_in_use const in_use(loops.kernel, blocking.threads > 1);
  for (index r = rows.first; r < rows.end; ++r)
    for (index n = 0; n < blocking.k_blocks; ++n) {
      gemm_block const block = loops.block_of(batch, {r, r + 1}, cols, n);
      if (!blocking.a_in_place) pack(loops, loops.a, block, {r, r + 1}, own);
      row_panel row{r, own, b + n * cols.count() * loops.b.bytes, tiles, nullptr};
      if (blocking.prefetches_a && !block.is_last)
        row.a_next = loops.a.address_of(batch, loops.a.width_of(r).first, block.k_groups.end);
      else if (blocking.prefetches_a && r + 1 < rows.end)
        row.a_next = loops.a.address_of(batch, loops.a.width_of(r + 1).first, 0);
      multiply_row_panel(loops, block, cols, row);
    }
}

/// Packs B's panels of all k, and then takes each row panel through all k.
void loop_with_b_in_l2(loop_context const& loops, index batch, char* b) {
  gemm_blocking const& blocking = loops.blocking;
  range const rows{0, blocking.row_panels};
  range const cols{0, blocking.col_panels};
  index const block_bytes = cols.count() * loops.b.bytes;
  objects_in_use const objects(loops.kernel, b, blocking.k_blocks * block_bytes);
  parallel_for(loops.team, blocking.k_blocks, [&](index n) {
    pack(loops, loops.b, loops.block_of(batch, rows, cols, n), cols, b + n * block_bytes);
  });
  parallel_for(loops.team, blocking.threads, [&](index thread) {
    multiply_row_panels(loops, batch, rows.part(blocking.threads, thread), b,
                        b + loops.shared_bytes + thread * loops.own_bytes);
  });
}

/// A thread's tiles of one part of k: `c` are the part's accumulators.
void multiply_split(loop_context const& loops, index batch, index split, range rows, range cols,
                    char* c, char* own) {
  gemm_blocking const& blocking = loops.blocking;
  static constexpr block_layout nothing_is_shared{};
  block_memory const m{nothing_is_shared, nullptr, nullptr, c};
  index const first = blocking.k_blocks_of_split.begin(split);
  for (index n = first; n < blocking.k_blocks_of_split.begin(split + 1); ++n) {
    gemm_block const block{
        batch, {0, blocking.row_panels}, {0, blocking.col_panels}, loops.k_groups_of(n), n == first,
        false};
    macro_kernel(loops, block, m, rows, cols, own);
  }
}

/// Split-K: ranges of parts of k at a time. The first range adds its partial sums to those of part
/// 0 as it goes; those of the others are reduced, in ascending k, when all are there.
void loop_over_split_k(loop_context const& loops, index batch, char* memory) {
  gemm_blocking const& blocking = loops.blocking;
  gemm_kernel const& kernel = loops.kernel;
  range const rows{0, blocking.row_panels};
  range const cols{0, blocking.col_panels};
  range const splits{0, blocking.split_k};
  split_k_grid const share = blocking.split_k_threads;
  index const tiles = rows.count() * cols.count();
  index const cells = share.grid.rows * share.grid.cols;
  index const in_first_range = splits.part(share.ranges, 0).count();
  objects_in_use const objects(kernel, memory, splits.count() * tiles * loops.tile_bytes);
  auto const tile_of = [&](index split, index tile) {
    index const slot = split < in_first_range ? std::min<index>(split, 1) : split;
    return memory + (slot * tiles + tile) * loops.tile_bytes;
  };
  auto const reduce = [&](index r, index c, index split) {
    index const tile = r * cols.count() + c;
    kernel.split_k_reduce({tile_of(0, tile), tile_of(split, tile), loops.tile_pitch(),
                           loops.a.width_of(r).count(), loops.b.width_of(c).count(),
                           loops.call.problem});
  };

  parallel_for(loops.team, share.ranges * cells, [&](index n) {
    range const own_rows = rows.part(share.grid.rows, n % cells / share.grid.cols);
    range const own_cols = cols.part(share.grid.cols, n % share.grid.cols);
    range const own_splits = splits.part(share.ranges, n / cells);
    for (index split = own_splits.first; split < own_splits.end; ++split) {
      multiply_split(loops, batch, split, own_rows, own_cols, tile_of(split, 0),
                     memory + loops.shared_bytes + n * loops.own_bytes);
      if (split == 0 || split >= in_first_range) continue;
      for (index r = own_rows.first; r < own_rows.end; ++r)
        for (index c = own_cols.first; c < own_cols.end; ++c) reduce(r, c, split);
    }
  });
  parallel_for(loops.team, tiles, [&](index tile) {
    index const r = quotient(tile, cols.count());
    index const c = tile - r * cols.count();
    for (index split = in_first_range; split < splits.end; ++split) reduce(r, c, split);
    write_back(loops, batch, r, c, tile_of(0, tile), loops.tile_pitch());
  });
  if (blocking.threads == 1) restore_tiles(loops);
}

}  // namespace

loop_context::loop_context(gemm_call const& given, gemm_blocking const& chosen, int threads)
    : call(given),
      kernel(*given.kernel),
      blocking(chosen),
      team(chosen.threads > 1 ? team_for(threads, chosen.threads) : 1),
      a{call.a, blocking.rows, call.rows, kernel.pack_a, nullptr, 0, kernel.a_step, 0},
      b{call.b,          {kernel.nr, 0}, call.cols, kernel.pack_b, kernel.finish_b_panel,
        kernel.b_header, kernel.b_step,  0} {
  if (blocking.a_in_place && blocking.b_in_place && blocking.accumulates_in_c &&
      blocking.k_blocks == 1 && blocking.threads == 1) {
    run = macro_kernel_in_place;
    return;
  }
  index const k_groups =
      ceil_div(blocking.kc_groups, kernel.k_groups_per_block) * kernel.k_groups_per_block;
  if (blocking.a_by_rows) {
    a.pack = kernel.in_place_bytes == 4 ? pack_rows<4> : pack_rows<8>;
    a.k_group_bytes = kernel.in_place_bytes;
  }
  a.bytes = padded(kernel, blocking.a_by_rows ? kernel.mr * pitch_of_packed_rows(kernel)
                                              : kernel.a_step * k_groups);
  b.bytes = padded(kernel, kernel.b_header + kernel.b_step * k_groups);
  tile_bytes = padded(kernel, kernel.mr * kernel.nr * kernel.accumulator_bytes);
  if (blocking.uses_split_k) {
    run = loop_over_split_k;
    shared_bytes = blocking.split_k * blocking.row_panels * blocking.col_panels * tile_bytes;
    own_bytes = macro_kernel_bytes(*this, {}, blocking.col_panels);
  } else if (blocking.keeps_b_in_l2) {
    run = loop_with_b_in_l2;
    shared_bytes = blocking.k_blocks * blocking.col_panels * b.bytes;
    own_bytes = row_panel_bytes(*this);
  } else {
    run = loop_over_blocks;
    choose_layouts(*this);
  }
  constexpr index page = 4096;
  constexpr index cache_line = 64;
  index const unit = own_bytes < page ? cache_line : page;
  shared_bytes = (shared_bytes + cache_line - 1) & -cache_line;
  own_bytes = (own_bytes + unit - 1) & -unit;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
