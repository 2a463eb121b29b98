// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// From a chosen row to launches: how blocks read and write the operands, the grid, the workspace of
// splits, and the sum of the splits.
#pragma once

#include <xpose/backends/cuda/gemm/block/mainloop.cuh>
#include <xpose/backends/cuda/runtime/workspace.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Whether groups of `together` neighbours along the unit stride begin at multiples of their size.
inline bool has_aligned_vectors(void const* data, index bytes_of_element, int together, index batch,
                                index batch_stride, index unit_stride, index other_stride) {
  index const group = bytes_of_element * together;
  return unit_stride == 1 && reinterpret_cast<std::uintptr_t>(data) % group == 0 &&
         other_stride % together == 0 && (batch == 1 || batch_stride % together == 0);
}

/// How an operand is read whose elements across the depth, and along it, lie so far apart.
template <class T>
operand_access access_of(strided_batch<T> const& o, index batch, index mn_stride, index k_stride) {
  if constexpr (elements_of_vec16 < std::remove_cv_t < T >>> 1 || sizeof(T) == 16) {
    auto const is_aligned = [&](index unit_stride, index other_stride) {
      return has_aligned_vectors(o.data, sizeof(T), 16 / sizeof(T), batch, o.batch_stride,
                                 unit_stride, other_stride);
    };
    if (is_aligned(mn_stride, k_stride)) return operand_access::mn_major_vec16;
    if (is_aligned(k_stride, mn_stride)) return operand_access::k_major_vec16;
  }
  return k_stride == 1 ? operand_access::k_major : operand_access::mn_major;
}

/// Whether tiles of an operand of short elements lie along the depth: unless it is contiguous
/// across it, and better copied so.
template <class T>
bool prefers_k_major(strided_batch<T> const& o, index batch, index mn_stride, index k_stride) {
  operand_access const how = access_of(o, batch, mn_stride, k_stride);
  return how == operand_access::k_major_vec16 ||
         (how != operand_access::mn_major_vec16 && (k_stride == 1 || mn_stride != 1));
}

/// How C is written whose neighbours a thread holds in groups of at least so many.
template <class C>
c_access c_access_of(strided_batch<C> const& c, index batch, index rows, index cols,
                     int vector_rows, int vector_cols) {
  int const row_vectors = std::min(vector_cols, elements_of_vec16<C>);
  int const col_vectors = std::min(vector_rows, elements_of_vec16<C>);
  if (cols % row_vectors == 0 && has_aligned_vectors(c.data, sizeof(C), row_vectors, batch,
                                                     c.batch_stride, c.col_stride, c.row_stride))
    return c_access::row_vectors;
  if (rows % col_vectors == 0 && has_aligned_vectors(c.data, sizeof(C), col_vectors, batch,
                                                     c.batch_stride, c.row_stride, c.col_stride))
    return c_access::col_vectors;
  return c_access::scalar;
}

/// Neighbours of a row whose sums are one vector.
template <class K>
constexpr int reduce_width = least_of(elements_of_vec16<K>, 4);

/// As many as 48 KB of shared memory have a vector of sums for.
template <class K>
constexpr int reduce_threads = [] {
  int threads = 256;
  while (threads * reduce_width<K> * static_cast<int>(sizeof(K)) > 48 << 10) threads /= 2;
  return threads;
}();

/// The sums of splits as epilogue_writer takes them: one row, and the columns from `col` on.
template <class K>
struct reduced_accumulators {
  static constexpr int rows = 1;
  static constexpr int cols = reduce_width<K>;
  static constexpr int vector_rows = 1;
  static constexpr int vector_cols = cols;

  __device__ int row_of(int) const { return 0; }
  __device__ int col_of(int c) const { return c; }
  __device__ K value(int, int c) const { return held.elements[c]; }

  element_group<K, cols> held;
};

__device__ inline index divide(index a, index b) {
  if (((a | b) >> 32) == 0) return static_cast<unsigned>(a) / static_cast<unsigned>(b);
  return a / b;
}

