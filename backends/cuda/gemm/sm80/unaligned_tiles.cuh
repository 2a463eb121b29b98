// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Tiles of 1- and 2-byte operands whose rows begin at any address, without a copy of the operands.
// cp.async brings whole 16 bytes of memory, aligned there, to a raw row in shared memory; threads
// shift each vec16 of a row out of two of them into the swizzled tile that ldmatrix reads:
//
//   memory     |..abcdef|ghijklmn|opqrst..|         16 bytes each, the row begins at a
//   raw row     ..abcdef ghijklmn opqrst..          cp.async, one vec16 more than the tile's row
//   has tile        abcdefgh ijklmnop qrst....          shifted, swizzled; the end of k is zeros
//
// 55 small products of float16 took 1.41 times as long with a copy of their operands, by a launch
// of its own (H200, 2026-11-29).
#pragma once

#include <xpose/backends/cuda/gemm/sm80/mma.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A config's raw rows, in its stages, and two buffers of swizzled tiles; of one stage, one.
template <class Table, int Config, class T, bool AKMajor, bool BKMajor>
struct unaligned_swizzled_tile : swizzled_tile<Table, Config, T, AKMajor, BKMajor> {
  using base = swizzled_tile<Table, Config, T, AKMajor, BKMajor>;
  static constexpr int buffers = base::config.stages > 1 ? 2 : 1;
  template <class Layout>
  static constexpr int raw_bytes = Layout::rows*(Layout::row_bytes + 16);
  static constexpr int raw_bytes_of_a = raw_bytes<typename base::template a_layout<T>>;
  static constexpr int raw_bytes_of_b = raw_bytes<typename base::template b_layout<T>>;
  static constexpr int bytes_of_a = base::rows * base::k_extent * static_cast<int>(sizeof(T));
  static constexpr int bytes_of_b = base::cols * base::k_extent * static_cast<int>(sizeof(T));
  static constexpr int bytes_of_stages = base::config.stages * (raw_bytes_of_a + raw_bytes_of_b);
  template <class>
  static constexpr int shared_bytes = bytes_of_stages + buffers*(bytes_of_a + bytes_of_b);
  static_assert(shared_bytes<T> <= shared_bytes_of(base::config, sizeof(T), 4));
  template <class K>
  static constexpr int shared_elements = shared_bytes<K> / static_cast<int>(sizeof(K));
};

/// The 16 bytes from byte `skipped` (below 16) of 32 on.
__device__ inline uint4 shifted_vec16(uint4 const& low, uint4 const& high, unsigned skipped) {
  unsigned words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  bool const skips_two = (skipped & 8) != 0;
  bool const skips_one = (skipped & 4) != 0;
#pragma unroll
  for (int w = 0; w < 6; ++w) words[w] = skips_two ? words[w + 2] : words[w];
#pragma unroll
  for (int w = 0; w < 5; ++w) words[w] = skips_one ? words[w + 1] : words[w];
#pragma unroll
  for (int w = 0; w < 4; ++w) words[w] = __funnelshift_r(words[w], words[w + 1], 8 * (skipped & 3));
  return {words[0], words[1], words[2], words[3]};
}

/// visit(row, vec16 in it), by the threads of a block, for those rows of a tile and vec16s of each
/// that lie inside the operand. InRow: of a whole row. Tiles that take a thread a few visits number
/// all of them, in constant passes: numbered without the others, 2000 of 17x60x31 took 16.8 us, not
/// 13.1, but 700 of 61x33x50 in tiles of 64x64 9.8, not 13.1 (H200, 2026-11-29).
template <int Rows, int InRow, int Threads, class Visit>
__device__ void visit_vec16s(int rows_inside, int inside_row, Visit const& visit) {
  constexpr int most_passes = 3;
  int const thread = static_cast<int>(threadIdx.x);
  if constexpr (Rows * InRow <= most_passes * Threads) {
#pragma unroll
    for (int first = 0; first < Rows * InRow; first += Threads) {
      int const row = (first + thread) / InRow;
      int const in_row = (first + thread) % InRow;
      if (row < rows_inside && in_row < inside_row) visit(row, in_row);
    }
  } else {
    short_divisor<Rows * InRow, InRow> const row_length(inside_row);
#pragma unroll 2
    for (int v = thread; v < rows_inside * inside_row; v += Threads) {
      int const row = row_length.quotient(v);
      visit(row, v - row * inside_row);
    }
  }
}

