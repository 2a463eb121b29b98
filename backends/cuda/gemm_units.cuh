// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm of float16, bfloat16 and 1-byte integers by the matrix units, with mma.sync of capability 80
// and up; sums are f32 or int32. A tile's rows of A (columns of B) are 64 bytes along the depth in
// shared memory, whatever the operand's layout: 16-byte copies where it lies so, else elements are
// gathered through registers while the tile before is multiplied.
#pragma once

#include <xpose/backends/cuda/gemm_tiles.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

inline constexpr int unit_row_bytes = 64;

template <class Table, int Row, class T>
struct unit_tile {
  static constexpr gemm_row row = Table::rows[Row];
  static constexpr int rows = row.rows;
  static constexpr int cols = row.cols;
  static constexpr int depth = unit_row_bytes / static_cast<int>(sizeof(T));
  static constexpr int threads = threads_of(row);
  static constexpr int stages = row.stages;
  static constexpr int stage_bytes = (rows + cols) * unit_row_bytes;
  template <class K>
  static constexpr int shared_bytes = stages* stage_bytes;
};

/// Byte of a 16-byte chunk of a row: chunks change places so that eight neighbouring rows, and the
/// four chunks of two, touch all banks.
__device__ inline int place_of_chunk(int across, int chunk) {
  return across * unit_row_bytes + (chunk ^ (across >> 1 & 3)) * 16;
}

template <class T, int Across, int Threads>
class unit_reader {
  static constexpr int depth = unit_row_bytes / static_cast<int>(sizeof(T));
  static constexpr int in_chunk = 16 / static_cast<int>(sizeof(T));
  static constexpr int chunks = Across * 4;
  static constexpr int passes = (chunks + Threads - 1) / Threads;

 public:
  __device__ unit_reader(T const* first, index across_stride, index depth_stride, index across_left,
                         gemm_reading how)
      : is_copied_(how == gemm_reading::vectors_along_depth),
        is_along_depth_(is_copied_ || how == gemm_reading::along_depth),
        across_left_(across_left < Across ? static_cast<int>(across_left) : Across),
        first_(first),
        across_stride_(across_stride),
        depth_stride_(depth_stride) {}

  /// Begins to read the next tile; one that is copied goes to `tile`.
  __device__ void start(unsigned char* tile, int depth_left) {
    unsigned const to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
#pragma unroll
    for (int pass = 0; pass < passes; ++pass) {
      int const across = across_of(pass);
      int const chunk = chunk_of(pass);
      if (across >= Across) break;
      T const* const from = first_ + across * across_stride_ + chunk * in_chunk * depth_stride_;
      int const left = across < across_left_ ? depth_left - chunk * in_chunk : 0;
      if (is_copied_) {
        int const count = left >= in_chunk ? 16 : left > 0 ? left * static_cast<int>(sizeof(T)) : 0;
        copy_async<16>(to + place_of_chunk(across, chunk), from, count);
      } else {
        gather(pass, from, left);
      }
    }
    first_ += depth * depth_stride_;
  }

  /// Stores what start() gathered.
  __device__ void finish(unsigned char* tile) const {
    if (is_copied_) return;
#pragma unroll
    for (int pass = 0; pass < passes; ++pass)
      if (across_of(pass) < Across)
        *reinterpret_cast<uint4*>(tile + place_of_chunk(across_of(pass), chunk_of(pass))) =
            uint4{held_[pass][0], held_[pass][1], held_[pass][2], held_[pass][3]};
  }

 private:
  using bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>;

  // Neighbouring threads take what is contiguous: the chunks of a row, or a chunk of many rows.
  __device__ int across_of(int pass) const {
    int const unit = static_cast<int>(threadIdx.x) + pass * Threads;
    return is_along_depth_ ? unit / 4 : unit < chunks ? unit % Across : Across;
  }
  __device__ int chunk_of(int pass) const {
    int const unit = static_cast<int>(threadIdx.x) + pass * Threads;
    return is_along_depth_ ? unit % 4 : unit / Across;
  }

  __device__ void gather(int pass, T const* from, int left) {
    constexpr int in_word = 4 / static_cast<int>(sizeof(T));
#pragma unroll
    for (int word = 0; word < 4; ++word) {
      unsigned packed = 0;
#pragma unroll
      for (int e = 0; e < in_word; ++e) {
        int const element = word * in_word + e;
        unsigned value = 0;
        if (element < left) value = *reinterpret_cast<bits const*>(from + element * depth_stride_);
        packed |= value << (8 * static_cast<int>(sizeof(T)) * e);
      }
      held_[pass][word] = packed;
    }
  }

  bool is_copied_;
  bool is_along_depth_;
  int across_left_;
  T const* first_;
  index across_stride_;
  index depth_stride_;
  unsigned held_[passes][4];
};

