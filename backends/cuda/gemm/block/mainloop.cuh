// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The main loop and kernel of gemm by block tiles of C: tiles of A and B flow through a pipeline of
// stages in shared memory while `Accumulators` (gemm/simt/fma.cuh, gemm/sm80/dmma.cuh,
// gemm/sm80/mma.cuh) multiplies an earlier stage. Takes any strides and extents. k ascends in every
// sum, part by part where k slices or split-K divide it.
//
//   global  --cp.async-->  stage i + stages - 1         one step along k:
//                          ...                           load fragments of step s + 1 (buffer 1)
//   registers  <--load--   stage i                       multiply fragments of step s  (buffer 0)
#pragma once

#include <xpose/backends/cuda/gemm/sm90/cluster_reduction.cuh>
#include <xpose/backends/cuda/gemm/split_k.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// The products of a stage, in steps along k: issue(part, parts) copies a part of the next tile. Of
/// two fragment buffers, one is loaded while one is multiplied; next_stage() moves the tiles on.
template <int Steps, class Accumulators, class Problem, class K, class Issue, class NextStage>
__device__ void multiply_stage(Accumulators& accumulators, Problem const& problem, K const*& a_tile,
                               K const*& b_tile, Issue const& issue, NextStage const& next_stage) {
  if constexpr (Accumulators::buffers == 1) {
    issue(0, 1);
#pragma unroll
    for (int step = 0; step < Steps; ++step) {
      accumulators.template load<0>(a_tile, b_tile, step);
      accumulators.template multiply<0>(problem);
    }
    next_stage();
  } else {
#pragma unroll
    for (int step = 0; step < Steps - 2; step += 2) {
      issue(step, Steps);
      accumulators.template load<1>(a_tile, b_tile, step + 1);
      accumulators.template multiply<0>(problem);
      issue(step + 1, Steps);
      accumulators.template load<0>(a_tile, b_tile, step + 2);
      accumulators.template multiply<1>(problem);
    }
    issue(Steps - 2, Steps);
    accumulators.template load<1>(a_tile, b_tile, Steps - 1);
    issue(Steps - 1, Steps);
    accumulators.template multiply<0>(problem);
    next_stage();
    accumulators.template load<0>(a_tile, b_tile, 0);
    accumulators.template multiply<1>(problem);
  }
}

/// The same without a branch, where issue(part) copies a tile that no edge cuts: the compiler mixes
/// copies, loads and products. A lone stage of f64 128x64 takes 1235 cycles, not 1530; with the
/// same parts of the copies behind branches 1730 (H100, 2026-11-22).
template <int Steps, class Accumulators, class Problem, class K, class Issue, class NextStage>
__device__ void multiply_unpredicated_stage(Accumulators& accumulators, Problem const& problem,
                                            K const*& a_tile, K const*& b_tile, Issue const& issue,
                                            NextStage const& next_stage) {
#pragma unroll
  for (int step = 0; step < Steps; step += 2) {
    bool const is_last = step == Steps - 2;
    issue(step);
    accumulators.template load<1>(a_tile, b_tile, step + 1);
    if (is_last) issue(step + 1);
    accumulators.template multiply<0>(problem);
    if (is_last) next_stage();
    else issue(step + 1);
    accumulators.template load<0>(a_tile, b_tile, is_last ? 0 : step + 2);
    accumulators.template multiply<1>(problem);
  }
}

/// The products of a stage of which `left` of k exist, where zeros beyond them would count, or are
/// so many that they would cost more than the branches.
template <int Steps, class Accumulators, class Problem, class K>
__device__ void multiply_last_stage(Accumulators& accumulators, Problem const& problem,
                                    K const* a_tile, K const* b_tile, int left) {
  constexpr int most = zeros_are_neutral<Problem> ? most_single_steps(Steps) : Steps;
  int const first = accumulators.k_slice() * Steps;
#pragma unroll 1
  for (int step = 0; step < most && (first + step) * Accumulators::k_per_step < left; ++step) {
    accumulators.template load<0>(a_tile, b_tile, step);
    accumulators.template multiply<0>(problem);
  }
}

