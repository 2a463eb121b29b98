// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/gemm/blocking.hpp>

#include <xpose/backends/omp/runtime/isa.hpp>
#include <xpose/backends/omp/runtime/team.hpp>

#include <algorithm>
#include <cstdlib>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Rows of A that lie in the first-level cache together: those a multiple of 4 KB apart share
/// eight places.
index rows_in_place(gemm_call const& call) {
  return call.a.step % 4096 == 0 ? std::min<index>(8, call.kernel->mr) : call.kernel->mr;
}

/// An operand is read where it is if that is as fast as from a panel: if it is small, or if few
/// panels of B take part.
bool reads_a_in_place(gemm_call const& call) {
  index const bytes = call.kernel->in_place_bytes;
  bool const is_small = call.rows * call.k_extent * bytes <= gemm_tuning.in_place_bytes &&
                        rows_in_place(call) >= std::min(call.rows, call.kernel->mr);
  return bytes != 0 && call.a.k_step == bytes && call.a.step != 0 &&
         (is_small || call.cols <= gemm_tuning.cols_in_place);
}
bool reads_b_in_place(gemm_call const& call) {
  gemm_kernel const& k = *call.kernel;
  index const bytes = k.in_place_bytes;
  bool const is_small = call.cols * call.k_extent * bytes <= gemm_tuning.in_place_bytes;
  bool const is_used_little = call.cols <= gemm_tuning.cols_in_place &&
                              call.rows <= gemm_tuning.rows_of_b_in_place && call.b.k_step > 0 &&
                              call.b.k_step <= gemm_tuning.pitch_of_b_in_place;
  return bytes != 0 && call.b.step == bytes && (is_small || is_used_little) &&
         call.cols == quotient(call.cols, k.vector_cols) * k.vector_cols;
}

/// Few rows and a large B whose rows are contiguous: packing it would take longer than multiplying.
bool reads_rows_of_b(gemm_call const& call) {
  gemm_kernel const& k = *call.kernel;
  index const bytes = k.in_place_bytes;
  return bytes != 0 && call.rows <= gemm_tuning.skinny_rows &&
         call.cols >= gemm_tuning.skinny_panels * 2 * k.nr &&
         call.cols * call.k_extent * bytes > gemm_tuning.skinny_bytes && call.b.step == bytes &&
         call.a.k_step == bytes && call.a.step != 0 &&
         call.cols == quotient(call.cols, k.vector_cols) * k.vector_cols;
}

}  // namespace

panel_costs costs_of_packing(gemm_kernel const& kernel, gemm_blocking const& plan, index row_panels,
                             index col_panels) {
  index const tile = kernel.mr * kernel.nr;
  bool const packs_cheaply = kernel.k_group_size == 1 || plan.threads >= 4;
  if (plan.threads == 1 || !packs_cheaply ||
      row_panels * col_panels * tile > plan.threads * gemm_tuning.most_of_own_cell)
    return {};
  return {tile, plan.a_in_place ? 0 : gemm_tuning.products_of_packing_a * kernel.mr,
          plan.b_in_place ? 0 : gemm_tuning.products_of_packing_b * kernel.nr, true};
}