/// sums += a (16 rows) b (8 columns), 32 bytes deep. Thread 4 g + t has word t of rows g and g + 8,
/// then the words 16 bytes on, of a and of column g of b; sums as in gemm_f64.cuh.
template <class T, class K>
__device__ inline void multiply_units(K (&sums)[2][2], unsigned const (&a)[4],
                                      unsigned const (&b)[2]) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, float16>)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0][0]), "+f"(sums[0][1]), "+f"(sums[1][0]), "+f"(sums[1][1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else if constexpr (std::is_same_v<T, bfloat16>)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0][0]), "+f"(sums[0][1]), "+f"(sums[1][0]), "+f"(sums[1][1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else if constexpr (std::is_signed_v<T>)
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+r"(sums[0][0]), "+r"(sums[0][1]), "+r"(sums[1][0]), "+r"(sums[1][1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+r"(sums[0][0]), "+r"(sums[0][1]), "+r"(sums[1][0]), "+r"(sums[1][1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

template <class Tile, class Problem>
class unit_sums {
  using T = typename Problem::a_type;
  using K = typename Problem::accumulate_type;
  static constexpr gemm_row tile = Tile::row;
  static constexpr int row_fragments = tile.rows_in_thread / 16;
  static constexpr int col_fragments = tile.cols_in_thread / 8;
  static constexpr int warps_across = tile.cols / tile.cols_in_thread;

 public:
  static constexpr int rows = 2 * row_fragments;
  static constexpr int cols = 2 * col_fragments;
  static constexpr int rows_together = 1;
  static constexpr int cols_together = 2;

  __device__ unit_sums() {
    int const thread = static_cast<int>(threadIdx.x);
    group_ = thread % 32 / 4;
    in_group_ = thread % 4;
    first_row_ = thread / 32 / warps_across * tile.rows_in_thread;
    first_col_ = thread / 32 % warps_across * tile.cols_in_thread;
    for (auto& row : sums_)
      for (auto& fragment : row)
        for (auto& line : fragment) line[0] = line[1] = K(0);
  }

  __device__ int row_of(int r) const { return first_row_ + r / 2 * 16 + group_ + r % 2 * 8; }
  __device__ int col_of(int c) const { return first_col_ + c / 2 * 8 + in_group_ * 2 + c % 2; }
  __device__ K value(int r, int c) const { return sums_[r / 2][c / 2][r % 2][c % 2]; }

  /// A thread's chunk of a row is word 0 and 1 of the first product, 2 and 3 of the second: which
  /// depth a word stands for is free, if A and B agree.
  __device__ void multiply(unsigned char const* a_tile, unsigned char const* b_tile) {
    uint4 a[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) a[r] = chunk(a_tile, row_of(r));
#pragma unroll
    for (int c = 0; c < col_fragments; ++c) {
      uint4 const b = chunk(b_tile, first_col_ + c * 8 + group_);
#pragma unroll
      for (int r = 0; r < row_fragments; ++r) {
        uint4 const& upper = a[2 * r];
        uint4 const& lower = a[2 * r + 1];
        multiply_units<T>(sums_[r][c], {upper.x, lower.x, upper.y, lower.y}, {b.x, b.y});
        multiply_units<T>(sums_[r][c], {upper.z, lower.z, upper.w, lower.w}, {b.z, b.w});
      }
    }
  }

 private:
  __device__ uint4 chunk(unsigned char const* tile_bytes, int across) const {
    return *reinterpret_cast<uint4 const*>(tile_bytes + place_of_chunk(across, in_group_));
  }

  int group_;
  int in_group_;
  int first_row_;
  int first_col_;
  K sums_[row_fragments][col_fragments][2][2];
};

template <class Tile, class Sums, class Problem>
__global__ void __launch_bounds__(Tile::threads, Tile::row.blocks)
    gemm_unit_tiles(Problem problem, gemm_grid grid) {
  using T = typename Problem::a_type;
  extern __shared__ __align__(16) unsigned char shared[];
  unsigned const tiles = grid.row_tiles * grid.col_tiles;
  unsigned const matrix = blockIdx.x / tiles;
  unsigned const split = matrix % grid.splits;
  index const batch = grid.first_batch + matrix / grid.splits;
  gemm_tile_place const place = place_of_tile<Tile>(blockIdx.x - matrix * tiles, grid);
  index const first_depth = split * grid.depth_of_split;
  index const depth_left = problem.depth - first_depth;
  index const depth = depth_left < grid.depth_of_split ? depth_left : grid.depth_of_split;

  unit_reader<T, Tile::rows, Tile::threads> a(&problem.a.at(batch, place.row, first_depth),
                                              problem.a.row_stride, problem.a.col_stride,
                                              problem.rows - place.row, grid.a);
  unit_reader<T, Tile::cols, Tile::threads> b(&problem.b.at(batch, first_depth, place.col),
                                              problem.b.col_stride, problem.b.row_stride,
                                              problem.cols - place.col, grid.b);
  constexpr int b_offset = Tile::rows * unit_row_bytes;
  int const steps = static_cast<int>((depth + Tile::depth - 1) / Tile::depth);
  auto const stage = [&](int step) { return shared + step % Tile::stages * Tile::stage_bytes; };
  auto const start = [&](int step) {
    if (step < steps) {
      index const left = depth - index{step} * Tile::depth;
      int const in_tile = left < Tile::depth ? static_cast<int>(left) : Tile::depth;
      a.start(stage(step), in_tile);
      b.start(stage(step) + b_offset, in_tile);
    }
    end_copy_group();
  };
  auto const finish = [&](int step) {
    if (step >= steps) return;
    a.finish(stage(step));
    b.finish(stage(step) + b_offset);
  };
  for (int step = 0; step < Tile::stages - 1; ++step) {
    start(step);
    finish(step);
  }

  Sums sums;
  for (int step = 0; step < steps; ++step) {
    wait_for_copy_groups<Tile::stages - 2>();
    __syncthreads();
    start(step + Tile::stages - 1);
    sums.multiply(stage(step), stage(step) + b_offset);
    finish(step + Tile::stages - 1);
  }

  if (grid.splits > 1) store_partial(sums, problem, grid, batch, split, place);
  else sums_writer<Sums, Problem>(sums, problem, batch, place).write(grid.c);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