/// Of an operand with contiguous rows, K-major or MN-major as the layout is. What lies outside it
/// in MN stays as it is in shared memory: its products are not stored.
template <class T, class Layout, int Threads>
class unaligned_loader {
  static constexpr int bytes = sizeof(T);
  static constexpr int elements_in_row = Layout::row_bytes / bytes;
  static constexpr int vec16s_in_row = Layout::row_bytes / 16;
  static constexpr int raw_vec16s_in_row = vec16s_in_row + 1;
  static_assert(Layout::k_extent * bytes % 16 == 0, "a row is as far off 16 bytes in every tile");

 public:
  __device__ unaligned_loader(T const* first, index mn_stride, index k_stride, index mn_left)
      : first_(reinterpret_cast<char const*>(first)),
        row_step_((Layout::is_k_major ? mn_stride : k_stride) * bytes),
        tile_step_(k_stride * (Layout::k_extent * bytes)),
        mn_left_(mn_left < most_mn ? static_cast<int>(mn_left) : most_mn) {}

  /// Issues the copies of the next tile's raw rows, of which k_left of k exist; zeros behind them
  /// up to a step of products.
  __device__ void issue(unsigned raw, int k_left) {
    int const rows_left = Layout::is_k_major ? mn_left_ : k_left;
    int const bytes_left =
        least_of(Layout::is_k_major ? k_left : mn_left_, elements_in_row) * bytes;
    visit_vec16s<Layout::rows, raw_vec16s_in_row, Threads>(
        rows_inside(k_left), vec16s_inside_row(k_left) + 1, [&](int row, int in_row) {
          char const* const row_start = first_ + row * row_step_;
          int const skipped = skipped_of(row);
          int const left = row < rows_left ? skipped + bytes_left - in_row * 16 : 0;
          cp_async<16>(raw + static_cast<unsigned>((row * raw_vec16s_in_row + in_row) * 16),
                       row_start - skipped + in_row * 16,
                       left >= 16 ? 16
                       : left > 0 ? left
                                  : 0);
        });
    first_ += tile_step_;
  }

  /// Of raw rows that have arrived.
  __device__ void shift(unsigned raw, unsigned char* tile, int k_left) const {
    visit_vec16s<Layout::rows, vec16s_in_row, Threads>(
        rows_inside(k_left), vec16s_inside_row(k_left), [&](int row, int in_row) {
          unsigned const from =
              raw + static_cast<unsigned>((row * raw_vec16s_in_row + in_row) * 16);
          *reinterpret_cast<uint4*>(tile + row * Layout::row_bytes +
                                    Layout::offset_in_row(row, in_row)) =
              shifted_vec16(ld_shared_vec16(from), ld_shared_vec16(from + 16),
                            static_cast<unsigned>(skipped_of(row)));
        });
  }

 private:
  static constexpr int most_mn = Layout::elements / Layout::k_extent;
  static constexpr int k_of_step = fragment_loader<T, Layout>::k_extent;

  __device__ static int k_inside(int k_left) {
    return least_of((k_left + k_of_step - 1) / k_of_step * k_of_step, Layout::k_extent);
  }
  __device__ int rows_inside(int k_left) const {
    return Layout::is_k_major ? mn_left_ : k_inside(k_left);
  }
  __device__ int vec16s_inside_row(int k_left) const {
    return ((Layout::is_k_major ? k_inside(k_left) : mn_left_) * bytes + 15) / 16;
  }

  __device__ int skipped_of(int row) const {
    return static_cast<int>(
        (reinterpret_cast<std::uintptr_t>(first_) + static_cast<std::uintptr_t>(row * row_step_)) &
        15);
  }

