// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Split-K in a cluster, on capability 90, of any kernel of tiles: the blocks of a tile of C, one
// for each part of k, are a cluster. Each leaves its accumulators in its shared memory, and adds
// and stores a share of the tile from the shared memory of all of them, in ascending order of k:
//
//   A    | k0 | k1 | k2 |       shared memory          C
//   block  0    1    2     ->   s0    s1    s2    ->   block 0 stores the first third of
//                                                      alpha (s0 + s1 + s2) + beta C, ..
//
// Without a workspace or a second kernel, which take 3 us of a product of 10 (split_k.cuh).
#pragma once

#include <xpose/backends/cuda/gemm/block/epilogue.cuh>
#include <xpose/backends/cuda/ptx/barriers.cuh>
#include <xpose/backends/cuda/ptx/cp_async.cuh>
#include <xpose/backends/cuda/ptx/shared_memory.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Whether a problem's accumulators can be added so: whole ones in 16 bytes, that no user's code
/// adds, to a C of plain data.
template <class Problem>
constexpr bool adds_in_cluster = [] {
  using K = typename Problem::accumulate_type;
  using C = typename Problem::c_type;
  return !calls_user_code<Problem> && std::is_trivially_copyable_v<C> &&
         std::is_trivially_default_constructible_v<C> &&
         (sizeof(K) == 4 || sizeof(K) == 8 || sizeof(K) == 16);
}();

/// Stores neighbours in a row of C, as many as 16 bytes hold accumulators, through the problem's
/// epilogue. `inside` of them exist.
template <class Problem>
class neighbour_writer {
  using K = typename Problem::accumulate_type;
  using C = typename Problem::c_type;

 public:
  static constexpr int width = 16 / sizeof(K);
  static constexpr bool has_vectors = width <= elements_of_vec16<C>;
  using sums = aligned_group<K, width>;

  __device__ neighbour_writer(Problem const& problem, gemm_grid const& grid, index batch, index col,
                              int inside)
      : problem_(problem),
        known_(scalars_of(problem)),
        columns_(problem.epilogue, col, inside),
        first_(&problem.c.at(batch, 0, col)),
        inside_(inside),
        by_vectors_(has_vectors && grid.c == c_access::row_vectors && inside >= width) {}

  __device__ void write(index row, sums const& x) {
    using group = aligned_group<C, has_vectors ? width : 1>;
    constexpr int of_group = has_vectors ? width : 1;
    C* const to = first_ + row * problem_.c.row_stride;
    columns_.begin_row(row);
    C results[width];
    if (!known_.beta_is_zero) {
      if (by_vectors_) {
        group held = *reinterpret_cast<group const*>(to);
#pragma unroll
        for (int e = 0; e < of_group; ++e) results[e] = held[e];
      } else {
        for (int e = 0; e < width; ++e)
          if (e < inside_) results[e] = to[e * problem_.c.col_stride];
      }
    }
    K scaled[width];
#pragma unroll
    for (int e = 0; e < width; ++e) scaled[e] = problem_.scaled(results[e], known_, x.elements[e]);
    columns_.apply(scaled, [&](int e, auto const& y) { results[e] = stored_as<C>(y); });
    if (by_vectors_) {
      group held;
#pragma unroll
      for (int e = 0; e < of_group; ++e) held[e] = results[e];
      *reinterpret_cast<group*>(to) = held;
    } else {
#pragma unroll
      for (int e = 0; e < width; ++e)
        if (e < inside_) to[e * problem_.c.col_stride] = results[e];
    }
  }

 private:
  Problem const& problem_;
  gemm_scalars<K> known_;
  epilogue_columns<typename Problem::epilogue_type, K, width> columns_;
  C* first_;
  int inside_;
  bool by_vectors_;
};

/// Where the accumulators of a tile of any kernel but wgmma's lie in shared memory, row by row.
/// Rows begin at multiples of 16 bytes, at different banks.
template <class K, int Rows, int Cols>
struct accumulator_rows {
  static constexpr int pitch = Cols + 16 / static_cast<int>(sizeof(K));
  static constexpr int bytes = Rows * pitch * static_cast<int>(sizeof(K));

