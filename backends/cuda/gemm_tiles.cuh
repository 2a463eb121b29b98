// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm by tiles of C, one a block: stages of A and B flow through shared memory along the depth
// while `Sums` (gemm_fma.cuh, gemm_f64.cuh) multiplies the stage before. Takes any strides and
// extents. Sums ascend along the depth, part by part where slices or splits share it.
#pragma once

#include <xpose/backends/cuda/gemm_readers.cuh>
#include <xpose/backends/cuda/gemm_row.hpp>
#include <xpose/backends/gemm_problem.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Which neighbours of C a thread stores at once, up to 16 bytes.
enum class gemm_writing : int { one, along_rows, along_cols };

/// The grid and the layouts, the same for all blocks of a launch.
struct gemm_grid {
  index first_batch;
  unsigned row_tiles;
  unsigned col_tiles;
  unsigned splits;
  index depth_of_split;
  gemm_reading a;
  gemm_reading b;
  gemm_writing c;
  void* partial;  // sums of the splits: [batch][split][row][pitch of cols]; null for one split
};

/// Sums of a split have rows of whole vectors.
XPOSE_HOST_DEVICE constexpr index partial_pitch(index cols) {
  return (cols + 3) / 4 * 4;
}

/// A row of a table as constants for a kernel, and whether its tiles of A and B lie along the
/// depth.
template <class Table, int Row, bool ADepth = false, bool BDepth = false>
struct gemm_tile {
  static constexpr gemm_row row = Table::rows[Row];
  static constexpr int rows = row.rows;
  static constexpr int cols = row.cols;
  static constexpr int depth = row.depth;
  static constexpr int threads_of_tile = detail::threads_of_tile(row);
  static constexpr int threads = threads_of(row);
  static constexpr int stages = row.stages;
  static constexpr int pad = row.arithmetic == gemm_arithmetic::c128_units ? 2 : 4;
  template <class K, int Across, bool IsAlongDepth>
  using layout = std::conditional_t<IsAlongDepth, depth_rows<K, Across, depth>,
                                    across_rows<K, Across, depth, pad>>;
  template <class K>
  using a_layout = layout<K, rows, ADepth>;
  template <class K>
  using b_layout = layout<K, cols, BDepth>;
  template <class K>
  static constexpr int shared_elements = stages*(a_layout<K>::elements + b_layout<K>::elements);
  template <class K>
  static constexpr int shared_bytes = shared_elements<K>* static_cast<int>(sizeof(K));
};

/// What copies tiles of `Across` to a layout.
template <class K, class Layout, int Across, int Depth, int Threads>
struct reader_of {
  using type = async_reader<K, Across, Depth, Layout::pitch, Threads>;
};
template <class K, int Across, int Depth, int Threads>
struct reader_of<K, depth_rows<K, Across, Depth>, Across, Depth, Threads> {
  using type = depth_reader<K, Across, Depth, Threads>;
};

template <class K>
constexpr bool is_plain_number = std::is_arithmetic_v<K>;
template <class R>
constexpr bool is_plain_number<complex_value<R>> = true;

/// Operands whose elements can be copied as they are, if they are aligned to their size; conjugates
/// are then made where elements are used.
template <class Problem>
constexpr bool can_read_async = [] {
  using K = typename Problem::accumulate_type;
  return std::is_same_v<typename Problem::a_type, K> &&
         std::is_same_v<typename Problem::b_type, K> && std::is_trivially_copyable_v<K> &&
         (sizeof(K) == 4 || sizeof(K) == 8 || sizeof(K) == 16);
}();

/// Whether zeros beyond the depth leave sums as they are.
template <class Problem>
constexpr bool zeros_add_nothing = std::is_same_v<typename Problem::semiring_type, plus_times>&&
    is_plain_number<typename Problem::accumulate_type>;

template <class T>
constexpr int vector_of = [] {
  constexpr int bytes = sizeof(T);
  return std::is_trivially_copyable_v<T> && bytes <= 16 && (bytes & (bytes - 1)) == 0 ? 16 / bytes
                                                                                      : 1;
}();

/// Elements that are loaded and stored at once.
template <class T, int Count>
struct alignas(sizeof(T) * Count) element_group {
  T elements[Count];
  __device__ T& operator[](int e) { return elements[e]; }
};

/// Place of a tile in C: groups of eight rows of tiles, column by column, so that blocks that run
/// together share their operands in the second-level cache.
struct gemm_tile_place {
  index row;
  index col;
};
template <class Tile>
__device__ inline gemm_tile_place place_of_tile(unsigned tile, gemm_grid const& grid) {
  constexpr unsigned most = 8;
  unsigned const group = tile / (most * grid.col_tiles);
  unsigned const in_group = tile - group * most * grid.col_tiles;
  unsigned const left = grid.row_tiles - group * most;
  unsigned const rows = left < most ? left : most;
  unsigned const col = in_group / rows;
  return {static_cast<index>(group * most + in_group - col * rows) * Tile::rows,
          static_cast<index>(col) * Tile::cols};
}

