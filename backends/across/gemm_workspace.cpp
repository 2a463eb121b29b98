// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/across/gemm_workspace.hpp>

#include <xpose/backends/core/ceil_div.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr index cache_line = 128;                          // copies have rows that begin at one
constexpr index bytes_of_vector = 16;                      // that TMA and cp.async read
constexpr index shortest_aligned_row = 1024;               // of packed_as()
constexpr index most_partials = index{256} << 20;          // of a batch in one launch
constexpr index bytes_of_accumulators = index{144} << 10;  // on a multiprocessor, of any config
constexpr index least_k_of_split = 32;                     // four stages of 8

/// What stream-K takes of types whose blocks may share tiles of C.
struct shared_tiles {
  index side;                     // the shortest of a tile
  index least_k;                  // eight k tiles
  index multiprocessors_of_tile;  // the most, by the number of tiles of that side
  index bytes;                    // of accumulators and tickets, on a multiprocessor
};
// Where clusters have several blocks, C has up to four times its tiles.
constexpr shared_tiles of_fast_f32{128, 7 * 32 + 1, 8 * 4, (index{64} << 10) + 16};
// Doubles and complex numbers: 64x32 at least, two tiles of 64 KB a multiprocessor at most.
constexpr shared_tiles of_wide_types{32, 7 * 16 + 1, 2, (index{128} << 10) + 32};

copied_panel panel_of(operand const& o, bool is_streamed, bool k_is_cols, int copy_bytes) {
  copied_panel p{copied_panel::unknown, is_streamed, o.bytes_per_element, copy_bytes};
  index const along_k = k_is_cols ? o.col_stride : o.row_stride;
  index const along_mn = k_is_cols ? o.row_stride : o.col_stride;
  // packed_as() takes gaps away, and keeps directions and the order of dimensions.
  if (o.batch > 1 && o.batch_stride != 0 &&
      std::abs(o.batch_stride) < std::max(std::abs(along_k), std::abs(along_mn)))
    return p;
  if (along_k > 0 && (along_mn == 0 || along_k < std::abs(along_mn))) p.order = p.along_k;
  else if (along_mn > 0 && (along_k == 0 || along_mn < std::abs(along_k))) p.order = p.along_mn;
  return p;
}

/// Bytes of an element's copy, if kernels of these types make any.
int copy_bytes_of(gemm_request const& r) {
  if (r.precision == gemm_precision::fast_f32) return 3 * 2;
  if (r.precision == gemm_precision::three_products) return 3 * r.a.bytes_per_element / 2;
  bool const is_copied = r.a.bytes_per_element <= 2 || r.a.type == element_type::f64 ||
                         r.precision == gemm_precision::tf32;
  return is_copied ? r.a.bytes_per_element : 0;
}

bool makes_planes(gemm_workspace const& w) { return w.planes > 1; }

/// The extent along MN of a panel that is copied at most.
index copied_extent(gemm_workspace const& w, copied_panel const& p, index extent, index k) {
  if (p.copy_bytes == 0) return 0;
  if (makes_planes(w) || !p.is_streamed) return extent;
  auto const is_aligned = [&p](index length) {
    index const bytes = length * p.element_bytes;
    return bytes % bytes_of_vector == 0 || bytes >= shortest_aligned_row;
  };
  if (p.order == copied_panel::along_k) return is_aligned(k) ? 0 : extent;
  // Kernels of 4 bytes (tf32) and of 1 read what is contiguous along k alone.
  bool const is_read = p.element_bytes == 2 || p.element_bytes == 8;
  if (p.order != copied_panel::along_mn || !is_read) return extent;
  // Of panels at the ends, which may be narrower.
  return std::min(extent, shortest_aligned_row / p.element_bytes);
}

index copy_of(gemm_workspace const& w, copied_panel const& p, index matrices, index extent,
              index k) {
  index const copied = copied_extent(w, p, extent, k);
  if (copied == 0) return 0;
  index const bytes =
      matrices * (copied * k * p.copy_bytes + w.planes * cache_line * std::max(copied, k));
  return w.most_copies == 0 ? bytes : std::min(bytes, w.most_copies);
}

index partials_of(gemm_workspace const& w, index matrices, index rows, index cols, index k) {
  index const one = rows * ceil_div(cols, index{4}) * 4 * w.accumulator_bytes;
  index const all = matrices * one;
  index const of_layer = w.has_layer ? std::min(all, std::max(one, most_partials)) : 0;
  // k is split where blocks are no more than are resident, to twice as many at most.
  index const splits = k / least_k_of_split;
  if (all > w.resident_bytes || splits < 2) return of_layer;
  return std::max(of_layer, std::min(all * splits, 2 * w.resident_bytes));
}

/// Of the tiles that the blocks of a launch share.
index shared_tiles_of(gemm_workspace const& w, index matrices, index rows, index cols, index k) {
  if (!w.shares_tiles) return 0;
  bool const is_fast_f32 = makes_planes(w) && w.c_copy_bytes == 0;
  shared_tiles const& shared = is_fast_f32 ? of_fast_f32 : of_wide_types;
  index const tiles = matrices * ceil_div(rows, shared.side) * ceil_div(cols, shared.side);
  bool const may_share =
      shared.multiprocessors_of_tile * tiles >= w.multiprocessors && k >= shared.least_k;
  return may_share ? w.multiprocessors * shared.bytes : 0;
}

}  // namespace

gemm_workspace workspace_of(gemm_request const& r, bool a_is_streamed, bool b_is_streamed,
                            int multiprocessors) {
  gemm_workspace w;
  int const copy_bytes = copy_bytes_of(r);
  w.a = panel_of(r.a, a_is_streamed, true, copy_bytes);
  w.b = panel_of(r.b, b_is_streamed, false, copy_bytes);
  bool const is_three = r.precision == gemm_precision::three_products;
  bool const is_fast_f32 = r.precision == gemm_precision::fast_f32;
  w.c_copy_bytes = is_three ? copy_bytes : 0;
  w.planes = is_three || is_fast_f32 ? 3 : 1;
  w.most_copies = is_three ? 0 : is_fast_f32 ? index{4} << 30 : index{1} << 30;
  w.accumulator_bytes = std::max({4, r.a.bytes_per_element, r.c.bytes_per_element});
  w.has_layer = r.layer != nullptr;
  w.resident_bytes = multiprocessors * bytes_of_accumulators;
  bool const is_wide = r.a.type == element_type::f64 || r.a.type == element_type::complex_f32 ||
                       r.a.type == element_type::complex_f64;
  w.shares_tiles = is_fast_f32 || is_wide;
  w.multiprocessors = multiprocessors;
  return w;
}

index most_bytes(gemm_workspace const& w, index matrices, index rows, index cols, index k) {
  if (w.accumulator_bytes == 0) return 0;
  constexpr index alignment = 4096;                          // flags, and ends of blocks
  index const batched = w.c_copy_bytes != 0 ? 1 : matrices;  // three_products: one by one
  index const c_planes = w.c_copy_bytes == 0
                             ? 0
                             : rows * cols * w.c_copy_bytes + 3 * cache_line * std::max(rows, cols);
  index const products = w.c_copy_bytes != 0 ? 3 : matrices;
  index const bytes = copy_of(w, w.a, batched, rows, k) + copy_of(w, w.b, batched, cols, k) +
                      c_planes + partials_of(w, products, rows, cols, k) +
                      shared_tiles_of(w, products, rows, cols, k);
  return bytes == 0 ? 0 : bytes + alignment;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