/// A k that a config's only stage holds.
template <class Tile, class Accumulators, class Problem, class ALoader, class BLoader>
__device__ void run_only_stage(Accumulators& acc, Problem const& problem, ALoader const& a,
                               BLoader const& b, index k_extent, void* shared) {
  using K = typename Accumulators::element;
  constexpr int steps = Tile::k_extent / Tile::config.k_slices / Accumulators::k_per_step;
  // Zeros beyond k are there, so that a branch may follow several steps.
  constexpr int group = Accumulators::k_per_step == 1 ? 4 : 1;
  static_assert(zeros_are_neutral<Problem> && Tile::config.k_slices == 1 && steps % group == 0);
  K* const a_tile = static_cast<K*>(shared);
  K* const b_tile = a_tile + Tile::template a_layout<K>::elements;
  int const left = static_cast<int>(k_extent);
  a.issue(a_tile, left, 0, 1);
  b.issue(b_tile, left, 0, 1);
  cp_async_commit();
  cp_async_wait<0>();
  __syncthreads();
#pragma unroll(Accumulators::k_per_step == 1 ? 2 : steps)
  for (int step = 0; step < steps; step += group) {
    if (step * Accumulators::k_per_step >= left) break;
#pragma unroll
    for (int s = 0; s < group; ++s) {
      acc.template load<0>(a_tile, b_tile, step + s);
      acc.template multiply<0>(problem);
    }
  }
}

/// The pipeline of the loaders a and b over k_extent.
template <class Tile, class Accumulators, class Problem, class ALoader, class BLoader>
__device__ void run_pipeline(Accumulators& acc, Problem const& problem, ALoader& a, BLoader& b,
                             index k_extent, void* shared) {
  using K = typename Accumulators::element;
  constexpr int a_stage = Tile::template a_layout<K>::elements;
  constexpr int b_stage = Tile::template b_layout<K>::elements;
  constexpr int steps = Tile::k_extent / Tile::config.k_slices / Accumulators::k_per_step;
  constexpr int stages = Tile::template stages<K>;
  K* const a_tiles = static_cast<K*>(shared);
  K* const b_tiles = a_tiles + stages * a_stage;
  int const tiles = static_cast<int>(ceil_div(k_extent, Tile::k_extent));
  int const k_in_last = static_cast<int>(k_extent - index{tiles - 1} * Tile::k_extent);
  constexpr bool can_end_early = Accumulators::can_end_early;
  static_assert(can_end_early || zeros_are_neutral<Problem>);
  bool const ends_early = can_end_early && k_in_last < Tile::k_extent &&
                          (!zeros_are_neutral<Problem> ||
                           k_in_last <= most_single_steps(steps) * Accumulators::k_per_step);
  int const full_tiles = ends_early ? tiles - 1 : tiles;
  int tiles_to_issue = tiles;
  int to = 0;  // the stage that is filled next
  auto const end_issue = [&] {
    a.advance();
    b.advance();
    --tiles_to_issue;
    cp_async_commit();
    to = to + 1 == stages ? 0 : to + 1;
  };
  auto const issue = [&](int part, int parts) {
    int const left = tiles_to_issue > 1 ? Tile::k_extent : tiles_to_issue == 1 ? k_in_last : 0;
    a.issue(a_tiles + to * a_stage, left, part, parts);
    b.issue(b_tiles + to * b_stage, left, part, parts);
    if (part == parts - 1) end_issue();
  };
  for (int stage = 0; stage < stages - 1; ++stage) issue(0, 1);
  cp_async_wait<stages - 2>();
  __syncthreads();
  K const* a_tile = a_tiles;  // of the stage that is multiplied
  K const* b_tile = b_tiles;
  int at = 0;
  auto const next_stage = [&] {
    cp_async_wait<stages - 2>();
    __syncthreads();
    at = at + 1 == stages ? 0 : at + 1;
    a_tile = a_tiles + at * a_stage;
    b_tile = b_tiles + at * b_stage;
  };
  if (Accumulators::buffers == 2 && full_tiles > 0) acc.template load<0>(a_tile, b_tile, 0);
  int tile = 0;
  if constexpr (Accumulators::has_unpredicated_loop) {
    int const count = (k_in_last == Tile::k_extent ? tiles : tiles - 1) - (stages - 1);
    auto const issue_unpredicated = [&](int part) {
      a.issue_unpredicated(a_tiles + to * a_stage, part, steps);
      b.issue_unpredicated(b_tiles + to * b_stage, part, steps);
      if (part == steps - 1) end_issue();
    };
    // Fewer tiles do not pay for the instructions of another loop.
    if (count >= 4 && a.can_issue_unpredicated() && b.can_issue_unpredicated())
      for (; tile < count; ++tile)
        multiply_unpredicated_stage<steps>(acc, problem, a_tile, b_tile, issue_unpredicated,
                                           next_stage);
  }
  for (; tile < full_tiles; ++tile)
    multiply_stage<steps>(acc, problem, a_tile, b_tile, issue, next_stage);
  if constexpr (can_end_early)
    if (ends_early) multiply_last_stage<steps>(acc, problem, a_tile, b_tile, k_in_last);
}

