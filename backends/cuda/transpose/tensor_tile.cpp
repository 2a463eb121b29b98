// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The search for the tile of a tensor: runs of several lengths on either side, and the tile that
// the longest runs make within a block's shared memory; more of these where it has room.

#include <xpose/backends/cuda/transpose/tensor_tile.hpp>

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/cuda/memory/access_bytes.hpp>
#include <xpose/backends/cuda/runtime/launch.cuh>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr index min_run_bytes = 32;
constexpr index run_bytes[] = {32, 64, 128, 256, 512};
// Tiles do not grow until there are fewer than these for each multiprocessor, which holds as many
// blocks, or more.
constexpr index least_blocks_each = 5;

/// The dimensions of a copy, in words; an element of several words has one of its own.
struct tensor {
  int count = 0;
  copy_plan::dimension dimensions[copy_plan::max_dimensions];

  explicit tensor(bit_copy const& c) {
    if (c.words_in_run > 1) dimensions[count++] = {c.words_in_run, c.word_bytes, c.word_bytes};
    for (int d = 1; d < c.plan.count; ++d) dimensions[count++] = c.plan.dimensions[d];
  }
};

using stride_member = index copy_plan::dimension::*;

/// The dimensions that are contiguous on a side from a word on, fastest first.
struct side {
  int count = 0;
  int dimensions[copy_plan::max_dimensions];

  /// Without the dimension `but`.
  side(tensor const& t, stride_member stride, index word_bytes, int but = -1) {
    index step = word_bytes;
    for (int d = 0; d < t.count;) {
      if (t.dimensions[d].*stride != step || is_in(d) || d == but) {
        ++d;
        continue;
      }
      dimensions[count++] = d;
      step *= t.dimensions[d].extent;
      d = 0;
    }
  }
  bool is_in(int d) const {
    return std::find(dimensions, dimensions + count, d) != dimensions + count;
  }

  /// Raises the extents of a tile until it has runs of so many words. How many dimensions they
  /// have.
  int take(tensor const& t, index words, index* extents) const {
    index run = 1;
    for (int k = 0; k < count; ++k) {
      index const whole = t.dimensions[dimensions[k]].extent;
      index& extent = extents[dimensions[k]];
      index const wanted = ceil_div(words, run);
      // Equal parts; all of it, if hardly more is wanted.
      index const part = ceil_div(whole, std::max<index>(1, (whole + wanted / 4) / wanted));
      extent = std::max(extent, std::min(whole, part));
      if (extent < whole || run * whole >= words) return k + 1;
      run *= whole;
    }
    return count;
  }
  /// The first dimension behind a run of so many, if these are whole: it makes the run longer. -1:
  /// none.
  int behind(tensor const& t, int dimensions_of_run, index const* extents) const {
    for (int k = 0; k < dimensions_of_run; ++k)
      if (extents[dimensions[k]] < t.dimensions[dimensions[k]].extent) return -1;
    return dimensions_of_run < count ? dimensions[dimensions_of_run] : -1;
  }
  index run(int dimensions_of_run, index const* extents) const {
    index words = 1;
    for (int k = 0; k < dimensions_of_run; ++k) words *= extents[dimensions[k]];
    return words;
  }
};

index vec16s_of_run(index words, index word_bytes) {
  return ceil_div(words * word_bytes + vec16_bytes - word_bytes, index{vec16_bytes});
}

