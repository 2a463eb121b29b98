// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// f32 operands in three bfloat16 parts each, x = first + second + third, for products by wgmma
// whose error is that of f32 (options().precision(fast_f32)). Six of the nine products of parts
// matter. Elements that have no such parts raise a flag, and the plain kernel runs instead:
// infinities and NaNs, whose products with zero parts would be NaN; 2^47 and more, so that no sum
// of 2^31 products of parts overflows, which would make infinities of both signs where plain f32
// has one; and numbers below 2^-100 but for zero, whose third parts would be cut.
#pragma once

#include <xpose/backends/core/problems/gemm_problem.hpp>
#include <xpose/backends/cuda/gemm/config/config.hpp>
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

/// An operand, and where its parts go: [batch][part][across][pitch of the depth].
struct f32_split {
  float const* from;
  index batch_stride;
  index across_stride;
  index depth_stride;
  index across;
  index depth;
  index pitch;
  bfloat16* to;
  unsigned across_tiles;
  unsigned depth_tiles;
};

/// Both operands of a product, so that one launch splits them.
struct f32_splits {
  f32_split operands[2];
  unsigned blocks_of_first;
  int* flag;  // becomes 1 where an element has no parts
};

/// Magnitudes of elements, as their bits, the least of those but zero.
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

/// The next part of both, `high` in the upper half of the word, which then have only the rest.
__device__ inline unsigned take_bf16x2(float& low, float& high) {
  unsigned parts;
#if __CUDA_ARCH__ >= 800
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(parts) : "f"(high), "f"(low));
#else
  parts = bfloat16_bits(low) | unsigned{bfloat16_bits(high)} << 16;
#endif
  low -= __uint_as_float(parts << 16);
  high -= __uint_as_float(parts & 0xFFFF0000u);
  return parts;
}

/// A block takes a tile of one operand: read along whichever stride is smaller, written along the
/// depth, eight elements a thread.
static __global__ void __launch_bounds__(split_threads)
    split_f32(__grid_constant__ f32_splits const work) {
  __shared__ float tile[split_tile_mn][split_tile_k + 1];
  bool const is_first = blockIdx.x < work.blocks_of_first;
  f32_split const& o = work.operands[is_first ? 0 : 1];
  unsigned const block = is_first ? blockIdx.x : blockIdx.x - work.blocks_of_first;
  unsigned const in_batch = block % (o.across_tiles * o.depth_tiles);
  index const batch = block / (o.across_tiles * o.depth_tiles);
  index const first_across = index{in_batch / o.depth_tiles} * split_tile_mn;
  index const first_depth = index{in_batch % o.depth_tiles} * split_tile_k;
  int const thread = static_cast<int>(threadIdx.x);
  auto const read = [&](auto reads_depth) {
    constexpr bool by_depth = reads_depth.value;
    constexpr int lanes = by_depth ? split_tile_k : split_tile_mn;
    constexpr int lines = by_depth ? split_tile_mn : split_tile_k;
    constexpr int lines_together = split_threads / lanes;
    constexpr int reads = lines / lines_together;
    int const lane = thread % lanes;
    int const line = thread / lanes;
    int const across = by_depth ? line : lane;
    int const depth = by_depth ? lane : line;
    index const step = lines_together * (by_depth ? o.across_stride : o.depth_stride);
    float const* from = o.from + batch * o.batch_stride +
                        (first_across + across) * o.across_stride +
                        (first_depth + depth) * o.depth_stride;
    float* const to = &tile[across][depth];
    constexpr int to_step = lines_together * (by_depth ? split_tile_k + 1 : 1);
    index const lanes_left = by_depth ? o.depth - first_depth : o.across - first_across;
    index const lines_left = by_depth ? o.across - first_across : o.depth - first_depth;
    index const inside = lane < lanes_left ? lines_left - line : 0;
    float x[reads];
    if (inside > lines - lines_together) {
#pragma unroll
      for (int n = 0; n < reads; ++n, from += step) x[n] = *from;
    } else {
#pragma unroll
      for (int n = 0; n < reads; ++n, from += step)
        x[n] = n * lines_together < inside ? *from : 0.f;
    }
    magnitudes seen;
#pragma unroll
    for (int n = 0; n < reads; ++n) {
      seen.add(x[n]);
      to[n * to_step] = x[n];
    }
    if (!seen.can_be_split()) *work.flag = 1;
  };
  if (llabs(o.depth_stride) <= llabs(o.across_stride)) read(std::true_type{});
  else read(std::false_type{});
  __syncthreads();

  constexpr int together = 8;
  index const of_part = o.across * o.pitch;
#pragma unroll
  for (int item = thread; item < split_tile_mn * split_tile_k / together; item += split_threads) {
    int const across = item / (split_tile_k / together);
    int const depth = item % (split_tile_k / together) * together;
    index const i = first_across + across;
    index const k = first_depth + depth;
    if (i >= o.across) continue;
    float rest[together];
#pragma unroll
    for (int e = 0; e < together; ++e) rest[e] = tile[across][depth + e];
    bfloat16* to = o.to + batch * parts_of_f32 * of_part + i * o.pitch + k;
#pragma unroll
    for (int part = 0; part < parts_of_f32; ++part, to += of_part)
      *reinterpret_cast<uint4*>(to) = {take_bf16x2(rest[0], rest[1]), take_bf16x2(rest[2], rest[3]),
                                       take_bf16x2(rest[4], rest[5]),
                                       take_bf16x2(rest[6], rest[7])};
  }
}

