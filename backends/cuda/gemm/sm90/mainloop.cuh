// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Consumer warpgroups of a wgmma kernel: the accumulators of 64 or 128 rows of a tile of C each,
// and the mainloop over the stages of the pipeline.
#pragma once

#include <xpose/backends/cuda/gemm/block/epilogue.cuh>
#include <xpose/backends/cuda/gemm/sm90/pipeline.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A thread's accumulators, as wgmma leaves them: of two rows, pairs of neighbours in every eighth
/// column. Epilogues see those of the first of Tile::row_blocks, until next_row_block().
template <class Tile, class Problem>
class wgmma_accumulators {
  using K = typename Problem::accumulate_type;
  using smem_type = pipeline_smem<Tile>;
  using state = pipeline_state<Tile::stages>;
  static constexpr int row_blocks = Tile::row_blocks;
  static constexpr int count = Tile::cols / 2;
  using accumulator_blocks = K[row_blocks][count];
  static_assert(row_blocks == 1 || (!is_float8<typename Tile::a_element> &&
                                    !Tile::a_from_registers && Tile::planes == 1));

 public:
  using element = K;
  static constexpr int rows = 2;
  static constexpr int cols = count / 2;
  static constexpr int vector_rows = 1;
  static constexpr int vector_cols = elements_of_vec16<K>;            // of neighbour_writer
  static constexpr bool has_rows_of_wgmma = !Tile::a_from_registers;  // else permuted ones

  /// Of the block. Read again by each epilogue where accumulators of two row blocks leave no
  /// registers for what would be kept of it while these are multiplied: 256x144 spilled 80 bytes.
  __device__ static unsigned thread() {
    if constexpr (row_blocks > 1) return reread_thread_index();
    else return threadIdx.x;
  }
  __device__ int row_of(int r) const { return row_of(r, thread()); }
  __device__ int row_of(int r, unsigned of_thread) const {
    int const thread = static_cast<int>(of_thread);
    int const warp = thread % 128 / 32;
    int const quad = thread % 32 / 4;
    if constexpr (Tile::a_from_registers && sizeof(typename Tile::a_element) == 4)
      return thread / 128 * 64 + warp / 2 * 32 + quad / 4 * 16 + (warp % 2 * 2 + r) * 4 + quad % 4;
    if constexpr (Tile::a_from_registers) return thread / 128 * 64 + warp * 16 + quad * 2 + r;
    return thread / 128 * 64 + warp * 16 + quad + r * 8;
  }
  __device__ K value(int r, int c) const { return accumulators_[0][c / 2 * 4 + r * 2 + c % 2]; }
  __device__ void set(int r, int c, K x) { accumulators_[0][c / 2 * 4 + r * 2 + c % 2] = x; }
  __device__ void next_row_block() {
#pragma unroll
    for (int block = 1; block < row_blocks; ++block)
#pragma unroll
      for (int s = 0; s < count; ++s) accumulators_[block - 1][s] = accumulators_[block][s];
  }

  /// Overwrites the accumulators with the product of `k_tiles` stages, and releases these.
  __device__ void mainloop(smem_type const& smem, state& at, int k_tiles) {
    if constexpr (is_float8<typename Tile::a_element>) {
      mainloop_promoted(smem, at, k_tiles);
    } else if constexpr (Tile::a_from_registers) {
      mainloop_rs(smem, at, k_tiles);
    } else if constexpr (Tile::planes == 1) {
      mainloop_ss(accumulators_, accumulators_, smem, at, k_tiles);
    } else {
      for (K& sum : accumulators_[0]) sum = 0;
      for (; k_tiles > 0; k_tiles -= promoted_k_tiles) {
        accumulator_blocks large_terms;
        accumulator_blocks small_terms;
        mainloop_ss(large_terms, small_terms, smem, at,
                    k_tiles < promoted_k_tiles ? k_tiles : promoted_k_tiles);
#pragma unroll
        for (int s = 0; s < count; ++s)
          accumulators_[0][s] += large_terms[0][s] + small_terms[0][s];
      }
    }
  }

 private:
  // Tensor cores truncate sums where they should round. With all six products of 3xBF16 in one
  // accumulator, added to another of f32 (promoted) after every 256 of k, the error of positive
  // operands was 33 units of 2^-24 |A||B|; that of the SIMT kernel is 4 to 10. Hence two
  // accumulators, as only products of first planes are large, and promotion after 128.
  static constexpr int promoted_k_tiles = 128 / Tile::k_extent;