/// The loop for operands that cp.async copies.
template <class Tile, class Accumulators, class Problem>
__device__ void mainloop_cp_async(Accumulators& accumulators, Problem const& problem,
                                  gemm_grid const& grid, work_tile const& work, void* shared) {
  using K = typename Accumulators::element;
  using a_layout = typename Tile::template a_layout<K>;
  using b_layout = typename Tile::template b_layout<K>;
  constexpr bool repeats = calls_user_code<Problem>;
  typename loader_of<K, a_layout, Tile::rows, Tile::k_extent, Tile::threads, repeats>::type a(
      &problem.a.at(work.batch, work.coordinates.row, work.k_begin), problem.a.row_stride,
      problem.a.col_stride, problem.rows - work.coordinates.row, grid.a);
  typename loader_of<K, b_layout, Tile::cols, Tile::k_extent, Tile::threads, repeats>::type b(
      &problem.b.at(work.batch, work.k_begin, work.coordinates.col), problem.b.col_stride,
      problem.b.row_stride, problem.cols - work.coordinates.col, grid.b);
  if constexpr (Tile::config.stages == 1)
    run_only_stage<Tile>(accumulators, problem, a, b, work.k_extent, shared);
  else run_pipeline<Tile>(accumulators, problem, a, b, work.k_extent, shared);
}

/// The products of a stage of `steps` k, unrolled where all of the tile's exist.
template <class Tile, class Accumulators, class Problem, class K>
__device__ void multiply_converted_stage(Accumulators& accumulators, Problem const& problem,
                                         K const* a_tile, K const* b_tile, int steps) {
  auto const multiply = [&](int step) {
    accumulators.template load<0>(a_tile, b_tile, step);
    accumulators.template multiply<0>(problem);
  };
  if (steps == Tile::k_extent) {
#pragma unroll
    for (int step = 0; step < Tile::k_extent; ++step) multiply(step);
  } else {
    for (int step = 0; step < steps; ++step) multiply(step);
  }
}

