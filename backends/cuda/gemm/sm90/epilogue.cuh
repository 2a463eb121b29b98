// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Epilogue of a wgmma kernel, from accumulators to C: plain rows through shared memory, by TMA
// where it can store C; all else as staged_epilogue.cuh does. This code runs once a tile, and waits
// most of its time: at the fence before TMA, and for TMA to have read a buffer.
#pragma once

#include <xpose/backends/cuda/gemm/sm90/layer.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// 64 rows of C in a buffer of shared memory, of some columns; or as many columns of 64 elements,
/// if C is column-major. The 16 bytes at column j of row r lie at column j ^ (r % 8), as
/// SWIZZLE_128B wants it.
template <class C>
struct epilogue_tile {
  static constexpr int cols = epilogue_cols<C>;

  unsigned buffer;

  __device__ unsigned address(int row, int byte) const {
    unsigned const at = static_cast<unsigned>(row * epilogue_row_bytes + byte);
    return buffer + (at ^ (at >> 3 & 0x70));
  }

  /// With a thread's columns from `first` on, those that there are. By columns: elements of 2 bytes
  /// alone.
  template <bool IsByCols, class Accumulators, class Problem>
  __device__ void fill(Accumulators const& accumulators, Problem const& problem, int first) const {
    auto known = scalars_of<true>(problem);
    known.beta_is_zero = true;
    if constexpr (sizeof(C) == 2 && Accumulators::has_rows_of_wgmma) {
      fill_by_matrices<IsByCols>(accumulators, problem, known, first);
    } else {
      static_assert(!IsByCols);
      fill_by_pairs(accumulators, problem, known, first);
    }
  }

 private:
  /// Two elements that are neighbours in a row, of column `col` of C's tile.
  template <class Accumulators, class Problem, class Scalars>
  __device__ static element_group<C, 2> pair_of(Accumulators const& accumulators,
                                                Problem const& problem, Scalars const& known, int r,
                                                int col) {
    element_group<C, 2> results;
#pragma unroll
    for (int e = 0; e < 2; ++e)
      problem.write_to(results[e], known, 0, 0, accumulators.value(r, col / 4 + e));
    return results;
  }
  /// A quarter of the stores of fill_by_pairs(). Requires has_rows_of_wgmma.
  template <bool IsByCols, class Accumulators, class Problem, class Scalars>
  __device__ void fill_by_matrices(Accumulators const& accumulators, Problem const& problem,
                                   Scalars const& known, int first) const {
    constexpr int bytes = static_cast<int>(sizeof(C));
    int const thread = static_cast<int>(Accumulators::thread());
    int const lane = thread % 32;
    int const row_of_warp = thread % 128 / 32 * 16;
    int const col_of_lane = lane / 16 * 8;
#pragma unroll
    for (int col = 0; col < cols; col += 16) {
      if (first + col >= 4 * Accumulators::cols) break;
      unsigned words[4];
#pragma unroll
      for (int m = 0; m < 4; ++m)
        words[m] = bits_as<unsigned>(
            pair_of(accumulators, problem, known, m % 2, first + col + m / 2 * 8));
      unsigned const to =
          IsByCols ? address(col + col_of_lane + lane % 8, (row_of_warp + lane / 8 % 2 * 8) * bytes)
                   : address(row_of_warp + lane % 16, (col + col_of_lane) * bytes);
      stmatrix_x4<IsByCols>(to, words);
    }
  }
  template <class Accumulators, class Problem, class Scalars>
  __device__ void fill_by_pairs(Accumulators const& accumulators, Problem const& problem,
                                Scalars const& known, int first) const {
    unsigned const thread = reread_thread_index();
    int const pair = static_cast<int>(thread) % 4 * 2;
#pragma unroll
    for (int r = 0; r < Accumulators::rows; ++r) {
      int const row = accumulators.row_of(r, thread) % 64;
#pragma unroll
      for (int col = 0; col < cols; col += 8) {
        if (first + col >= 4 * Accumulators::cols) break;
        st_shared(address(row, (col + pair) * static_cast<int>(sizeof(C))),
                  pair_of(accumulators, problem, known, r, first + col));
      }
    }
  }
};