  /// wgmma of a stage, as one group. 3xBF16: the first plane of an operand is the largest.
  __device__ static void mma_stage(accumulator_blocks& large_terms, accumulator_blocks& small_terms,
                                   smem_type const& smem, int stage, bool accumulates) {
    constexpr int k_blocks = Tile::swizzle_bytes / 32;
    constexpr bool a_is_mn_major = Tile::a_tile::is_mn_major;
    constexpr bool b_is_mn_major = Tile::b_tile::is_mn_major;
    constexpr unsigned a_step = a_is_mn_major ? 16 * 128 : 32;
    constexpr unsigned b_step = b_is_mn_major ? 16 * 128 : 32;
    constexpr unsigned a_plane_bytes = Tile::a_tile::bytes;
    constexpr unsigned b_plane_bytes = Tile::b_tile::bytes;
    constexpr unsigned row_block_bytes = Tile::consumer_warpgroups * Tile::a_64_rows_bytes;
    unsigned const of_warpgroup = threadIdx.x / 128 * Tile::a_64_rows_bytes;
    std::uint64_t const a =
        smem_descriptor<Tile::swizzle_bytes>(smem.a(stage) + of_warpgroup, Tile::a_64_rows_bytes);
    std::uint64_t const b =
        smem_descriptor<Tile::swizzle_bytes>(smem.b(stage), Tile::b_tile::panel_bytes);
    auto const mma_planes = [&](accumulator_blocks& accumulators, unsigned a_plane,
                                unsigned b_plane, bool accumulates_first) {
#pragma unroll
      for (unsigned step = 0; step < k_blocks; ++step)
#pragma unroll
        for (unsigned block = 0; block < row_blocks; ++block)
          wgmma_ss<typename Tile::a_element, typename Tile::b_element, a_is_mn_major,
                   b_is_mn_major>(
              accumulators[block],
              a + ((a_plane * a_plane_bytes + step * a_step + block * row_block_bytes) >> 4),
              b + ((b_plane * b_plane_bytes + step * b_step) >> 4), accumulates_first || step > 0);
    };
    warpgroup_arrive();
    if constexpr (Tile::planes == parts_of_f32) {
      mma_planes(small_terms, 2, 0, accumulates);
      mma_planes(small_terms, 0, 2, true);
      mma_planes(small_terms, 1, 1, true);
      mma_planes(small_terms, 1, 0, true);
      mma_planes(small_terms, 0, 1, true);
    }
    mma_planes(large_terms, 0, 0, accumulates);
    warpgroup_commit();
  }

  /// Both operands from shared memory; a stage is released when the next one's wgmma are under way.
  __device__ static void mainloop_ss(accumulator_blocks& large_terms,
                                     accumulator_blocks& small_terms, smem_type const& smem,
                                     state& at, int k_tiles) {
    auto const start = [&](bool accumulates) {
      int const stage = at.stage();
      mbarrier_wait(smem.full_barrier(stage), at.parity());
      mma_stage(large_terms, small_terms, smem, stage, accumulates);
      at.advance();
      return stage;
    };
    auto const fence_all = [&] {
#pragma unroll
      for (auto& of_block : large_terms) fence_operands(of_block);
      if constexpr (Tile::planes > 1) fence_operands(small_terms[0]);
    };
    fence_all();
    int before = start(false);
    for (int k_tile = 1; k_tile < k_tiles; ++k_tile) {
      int const stage = start(true);
      warpgroup_wait<1>();
      smem.release(before);
      before = stage;
    }
    warpgroup_wait<0>();
    fence_all();
    smem.release(before);
  }

  /// float8, for which tensor cores keep 14 bits of a sum: each stage, 128 of k, has accumulators
  /// of its own, which are promoted (added in f32) while the tensor cores multiply the next stage.
  __device__ void mainloop_promoted(smem_type const& smem, state& at, int k_tiles) {
    static_assert(Tile::k_extent == 128);
    accumulator_blocks even;
    accumulator_blocks odd;
    auto const start = [&](accumulator_blocks& of_stage) {
      int const stage = at.stage();
      mbarrier_wait(smem.full_barrier(stage), at.parity());
      mma_stage(of_stage, of_stage, smem, stage, false);
      at.advance();
      return stage;
    };
    auto const promote = [&](accumulator_blocks& of_stage, int stage) {
      fence_operands(of_stage[0]);
      smem.release(stage);
#pragma unroll
      for (int s = 0; s < count; ++s) accumulators_[0][s] += of_stage[0][s];
    };
    for (K& sum : accumulators_[0]) sum = 0;
    fence_operands(even[0]);
    fence_operands(odd[0]);
    int even_stage = start(even);
    int k_tile = 1;
    for (; k_tile + 1 < k_tiles; k_tile += 2) {
      int const odd_stage = start(odd);
      warpgroup_wait<1>();
      promote(even, even_stage);
      even_stage = start(even);
      warpgroup_wait<1>();
      promote(odd, odd_stage);
    }
    if (k_tile < k_tiles) {
      int const odd_stage = start(odd);
      warpgroup_wait<1>();
      promote(even, even_stage);
      warpgroup_wait<0>();
      promote(odd, odd_stage);
    } else {
      warpgroup_wait<0>();
      promote(even, even_stage);
    }
  }

  static constexpr int k_blocks_of_stage = Tile::swizzle_bytes / 32;
  using a_fragments = unsigned[k_blocks_of_stage][4];

