// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/gemm/blocking.hpp>

#include <xpose/backends/omp/runtime/isa.hpp>
#include <xpose/backends/omp/runtime/settings.hpp>
#include <xpose/backends/omp/runtime/team.hpp>

#include <algorithm>
#include <cstdlib>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Rows of A that lie in the L1 cache together: those a multiple of 4 KB apart share a set of eight
/// ways.
index rows_in_place(gemm_call const& call) {
  return call.a.step % 4096 == 0 ? std::min<index>(8, call.kernel->mr) : call.kernel->mr;
}

/// Whether the microkernel can read rows of A where they are.
bool has_rows_in_place(gemm_call const& call) {
  index const bytes = call.kernel->in_place_bytes;
  return bytes != 0 && call.a.k_step == bytes && call.a.step != 0;
}
/// Whether the microkernel reads an operand where it is, because that is as fast as from a panel:
/// the operand is small, or few panels of B take part.
bool reads_a_in_place(gemm_call const& call) {
  index const bytes = call.kernel->in_place_bytes;
  bool const is_small = call.rows * call.k_extent * bytes <= gemm_tuning.in_place_bytes &&
                        rows_in_place(call) >= std::min(call.rows, call.kernel->mr);
  return has_rows_in_place(call) && (is_small || call.cols <= gemm_tuning.cols_in_place);
}
/// Whether the microkernel can read rows of B of so many elements where they are.
bool suits_in_place(gemm_kernel const& k, index cols) {
  return k.masks_b_in_place || cols == quotient(cols, k.vector_cols) * k.vector_cols;
}
bool reads_b_in_place(gemm_call const& call) {
  gemm_kernel const& k = *call.kernel;
  index const bytes = k.in_place_bytes;
  bool const is_small = call.cols * call.k_extent * bytes <= gemm_tuning.in_place_bytes;
  bool const is_used_little = call.cols <= gemm_tuning.cols_in_place &&
                              call.rows <= gemm_tuning.rows_of_b_in_place && call.b.k_step > 0 &&
                              call.b.k_step <= gemm_tuning.pitch_of_b_in_place;
  return bytes != 0 && call.b.step == bytes && (is_small || is_used_little) &&
         suits_in_place(k, call.cols);
}

/// Few rows of C, and a B whose rows are contiguous and which is large, or the rows are fewest:
/// packing B would take longer than multiplying. The parts of a long k go before.
bool is_skinny_c(gemm_call const& call) {
  gemm_kernel const& k = *call.kernel;
  index const bytes = k.in_place_bytes;
  bool const has_many_cols = call.cols >= gemm_tuning.skinny_panels * 2 * k.nr;
  bool const is_large = call.rows <= gemm_tuning.skinny_rows && has_many_cols &&
                        call.cols * call.k_extent * bytes > gemm_tuning.skinny_bytes;
  bool const has_fewest_rows = call.rows * bytes <= gemm_tuning.fewest_row_bytes &&
                               call.cols >= 2 * k.nr &&
                               (has_many_cols || call.k_extent <= gemm_tuning.k_of_fewest_rows);
  return bytes != 0 && (is_large || has_fewest_rows) && call.b.step == bytes &&
         (has_rows_in_place(call) || call.a.step == bytes) && suits_in_place(k, call.cols);
}

/// The operands in place, their panels and blocks of k.
gemm_blocking panels_of(gemm_call const& call, bool is_skinny) {
  gemm_kernel const& k = *call.kernel;
  gemm_blocking b{};
  b.a_in_place = is_skinny ? has_rows_in_place(call) : reads_a_in_place(call);
  b.a_by_rows = is_skinny && !b.a_in_place;
  b.b_in_place = is_skinny || (b.a_in_place && reads_b_in_place(call));
  b.row_panels = ceil_div(call.rows, b.a_in_place ? rows_in_place(call) : k.mr);
  b.col_panels = ceil_div(call.cols, k.nr);
  b.rows = uses_amx_tiles(k) ? even_parts{k.mr, 0}
                             : even_parts::of(call.rows, std::max<index>(1, b.row_panels));
  b.k_group_count = ceil_div(call.k_extent, k.k_group_size);
  index const kc = is_skinny ? gemm_tuning.skinny_kc : k.kc;
  b.k_blocks = std::max<index>(1, ceil_div(call.k_extent, kc));
  b.kc_groups = ceil_div(b.k_group_count, b.k_blocks);
  b.k_groups = even_parts::of(b.k_group_count, b.k_blocks);
  b.prefetches_a = b.a_in_place && !is_skinny &&
                   call.rows * call.k_extent * k.in_place_bytes > gemm_tuning.in_place_bytes;
  b.accumulates_in_c = call.c_can_accumulate && call.c_col_step == k.accumulator_bytes;
  b.accumulates_in_workspace = !b.accumulates_in_c && b.k_blocks > 1;
  return b;
}

/// MC, NC, and the panels of B that stay in an L2 cache.
void choose_cache_blocks(gemm_call const& call, bool is_skinny, gemm_blocking& b) {
  gemm_kernel const& k = *call.kernel;
  auto const panels_in = [&](index bytes, index step) {
    return std::max<index>(1, quotient(bytes, std::max<index>(1, b.kc_groups) * step));
  };
  auto const at_once = [&](index all, index step, index panel) {
    if (all <= 1) return all;
    index const panels = panels_in(tuned.gemm_packed_bytes, step);
    index const most =
        b.accumulates_in_workspace ? ceil_div(gemm_tuning.workspace_c_side, panel) : all;
    return std::min({all, panels, most});
  };
  b.mc_panels = at_once(b.row_panels, k.a_step, k.mr);
  b.nc_panels = at_once(b.col_panels, k.b_step, k.nr);
  index const l2_bytes = l2_cache_bytes() * tuned.gemm_l2_percent / 100;
  b.col_panels_in_l2 = is_skinny                              ? gemm_tuning.skinny_panels
                       : b.col_panels <= 1 && b.k_blocks == 1 ? 1
                                                              : panels_in(l2_bytes, k.b_step);
}

