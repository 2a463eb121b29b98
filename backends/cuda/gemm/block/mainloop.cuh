// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm by tiles of C, one a block: stages of A and B flow through shared memory along the depth
// while `Sums` (gemm/simt/fma.cuh, gemm/sm80/dmma.cuh, gemm/sm80/mma.cuh) multiplies the stage
// before. Takes any strides and extents. Sums ascend along the depth, part by part where slices or
// splits share it.
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
template <class Tile, class Accumulators, class Problem>
__device__ void mainloop_cp_async(Accumulators& accumulators, Problem const& problem,
                                  gemm_grid const& grid, work_tile const& block, void* shared) {
  using K = typename Accumulators::element;
  using a_layout = typename Tile::template a_layout<K>;
  using b_layout = typename Tile::template b_layout<K>;
  constexpr int a_stage = a_layout::elements;
  constexpr int b_stage = b_layout::elements;
  K* const a_tiles = static_cast<K*>(shared);
  K* const b_tiles = a_tiles + Tile::stages * a_stage;
  constexpr bool repeats = calls_user_code<Problem>;
  typename loader_of<K, a_layout, Tile::rows, Tile::k_extent, Tile::threads, repeats>::type a(
      &problem.a.at(block.batch, block.coordinates.row, block.k_begin), problem.a.row_stride,
      problem.a.col_stride, problem.rows - block.coordinates.row, grid.a);
  typename loader_of<K, b_layout, Tile::cols, Tile::k_extent, Tile::threads, repeats>::type b(
      &problem.b.at(block.batch, block.k_begin, block.coordinates.col), problem.b.col_stride,
      problem.b.row_stride, problem.cols - block.coordinates.col, grid.b);

  int const tiles = static_cast<int>((block.k_extent + Tile::k_extent - 1) / Tile::k_extent);
  int const in_last = static_cast<int>(block.k_extent - index{tiles - 1} * Tile::k_extent);
  int const full_k_tiles =
      zeros_are_neutral<Problem> || in_last == Tile::k_extent ? tiles : tiles - 1;
  int tiles_left = tiles;  // that are not read yet
  int to = 0;
  auto const end_start = [&] {
    a.advance();
    b.advance();
    --tiles_left;
    cp_async_commit();
    to = to + 1 == Tile::stages ? 0 : to + 1;
  };
  auto const start = [&](int part, int parts) {
    int const left = tiles_left > 1 ? Tile::k_extent : tiles_left == 1 ? in_last : 0;
    a.start(a_tiles + to * a_stage, left, part, parts);
    b.start(b_tiles + to * b_stage, left, part, parts);
    if (part == parts - 1) end_start();
  };
  for (int stage = 0; stage < Tile::stages - 1; ++stage) start(0, 1);
  cp_async_wait<Tile::stages - 2>();
  __syncthreads();

  constexpr int steps = Tile::k_extent / Tile::row.k_slices / Accumulators::k_per_step;
  static_assert(steps % Accumulators::sets == 0, "sets of registers alternate");
  K const* a_tile = a_tiles;
  K const* b_tile = b_tiles;
  int at = 0;
  auto const next_stage = [&] {
    cp_async_wait<Tile::stages - 2>();
    __syncthreads();
    at = at + 1 == Tile::stages ? 0 : at + 1;
    a_tile = a_tiles + at * a_stage;
    b_tile = b_tiles + at * b_stage;
  };
  if (Accumulators::sets == 2 && full_k_tiles > 0) accumulators.template load<0>(a_tile, b_tile, 0);
  int tile = 0;
  if constexpr (Accumulators::has_unpredicated_loop) {
    // While tiles are left to copy that nothing cuts: without a branch, so that the compiler mixes
    // copies, loads and products. A lone stage of f64 128x64 takes 1235 clocks so, not 1530; with
    // the copies in the same parts but behind branches 1730 (H100, 2026-11-22).
    int const count = (in_last == Tile::k_extent ? tiles : tiles - 1) - (Tile::stages - 1);
    constexpr int few = 4;  // do not pay for another loop's instructions
    auto const start_part = [&](int part) {
      a.load_unpredicated(a_tiles + to * a_stage, part, steps);
      b.load_unpredicated(b_tiles + to * b_stage, part, steps);
      if (part == steps - 1) end_start();
    };
    if (count >= few && a.can_load_unpredicated() && b.can_load_unpredicated())
      for (; tile < count; ++tile) {
#pragma unroll
        for (int step = 0; step < steps; step += 2) {
          bool const is_last = step == steps - 2;
          start_part(step);
          accumulators.template load<1>(a_tile, b_tile, step + 1);
          if (is_last) start_part(step + 1);
          accumulators.template multiply<0>(problem);
          if (is_last) next_stage();
          else start_part(step + 1);
          accumulators.template load<0>(a_tile, b_tile, is_last ? 0 : step + 2);
          accumulators.template multiply<1>(problem);
        }
      }
  }
  for (; tile < full_k_tiles; ++tile) {
    if constexpr (Accumulators::sets == 1) {
      start(0, 1);
#pragma unroll
      for (int step = 0; step < steps; ++step) {
        accumulators.template load<0>(a_tile, b_tile, step);
        accumulators.template multiply<0>(problem);
      }
      next_stage();
    } else {
#pragma unroll
      for (int step = 0; step < steps - 2; step += 2) {
        start(step, steps);
        accumulators.template load<1>(a_tile, b_tile, step + 1);
        accumulators.template multiply<0>(problem);
        start(step + 1, steps);
        accumulators.template load<0>(a_tile, b_tile, step + 2);
        accumulators.template multiply<1>(problem);
      }
      start(steps - 2, steps);
      accumulators.template load<1>(a_tile, b_tile, steps - 1);
      start(steps - 1, steps);
      accumulators.template multiply<0>(problem);
      next_stage();
      accumulators.template load<0>(a_tile, b_tile, 0);
      accumulators.template multiply<1>(problem);
    }
  }
  if constexpr (!zeros_are_neutral<Problem>) {
    int const left = full_k_tiles == tiles ? 0 : in_last;
    int const first = accumulators.k_slice() * steps;
    for (int step = 0; step < steps && first + step < left; ++step) {
      accumulators.template load<0>(a_tile, b_tile, step);
      accumulators.template multiply<0>(problem);
    }
  }
}