  char const* first_;
  index row_step_, tile_step_;
  int mn_left_;
};

/// The loop for operands with contiguous rows at any address: while a tile is multiplied, the next
/// one is shifted, and raw rows of `stages` - 1 tiles are under way. Of one stage, a tile is
/// shifted before it is multiplied, and then the next raw rows are under way.
template <class Tile, class Accumulators, class Problem>
__device__ void mainloop_unaligned(Accumulators& accumulators, Problem const& problem,
                                   work_tile const& work, void* shared) {
  using T = typename Accumulators::element;
  using a_layout = typename Tile::template a_layout<T>;
  using b_layout = typename Tile::template b_layout<T>;
  constexpr int stages = Tile::config.stages;
  constexpr int steps = Tile::k_extent / Accumulators::k_per_step;
  static_assert(Tile::config.k_slices == 1 && zeros_are_neutral<Problem>);
  unaligned_loader<T, a_layout, Tile::threads> a(
      &problem.a.at(work.batch, work.coordinates.row, work.k_begin), problem.a.row_stride,
      problem.a.col_stride, problem.rows - work.coordinates.row);
  unaligned_loader<T, b_layout, Tile::threads> b(
      &problem.b.at(work.batch, work.k_begin, work.coordinates.col), problem.b.col_stride,
      problem.b.row_stride, problem.cols - work.coordinates.col);
  unsigned const raw = smem_address(shared);
  auto* const tiles = static_cast<unsigned char*>(shared) + Tile::bytes_of_stages;
  int const count = static_cast<int>(ceil_div(work.k_extent, Tile::k_extent));
  int issued = 0;
  auto const raw_of = [&](int tile) {
    return raw +
           static_cast<unsigned>(tile % stages * (Tile::raw_bytes_of_a + Tile::raw_bytes_of_b));
  };
  auto const buffer_of = [&](int tile) {
    return tiles + tile % Tile::buffers * (Tile::bytes_of_a + Tile::bytes_of_b);
  };
  auto const k_left_of = [&](int tile) {
    index const left = work.k_extent - index{tile} * Tile::k_extent;
    return left < Tile::k_extent ? static_cast<int>(left) : Tile::k_extent;
  };
  auto const issue = [&] {
    if (issued < count) {
      a.issue(raw_of(issued), k_left_of(issued));
      b.issue(raw_of(issued) + Tile::raw_bytes_of_a, k_left_of(issued));
    }
    ++issued;
    cp_async_commit();
  };
  auto const shift = [&](int tile) {
    a.shift(raw_of(tile), buffer_of(tile), k_left_of(tile));
    b.shift(raw_of(tile) + Tile::raw_bytes_of_a, buffer_of(tile) + Tile::bytes_of_a,
            k_left_of(tile));
  };
  for (int stage = 0; stage < stages; ++stage) issue();
  if constexpr (stages > 1) {
    cp_async_wait<stages - 1>();
    __syncthreads();
    if (count > 0) shift(0);
  }
  for (int tile = 0; tile < count; ++tile) {
    cp_async_wait<(stages > 2 ? stages - 2 : 0)>();
    __syncthreads();  // raw rows have arrived, the tiles before are read; of several stages, those
                      // of the next tile, and this one is shifted
    if constexpr (stages == 1) {
      shift(tile);
      __syncthreads();
    }
    issue();  // to the raw rows that this tile was shifted from
    if (stages > 1 && tile + 1 < count) shift(tile + 1);
    auto const* const a_tile = reinterpret_cast<T const*>(buffer_of(tile));
    auto const* const b_tile = reinterpret_cast<T const*>(buffer_of(tile) + Tile::bytes_of_a);
    int const k_left = k_left_of(tile);
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      if (step * Accumulators::k_per_step >= k_left) break;
      accumulators.template load<0>(a_tile, b_tile, step);
      accumulators.template multiply<0>(problem);
    }
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