/// Parts of k: by the extents alone, so that sums depend on neither threads nor caches.
void choose_split_k(gemm_call const& call, bool is_skinny, gemm_blocking& b) {
  gemm_kernel const& k = *call.kernel;
  // In NR x NR squares, which are the same for C' = B' A': memory for tiles is not much more.
  double const squares = static_cast<double>(ceil_div(call.rows, k.nr)) *
                         static_cast<double>(ceil_div(call.cols, k.nr));
  double const c_bytes = squares * static_cast<double>(k.nr * k.nr * k.accumulator_bytes);
  b.split_k = is_skinny || c_bytes > static_cast<double>(gemm_tuning.split_k_bytes)
                  ? 1
                  : std::min(b.k_blocks, gemm_tuning.most_split_k);
  b.k_blocks_of_split = even_parts::of(b.k_blocks, b.split_k);
}

void choose_threads(gemm_call const& call, int threads, gemm_blocking& b) {
  double const products = static_cast<double>(call.batch) * static_cast<double>(call.rows) *
                          static_cast<double>(call.cols) * static_cast<double>(call.k_extent);
  double const serial_products = uses_amx_tiles(*call.kernel)
                                     ? gemm_tuning.serial_products_of_amx
                                     : static_cast<double>(tuned.gemm_team_products);
  int const team = products < serial_products
                       ? 1
                       : team_size(threads, b.row_panels * b.col_panels * b.split_k * call.batch);
  b.threads_share_batch = team > 1 && call.batch >= 2 * team;
  b.threads = b.threads_share_batch ? 1 : team;
}

/// Whether an A with contiguous columns is packed in less time as the B of C' = B' A', and C is
/// small for it: then its tiles are stored by columns. Elements of 16 bytes gain as often as they
/// lose.
bool is_packed_better_as_b(gemm_call const& call) {
  constexpr index most_bytes = 8;  // of an element
  gemm_kernel const& k = *call.kernel;
  bool const has_groups = k.k_group_size > 1;
  bool const is_large =
      call.rows * call.k_extent * call.a.step >= gemm_tuning.least_bytes_transposed;
  return call.a.step > 0 && call.a.step <= most_bytes && call.a.step < std::abs(call.a.k_step) &&
         !uses_amx_tiles(k) && (has_groups || is_large) && call.rows > call.cols &&
         call.k_extent >= gemm_tuning.k_per_col_transposed * call.cols;
}

}  // namespace

panel_costs costs_of_packing(gemm_kernel const& kernel, gemm_blocking const& blocking,
                             index row_panels, index col_panels) {
  index const tile = kernel.mr * kernel.nr;
  bool const packs_cheaply = kernel.k_group_size == 1 || blocking.threads >= 4;
  if (blocking.threads == 1 || !packs_cheaply ||
      row_panels * col_panels * tile > blocking.threads * gemm_tuning.most_of_own_cell)
    return {};
  return {tile, blocking.a_in_place ? 0 : gemm_tuning.products_of_packing_a * kernel.mr,
          blocking.b_in_place ? 0 : gemm_tuning.products_of_packing_b * kernel.nr, true};
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

bool is_cheaper_transposed(gemm_call const& call) {
  gemm_kernel const& k = *call.kernel;
  index const bytes = k.in_place_bytes;
  if (k.commutes && is_packed_better_as_b(call)) return true;
  if (!k.commutes || bytes == 0 || call.a.step != bytes || call.a.k_step == bytes) return false;
  bool const has_contiguous_columns = call.b.k_step == bytes && call.b.step != bytes;
  bool const is_in_reach =
      bytes <= 4 || call.rows * call.k_extent * bytes <= gemm_tuning.most_bytes_transposed;
  bool const has_fewest_cols = call.cols * bytes <= gemm_tuning.fewest_row_bytes;
  bool const reads_both_in_place =
      has_contiguous_columns && call.k_extent >= gemm_tuning.k_in_place;
  bool const has_few_cols =
      is_in_reach && (has_fewest_cols || reads_both_in_place) && is_skinny_c(transposed(call));
  bool const has_long_columns = has_contiguous_columns && call.rows <= gemm_tuning.cols_in_place &&
                                call.k_extent >= gemm_tuning.k_per_row_transposed * call.rows;
  return has_few_cols || has_long_columns;
}

gemm_blocking choose_blocking(gemm_call const& call, int threads) {
  bool const is_skinny = is_skinny_c(call);
  gemm_blocking b = panels_of(call, is_skinny);
  choose_cache_blocks(call, is_skinny, b);
  choose_split_k(call, is_skinny, b);
  choose_threads(call, threads, b);
  if (b.split_k > 1) {
    b.split_k_threads = choose_split_k_grid(b.split_k, b.row_panels, b.col_panels, b.threads);
    b.uses_split_k = b.split_k_threads.ranges > 1 || b.split_k < b.k_blocks;
  }
  b.keeps_b_in_l2 = !b.uses_split_k && !b.b_in_place && b.k_blocks > 1 &&
                    b.row_panels >= 2 * b.threads &&
                    b.col_panels * b.k_blocks <= b.col_panels_in_l2 &&
                    std::abs(call.a.k_step) <= std::abs(call.a.step);
  if (b.uses_split_k) {  // partial sums are tiles of the workspace
    b.accumulates_in_c = false;
    b.accumulates_in_workspace = true;
  }
  return b;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