/// The loop for operands that are converted on their way through registers: two stages, the next
/// tile's global loads in flight while one is multiplied.
template <class Tile, class Accumulators, class Problem>
__device__ void mainloop_converting(Accumulators& accumulators, Problem const& problem,
                                    gemm_grid const& grid, work_tile const& work, void* shared) {
  using K = typename Problem::accumulate_type;
  using a_layout = typename Tile::template a_layout<K>;
  using b_layout = typename Tile::template b_layout<K>;
  static_assert(Tile::template stages<K> == 2 && Tile::config.k_slices == 1);
  constexpr int a_stage = a_layout::elements;
  constexpr int b_stage = b_layout::elements;
  constexpr bool repeats = calls_user_code<Problem>;
  index const k_extent = work.k_extent;
  K* const a_tiles = static_cast<K*>(shared);
  K* const b_tiles = a_tiles + 2 * a_stage;
  converting_loader<typename Problem::a_type, K, Tile::rows, Tile::k_extent, a_layout::pitch,
                    Tile::threads, repeats>
      a(&problem.a.at(work.batch, work.coordinates.row, work.k_begin), problem.a.row_stride,
        problem.a.col_stride, problem.rows - work.coordinates.row, grid.a);
  converting_loader<typename Problem::b_type, K, Tile::cols, Tile::k_extent, b_layout::pitch,
                    Tile::threads, repeats>
      b(&problem.b.at(work.batch, work.k_begin, work.coordinates.col), problem.b.col_stride,
        problem.b.row_stride, problem.cols - work.coordinates.col, grid.b);
  auto const read_a = [&](auto const& element) { return problem.read_a(element); };
  auto const read_b = [&](auto const& element) { return problem.read_b(element); };
  auto const left = [&](index done) {
    return k_extent - done < Tile::k_extent ? static_cast<int>(k_extent - done) : Tile::k_extent;
  };
  if (k_extent > 0) {
    a.load(left(0), read_a);
    b.load(left(0), read_b);
    a.store(a_tiles);
    b.store(b_tiles);
  }
  int at = 0;
  for (index done = 0; done < k_extent; done += Tile::k_extent) {
    __syncthreads();
    bool const more = done + Tile::k_extent < k_extent;
    if (more) {
      a.load(left(done + Tile::k_extent), read_a);
      b.load(left(done + Tile::k_extent), read_b);
    }
    K const* const a_tile = a_tiles + at * a_stage;
    K const* const b_tile = b_tiles + at * b_stage;
    at ^= 1;
    multiply_converted_stage<Tile>(accumulators, problem, a_tile, b_tile, left(done));
    if (more) {
      a.store(a_tiles + at * a_stage);
      b.store(b_tiles + at * b_stage);
    }
  }
}