/// By the thread that stores a warpgroup's buffers, before the columns from `first` on are written
/// to one: waits for the stores from it, `Stores` a buffer. Every tile begins with the same one.
template <class Tile, int Stores>
__device__ inline void wait_for_buffer(int first) {
  if (first == 0) tma_store_wait<0>();
  else tma_store_wait<(Tile::epilogue_buffers - 1) * Stores>();
}

/// By TMA, a column-major C of 4-byte elements: a buffer has 32 columns, in boxes of 32 rows of C.
template <class Tile, class Accumulators, class Problem>
__device__ void tma_store_cols(Accumulators const& accumulators, Problem const& problem,
                               work_tile const& block, gemm_tma_descriptors const& descriptors,
                               pipeline_smem<Tile> const& smem) {
  using C = typename Problem::c_type;
  static_assert(sizeof(C) == 4);
  constexpr int cols = epilogue_cols<C>;
  constexpr int boxes = 2;  // of a buffer
  int const warpgroup = static_cast<int>(threadIdx.x) / 128;
  bool const is_issuer = threadIdx.x % 128 == 0;
  auto known = scalars_of<true>(problem);
  known.beta_is_zero = true;
  int const pair = static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int first = 0; first < Tile::cols; first += cols) {
    unsigned const buffer = smem.epilogue_buffer(first / cols % Tile::epilogue_buffers);
    if (is_issuer) wait_for_buffer<Tile, boxes>(first);
    warpgroup_sync(1 + warpgroup);
#pragma unroll
    for (int r = 0; r < Accumulators::rows; ++r) {
      int const row = accumulators.row_of(r) % 64;
#pragma unroll
      for (int c = 0; c < cols / 4; ++c) {
        if (first / 4 + c >= Accumulators::cols) break;
        int const col = c / 2 * 8 + pair + c % 2;
        element_group<C, 1> result;
        problem.write_to(result[0], known, 0, 0, accumulators.value(r, first / 4 + c));
        st_shared(buffer + static_cast<unsigned>(row / 32 * cols * 128 + col * 128 +
                                                 ((row % 32 / 4) ^ (col % 8)) * 16 + row % 4 * 4),
                  result);
      }
    }
    fence_proxy_async();
    warpgroup_sync(1 + warpgroup);
    if (is_issuer)
      for (int box = 0; box < boxes; ++box)
        tma_store(buffer + static_cast<unsigned>(box * cols * 128),
                  first + cols <= Tile::cols ? descriptors.c : descriptors.last_c,
                  static_cast<int>(block.coordinates.row) + warpgroup * 64 + box * 32,
                  static_cast<int>(block.coordinates.col) + first, static_cast<int>(block.batch));
  }
}

/// Stores a lane's word: two elements of 2 bytes, or one of 4, of the `cols_left` that exist. Pairs
/// of 2-byte elements are stored aligned to 4 bytes. In a row that is not, a lane's pair is its
/// second element and its neighbour's first.
template <class C>
__device__ inline void store_word(C* row, int lane, int lanes, unsigned word, int cols_left) {
  if constexpr (sizeof(C) == 4) {
    if (lane < cols_left) reinterpret_cast<unsigned*>(row)[lane] = word;
  } else {
    auto* const elements = reinterpret_cast<std::uint16_t*>(row);
    unsigned const next = __shfl_down_sync(0xFFFFFFFFu, word, 1);
    bool const is_shifted = (reinterpret_cast<std::uintptr_t>(row) & 2) != 0;
    bool const is_last = lane == lanes - 1;
    int const first = 2 * lane + (is_shifted ? 1 : 0);
    unsigned const pair = is_shifted ? __funnelshift_r(word, next, 16) : word;
    bool const has_both = !(is_shifted && is_last);
    if (has_both && first + 1 < cols_left) *reinterpret_cast<unsigned*>(elements + first) = pair;
    else if (first < cols_left) elements[first] = static_cast<std::uint16_t>(pair);
    if (is_shifted && lane == 0 && cols_left > 0) elements[0] = static_cast<std::uint16_t>(word);
  }
}

