// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// From a bit copy to the problem of a kernel that takes it in tiles, and the launch of such
// kernels.
#pragma once

#include <xpose/backends/cuda/memory/access_bytes.hpp>
#include <xpose/backends/cuda/memory/tile_coordinates.cuh>
#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/backends/cuda/transpose/select.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace xpose {
inline namespace v0 {
namespace detail {

/// The matrices of a plan with strides in bytes, whose rows lie along dimension `row`. Dimensions
/// below it are within an element, others are outer ones, after `words` of an element if those are
/// taken one by one.
inline transpose_problem problem_of(copy_plan const& plan, int row, char const* in, char* out,
                                    copy_plan::dimension const& words = {1, 0, 0}) {
  transpose_problem p(in, out, plan.dimensions[row], plan.dimensions[plan.in_fastest]);
  if (words.extent > 1) p.add_outer(words);
  for (int d = row + 1; d < plan.count; ++d)
    if (d != plan.in_fastest) p.add_outer(plan.dimensions[d]);
  return p;
}
inline transpose_problem problem_of(bit_copy const& c) {
  return problem_of(c.plan, 1, c.in, c.out);
}
inline transpose_problem problem_by_words(bit_copy const& c) {
  return problem_of(c.plan, 1, c.in, c.out, {c.words_in_run, c.word_bytes, c.word_bytes});
}

/// Tiles for any address, which say by how many rows they may reach beyond a matrix.
template <class Tile, class = void>
constexpr bool is_for_any_address = false;
template <class Tile>
constexpr bool is_for_any_address<Tile, std::void_t<decltype(Tile::extra_rows)>> = true;

/// Bytes of the strip of tiles that blocks may take first though it goes along the longer side:
/// half of an L2 of more than 56 MB, none of others.
inline index max_long_strip_bytes() {
  constexpr index large_l2_bytes = 56 << 20;
  index const l2_bytes = properties_of_device().l2_bytes;
  return l2_bytes > large_l2_bytes ? l2_bytes / 2 : 0;
}

/// Blocks that run at the same time should write the same output rows: hence tiles down the matrix
/// first. But where rows are not whole sectors, a tile shares sectors of the input with the next
/// one across, which comes after a whole strip; the L2 has given them up if that is long. Shares of
/// a copy, across and down first:
///   H200, L2 of 60 MB   f32 12001 square 0.906, 0.959; 29475x14737 (strip of 30 MB) 0.872, 0.899;
///                       20000x10000 0.892, 0.931; 70001x3001 (70 MB) 0.891, 0.866; f64 20842x10421
///                       0.881, 0.925; 16 bytes 14737x7369 0.899, 0.941; bytes 8001x4001 0.911,
///                       0.935; 200001x5001 (49 MB) 0.819, 0.722
///   H100, L2 of 50 MB   f32 16381 square 0.915, 0.925; 29475x14737 0.902, 0.885; 8001x4001 0.952,
///                       0.954; f64 20842x10421 0.933, 0.926; bytes 58950x29475 0.855, 0.842
///                                                                                   (2026-11-28)
template <class Tile>
bool goes_down_first(transpose_problem const& p, index down) {
  if (p.rows <= p.cols) return true;
  // Steps of strided tiles may be of any size and sign.
  double const element_bytes =
      std::abs(static_cast<double>(p.in_step)) + std::abs(static_cast<double>(p.out_step));
  double const strip_bytes = static_cast<double>(down) * Tile::rows * Tile::cols * element_bytes;
  return strip_bytes <= static_cast<double>(max_long_strip_bytes());
}

/// How many of `first` tiles are walked before the next strip begins: all, or a band of them if the
/// sectors that it shares with the next strip would be given up. Shares of a copy in strips, bands
/// of 8 and of 4 MB: 50000x50001 bytes 0.850, 0.875, 0.884; 30000x30001 f32 0.902, 0.917, 0.917;
/// but 28695x57391 bytes, strips of 15 MB, 0.888, 0.873, 0.871, and aligned ones lose 1 to 2 % too
/// (H100, 2026-11-27). On the H200 29475x14737 f32 has 0.899, in bands of 8 MB 0.873.
template <class Tile>
index tiles_in_band(transpose_problem const& p, index first) {
  constexpr index max_strip_bytes = 18 << 20, band_bytes = 5 << 20, least = 16;
  if (!is_for_any_address<Tile> || (p.in_pitch | p.out_pitch) % sector_bytes == 0) return first;
  index const tile_bytes = Tile::rows * Tile::cols * (p.in_step + p.out_step);
  index const strip_bytes = first * tile_bytes;
  // In this order: few strips are worth asking the device.
  bool const is_long = strip_bytes > max_strip_bytes && strip_bytes > max_long_strip_bytes();
  return is_long ? std::max(least, band_bytes / tile_bytes) : first;
}

template <class Tile>
tile_order order_of_tiles(transpose_problem const& p, index down, index across) {
  bool const is_down_first = goes_down_first<Tile>(p, down);
  return {down, across, is_down_first, tiles_in_band<Tile>(p, is_down_first ? down : across)};
}

/// kernel(p, order of tiles, args...) on a block for every tile. `extra_rows`: by how many rows
/// tiles reach beyond a matrix.
template <class Tile, class Kernel, class... Args>
void launch_tiles(execution const& where, char const* name, Kernel* kernel,
                  transpose_problem const& p, int smem_bytes, int extra_rows, Args const&... args) {
  index const down = ceil_div(p.rows + index{extra_rows}, Tile::rows);
  index const across = ceil_div(index{p.cols}, Tile::cols);
  launch_blocks(where, down * across * p.batch_count, Tile::threads, smem_bytes, name, kernel, p,
                order_of_tiles<Tile>(p, down, across), args...);
}

/// The number of words in an element, for the kernels of small and of skinny matrices: known at
/// compile time as `Count`, or at run time if `Count` is 0. quotient() takes no negative numbers.
template <int Count>
struct element_words {
  explicit element_words(index) {}
  __device__ static constexpr int count() { return Count; }
  __device__ int quotient(int words) const {
    return static_cast<int>(static_cast<unsigned>(words) / Count);
  }
};
template <>
struct element_words<0> {
  explicit element_words(index words) : divisor(words) {}
  __device__ int count() const { return static_cast<int>(divisor.value); }
  __device__ int quotient(int words) const { return divisor.quotient(words); }
  fast_divisor divisor;
};

/// Elements that are moved six at a time (six_triples).
template <class Element, int W>
inline constexpr bool are_triples = W == 1 && std::is_same_v<Element, element_words<3>>;

/// launch(element_words) of elements of N words, or of `words` if N is 0: three bytes have a type
/// of their own.
template <int W, int N, class Launch>
void with_element_words(index words, Launch const& launch) {
  if constexpr (N != 0) return launch(element_words<N>(words));
  if constexpr (N == 0 && W == 1)
    if (words == 3) return launch(element_words<3>(words));
  if constexpr (N == 0) launch(element_words<0>(words));
}

/// Tiles that are cut where output rows meet sectors reach beyond a matrix by what they shift.
template <class Tile>
int extra_rows_of(transpose_problem const& p) {
  index bits = static_cast<index>(reinterpret_cast<std::uintptr_t>(p.out)) | p.out_pitch;
  for (int d = 0; d < p.outer.count; ++d) bits |= p.outer.dimensions[d].out_stride;
  return bits % sector_bytes != 0 ? Tile::extra_rows : 0;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
