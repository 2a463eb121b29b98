// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/gemm/blocking.hpp>

#include <xpose/backends/omp/runtime/team.hpp>

#include <unistd.h>
#include <algorithm>
#include <cstdlib>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

index second_level_cache() {
  static long const known = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return known > 0 ? known : index{1} << 20;
}

/// Rows of A that lie in the first-level cache together: those a multiple of 4 KB apart share
/// eight places.
index rows_in_place(gemm_call const& call) {
  return call.a.step % 4096 == 0 ? std::min<index>(8, call.kernel->rows) : call.kernel->rows;
}

/// An operand is read where it is if that is as fast as from a panel: if it is small, or if few
/// panels of B take part.
bool reads_a_in_place(gemm_call const& call) {
  index const bytes = call.kernel->in_place_bytes;
  bool const is_small = call.rows * call.depth * bytes <= gemm_numbers.in_place_bytes &&
                        rows_in_place(call) >= std::min(call.rows, call.kernel->rows);
  return bytes != 0 && call.a.depth_step == bytes && call.a.step != 0 &&
         (is_small || call.cols <= gemm_numbers.cols_in_place);
}
bool reads_b_in_place(gemm_call const& call) {
  gemm_kernel const& k = *call.kernel;
  index const bytes = k.in_place_bytes;
  bool const is_small = call.cols * call.depth * bytes <= gemm_numbers.in_place_bytes;
  bool const is_used_little =
      call.cols <= gemm_numbers.cols_in_place && call.rows <= gemm_numbers.rows_of_b_in_place &&
      call.b.depth_step > 0 && call.b.depth_step <= gemm_numbers.pitch_of_b_in_place;
  return bytes != 0 && call.b.step == bytes && (is_small || is_used_little) &&
         call.cols == quotient(call.cols, k.vector_cols) * k.vector_cols;
}

/// Few rows and a large B whose rows are contiguous: packing it would take longer than multiplying.
bool reads_rows_of_b(gemm_call const& call) {
  gemm_kernel const& k = *call.kernel;
  index const bytes = k.in_place_bytes;
  return bytes != 0 && call.rows <= gemm_numbers.flat_rows &&
         call.cols >= gemm_numbers.flat_panels * 2 * k.cols &&
         call.cols * call.depth * bytes > gemm_numbers.flat_bytes && call.b.step == bytes &&
         call.a.depth_step == bytes && call.a.step != 0 &&
         call.cols == quotient(call.cols, k.vector_cols) * k.vector_cols;
}

}  // namespace

panel_costs costs_of_packing(gemm_kernel const& kernel, gemm_plan const& plan, index row_panels,
                             index col_panels) {
  index const tile = kernel.rows * kernel.cols;
  bool const packs_cheaply = kernel.unit == 1 || plan.threads >= 4;
  if (plan.threads == 1 || !packs_cheaply ||
      row_panels * col_panels * tile > plan.threads * gemm_numbers.most_of_own_cell)
    return {};
  return {tile, plan.a_in_place ? 0 : gemm_numbers.products_of_packing_a * kernel.rows,
          plan.b_in_place ? 0 : gemm_numbers.products_of_packing_b * kernel.cols, true};
}

thread_grid share_tiles(index row_panels, index col_panels, int threads, panel_costs const& costs) {
  thread_grid best{1, 1};
  if (threads == 1) return best;
  auto const cost_of = [&](index rows, index cols) {
    index const of_a = parts_of(row_panels, rows);
    index const of_b = parts_of(col_panels, cols);
    return of_a * of_b * costs.tile + of_a * costs.a + of_b * costs.b;
  };
  index least = cost_of(1, 1);
  for (index rows = 1; rows <= threads; ++rows) {
    index const cols = threads / rows;
    if (index const cost = cost_of(rows, cols); cost < least) {
      least = cost;
      best = {std::min(rows, row_panels), std::min(cols, col_panels)};
    }
  }
  return best;
}

part_share share_parts(index parts, index row_panels, index col_panels, int threads) {
  part_share best{1, share_tiles(row_panels, col_panels, threads, {})};
  auto const tiles_of_thread = [&](part_share const& s) {
    return parts_of(parts, s.ranges) * parts_of(row_panels, s.grid.rows) *
           parts_of(col_panels, s.grid.cols);
  };
  for (index ranges = 2; ranges <= std::min<index>(threads, parts); ++ranges) {
    part_share const s{ranges, share_tiles(row_panels, col_panels,
                                           static_cast<int>(quotient(threads, ranges)), {})};
    if (tiles_of_thread(s) <= tiles_of_thread(best)) best = s;
  }
  return best;
}