/// What a block computes: a tile of a matrix of the batch, over its part of the depth.
struct gemm_block {
  index batch;
  unsigned split;
  gemm_tile_place place;
  index first_depth;
  index depth;
};
template <class Tile, class Problem>
__device__ inline gemm_block block_of(Problem const& problem, gemm_grid const& grid) {
  unsigned const tiles = grid.row_tiles * grid.col_tiles;
  unsigned const matrix = blockIdx.x / tiles;
  unsigned const split = matrix % grid.splits;
  index const first_depth = split * grid.depth_of_split;
  index const left = problem.depth - first_depth;
  return {grid.first_batch + matrix / grid.splits, split,
          place_of_tile<Tile>(blockIdx.x - matrix * tiles, grid), first_depth,
          left < grid.depth_of_split ? left : grid.depth_of_split};
}

/// Scales, adds beta C and stores; `Along` rows or cols of neighbours at once.
template <class Sums, class Problem>
class sums_writer {
  using C = typename Problem::c_type;

 public:
  __device__ sums_writer(Sums const& sums, Problem const& problem, index batch,
                         gemm_tile_place place)
      : sums_(sums),
        problem_(problem),
        scalars_(problem.scalars),
        batch_(batch),
        place_(place),
        rows_left_(problem.rows - place.row),
        cols_left_(problem.cols - place.col) {}

  __device__ void write(gemm_writing how) const {
    if (how == gemm_writing::along_rows)
      write_groups<1, least_of(Sums::cols_together, vector_of<C>)>();
    else if (how == gemm_writing::along_cols)
      write_groups<least_of(Sums::rows_together, vector_of<C>), 1>();
    else write_groups<1, 1>();
  }

 private:
  template <int Rows, int Cols>
  __device__ void write_groups() const {
#pragma unroll
    for (int r = 0; r < Sums::rows; r += Rows) {
      int const row = sums_.row_of(r);
      if (row >= rows_left_) continue;
#pragma unroll
      for (int c = 0; c < Sums::cols; c += Cols) {
        int const col = sums_.col_of(c);
        if (col >= cols_left_) continue;
        write_group<Rows, Cols>(r, c, place_.row + row, place_.col + col);
      }
    }
  }

  template <int Rows, int Cols>
  __device__ void write_group(int r, int c, index row, index col) const {
    C* const at = &problem_.c.at(batch_, row, col);
    if constexpr (Rows * Cols == 1) {
      problem_.write_to(*at, scalars_, row, col, sums_.value(r, c));
    } else {
      using group = element_group<C, Rows * Cols>;
      group held;
      if (!scalars_.beta_is_zero) held = *reinterpret_cast<group const*>(at);
#pragma unroll
      for (int e = 0; e < Rows * Cols; ++e) {
        int const i = Rows > 1 ? e : 0;
        int const j = Cols > 1 ? e : 0;
        problem_.write_to(held[e], scalars_, row + i, col + j, sums_.value(r + i, c + j));
      }
      *reinterpret_cast<group*>(at) = held;
    }
  }

  Sums const& sums_;
  Problem const& problem_;
  gemm_scalars<typename Problem::accumulate_type> const scalars_;
  index batch_;
  gemm_tile_place place_;
  index rows_left_;
  index cols_left_;
};

/// The sums of a split go to its own matrix in the workspace.
template <class K, class Problem>
__device__ inline K* partial_at(Problem const& problem, gemm_grid const& grid,
                                gemm_block const& block, index row, index col) {
  index const matrix = (block.batch - grid.first_batch) * grid.splits + block.split;
  return static_cast<K*>(grid.partial) +
         (matrix * problem.rows + row) * partial_pitch(problem.cols) + col;
}
template <class Sums, class Problem>
__device__ void store_partial(Sums const& sums, Problem const& problem, gemm_grid const& grid,
                              gemm_block const& block) {
  using K = typename Problem::accumulate_type;
  constexpr int V = Sums::cols_together < vector_of<K> ? Sums::cols_together : vector_of<K>;
  using group = element_group<K, V>;
#pragma unroll
  for (int r = 0; r < Sums::rows; ++r) {
    index const row = block.place.row + sums.row_of(r);
    if (row >= problem.rows) continue;
#pragma unroll
    for (int c = 0; c < Sums::cols; c += V) {
      index const col = block.place.col + sums.col_of(c);
      if (col >= problem.cols) continue;
      group held;
#pragma unroll
      for (int e = 0; e < V; ++e) held[e] = sums.value(r, c + e);
      *reinterpret_cast<group*>(partial_at<K>(problem, grid, block, row, col)) = held;
    }
  }
}