/// Adds the sums of all splits, a vector of neighbours a thread. `adders` threads take every
/// adders-th split each, in ascending order, and their sums are added in order: one where splits
/// are few, eight where many.
template <class Problem>
__global__ void __launch_bounds__(reduce_threads<typename Problem::accumulate_type>)
    split_k_reduce(Problem problem, index first_batch, index batches, unsigned split_k,
                   int reducers, c_access access,
                   typename Problem::accumulate_type const* partials) {
  using K = typename Problem::accumulate_type;
  using reduced = reduced_accumulators<K>;
  using group = element_group<K, reduced::cols>;
  __shared__ shared_tile<group, 1, reduce_threads<K>> held;
  index const pitch = partials_pitch(problem.cols);
  index const groups_of_row = (problem.cols + reduced::cols - 1) / reduced::cols;
  index const groups_of_matrix = problem.rows * groups_of_row;
  index const all = batches * groups_of_matrix;
  index const split_stride = problem.rows * pitch;
  int const thread = static_cast<int>(threadIdx.x);
  int const of_block = reduce_threads<K> / reducers;
  unsigned const reducer = static_cast<unsigned>(thread / of_block);
  pdl_wait();
  for (index first = index{blockIdx.x} * of_block; first < all;
       first += index{gridDim.x} * of_block) {
    index const at = first + thread % of_block;
    index const matrix = divide(at, groups_of_matrix);
    index const row = divide(at - matrix * groups_of_matrix, groups_of_row);
    index const col = (at - matrix * groups_of_matrix - row * groups_of_row) * reduced::cols;
    bool const inside = at < all;
    int const cols = inside_tile(problem.cols, col);  // what lies behind them was never written
    reduced accumulators;
    for (K& sum : accumulators.held.elements) sum = problem.zero();
    auto const add = [&](group const& other) {
#pragma unroll
      for (int c = 0; c < reduced::cols; ++c)
        if (c < cols)
          accumulators.held.elements[c] =
              problem.semiring.add(accumulators.held.elements[c], other.elements[c]);
    };
    if (inside) {
      K const* from = partials + (matrix * split_k * problem.rows + row) * pitch + col;
      auto const step = static_cast<unsigned>(reducers);
      if (cols >= reduced::cols) {
#pragma unroll 4
        for (unsigned split_index = reducer; split_index < split_k; split_index += step)
          add(*reinterpret_cast<group const*>(from + split_index * split_stride));
      } else {
        for (unsigned split_index = reducer; split_index < split_k; split_index += step)
#pragma unroll
          for (int c = 0; c < reduced::cols; ++c)
            if (c < cols)
              accumulators.held.elements[c] = problem.semiring.add(
                  accumulators.held.elements[c], from[split_index * split_stride + c]);
      }
    }
    if (reducers > 1) {
      held(0, thread) = accumulators.held;
      __syncthreads();
    }
    if (reducer == 0 && inside) {
      for (int other = 1; other < reducers; ++other) add(held(0, other * of_block + thread));
      epilogue_writer<reduced, Problem>(accumulators, problem, first_batch + matrix, {row, col})
          .write(access);
    }
    if (reducers > 1) __syncthreads();
  }
}

/// Bytes of the workspace of splits; more batches than fit go one launch after the other.
inline constexpr index max_split_k_workspace = index{256} << 20;

