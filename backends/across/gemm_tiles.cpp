// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/across/gemm_tiles.hpp>

#include <xpose/backends/core/ceil_div.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

// An H100 SXM, which the choice needs to a factor of two: kernels of A's element bytes, the bus,
// and launches and events of a tile.
constexpr double bus_bytes_per_second = 50e9;
constexpr double seconds_of_tile = 20e-6;
double flops_of(index element_bytes) {
  return element_bytes >= 8 ? 50e12 : element_bytes >= 4 ? 45e12 : 600e12;
}
/// Elements of C that the multiprocessors calculate at a time; the last wave of a tile is half
/// empty.
constexpr double elements_of_wave = 132.0 * 128 * 128;
/// Batches of small matrices pass in pieces of this size.
constexpr index bytes_of_batch_tile = index{32} << 20;

constexpr index row_padding = 16;  // that packed_as() may add
constexpr index buffer_alignment = 256;

index buffer_of(index bytes) { return ceil_div(bytes, buffer_alignment) * buffer_alignment; }

index panel_bytes(index extent, index k, index element_bytes) {
  if (element_bytes == 0) return 0;
  return buffer_of(extent * k * element_bytes + row_padding * std::max(extent, k));
}
index c_tile_bytes(gemm_traffic const& t, index rows, index cols) {
  index const padding = t.layer_bytes == 0 ? 0 : 2 * row_padding * std::max(rows, cols);
  index const layer =
      rows * cols * t.layer_bytes + rows * t.bytes_of_row + cols * t.bytes_of_col + padding;
  return panel_bytes(rows, cols, t.c_bytes) + buffer_of(layer) +
         (layer == 0 ? 0 : buffer_alignment);  // of scale and bias
}

index row_tiles(gemm_traffic const& t, gemm_tiles const& s) { return ceil_div(t.rows, s.rows); }
index col_tiles(gemm_traffic const& t, gemm_tiles const& s) { return ceil_div(t.cols, s.cols); }

/// Loads of panels that are inner: all in the first pass; in each later one, which goes the other
/// way, those that are not in a buffer.
index inner_loads(index outer, index inner, int buffers) {
  return inner + (outer - 1) * std::max(inner - buffers, index{0});
}

double seconds_of(gemm_traffic const& t, gemm_tiles const& s) {
  double const matrices = static_cast<double>(ceil_div(t.batch, s.matrices));
  double const flops = 2.0 * static_cast<double>(t.rows) * static_cast<double>(t.cols) *
                       static_cast<double>(t.k) * static_cast<double>(t.batch);
  double const tile =
      static_cast<double>(s.rows) * static_cast<double>(s.cols) * static_cast<double>(s.matrices);
  double const compute = flops / flops_of(t.element_bytes) * (1 + 0.5 * elements_of_wave / tile);
  double const in = static_cast<double>(bytes_read(t, s)) / bus_bytes_per_second;
  double const first = static_cast<double>(panel_bytes(s.rows, t.k, t.a_bytes) +
                                           panel_bytes(s.cols, t.k, t.b_bytes) +
                                           2 * c_tile_bytes(t, s.rows, s.cols)) /
                       bus_bytes_per_second * static_cast<double>(s.matrices);
  double const tiles = matrices * static_cast<double>(row_tiles(t, s) * col_tiles(t, s));
  // A quarter of the loads counts even where kernels hide them: of tiles as fast, those that read
  // less.
  return std::max(compute, in) + in / 4 + first + tiles * seconds_of_tile;
}

/// Whole batches of matrices, if one of them is small.
gemm_tiles batch_tiles(gemm_traffic const& t, index device_bytes) {
  index const each = panel_bytes(t.rows, t.k, t.a_bytes) + panel_bytes(t.cols, t.k, t.b_bytes) +
                     c_tile_bytes(t, t.rows, t.cols);
  index const bytes = std::min(device_bytes / 2, bytes_of_batch_tile);
  if (t.batch == 1 || each > bytes / 2) return {};
  index const matrices = each == 0 ? t.batch : std::min(t.batch, bytes / each);
  gemm_tiles s{matrices, t.rows, t.cols, true, 2, 2, 2, 0};
  while (s.matrices > 1 && bytes_taken(t, s) > device_bytes) s.matrices /= 2;
  return bytes_taken(t, s) <= device_bytes ? s : gemm_tiles{};
}