/// Multiplies stages in order; `Sums` has two sets of registers for the steps of a stage, and loads
/// one while it multiplies the other, across stages too.
template <class Tile, class Sums, class Problem>
__device__ void multiply_async(Sums& sums, Problem const& problem, gemm_grid const& grid,
                               gemm_block const& block, void* shared) {
  using K = typename Sums::element;
  using a_layout = typename Tile::template a_layout<K>;
  using b_layout = typename Tile::template b_layout<K>;
  constexpr int a_stage = a_layout::elements;
  constexpr int b_stage = b_layout::elements;
  K* const a_tiles = static_cast<K*>(shared);
  K* const b_tiles = a_tiles + Tile::stages * a_stage;
  typename reader_of<K, a_layout, Tile::rows, Tile::depth, Tile::threads>::type a(
      &problem.a.at(block.batch, block.place.row, block.first_depth), problem.a.row_stride,
      problem.a.col_stride, problem.rows - block.place.row, grid.a);
  typename reader_of<K, b_layout, Tile::cols, Tile::depth, Tile::threads>::type b(
      &problem.b.at(block.batch, block.first_depth, block.place.col), problem.b.col_stride,
      problem.b.row_stride, problem.cols - block.place.col, grid.b);

  int const tiles = static_cast<int>((block.depth + Tile::depth - 1) / Tile::depth);
  int const in_last = static_cast<int>(block.depth - index{tiles - 1} * Tile::depth);
  int const whole_tiles = zeros_add_nothing<Problem> || in_last == Tile::depth ? tiles : tiles - 1;
  int tiles_left = tiles;  // that are not read yet
  int to = 0;
  auto const start = [&](int part, int parts) {
    int const left = tiles_left > 1 ? Tile::depth : tiles_left == 1 ? in_last : 0;
    a.start(a_tiles + to * a_stage, left, part, parts);
    b.start(b_tiles + to * b_stage, left, part, parts);
    if (part < parts - 1) return;
    a.advance();
    b.advance();
    --tiles_left;
    end_copy_group();
    to = to + 1 == Tile::stages ? 0 : to + 1;
  };
  for (int stage = 0; stage < Tile::stages - 1; ++stage) start(0, 1);
  wait_for_copy_groups<Tile::stages - 2>();
  __syncthreads();

  constexpr int steps = Tile::depth / Tile::row.slices / Sums::depth_of_step;
  static_assert(steps % Sums::sets == 0, "sets of registers alternate");
  K const* a_tile = a_tiles;
  K const* b_tile = b_tiles;
  int at = 0;
  auto const next_stage = [&] {
    wait_for_copy_groups<Tile::stages - 2>();
    __syncthreads();
    at = at + 1 == Tile::stages ? 0 : at + 1;
    a_tile = a_tiles + at * a_stage;
    b_tile = b_tiles + at * b_stage;
  };
  if (Sums::sets == 2 && whole_tiles > 0) sums.template load<0>(a_tile, b_tile, 0);
  for (int tile = 0; tile < whole_tiles; ++tile) {
    if constexpr (Sums::sets == 1) {
      start(0, 1);
#pragma unroll
      for (int step = 0; step < steps; ++step) {
        sums.template load<0>(a_tile, b_tile, step);
        sums.template multiply<0>(problem);
      }
      next_stage();
    } else {
#pragma unroll
      for (int step = 0; step < steps - 2; step += 2) {
        start(step, steps);
        sums.template load<1>(a_tile, b_tile, step + 1);
        sums.template multiply<0>(problem);
        start(step + 1, steps);
        sums.template load<0>(a_tile, b_tile, step + 2);
        sums.template multiply<1>(problem);
      }
      start(steps - 2, steps);
      sums.template load<1>(a_tile, b_tile, steps - 1);
      start(steps - 1, steps);
      sums.template multiply<0>(problem);
      next_stage();
      sums.template load<0>(a_tile, b_tile, 0);
      sums.template multiply<1>(problem);
    }
  }
  if constexpr (!zeros_add_nothing<Problem>) {
    int const left = whole_tiles == tiles ? 0 : in_last;
    int const first = sums.slice() * steps;
    for (int step = 0; step < steps && first + step < left; ++step) {
      sums.template load<0>(a_tile, b_tile, step);
      sums.template multiply<0>(problem);
    }
  }
}

