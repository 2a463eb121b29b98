// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm by tiles of C, one a block: stages of A and B flow through shared memory along the depth
// while `Sums` (gemm/simt/fma.cuh, gemm/sm80/dmma.cuh, gemm/sm80/mma.cuh) multiplies the stage before. Takes any
// strides and extents. Sums ascend along the depth, part by part where slices or splits share it.
#pragma once

#include <xpose/backends/cuda/gemm/block/block_tile.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Of a warp. Code for devices below capability 80, without matrix units for these types, asks
/// other lanes for their elements; it is right and slow, and rows that need no such units are
/// chosen there.
inline constexpr unsigned all_lanes = 0xFFFFFFFFu;

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
  constexpr bool repeats = calls_user_code<Problem>;
  typename reader_of<K, a_layout, Tile::rows, Tile::depth, Tile::threads, repeats>::type a(
      &problem.a.at(block.batch, block.place.row, block.first_depth), problem.a.row_stride,
      problem.a.col_stride, problem.rows - block.place.row, grid.a);
  typename reader_of<K, b_layout, Tile::cols, Tile::depth, Tile::threads, repeats>::type b(
      &problem.b.at(block.batch, block.first_depth, block.place.col), problem.b.col_stride,
      problem.b.row_stride, problem.cols - block.place.col, grid.b);

  int const tiles = static_cast<int>((block.depth + Tile::depth - 1) / Tile::depth);
  int const in_last = static_cast<int>(block.depth - index{tiles - 1} * Tile::depth);
  int const whole_tiles = zeros_add_nothing<Problem> || in_last == Tile::depth ? tiles : tiles - 1;
  int tiles_left = tiles;  // that are not read yet
  int to = 0;
  auto const end_start = [&] {
    a.advance();
    b.advance();
    --tiles_left;
    end_copy_group();
    to = to + 1 == Tile::stages ? 0 : to + 1;
  };
  auto const start = [&](int part, int parts) {
    int const left = tiles_left > 1 ? Tile::depth : tiles_left == 1 ? in_last : 0;
    a.start(a_tiles + to * a_stage, left, part, parts);
    b.start(b_tiles + to * b_stage, left, part, parts);
    if (part == parts - 1) end_start();
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
  int tile = 0;
  if constexpr (Sums::has_whole_stages) {
    // While tiles are left to copy that nothing cuts: without a branch, so that the compiler mixes
    // copies, loads and products. A lone stage of f64 128x64 takes 1235 clocks so, not 1530; with
    // the copies in the same parts but behind branches 1730 (H100, 2026-11-22).
    int const count = (in_last == Tile::depth ? tiles : tiles - 1) - (Tile::stages - 1);
    constexpr int few = 4;  // do not pay for another loop's instructions
    auto const start_part = [&](int part) {
      a.start_whole(a_tiles + to * a_stage, part, steps);
      b.start_whole(b_tiles + to * b_stage, part, steps);
      if (part == steps - 1) end_start();
    };
    if (count >= few && a.has_whole_tiles() && b.has_whole_tiles())
      for (; tile < count; ++tile) {
#pragma unroll
        for (int step = 0; step < steps; step += 2) {
          bool const is_last = step == steps - 2;
          start_part(step);
          sums.template load<1>(a_tile, b_tile, step + 1);
          if (is_last) start_part(step + 1);
          sums.template multiply<0>(problem);
          if (is_last) next_stage();
          else start_part(step + 1);
          sums.template load<0>(a_tile, b_tile, is_last ? 0 : step + 2);
          sums.template multiply<1>(problem);
        }
      }
  }
  for (; tile < whole_tiles; ++tile) {
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
                    Tile::threads, calls_user_code<Problem>>
      a(&problem.a.at(block.batch, block.place.row, block.first_depth), problem.a.row_stride,
        problem.a.col_stride, problem.rows - block.place.row, grid.a);
  converting_reader<typename Problem::b_type, K, Tile::cols, Tile::depth, b_layout::pitch,
                    Tile::threads, calls_user_code<Problem>>
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

/// What multiplies where one of A and B is conjugated, if that is another loop: a sign that a loop
/// asked for would cost complex floats 4 % (H100, 2026-11-22).
template <class Sums>
struct turned_sums_of {
  using type = void;
};

/// Whether the readers have other code for tiles that an end of C cuts.
template <class Tile>
constexpr bool cuts_cost =
    Tile::row.is_async&& Tile::row.arithmetic != gemm_arithmetic::short_units;

template <class Tile, class Sums, class Problem>
__global__ void __launch_bounds__(Tile::threads, Tile::row.blocks)
    gemm_tiles(Problem problem, gemm_grid grid) {
  extern __shared__ __align__(16) unsigned char shared[];
  wait_for_kernel_before();
  if (!grid.condition.holds()) return;
  gemm_block block = block_of<Tile>(problem, grid, blockIdx.x);
  if constexpr (cuts_cost<Tile>) block.place = moved_inside<Tile>(block.place, problem, grid);

  Sums sums(problem);
  using turned = typename turned_sums_of<Sums>::type;
  if constexpr (!std::is_void_v<turned> && Tile::row.is_async) {
    if (problem.conjugate_a != problem.conjugate_b) {
      turned products(sums);
      multiply_async<Tile>(products, problem, grid, block, shared);
    } else {
      multiply_async<Tile>(sums, problem, grid, block, shared);
    }
  } else if constexpr (Tile::row.is_async || Tile::row.arithmetic == gemm_arithmetic::short_units)
    multiply_async<Tile>(sums, problem, grid, block, shared);
  else multiply_converting<Tile>(sums, problem, grid, block, shared);

  let_next_kernel_start();
  if constexpr (Tile::row.slices > 1) add_slices<Tile>(sums, problem, shared);
  if (sums.slice() != 0) return;
  if (grid.splits > 1) store_partial(sums, problem, grid, block);
  else sums_writer<Sums, Problem>(sums, problem, block.batch, block.place).write(grid.c);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