/// launch(blocks, grid), batch by batch where the workspace of splits, or the grid, is too small
/// for all, and the sums of the splits after each.
template <class Tile, class Accumulators, class Problem, class Launch>
static void launch_gemm_grid(execution const& where, Problem const& problem,
                             gemm_choice const& choice, gemm_condition const& condition,
                             Launch const& launch) {
  using K = typename Problem::accumulate_type;
  index const row_tiles = row_tiles_of(Tile::row, problem.rows);
  index const col_tiles = col_tiles_of(Tile::row, problem.cols);
  index const blocks_of_matrix = row_tiles * col_tiles * choice.split_k;
  index const partial_bytes = choice.split_k > 1
                                  ? choice.split_k * problem.rows * partials_pitch(problem.cols) *
                                        static_cast<index>(sizeof(K))
                                  : 0;
  index batches = std::max<index>(1, most_blocks / blocks_of_matrix);
  if (partial_bytes > 0)
    batches = std::min(batches, std::max<index>(1, max_split_k_workspace / partial_bytes));
  batches = std::min(batches, problem.batch);

  gemm_grid grid{0,
                 static_cast<unsigned>(row_tiles),
                 static_cast<unsigned>(col_tiles),
                 static_cast<unsigned>(choice.split_k),
                 choice.k_per_split,
                 access_of(problem.a, problem.batch, problem.a.row_stride, problem.a.col_stride),
                 access_of(problem.b, problem.batch, problem.b.col_stride, problem.b.row_stride),
                 c_access_of(problem.c, problem.batch, problem.rows, problem.cols,
                             Accumulators::vector_rows, Accumulators::vector_cols),
                 false,
                 false,
                 nullptr,
                 condition};
  // Vectors that are read, and those of split sums, stay aligned.
  auto const is_whole = [](index extent, int vector) { return extent % vector == 0; };
  grid.shifts_rows =
      grid.a != operand_access::mn_major_vec16 ||
      is_whole(problem.rows, elements_of_vec16<std::remove_cv_t<typename Problem::a_type>>);
  grid.shifts_cols =
      (grid.b != operand_access::mn_major_vec16 ||
       is_whole(problem.cols, elements_of_vec16<std::remove_cv_t<typename Problem::b_type>>)) &&
      (grid.split_k == 1 || is_whole(problem.cols, elements_of_vec16<K>));
  auto const run = [&] {
    for (; grid.first_batch < problem.batch; grid.first_batch += batches) {
      index const now = std::min(batches, problem.batch - grid.first_batch);
      launch(now * blocks_of_matrix, grid);
      if (grid.split_k > 1) {
        int const reducers = grid.split_k > 8 ? 8 : 1;
        index const of_block = index{reduce_threads<K>} / reducers * reduce_width<K>;
        index const blocks =
            (now * problem.rows * partials_pitch(problem.cols) + of_block - 1) / of_block;
        c_access const access =
            c_access_of(problem.c, problem.batch, problem.rows, problem.cols, 1, reduce_width<K>);
        launch_pdl(where, 1, std::min<index>(blocks, 1 << 20), reduce_threads<K>, 0, "add_splits",
                   split_k_reduce<Problem>, problem, grid.first_batch, now, grid.split_k, reducers,
                   access, static_cast<K const*>(grid.partials));
      }
    }
  };
  if (choice.split_k == 1) return run();
  stream_workspace const workspace(where, batches * partial_bytes);
  grid.partials = workspace.data();
  run();
}

template <class Tile, class Accumulators, class Problem>
static void launch_tile_kernel(
    execution const& where, Problem const& problem, gemm_choice const& choice,
    void (*kernel)(Problem, gemm_grid) = gemm_tile_kernel<Tile, Accumulators, Problem>,
    gemm_condition const& condition = {}) {
  using K = typename Problem::accumulate_type;
  launch_gemm_grid<Tile, Accumulators>(
      where, problem, choice, condition, [&](index blocks, gemm_grid const& grid) {
        // Blocks that start early find places on the multiprocessors that are done first, and many
        // of them on few: 1024x1024x1024 of double 48 us in place of 42, but 64x64x64 of float 2.6
        // in place of 3.6 (H100, 2026-11-22).
        bool const is_even = Tile::row.kind == gemm_kernel_kind::vector ||
                             2 * blocks <= properties_of_device().multiprocessors;
        if (is_even)
          launch_pdl(where, 1, blocks, Tile::threads, Tile::template shared_bytes<K>,
                     Tile::row.name, kernel, problem, grid);
        else
          launch_blocks(where, blocks, Tile::threads, Tile::template shared_bytes<K>,
                        Tile::row.name, kernel, problem, grid);
      });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