/// Rows of contiguous elements, through all of the warpgroup's buffers at once: by TMA, store_rows
/// of C at a time, or at any address, a word a lane; or columns of 2-byte elements, by TMA, 64 rows
/// of C at a time. Compiled for either: a choice at each store cost all products 0.1 to 0.25 us, as
/// a block fetches its code once (2026-11-27). By each buffer in turn a tile of 128x128 took 1910
/// cycles, not 1330: what is written must be fenced before TMA reads it (float16, H100,
/// 2026-11-25). No better: buffers for all columns where the stages were (spills), a first run of
/// this code to fetch its instructions while the first loads are under way.
template <bool IsByCols, class Tile, class Accumulators, class Problem>
__device__ void store_through_buffers(Accumulators const& accumulators, Problem const& problem,
                                      work_tile const& block,
                                      gemm_tma_descriptors const& descriptors,
                                      pipeline_smem<Tile> const& smem) {
  using C = typename Problem::c_type;
  using buffered = epilogue_tile<C>;
  int const thread = static_cast<int>(Accumulators::thread());
  int const warpgroup = thread / 128;
  constexpr bool is_of_warp = Tile::store_rows == 16 && !IsByCols;
  bool const is_by_tma = IsByCols || descriptors.stores_rows;
  bool const is_issuer = Accumulators::thread() % (is_of_warp ? 32 : 128) == 0;
  auto const sync = [&] {
    if constexpr (is_of_warp) __syncwarp();
    else warpgroup_sync(1 + warpgroup);
  };
  int const first_row = thread % 128 / 32 * 16;
  int const lane = thread % 32;
  int const rows_left = inside_tile(problem.rows, block.coordinates.row) - warpgroup * 64;
  int const cols_left = least_of(inside_tile(problem.cols, block.coordinates.col), Tile::cols);
  C* const c = &problem.c.at(block.batch, block.coordinates.row, block.coordinates.col) +
               static_cast<index>(warpgroup * 64) * problem.c.row_stride;
  constexpr int cols_at_once = Tile::epilogue_buffers * buffered::cols;
#pragma unroll 1
  for (int first = 0; first < Tile::cols; first += cols_at_once) {
    if (is_issuer && is_by_tma) tma_store_wait<0>();
    sync();
    with_constant<Tile::cols, cols_at_once>(first, [&](int constant) {
#pragma unroll
      for (int b = 0; b < Tile::epilogue_buffers; ++b)
        if (constant + b * buffered::cols < Tile::cols)
          buffered{smem.epilogue_buffer(b)}.template fill<IsByCols>(accumulators, problem,
                                                                    constant + b * buffered::cols);
    });
    if (is_by_tma) fence_proxy_async();
    sync();
#pragma unroll
    for (int b = 0; b < Tile::epilogue_buffers; ++b) {
      int const col = first + b * buffered::cols;
      if (col >= Tile::cols) break;
      buffered const tile{smem.epilogue_buffer(b)};
      if (is_by_tma) {
        int const row_of_warp = is_of_warp ? first_row : 0;
        int const row_of_c = static_cast<int>(block.coordinates.row) + warpgroup * 64 + row_of_warp;
        int const col_of_c = static_cast<int>(block.coordinates.col) + col;
        if (is_issuer)
          tma_store(tile.address(row_of_warp, 0),
                    col + buffered::cols <= Tile::cols ? descriptors.c : descriptors.last_c,
                    IsByCols ? row_of_c : col_of_c, IsByCols ? col_of_c : row_of_c,
                    static_cast<int>(block.batch));
      } else {
#pragma unroll 4
        for (int row = first_row; row < first_row + 16; ++row)
          store_word(c + row * problem.c.row_stride + col, lane, 32,
                     ld_shared(tile.address(row, lane * 4)), row < rows_left ? cols_left - col : 0);
      }
    }
  }
}