  K* base;

  __device__ unsigned address(int row, int col) const {
    return smem_address(base + row * pitch + col);
  }
  template <class Accumulators>
  __device__ void fill(Accumulators const& accumulators) const {
#pragma unroll
    for (int r = 0; r < Accumulators::rows; ++r)
#pragma unroll
      for (int c = 0; c < Accumulators::cols; ++c)
        base[accumulators.row_of(r) * pitch + accumulators.col_of(c)] = accumulators.value(r, c);
  }
};

/// Adds what the cluster's blocks hold of a tile, and stores it: a share of it each. `held.address`
/// says where a row and column lies, in the same place in every block. By `Threads` of each block;
/// all threads of the cluster take part in both cluster_sync().
template <int Rows, int Cols, int Threads, class Held, class Problem>
__device__ void store_sums_of_cluster(Held const& held, Problem const& problem,
                                      gemm_grid const& grid, work_tile const& block) {
  using writer = neighbour_writer<Problem>;
  constexpr int groups_of_row = Cols / writer::width;
  __syncwarp();
  cluster_sync();
  unsigned const splits = grid.split_k;
  gemm_tile_coordinates const& tile = block.coordinates;
  int const first =
      static_cast<int>(block_rank_in_cluster()) * Threads + static_cast<int>(threadIdx.x);
  int const rows_left = inside_tile(problem.rows, tile.row);
  int const cols_left = inside_tile(problem.cols, tile.col);
#pragma unroll 1
  for (int group = first; group < Rows * groups_of_row;
       group += static_cast<int>(splits) * Threads) {
    int const row = group / groups_of_row;
    int const col = group % groups_of_row * writer::width;
    if (row >= rows_left || col >= cols_left || row < tile.overlap_rows || col < tile.overlap_cols)
      continue;
    unsigned const at = held.address(row, col);
    typename writer::sums parts[most_splits_in_cluster];
#pragma unroll
    for (unsigned s = 0; s < most_splits_in_cluster; ++s)
      if (s < splits) parts[s] = bits_as<typename writer::sums>(ld_shared_vec16(at, s));
#pragma unroll
    for (unsigned s = 1; s < most_splits_in_cluster; ++s)
      if (s < splits)
#pragma unroll
        for (int e = 0; e < writer::width; ++e)
          parts[0][e] = problem.semiring.add(parts[0][e], parts[s][e]);
    writer(problem, grid, block.batch, tile.col + col, cols_left - col)
        .write(tile.row + row, parts[0]);
  }
  __syncwarp();
  cluster_sync();  // before the memory of a block that others read is given away
}

/// Whether a tile's kernel, not wgmma's, has code for it.
template <class Tile, class Problem>
constexpr bool tile_adds_in_cluster =
    !is_wgmma(Tile::config) && can_split_in_cluster(Tile::config, Tile::cols) &&
    adds_in_cluster<Problem>;

/// The same for such a kernel, by all threads of each block; `shared` is free when all of these are
/// here, and has accumulator_rows::bytes.
template <class Tile, class Accumulators, class Problem>
__device__ void add_tiles_in_cluster(Accumulators const& accumulators, Problem const& problem,
                                     gemm_grid const& grid, work_tile const& work, void* shared) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using K = typename Problem::accumulate_type;
  accumulator_rows<K, Tile::rows, Tile::cols> const held{static_cast<K*>(shared)};
  cp_async_wait<0>();  // zeros beyond the end of k are copied too
  __syncthreads();
  if (accumulators.k_slice() == 0) held.fill(accumulators);
  auto const store = [&](auto const& p) {
    store_sums_of_cluster<Tile::rows, Tile::cols, Tile::threads>(held, p, grid, work);
  };
  if constexpr (may_have_layer<typename Problem::epilogue_type>)
    if (problem.epilogue.is_given()) return store(with_layer(problem));
  store(problem);
#else
  __trap();  // never chosen: the device or the code is older
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