gemm_plan plan_gemm(gemm_call const& call, int threads) {
  gemm_kernel const& k = *call.kernel;
  gemm_plan p{};
  bool const is_flat = reads_rows_of_b(call);
  p.a_in_place = is_flat || reads_a_in_place(call);
  p.b_in_place = is_flat || (p.a_in_place && reads_b_in_place(call));
  p.row_panels = parts_of(call.rows, p.a_in_place ? rows_in_place(call) : k.rows);
  p.col_panels = parts_of(call.cols, k.cols);
  p.depth_units = parts_of(call.depth, k.unit);
  p.depth_blocks =
      std::max<index>(1, parts_of(call.depth, is_flat ? gemm_numbers.flat_depth : k.depth));
  p.most_units = parts_of(p.depth_units, p.depth_blocks);
  p.rows = has_matrix_units(k) ? even_parts{k.rows, 0}
                               : even_parts::of(call.rows, std::max<index>(1, p.row_panels));
  p.units = even_parts::of(p.depth_units, p.depth_blocks);

  p.sums_in_c = call.c_holds_sums && call.c_col_step == k.sum_bytes;
  p.sums_wait = !p.sums_in_c && p.depth_blocks > 1;
  auto const panels_of = [&](index bytes, index step) {
    return std::max<index>(1, quotient(bytes, std::max<index>(1, p.most_units) * step));
  };
  auto const at_once = [&](index all, index step, index panel) {
    if (all <= 1) return all;
    index const panels = panels_of(gemm_numbers.packed_bytes, step);
    index const most = p.sums_wait ? parts_of(gemm_numbers.waiting_side, panel) : all;
    return std::min({all, panels, most});
  };
  p.row_panels_at_once = at_once(p.row_panels, k.a_step, k.rows);
  p.col_panels_at_once = at_once(p.col_panels, k.b_step, k.cols);
  auto const cache =
      static_cast<index>(gemm_numbers.b_share * static_cast<double>(second_level_cache()));
  p.col_panels_in_cache = p.col_panels <= 1 && p.depth_blocks == 1 ? 1 : panels_of(cache, k.b_step);

  // In squares of a tile's width, which are the same for C' = B' A': memory for tiles is not much
  // more.
  double const squares = static_cast<double>(parts_of(call.rows, k.cols)) *
                         static_cast<double>(parts_of(call.cols, k.cols));
  double const sums_bytes = squares * static_cast<double>(k.cols * k.cols * k.sum_bytes);
  if (is_flat) p.col_panels_in_cache = gemm_numbers.flat_panels;
  p.depth_parts = is_flat || sums_bytes > static_cast<double>(gemm_numbers.part_bytes)
                      ? 1
                      : std::min(p.depth_blocks, gemm_numbers.most_parts);
  p.blocks_of_parts = even_parts::of(p.depth_blocks, p.depth_parts);

  double const products = static_cast<double>(call.batch) * static_cast<double>(call.rows) *
                          static_cast<double>(call.cols) * static_cast<double>(call.depth);
  int const team =
      products < (has_matrix_units(k) ? gemm_numbers.serial_products_of_units
                                      : gemm_numbers.serial_products)
          ? 1
          : team_size(threads, p.row_panels * p.col_panels * p.depth_parts * call.batch);
  p.shares_batch = team > 1 && call.batch >= 2 * team;
  p.threads = p.shares_batch ? 1 : team;
  if (p.depth_parts > 1) {
    p.parts_at_once = share_parts(p.depth_parts, p.row_panels, p.col_panels, p.threads);
    p.has_parts = p.parts_at_once.ranges > 1 || p.depth_parts < p.depth_blocks;
  }
  p.asks_for_a = p.a_in_place && !is_flat &&
                 call.rows * call.depth * k.in_place_bytes > gemm_numbers.in_place_bytes;
  p.keeps_b = !p.has_parts && !p.b_in_place && p.depth_blocks > 1 &&
              p.row_panels >= 2 * p.threads &&
              p.col_panels * p.depth_blocks <= p.col_panels_in_cache &&
              std::abs(call.a.depth_step) <= std::abs(call.a.step);
  // Where the sums of a part are.
  if (p.has_parts) {
    p.sums_in_c = false;
    p.sums_wait = true;
  }
  return p;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