/// What a product of split operands needs of one: its parts as lines for a tensor map, and bytes.
class bf16x3_operand {
 public:
  bf16x3_operand(strided_batch<float const> const& operand, index batch, index across, index depth,
                 index across_stride, index depth_stride)
      : operand_(operand),
        batch_(operand.batch_stride == 0 ? 1 : batch),
        across_(across),
        depth_(depth),
        across_stride_(across_stride),
        depth_stride_(depth_stride) {}

  index bytes() const { return planes() * across_ * pitch() * index{sizeof(bfloat16)}; }

  pitched_tensor tensor_at(void const* data) const {
    return {data, sizeof(bfloat16), depth_, across_, planes(), pitch(), across_ * pitch()};
  }
  bool can_be_split() const {
    return is_tma_compatible(tensor_at(nullptr)) && blocks() <= most_blocks / 2;
  }

  f32_split split_into(void* to) const {
    return {operand_.data,
            operand_.batch_stride,
            across_stride_,
            depth_stride_,
            across_,
            depth_,
            pitch(),
            static_cast<bfloat16*>(to),
            tiles(across_, split_tile_mn),
            tiles(depth_, split_tile_k)};
  }
  index blocks() const {
    return batch_ * tiles(across_, split_tile_mn) * tiles(depth_, split_tile_k);
  }

 private:
  /// Whole tiles, so that lines of parts begin where the cache's do: at multiples of 16 bytes
  /// alone, two 1000x1000 took 21 us in place of 12.
  index pitch() const { return index{tiles(depth_, split_tile_k)} * split_tile_k; }
  index planes() const { return batch_ * parts_of_f32; }
  static unsigned tiles(index extent, int of_tile) {
    return static_cast<unsigned>((extent + of_tile - 1) / of_tile);
  }

  strided_batch<float const> operand_;
  index batch_;
  index across_;
  index depth_;
  index across_stride_;
  index depth_stride_;
};

/// Writes the parts of both, and sets *flag where an element has none.
inline void split_operands(execution const& where, bf16x3_operand const& a, void* a_parts,
                           bf16x3_operand const& b, void* b_parts, int* flag) {
  launch_blocks(
      where, a.blocks() + b.blocks(), split_threads, 0, "split_f32", split_f32,
      f32_splits{
          {a.split_into(a_parts), b.split_into(b_parts)}, static_cast<unsigned>(a.blocks()), flag});
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