thread_grid choose_thread_grid(index row_panels, index col_panels, int threads,
                               panel_costs const& costs) {
  thread_grid best{1, 1};
  if (threads == 1) return best;
  auto const cost_of = [&](index rows, index cols) {
    index const of_a = ceil_div(row_panels, rows);
    index const of_b = ceil_div(col_panels, cols);
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

split_k_grid choose_split_k_grid(index parts, index row_panels, index col_panels, int threads) {
  split_k_grid best{1, choose_thread_grid(row_panels, col_panels, threads, {})};
  auto const tiles_of_thread = [&](split_k_grid const& s) {
    return ceil_div(parts, s.ranges) * ceil_div(row_panels, s.grid.rows) *
           ceil_div(col_panels, s.grid.cols);
  };
  for (index ranges = 2; ranges <= std::min<index>(threads, parts); ++ranges) {
    split_k_grid const s{ranges,
                         choose_thread_grid(row_panels, col_panels,
                                            static_cast<int>(quotient(threads, ranges)), {})};
    if (tiles_of_thread(s) <= tiles_of_thread(best)) best = s;
  }
  return best;
}

gemm_blocking choose_blocking(gemm_call const& call, int threads) {
  gemm_kernel const& k = *call.kernel;
  gemm_blocking p{};
  bool const is_skinny = reads_rows_of_b(call);
  p.a_in_place = is_skinny || reads_a_in_place(call);
  p.b_in_place = is_skinny || (p.a_in_place && reads_b_in_place(call));
  p.row_panels = ceil_div(call.rows, p.a_in_place ? rows_in_place(call) : k.mr);
  p.col_panels = ceil_div(call.cols, k.nr);
  p.k_group_count = ceil_div(call.k_extent, k.k_group_size);
  p.k_blocks =
      std::max<index>(1, ceil_div(call.k_extent, is_skinny ? gemm_tuning.skinny_kc : k.kc));
  p.kc_groups = ceil_div(p.k_group_count, p.k_blocks);
  p.rows = uses_amx_tiles(k) ? even_parts{k.mr, 0}
                             : even_parts::of(call.rows, std::max<index>(1, p.row_panels));
  p.k_groups = even_parts::of(p.k_group_count, p.k_blocks);

  p.accumulates_in_c = call.c_can_accumulate && call.c_col_step == k.accumulator_bytes;
  p.accumulates_in_workspace = !p.accumulates_in_c && p.k_blocks > 1;
  auto const panels_of = [&](index bytes, index step) {
    return std::max<index>(1, quotient(bytes, std::max<index>(1, p.kc_groups) * step));
  };
  auto const at_once = [&](index all, index step, index panel) {
    if (all <= 1) return all;
    index const panels = panels_of(gemm_tuning.packed_bytes, step);
    index const most =
        p.accumulates_in_workspace ? ceil_div(gemm_tuning.workspace_c_side, panel) : all;
    return std::min({all, panels, most});
  };
  p.mc_panels = at_once(p.row_panels, k.a_step, k.mr);
  p.nc_panels = at_once(p.col_panels, k.b_step, k.nr);
  auto const cache =
      static_cast<index>(gemm_tuning.b_share * static_cast<double>(l2_cache_bytes()));
  p.col_panels_in_l2 = p.col_panels <= 1 && p.k_blocks == 1 ? 1 : panels_of(cache, k.b_step);

  // In squares of a tile's width, which are the same for C' = B' A': memory for tiles is not much
  // more.
  double const squares = static_cast<double>(ceil_div(call.rows, k.nr)) *
                         static_cast<double>(ceil_div(call.cols, k.nr));
  double const sums_bytes = squares * static_cast<double>(k.nr * k.nr * k.accumulator_bytes);
  if (is_skinny) p.col_panels_in_l2 = gemm_tuning.skinny_panels;
  p.split_k = is_skinny || sums_bytes > static_cast<double>(gemm_tuning.split_k_bytes)
                  ? 1
                  : std::min(p.k_blocks, gemm_tuning.most_split_k);
  p.k_blocks_of_split = even_parts::of(p.k_blocks, p.split_k);

  double const products = static_cast<double>(call.batch) * static_cast<double>(call.rows) *
                          static_cast<double>(call.cols) * static_cast<double>(call.k_extent);
  int const team = products < (uses_amx_tiles(k) ? gemm_tuning.serial_products_of_amx
                                                 : gemm_tuning.serial_products)
                       ? 1
                       : team_size(threads, p.row_panels * p.col_panels * p.split_k * call.batch);
  p.threads_share_batch = team > 1 && call.batch >= 2 * team;
  p.threads = p.threads_share_batch ? 1 : team;
  if (p.split_k > 1) {
    p.split_k_threads = choose_split_k_grid(p.split_k, p.row_panels, p.col_panels, p.threads);
    p.uses_split_k = p.split_k_threads.ranges > 1 || p.split_k < p.k_blocks;
  }
  p.prefetches_a = p.a_in_place && !is_skinny &&
                   call.rows * call.k_extent * k.in_place_bytes > gemm_tuning.in_place_bytes;
  p.keeps_b_in_l2 = !p.uses_split_k && !p.b_in_place && p.k_blocks > 1 &&
                    p.row_panels >= 2 * p.threads &&
                    p.col_panels * p.k_blocks <= p.col_panels_in_l2 &&
                    std::abs(call.a.k_step) <= std::abs(call.a.step);
  // Where the sums of a part are.
  if (p.uses_split_k) {
    p.accumulates_in_c = false;
    p.accumulates_in_workspace = true;
  }
  return p;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