/// Makes the tile up to `room` times as large: longer runs of the input, then of the output, then
/// more runs. 27x8x11x21x100x7 bytes by 201354, in tiles of the last two dimensions alone, 700
/// bytes, 0.29 of a copy, so 0.62; 2 bytes of 24x7x11x18x88x6 0.36, 0.70; f32 of 21x6x11x16x78x5
/// 0.54, 0.82 (H200, 2026-11-30).
void grow(tensor const& t, side const& in, side const& out, index room, index* extents,
          int& in_dimensions, int& out_dimensions) {
  // By equal parts of the dimension, which cover little of it twice.
  auto const raise = [&](int d) {
    constexpr double most_repeated = 1.1;
    index const whole = t.dimensions[d].extent;
    if (extents[d] > 1) return;
    for (index parts = ceil_div(whole, std::max<index>(1, room)); 2 * parts <= whole; ++parts) {
      index const extent = ceil_div(whole, parts);
      if (static_cast<double>(extent * ceil_div(whole, extent)) >
          most_repeated * static_cast<double>(whole))
        continue;
      extents[d] = extent;
      room /= extent;
      return;
    }
  };
  // A dimension that the tile has already keeps numbering runs: these are an odd number of words
  // apart, words of one run are not.
  for (int d; (d = in.behind(t, in_dimensions, extents)) >= 0 && extents[d] == 1; ++in_dimensions) {
    raise(d);
    if (extents[d] == 1) break;
  }
  for (int d; (d = out.behind(t, out_dimensions, extents)) >= 0; ++out_dimensions) {
    raise(d);
    if (extents[d] == 1) break;
  }
  for (int d = 0; d < t.count; ++d) raise(d);
}

double efficiency_of(index in_bytes, index out_bytes, double repeated, index vec16s) {
  double const filled = std::min(1., static_cast<double>(vec16s) / (tensor_tile::max_vec16s / 2));
  return efficiency_of_runs(in_bytes, out_bytes) / repeated * (0.6 + 0.4 * filled);
}

tensor_tile tile_of(bit_copy const& c, int interleaved_rows, index max_vec16s);

}  // namespace

double efficiency_of_runs(index in_bytes, index out_bytes) {
  constexpr double lost_in = 24, lost_out = 40;
  auto const share = [](index bytes, double lost) {
    return static_cast<double>(bytes) / (static_cast<double>(bytes) + lost);
  };
  return share(in_bytes, lost_in) * share(out_bytes, lost_out);
}

tensor_tile tensor_tile_of(bit_copy const& c, index max_vec16s) {
  if (c.word_bytes < vec16_bytes) return tile_of(c, 1, max_vec16s);
  bit_copy pairs = c;
  pairs.word_bytes /= 2;
  pairs.words_in_run *= 2;
  pairs.word_count *= 2;
  return tile_of(pairs, 1, max_vec16s);
}

tensor_tile interleaved_tensor_tile_of(bit_copy const& c, int interleaved_rows) {
  return tile_of(c, interleaved_rows, tensor_tile::max_interleaved_vec16s);
}