/// The same with operands that are converted on their way through registers.
template <class Tile, class Sums, class Problem>
__device__ void multiply_converting(Sums& sums, Problem const& problem, gemm_grid const& grid,
                                    gemm_block const& block, void* shared) {
  using K = typename Problem::accumulate_type;
  index const depth = block.depth;
  static_assert(Tile::stages == 2 && Tile::row.slices == 1);
  using a_layout = typename Tile::template a_layout<K>;
  using b_layout = typename Tile::template b_layout<K>;
  constexpr int a_stage = a_layout::elements;
  constexpr int b_stage = b_layout::elements;
  K* const a_tiles = static_cast<K*>(shared);
  K* const b_tiles = a_tiles + 2 * a_stage;
  converting_reader<typename Problem::a_type, K, Tile::rows, Tile::depth, a_layout::pitch,
                    Tile::threads>
      a(&problem.a.at(block.batch, block.place.row, block.first_depth), problem.a.row_stride,
        problem.a.col_stride, problem.rows - block.place.row, grid.a);
  converting_reader<typename Problem::b_type, K, Tile::cols, Tile::depth, b_layout::pitch,
                    Tile::threads>
      b(&problem.b.at(block.batch, block.first_depth, block.place.col), problem.b.col_stride,
        problem.b.row_stride, problem.cols - block.place.col, grid.b);
  auto const read_a = [&](auto const& element) { return problem.read_a(element); };
  auto const read_b = [&](auto const& element) { return problem.read_b(element); };
  auto const left = [&](index done) {
    return depth - done < Tile::depth ? static_cast<int>(depth - done) : Tile::depth;
  };
  if (depth > 0) {
    a.start(left(0), read_a);
    b.start(left(0), read_b);
    a.finish(a_tiles);
    b.finish(b_tiles);
  }
  int at = 0;
  for (index done = 0; done < depth; done += Tile::depth) {
    __syncthreads();
    bool const more = done + Tile::depth < depth;
    if (more) {
      a.start(left(done + Tile::depth), read_a);
      b.start(left(done + Tile::depth), read_b);
    }
    K const* const a_tile = a_tiles + at * a_stage;
    K const* const b_tile = b_tiles + at * b_stage;
    at ^= 1;
    if (int const steps = left(done); steps == Tile::depth) {
#pragma unroll
      for (int step = 0; step < Tile::depth; ++step) {
        sums.template load<0>(a_tile, b_tile, step);
        sums.template multiply<0>(problem);
      }
    } else {
      for (int step = 0; step < steps; ++step) {
        sums.template load<0>(a_tile, b_tile, step);
        sums.template multiply<0>(problem);
      }
    }
    if (more) {
      a.finish(a_tiles + at * a_stage);
      b.finish(b_tiles + at * b_stage);
    }
  }
}

/// Adds the sums of the other slices to those of the first, in order, through shared memory.
template <class Tile, class Sums, class Problem>
__device__ void add_slices(Sums& sums, Problem const& problem, void* shared) {
  using K = typename Problem::accumulate_type;
  static_assert(Tile::rows * Tile::cols <= Tile::template shared_elements<K>);
  K* const held = static_cast<K*>(shared) + threadIdx.x % Tile::threads_of_tile;
  if constexpr (Tile::row.is_async)
    wait_for_copy_groups<0>();  // zeros beyond the depth are copied too
  for (int slice = 1; slice < Tile::row.slices; ++slice) {
    __syncthreads();
    if (sums.slice() == slice)
#pragma unroll
      for (int r = 0; r < Sums::rows; ++r)
#pragma unroll
        for (int c = 0; c < Sums::cols; ++c)
          held[(r * Sums::cols + c) * Tile::threads_of_tile] = sums.value(r, c);
    __syncthreads();
    if (sums.slice() == 0)
#pragma unroll
      for (int r = 0; r < Sums::rows; ++r)
#pragma unroll
        for (int c = 0; c < Sums::cols; ++c)
          sums.set(r, c,
                   problem.semiring.add(sums.value(r, c),
                                        held[(r * Sums::cols + c) * Tile::threads_of_tile]));
  }
}

template <class Tile, class Sums, class Problem>
__global__ void __launch_bounds__(Tile::threads, Tile::row.blocks)
    gemm_tiles(Problem problem, gemm_grid grid) {
  extern __shared__ __align__(16) unsigned char shared[];
  gemm_block const block = block_of<Tile>(problem, grid);

  Sums sums(problem);
  if constexpr (Tile::row.is_async || Tile::row.arithmetic == gemm_arithmetic::short_units)
    multiply_async<Tile>(sums, problem, grid, block, shared);
  else multiply_converting<Tile>(sums, problem, grid, block, shared);

  if constexpr (Tile::row.slices > 1) add_slices<Tile>(sums, problem, shared);
  if (sums.slice() != 0) return;
  if (grid.splits > 1) store_partial(sums, problem, grid, block);
  else sums_writer<Sums, Problem>(sums, problem, block.batch, block.place).write(grid.c);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