/// Extents that a tile may have: all, halves of it in multiples of 128, and below that what fits.
template <class Try>
void for_each_extent(index whole, Try const& attempt) {
  constexpr index granule = 128;
  for (index extent = whole;;) {
    attempt(extent);
    if (extent == 1) return;
    index const half = ceil_div(extent, index{2});
    extent = half > granule ? ceil_div(half, granule) * granule : half;
  }
}

}  // namespace

index count_of(gemm_traffic const& t, gemm_tiles const& s) {
  return ceil_div(t.batch, s.matrices) * row_tiles(t, s) * col_tiles(t, s);
}

gemm_tile tile_at(gemm_traffic const& t, gemm_tiles const& s, index number) {
  index const across = s.outer_is_rows ? col_tiles(t, s) : row_tiles(t, s);
  index const outer_count = s.outer_is_rows ? row_tiles(t, s) : col_tiles(t, s);
  index const outer = number / across % outer_count;
  bool const goes_back = outer % 2 == 1;
  index const step = number % across;
  index const inner = goes_back ? across - 1 - step : step;
  index const group = number / across / outer_count;
  index const row = (s.outer_is_rows ? outer : inner) * s.rows;
  index const col = (s.outer_is_rows ? inner : outer) * s.cols;
  index const matrix = group * s.matrices;
  return {matrix, std::min(s.matrices, t.batch - matrix), row, std::min(s.rows, t.rows - row),
          col,    std::min(s.cols, t.cols - col)};
}

index bytes_taken(gemm_traffic const& t, gemm_tiles const& s) {
  return s.matrices * (s.a_buffers * panel_bytes(s.rows, t.k, t.a_bytes) +
                       s.b_buffers * panel_bytes(s.cols, t.k, t.b_bytes) +
                       s.c_buffers * c_tile_bytes(t, s.rows, s.cols)) +
         most_bytes(t.workspace, s.matrices, s.rows, s.cols, t.k);
}

index bytes_read(gemm_traffic const& t, gemm_tiles const& s) {
  index const m = row_tiles(t, s);
  index const n = col_tiles(t, s);
  index const a_loads = s.outer_is_rows ? m : inner_loads(n, m, s.a_buffers);
  index const b_loads = s.outer_is_rows ? inner_loads(m, n, s.b_buffers) : n;
  index const c = t.reads_c ? t.rows * t.cols * t.c_bytes : 0;
  return t.batch * (a_loads * std::min(s.rows, t.rows) * t.k * t.a_bytes +
                    b_loads * std::min(s.cols, t.cols) * t.k * t.b_bytes + c +
                    t.rows * t.cols * t.layer_bytes);
}

gemm_tiles choose_gemm_tiles(gemm_traffic const& t, index device_bytes) {
  if (gemm_tiles const small = batch_tiles(t, device_bytes); small.is_found()) return small;
  gemm_tiles best{};
  constexpr index most_buffers = 64;
  auto const consider = [&](gemm_tiles s) {
    if (bytes_taken(t, s) > device_bytes) return;
    s.seconds = seconds_of(t, s);
    if (!best.is_found() || s.seconds < best.seconds) best = s;
  };
  for_each_extent(t.rows, [&](index rows) {
    for_each_extent(t.cols, [&](index cols) {
      for (bool const outer_is_rows : {true, false}) {
        gemm_tiles s{1, rows, cols, outer_is_rows, 2, 2, 2, 0};
        index const m = row_tiles(t, s) * t.batch;
        index const n = col_tiles(t, s) * t.batch;
        s.a_buffers = m == 1 ? 1 : 2;
        s.b_buffers = n == 1 ? 1 : 2;
        s.c_buffers = m * n == 1 ? 1 : 2;
        consider(s);
        int& inner_buffers = outer_is_rows ? s.b_buffers : s.a_buffers;
        index const inner = outer_is_rows ? n : m;
        if (inner <= 2 || inner > most_buffers || t.batch > 1) continue;
        inner_buffers = static_cast<int>(inner);
        consider(s);
      }
    });
  });
  return best;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