namespace {

tensor_tile tile_of(bit_copy const& c, int interleaved_rows, index max_vec16s) {
  tensor_tile best;
  bool const is_interleaved = interleaved_rows > 1;
  if (c.rows < interleaved_rows) return best;
  tensor const t(c);
  index const w = c.word_bytes;
  side const out(t, &copy_plan::dimension::out_stride, w);
  if (out.count == 0) return best;
  int const row = out.dimensions[0];
  side const in(t, &copy_plan::dimension::in_stride, w, is_interleaved ? row : -1);
  auto const vec16s_of = [&](index words, index in_run, index rows) {
    if (!is_interleaved) return words / in_run * vec16s_of_run(in_run, w);
    return words / in_run / rows * ceil_div(rows, index{interleaved_rows}) * interleaved_rows *
           ceil_div(in_run * w, index{vec16_bytes});
  };
  index best_extents[copy_plan::max_dimensions];
  int best_in = 0, best_out = 0;
  index room = 1;
  for (index const in_bytes : run_bytes)
    for (index const out_bytes : run_bytes) {
      index extents[copy_plan::max_dimensions];
      std::fill(extents, extents + t.count, index{1});
      int const in_dimensions = in.take(t, in_bytes / w, extents);
      int const out_dimensions = out.take(t, out_bytes / w, extents);
      index words = 1;
      double repeated = 1;
      for (int d = 0; d < t.count; ++d) {
        index const whole = t.dimensions[d].extent;
        words *= extents[d];
        repeated *= static_cast<double>(ceil_div(whole, extents[d]) * extents[d]) /
                    static_cast<double>(whole);
      }
      index const in_run = in.run(in_dimensions, extents),
                  out_run = out.run(out_dimensions, extents);
      index const vec16s = vec16s_of(words, in_run, extents[row]);
      if (vec16s > max_vec16s || extents[row] < interleaved_rows ||
          std::min(in_run, out_run) * w < min_run_bytes)
        continue;
      double const efficiency = efficiency_of(in_run * w, out_run * w, repeated,
                                              vec16s * tensor_tile::max_vec16s / max_vec16s);
      if (efficiency <= best.efficiency) continue;
      best.efficiency = efficiency;
      room = max_vec16s / vec16s;
      std::copy(extents, extents + t.count, best_extents);
      best_in = in_dimensions;
      best_out = out_dimensions;
    }
  if (best.efficiency == 0) return best;

  auto const numbers_runs = [](side const& s, int dimensions_of_run, int d) {
    return std::find(s.dimensions, s.dimensions + dimensions_of_run, d) ==
           s.dimensions + dimensions_of_run;
  };
  index chosen_tiles = 1;
  for (int d = 0; d < t.count; ++d)
    chosen_tiles *= ceil_div(t.dimensions[d].extent, best_extents[d]);
  for (int k = 0; k < best_out; ++k) {
    int const d = out.dimensions[k];
    bool const is_within_element = d == 0 && c.words_in_run > 1;
    best.shares_dimension |=
        best_extents[d] > 1 && !is_within_element && !numbers_runs(in, best_in, d);
  }
  index const least_blocks = least_blocks_each * properties_of_device().multiprocessors;
  grow(t, in, out, std::min(room, chosen_tiles / least_blocks), best_extents, best_in, best_out);
  index words = 1;
  for (int d = 0; d < t.count; ++d) words *= best_extents[d];
  best.in_run = in.run(best_in, best_extents);
  best.out_run = out.run(best_out, best_extents);
  best.vec16s_in_run = is_interleaved ? ceil_div(best.in_run * w, index{vec16_bytes})
                                      : vec16s_of_run(best.in_run, w);
  best.in_runs = words / best.in_run;
  best.out_runs = words / best.out_run;

  if (is_interleaved) {
    // Four neighbouring groups of rows are in different banks; the kernel pads the others.
    best.smem_pitch = static_cast<int>(best.vec16s_in_run * vec16_bytes / w);
    best.smem_pitch += best.smem_pitch % 8 == 4 ? 0 : 4;
    int const groups = static_cast<int>(ceil_div(best_extents[row], index{interleaved_rows}));
    best.smem_groups_pitch = groups * best.smem_pitch + (groups / 8 + 1) * 4;
  } else {
    // An odd number of words, of 4 bytes and more: what lies in one column of successive runs is
    // in different banks.
    best.smem_pitch =
        static_cast<int>(tensor_tile::smem_lead(w) + best.vec16s_in_run * vec16_bytes);
  }
  int smem_strides[copy_plan::max_dimensions] = {};
  index step = is_interleaved ? 1 : w;
  for (int k = 0; k < best_in; ++k) {
    smem_strides[in.dimensions[k]] = static_cast<int>(step);
    step *= best_extents[in.dimensions[k]];
  }
  step = best.smem_pitch;  // from here on of the runs, which are numbered as they are added
  auto const add = [&](int d) {
    auto const& whole = t.dimensions[d];
    index const extent = best_extents[d];
    index const tiles = ceil_div(whole.extent, extent);
    if (tiles > 1) {
      best.outer[best.outer_count++] = {tiles, extent, whole.extent - extent, whole.in_stride,
                                        whole.out_stride};
      best.tiles *= tiles;
    }
    if (extent == 1) return;
    if (numbers_runs(in, best_in, d)) {
      best.in_run_dimensions[best.in_run_count++] = best.count;
      smem_strides[d] = static_cast<int>(step);
      if (is_interleaved && d == row) step = best.smem_groups_pitch;
      else step *= extent;
    }
    best.dimensions[best.count++] = {extent, whole.in_stride, whole.out_stride, smem_strides[d]};
  };
  for (int k = 0; k < best_out; ++k) add(out.dimensions[k]);
  best.out_run_first = best.count;
  for (int d = 0; d < t.count; ++d)
    if (numbers_runs(out, best_out, d)) add(d);
  return best;
}

}  // namespace
}  // namespace detail
}  // namespace v0
}  // namespace xpose