  /// This thread's fragments of an MN-major A.
  __device__ void load_a_fragments(a_fragments& a, smem_type const& smem, state const& at) const {
    mbarrier_wait(smem.full_barrier(at.stage()), at.parity());
    if constexpr (sizeof(typename Tile::a_element) == 4) load_words(a, smem.a(at.stage()));
    else load_bytes(a, smem.a(at.stage()));
  }
  /// Of 4-byte elements. row_of() permutes rows such that a warp reads each bank once: of the eight
  /// rows of a fragment, four lie 16 behind the others.
  __device__ void load_words(a_fragments& a, unsigned tile) const {
    int const first_k = static_cast<int>(threadIdx.x) % 4;
#pragma unroll
    for (int q = 0; q < 2; ++q)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        int const row = row_of(h);
        int const k = first_k + 4 * q;
        unsigned const from =
            tile + static_cast<unsigned>(row / 32 * Tile::k_extent * 128 + k * 128 +
                                         ((row % 32 / 4) ^ k) * 16 + row % 4 * 4);
#pragma unroll
        for (int step = 0; step < k_blocks_of_stage; ++step)
          a[step][2 * q + h] = ld_shared(from + static_cast<unsigned>(step * 8 * 128));
      }
  }
  /// Of 1-byte elements. ldmatrix transposes pairs of bytes, so that thread t of a row has rows 2 t
  /// and 2 t + 1 of two matrices, each a k, with elements of rows 2 g and 2 g + 1 of A, which
  /// row_of() therefore gives; a byte permutation makes words along k of them. The k of a matrix's
  /// eight rows are such that the swizzle keeps their vectors in different banks:
  ///
  ///   thread t           0      1      2      3
  ///   first matrix, k   0  1   4  5  10 11  14 15
  ///   second            2  3   6  7   8  9  12 13
  __device__ static void load_bytes(a_fragments& a, unsigned tile) {
    int const lane = static_cast<int>(threadIdx.x) % 32;
    int const matrix_row = lane % 8;
    int const matrix = lane / 8;
    int const k =
        matrix / 2 * 16 + matrix_row / 2 * 4 + matrix_row % 2 + ((matrix ^ matrix_row / 4) % 2) * 2;
    int const vec16 =
        static_cast<int>(threadIdx.x) / 128 * 4 + static_cast<int>(threadIdx.x) % 128 / 32;
    unsigned const from = tile + static_cast<unsigned>(k * 128 + (vec16 ^ k % 8) * 16);
    bool const is_second_first = lane % 4 >= 2;
    unsigned const even_row = is_second_first ? 0x2064 : 0x6420;
    unsigned const odd_row = is_second_first ? 0x3175 : 0x7531;
#pragma unroll
    for (int step = 0; step < k_blocks_of_stage; ++step) {
      unsigned held[4];
      ldmatrix_x4<true>(held, from + static_cast<unsigned>(step * 32 * 128));
#pragma unroll
      for (int q = 0; q < 2; ++q) {
        a[step][2 * q] = __byte_perm(held[2 * q], held[2 * q + 1], even_row);
        a[step][2 * q + 1] = __byte_perm(held[2 * q], held[2 * q + 1], odd_row);
      }
    }
  }

  /// A through registers: fragments of a stage are loaded while the stage before is multiplied.
  __device__ void mainloop_rs(smem_type const& smem, state& at, int k_tiles) {
    a_fragments even;
    a_fragments odd;
    int before = 0;
    auto const start = [&](a_fragments& a, bool accumulates) {
      load_a_fragments(a, smem, at);
      std::uint64_t const b =
          smem_descriptor<Tile::swizzle_bytes>(smem.b(at.stage()), Tile::b_tile::panel_bytes);
#pragma unroll
      for (int step = 0; step < k_blocks_of_stage; ++step) {
        warpgroup_arrive();
        wgmma_rs<typename Tile::a_element>(accumulators_[0], a[step],
                                           b + static_cast<unsigned>(step * 32 >> 4),
                                           accumulates || step > 0);
      }
      warpgroup_commit();
    };
    auto const release_before = [&](a_fragments& of_before) {
      warpgroup_wait<1>();
      for (auto& fragment : of_before) fence_operands(fragment);
      smem.release(before);
      before = at.stage();
      at.advance();
    };
    fence_operands(accumulators_[0]);
    start(even, false);
    before = at.stage();
    at.advance();
    int k_tile = 1;
    for (; k_tile + 1 < k_tiles; k_tile += 2) {
      start(odd, true);
      release_before(even);
      start(even, true);
      release_before(odd);
    }
    if (k_tile < k_tiles) {
      start(odd, true);
      release_before(even);
      warpgroup_wait<0>();
      for (auto& fragment : odd) fence_operands(fragment);
    } else {
      warpgroup_wait<0>();
      for (auto& fragment : even) fence_operands(fragment);
    }
    fence_operands(accumulators_[0]);
    smem.release(before);
  }

  accumulator_blocks accumulators_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