/// The same with operands that are converted on their way through registers.
template <class Tile, class Accumulators, class Problem>
__device__ void mainloop_converting(Accumulators& accumulators, Problem const& problem,
                                    gemm_grid const& grid, work_tile const& block, void* shared) {
  using K = typename Problem::accumulate_type;
  index const k_extent = block.k_extent;
  static_assert(Tile::stages == 2 && Tile::row.k_slices == 1);
  using a_layout = typename Tile::template a_layout<K>;
  using b_layout = typename Tile::template b_layout<K>;
  constexpr int a_stage = a_layout::elements;
  constexpr int b_stage = b_layout::elements;
  K* const a_tiles = static_cast<K*>(shared);
  K* const b_tiles = a_tiles + 2 * a_stage;
  converting_loader<typename Problem::a_type, K, Tile::rows, Tile::k_extent, a_layout::pitch,
                    Tile::threads, calls_user_code<Problem>>
      a(&problem.a.at(block.batch, block.coordinates.row, block.k_begin), problem.a.row_stride,
        problem.a.col_stride, problem.rows - block.coordinates.row, grid.a);
  converting_loader<typename Problem::b_type, K, Tile::cols, Tile::k_extent, b_layout::pitch,
                    Tile::threads, calls_user_code<Problem>>
      b(&problem.b.at(block.batch, block.k_begin, block.coordinates.col), problem.b.col_stride,
        problem.b.row_stride, problem.cols - block.coordinates.col, grid.b);
  auto const read_a = [&](auto const& element) { return problem.read_a(element); };
  auto const read_b = [&](auto const& element) { return problem.read_b(element); };
  auto const left = [&](index done) {
    return k_extent - done < Tile::k_extent ? static_cast<int>(k_extent - done) : Tile::k_extent;
  };
  if (k_extent > 0) {
    a.start(left(0), read_a);
    b.start(left(0), read_b);
    a.finish(a_tiles);
    b.finish(b_tiles);
  }
  int at = 0;
  for (index done = 0; done < k_extent; done += Tile::k_extent) {
    __syncthreads();
    bool const more = done + Tile::k_extent < k_extent;
    if (more) {
      a.start(left(done + Tile::k_extent), read_a);
      b.start(left(done + Tile::k_extent), read_b);
    }
    K const* const a_tile = a_tiles + at * a_stage;
    K const* const b_tile = b_tiles + at * b_stage;
    at ^= 1;
    if (int const steps = left(done); steps == Tile::k_extent) {
#pragma unroll
      for (int step = 0; step < Tile::k_extent; ++step) {
        accumulators.template load<0>(a_tile, b_tile, step);
        accumulators.template multiply<0>(problem);
      }
    } else {
      for (int step = 0; step < steps; ++step) {
        accumulators.template load<0>(a_tile, b_tile, step);
        accumulators.template multiply<0>(problem);
      }
    }
    if (more) {
      a.finish(a_tiles + at * a_stage);
      b.finish(b_tiles + at * b_stage);
    }
  }
}