/// Sliced-K: adds the accumulators of the other k slices to those of the first, in order, through
/// shared memory.
template <class Tile, class Accumulators, class Problem>
__device__ void reduce_k_slices(Accumulators& accumulators, Problem const& problem, void* shared) {
  using K = typename Problem::accumulate_type;
  static_assert(Tile::rows * Tile::cols <= Tile::template shared_elements<K>);
  K* const held = static_cast<K*>(shared) + threadIdx.x % Tile::threads_of_k_slice;
  // Zeros beyond the end of k are copied too.
  if constexpr (Tile::config.uses_cp_async) cp_async_wait<0>();
  for (int k_slice = 1; k_slice < Tile::config.k_slices; ++k_slice) {
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

/// simt_accumulators of products by conj(B), where exactly one of A and B is conjugated: a sign
/// that one loop branched on would cost complex floats 4 % (H100, 2026-11-22).
template <class Accumulators>
struct conj_b_accumulators {
  using element = typename Accumulators::element;
  static constexpr int k_per_step = Accumulators::k_per_step;
  static constexpr int buffers = Accumulators::buffers;
  static constexpr bool has_unpredicated_loop = Accumulators::has_unpredicated_loop;
  static constexpr bool can_end_early = Accumulators::can_end_early;

  __device__ int k_slice() const { return accumulators.k_slice(); }
  template <int Buffer>
  __device__ void load(element const* a_tile, element const* b_tile, int step) {
    accumulators.template load<Buffer>(a_tile, b_tile, step);
  }
  template <int Buffer, class Problem>
  __device__ void multiply(Problem const&) {
    accumulators.template multiply_complex<Buffer, true>();
  }

  Accumulators& accumulators;
};

/// Whether the loaders have other code for tiles that an edge of C cuts.
template <class Tile>
constexpr bool predication_costs = Tile::config.uses_cp_async && !is_mma_sync(Tile::config);

/// Defined in sm80/unaligned_tiles.cuh.
template <class Tile, class Accumulators, class Problem>
__device__ void mainloop_unaligned(Accumulators& accumulators, Problem const& problem,
                                   work_tile const& work, void* shared);

/// The products of a block's work: the loop that the config's operands need.
template <class Tile, class Accumulators, class Problem>
__device__ void mainloop(Accumulators& accumulators, Problem const& problem, gemm_grid const& grid,
                         work_tile const& work, void* shared) {
  if constexpr (has_complex_accumulators<Problem> && Tile::config.uses_cp_async &&
                Tile::config.kind == gemm_kernel_kind::simt) {
    if (problem.conjugate_a != problem.conjugate_b) {
      conj_b_accumulators<Accumulators> products{accumulators};
      mainloop_cp_async<Tile>(products, problem, grid, work, shared);
    } else {
      mainloop_cp_async<Tile>(accumulators, problem, grid, work, shared);
    }
  } else if constexpr (Tile::config.kind == gemm_kernel_kind::mma_sync_unaligned) {
    mainloop_unaligned<Tile>(accumulators, problem, work, shared);
  } else if constexpr (Tile::config.uses_cp_async ||
                       Tile::config.kind == gemm_kernel_kind::mma_sync)
    mainloop_cp_async<Tile>(accumulators, problem, grid, work, shared);
  else mainloop_converting<Tile>(accumulators, problem, grid, work, shared);
}

/// Accumulators to C, or to the workspace of partials.
template <class Tile, class Accumulators, class Problem>
__device__ void store_tile(Accumulators const& accumulators, Problem const& problem,
                           gemm_grid const& grid, work_tile const& work, void* shared) {
  if constexpr (staged_fragment<Accumulators>::rows > 0) {
    using K = typename Problem::accumulate_type;
    constexpr int bytes_of_fragments = Tile::threads_of_k_slice / 32 *
                                       staged_fragment<Accumulators>::elements *
                                       static_cast<int>(sizeof(K));
    static_assert(bytes_of_fragments <= Tile::template shared_bytes<K>);
    if (grid.c == c_access::scalar && grid.partials == nullptr) {  // where stages were
      cp_async_wait<0>();
      __syncthreads();
    }
  }
  if (accumulators.k_slice() != 0) return;
  if (grid.partials != nullptr) store_split_k_partials(accumulators, problem, grid, work);
  else
    epilogue_writer<Accumulators, Problem>(accumulators, problem, work.batch, work.coordinates,
                                           shared)
        .write(grid.c);
}

template <class Tile, class Accumulators, class Problem>
__global__ void __launch_bounds__(Tile::threads, Tile::config.resident_blocks)
    gemm_tile_kernel(Problem problem, gemm_grid grid) {
  extern __shared__ __align__(16) unsigned char shared[];
  pdl_wait();
  if (!grid.condition.holds()) return;
  work_tile work = work_tile_of<Tile>(problem, grid, blockIdx.x);
  if constexpr (predication_costs<Tile>)
    work.coordinates = shifted_inside<Tile>(work.coordinates, problem, grid);

  Accumulators accumulators(problem);
  mainloop<Tile>(accumulators, problem, grid, work, shared);
  pdl_trigger();
  if constexpr (Tile::config.k_slices > 1) reduce_k_slices<Tile>(accumulators, problem, shared);
  if constexpr (tile_adds_in_cluster<Tile, Problem>)
    if (grid.splits_in_cluster)
      return add_tiles_in_cluster<Tile>(accumulators, problem, grid, work, shared);
  store_tile<Tile>(accumulators, problem, grid, work, shared);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