/// Whether C is stored by what goes for plain rows, or columns.
template <class Tile, class Problem>
__device__ bool stores_plain_c(Problem const& problem, gemm_tma_descriptors const& descriptors) {
  return has_smem_epilogue<Problem> &&
         (descriptors.stores_rows || (can_store_cols<Tile, Problem> && descriptors.stores_cols) ||
          (problem.scalars.beta_is_zero && problem.c.col_stride == 1));
}

template <class Tile, class Accumulators, class Problem>
__device__ void store_plain_c(Accumulators const& accumulators, Problem const& problem,
                              work_tile const& block, gemm_tma_descriptors const& descriptors,
                              pipeline_smem<Tile> const& smem) {
  if constexpr (can_store_cols<Tile, Problem>)
    if (descriptors.stores_cols) {
      if constexpr (sizeof(typename Problem::c_type) == 4)
        return tma_store_cols(accumulators, problem, block, descriptors, smem);
      else return store_through_buffers<true>(accumulators, problem, block, descriptors, smem);
    }
  store_through_buffers<false>(accumulators, problem, block, descriptors, smem);
}

/// A tile whose layer is not staged_epilogue.cuh's. `parity` of the layer's full barrier. Each
/// thread says that it has read the layer's values: racecheck does not follow one that speaks for
/// its warp.
template <class Tile, class Accumulators, class Problem>
__device__ void store_with_layer(Accumulators& accumulators, Problem const& problem,
                                 work_tile const& block, gemm_tma_descriptors const& descriptors,
                                 pipeline_smem<Tile> const& smem, layer_path path,
                                 unsigned parity) {
  mbarrier_wait(smem.layer_full_barrier(), parity);
  if (path == layer_path::rows) {
    store_rows_of_layer(accumulators, problem, block, smem);
    __syncwarp();  // lanes without columns are ahead
    return mbarrier_arrive(smem.layer_empty_barrier());
  }
  apply_layer(accumulators, problem, smem);
  mbarrier_arrive(smem.layer_empty_barrier());
  store_plain_c(accumulators, problem, block, descriptors, smem);
}

template <class Tile, class Accumulators, class Problem>
__device__ void wgmma_epilogue(Accumulators& accumulators, Problem const& problem,
                               gemm_grid const& grid, work_tile const& block,
                               gemm_tma_descriptors const& descriptors,
                               pipeline_smem<Tile> const& smem, layer_path path, unsigned parity) {
  if constexpr (can_split_in_cluster(Tile::config, Tile::cols) && adds_in_cluster<Problem>)
    if (grid.splits_in_cluster) {
      if constexpr (may_have_layer<typename Problem::epilogue_type>)
        if (problem.epilogue.is_given())
          return reduce_in_cluster(accumulators, with_layer(problem), grid, block, smem);
      return reduce_in_cluster(accumulators, problem, grid, block, smem);
    }
  if constexpr (has_smem_epilogue<Problem>) {
    bool has_layer = false;
    if constexpr (may_have_layer<typename Problem::epilogue_type>) {
      if constexpr (Tile::row_blocks == 1)
        if (path != layer_path::none)
          return store_with_layer(accumulators, problem, block, descriptors, smem, path, parity);
      has_layer = problem.epilogue.is_given();
    }
    if (grid.partials == nullptr && !has_layer && stores_plain_c<Tile>(problem, descriptors))
      return store_plain_c(accumulators, problem, block, descriptors, smem);
  }
  store_by_rows(accumulators, problem, grid, block, smem);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