/// Adds the sums of the other slices to those of the first, in order, through shared memory.
template <class Tile, class Accumulators, class Problem>
__device__ void reduce_k_slices(Accumulators& accumulators, Problem const& problem, void* shared) {
  using K = typename Problem::accumulate_type;
  static_assert(Tile::rows * Tile::cols <= Tile::template shared_elements<K>);
  K* const held = static_cast<K*>(shared) + threadIdx.x % Tile::threads_of_k_slice;
  if constexpr (Tile::row.is_async) cp_async_wait<0>();  // zeros beyond the depth are copied too
  for (int k_slice = 1; k_slice < Tile::row.k_slices; ++k_slice) {
    __syncthreads();
    if (accumulators.k_slice() == k_slice)
#pragma unroll
      for (int r = 0; r < Accumulators::rows; ++r)
#pragma unroll
        for (int c = 0; c < Accumulators::cols; ++c)
          held[(r * Accumulators::cols + c) * Tile::threads_of_k_slice] = accumulators.value(r, c);
    __syncthreads();
    if (accumulators.k_slice() == 0)
#pragma unroll
      for (int r = 0; r < Accumulators::rows; ++r)
#pragma unroll
        for (int c = 0; c < Accumulators::cols; ++c)
          accumulators.set(
              r, c,
              problem.semiring.add(accumulators.value(r, c),
                                   held[(r * Accumulators::cols + c) * Tile::threads_of_k_slice]));
  }
}

/// What multiplies where one of A and B is conjugated, if that is another loop: a sign that a loop
/// asked for would cost complex floats 4 % (H100, 2026-11-22).
template <class Accumulators>
struct conj_b_accumulators_of {
  using type = void;
};

/// Whether the readers have other code for tiles that an end of C cuts.
template <class Tile>
constexpr bool predication_costs =
    Tile::row.is_async&& Tile::row.kind != gemm_kernel_kind::mma_sync;

template <class Tile, class Accumulators, class Problem>
__global__ void __launch_bounds__(Tile::threads, Tile::row.blocks)
    gemm_tile_kernel(Problem problem, gemm_grid grid) {
  extern __shared__ __align__(16) unsigned char shared[];
  pdl_wait();
  if (!grid.condition.holds()) return;
  work_tile block = work_tile_of<Tile>(problem, grid, blockIdx.x);
  if constexpr (predication_costs<Tile>)
    block.coordinates = shifted_inside<Tile>(block.coordinates, problem, grid);

  Accumulators accumulators(problem);
  using conj_b = typename conj_b_accumulators_of<Accumulators>::type;
  if constexpr (!std::is_void_v<conj_b> && Tile::row.is_async) {
    if (problem.conjugate_a != problem.conjugate_b) {
      conj_b products(accumulators);
      mainloop_cp_async<Tile>(products, problem, grid, block, shared);
    } else {
      mainloop_cp_async<Tile>(accumulators, problem, grid, block, shared);
    }
  } else if constexpr (Tile::row.is_async || Tile::row.kind == gemm_kernel_kind::mma_sync)
    mainloop_cp_async<Tile>(accumulators, problem, grid, block, shared);
  else mainloop_converting<Tile>(accumulators, problem, grid, block, shared);

  pdl_trigger();
  if constexpr (Tile::row.k_slices > 1) reduce_k_slices<Tile>(accumulators, problem, shared);
  if (accumulators.k_slice() != 0) return;
  if (grid.split_k > 1) store_split_k_partials(accumulators, problem, grid, block);
  else
    epilogue_writer<Accumulators, Problem>(accumulators, problem, block.batch, block.coordinates)
        .write(grid.c);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
