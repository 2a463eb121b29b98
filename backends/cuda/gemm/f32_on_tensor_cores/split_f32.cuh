// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// 3xBF16 emulation of f32 (options().precision(fast_f32)): x = first + second + third, three
// bfloat16 planes of each operand for wgmma, whose result has the error of f32. Six of the nine
// products of planes matter. Elements that have no such planes raise a flag, and the SIMT kernel
// runs instead:
// - infinities and NaNs: times a plane of zeros they would give NaN;
// - 2^47 and more, so that no sum of 2^31 products of planes overflows: that would give infinities
//   of both signs where plain f32 has one;
// - numbers below 2^-100 but for zero: their third plane would be cut.
#pragma once

#include <xpose/backends/cuda/gemm/block/block_tile.cuh>
#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/backends/cuda/runtime/tma_descriptor.hpp>

#include <type_traits>

namespace xpose {
inline namespace v0 {
namespace detail {

// 64x64 with 256 threads takes 36.3 us for two 2048x2048 and 141 for the operands of
// 4095x4097x4093, 32x64 with 128 threads 34.9 and 137 (H100, 2026-11-22); 512 threads 46 and 190.
inline constexpr int split_tile_mn = 32;
inline constexpr int split_tile_k = 64;
inline constexpr int split_threads = 128;

/// An operand, and where its planes go: [batch][plane][mn][pitch of k].
struct f32_split {
  float const* from;
  index batch_stride, mn_stride, k_stride, mn;
  index k_extent, pitch;
  bfloat16* to;
  unsigned mn_tiles, k_tiles;
};

/// Both operands of a product, so that one launch splits them.
struct f32_splits {
  f32_split operands[2];
  unsigned blocks_of_first;
  int* flag;  // becomes 1 where an element has no planes
};

/// Where a block's tile is in its operand.
struct split_tile_origin {
  index batch, mn, k;
};

/// Range of magnitudes of elements but zero, as their bits.
struct magnitudes {
  unsigned least_less_one = 0xFFFFFFFFu;
  unsigned most = 0;

  __device__ void add(float x) {
    unsigned const bits = __float_as_uint(x) & 0x7FFFFFFFu;
    least_less_one = min(least_less_one, bits - 1);
    most = max(most, bits);
  }
  __device__ bool can_be_split() const {
    constexpr unsigned two_to_minus_100 = (127u - 100) << 23;
    constexpr unsigned two_to_47 = (127u + 47) << 23;
    return least_less_one >= two_to_minus_100 - 1 && most < two_to_47;
  }
};

/// Rounds both to bfloat16, `high` in the upper half of the word, and subtracts that from them.
__device__ inline unsigned take_bf16x2(float& low, float& high) {
  unsigned taken;
#if __CUDA_ARCH__ >= 800
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(taken) : "f"(high), "f"(low));
#else
  taken = bfloat16_bits(low) | unsigned{bfloat16_bits(high)} << 16;
#endif
  low -= __uint_as_float(taken << 16);
  high -= __uint_as_float(taken & 0xFFFF0000u);
  return taken;
}

/// Loads the tile, zeros outside the operand, with neighbouring lanes along k or along mn.
template <bool LanesAlongK>
__device__ inline void load_split_tile(float (&tile)[split_tile_mn][split_tile_k + 1],
                                       f32_splits const& work, f32_split const& o,
                                       split_tile_origin const& origin) {
  constexpr int lanes = LanesAlongK ? split_tile_k : split_tile_mn;
  constexpr int lines = LanesAlongK ? split_tile_mn : split_tile_k;
  constexpr int lines_at_once = split_threads / lanes;
  constexpr int loads = lines / lines_at_once;
  int const thread = static_cast<int>(threadIdx.x);
  int const lane = thread % lanes;
  int const line = thread / lanes;
  int const mn = LanesAlongK ? line : lane;
  int const k = LanesAlongK ? lane : line;
  index const step = lines_at_once * (LanesAlongK ? o.mn_stride : o.k_stride);
  float const* from = o.from + origin.batch * o.batch_stride + (origin.mn + mn) * o.mn_stride +
                      (origin.k + k) * o.k_stride;
  float* const to = &tile[mn][k];
  constexpr int to_step = lines_at_once * (LanesAlongK ? split_tile_k + 1 : 1);
  index const lanes_left = LanesAlongK ? o.k_extent - origin.k : o.mn - origin.mn;
  index const lines_left = LanesAlongK ? o.mn - origin.mn : o.k_extent - origin.k;
  index const inside = lane < lanes_left ? lines_left - line : 0;
  float x[loads];
  if (inside > lines - lines_at_once) {
#pragma unroll
    for (int n = 0; n < loads; ++n, from += step) x[n] = *from;
  } else {
#pragma unroll
    for (int n = 0; n < loads; ++n, from += step) x[n] = n * lines_at_once < inside ? *from : 0.f;
  }
  magnitudes seen;
#pragma unroll
  for (int n = 0; n < loads; ++n) {
    seen.add(x[n]);
    to[n * to_step] = x[n];
  }
  if (!seen.can_be_split()) *work.flag = 1;
}

/// Stores the three planes of the tile, K-major, eight elements a thread at once.
__device__ inline void store_bf16x3(float const (&tile)[split_tile_mn][split_tile_k + 1],
                                    f32_split const& o, split_tile_origin const& origin) {
  constexpr int width = 8;
  index const plane_elements = o.mn * o.pitch;
#pragma unroll
  for (int item = static_cast<int>(threadIdx.x); item < split_tile_mn * split_tile_k / width;
       item += split_threads) {
    int const mn = item / (split_tile_k / width);
    int const k = item % (split_tile_k / width) * width;
    index const i = origin.mn + mn;
    index const first_k = origin.k + k;
    if (i >= o.mn) continue;
    float rest[width];
#pragma unroll
    for (int e = 0; e < width; ++e) rest[e] = tile[mn][k + e];
    bfloat16* to = o.to + origin.batch * parts_of_f32 * plane_elements + i * o.pitch + first_k;
#pragma unroll
    for (int plane = 0; plane < parts_of_f32; ++plane, to += plane_elements)
      *reinterpret_cast<uint4*>(to) = {take_bf16x2(rest[0], rest[1]), take_bf16x2(rest[2], rest[3]),
                                       take_bf16x2(rest[4], rest[5]),
                                       take_bf16x2(rest[6], rest[7])};
  }
}

/// A block splits a tile of one operand, loaded along whichever stride is smaller.
static __global__ void __launch_bounds__(split_threads)
    split_f32(__grid_constant__ f32_splits const work) {
  __shared__ float tile[split_tile_mn][split_tile_k + 1];
  bool const is_first = blockIdx.x < work.blocks_of_first;
  f32_split const& o = work.operands[is_first ? 0 : 1];
  unsigned const block = is_first ? blockIdx.x : blockIdx.x - work.blocks_of_first;
  unsigned const in_batch = block % (o.mn_tiles * o.k_tiles);
  split_tile_origin const origin{block / (o.mn_tiles * o.k_tiles),
                                 index{in_batch / o.k_tiles} * split_tile_mn,
                                 index{in_batch % o.k_tiles} * split_tile_k};
  if (llabs(o.k_stride) <= llabs(o.mn_stride)) load_split_tile<true>(tile, work, o, origin);
  else load_split_tile<false>(tile, work, o, origin);
  __syncthreads();

  store_bf16x3(tile, o, origin);
}

/// An operand of 3xBF16 on the host: how many bytes its planes take, and its tensor of them for
/// TMA.
class bf16x3_operand {
 public:
  explicit bf16x3_operand(mn_operand<float const> const& o)
      : o_(o), batch_(o.batch_stride == 0 ? 1 : o.batch) {}

  index bytes() const { return planes() * o_.mn * pitch() * index{sizeof(bfloat16)}; }

  pitched_tensor tensor_at(void const* data) const {
    return {data, sizeof(bfloat16), o_.k_extent, o_.mn, planes(), pitch(), o_.mn * pitch()};
  }
  bool can_be_split() const {
    return is_tma_compatible(tensor_at(nullptr)) && blocks() <= most_blocks / 2;
  }

  f32_split split_into(void* to) const {
    return {o_.data,    o_.batch_stride, o_.mn_stride, o_.k_stride,
            o_.mn,      o_.k_extent,     pitch(),      static_cast<bfloat16*>(to),
            mn_tiles(), k_tiles()};
  }
  index blocks() const { return batch_ * mn_tiles() * k_tiles(); }

 private:
  /// Full tiles, so that rows begin at cache lines: with rows at multiples of 16 bytes, two
  /// 1000x1000 took 21 us in place of 12.
  index pitch() const { return index{k_tiles()} * split_tile_k; }
  index planes() const { return batch_ * parts_of_f32; }
  unsigned mn_tiles() const { return static_cast<unsigned>(ceil_div(o_.mn, split_tile_mn)); }
  unsigned k_tiles() const { return static_cast<unsigned>(ceil_div(o_.k_extent, split_tile_k)); }

  mn_operand<float const> o_;
  index batch_;
};

/// Writes the planes of both, and sets *flag where an element has none.
inline void split_operands(execution const& where, bf16x3_operand const& a, void* a_planes,
                           bf16x3_operand const& b, void* b_planes, int* flag) {
  launch_blocks(where, a.blocks() + b.blocks(), split_threads, 0, "split_f32", split_f32,
                f32_splits{{a.split_into(a_planes), b.split_into(b_planes)},
                           static_cast<unsigned>(a.blocks()),
                           flag});
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
