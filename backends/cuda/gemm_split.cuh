// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// f32 operands in three bfloat16 parts each, x = first + second + third, for products by wgmma
// whose error is that of f32 (options().precision(fast_f32)). Six of the nine products of parts
// matter. Elements that have no such parts raise a flag, and the plain kernel runs instead:
// infinities and NaNs, whose products with zero parts would be NaN; 2^47 and more, so that no sum
// of 2^31 products of parts overflows, which would make infinities of both signs where plain f32
// has one; and numbers below 2^-100 but for zero, whose third parts would be cut.
#pragma once

#include <xpose/backends/cuda/gemm_row.hpp>
#include <xpose/backends/cuda/launch.cuh>
#include <xpose/backends/cuda/tensor_map.hpp>
#include <xpose/backends/gemm_problem.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

inline constexpr int side_of_split = 64;
inline constexpr int threads_of_split = 256;

/// An operand, and where its parts go: [batch][part][across][pitch of the depth].
struct split_operand {
  float const* from;
  index batch_stride;
  index across_stride;
  index depth_stride;
  index across;
  index depth;
  index pitch;
  bfloat16* to;
  int* flag;  // becomes 1 where an element has no parts
};

__device__ inline bool has_parts(float x) {
  constexpr float least = 7.8886091e-31f;  // 2^-100
  constexpr float most = 1.4073749e+14f;   // 2^47
  float const magnitude = fabsf(x);
  return x == 0 || (magnitude >= least && magnitude < most);
}

/// A block takes a square of 64 by 64: read along whichever stride is smaller, written along the
/// depth, eight elements a thread.
template <class Part>
__global__ void __launch_bounds__(threads_of_split)
    split_f32(split_operand o, unsigned across_tiles, unsigned depth_tiles) {
  __shared__ float square[side_of_split][side_of_split + 1];
  unsigned const tile = blockIdx.x % (across_tiles * depth_tiles);
  index const batch = blockIdx.x / (across_tiles * depth_tiles);
  index const first_across = index{tile / depth_tiles} * side_of_split;
  index const first_depth = index{tile % depth_tiles} * side_of_split;
  bool const reads_depth = llabs(o.depth_stride) <= llabs(o.across_stride);
  float const* const from = o.from + batch * o.batch_stride;
  int const lane = static_cast<int>(threadIdx.x) % side_of_split;
  bool is_special = false;
#pragma unroll 4
  for (int line = static_cast<int>(threadIdx.x) / side_of_split; line < side_of_split;
       line += threads_of_split / side_of_split) {
    int const across = reads_depth ? line : lane;
    int const depth = reads_depth ? lane : line;
    index const i = first_across + across;
    index const k = first_depth + depth;
    float const x =
        i < o.across && k < o.depth ? from[i * o.across_stride + k * o.depth_stride] : 0.f;
    is_special = is_special || !has_parts(x);
    square[across][depth] = x;
  }
  if (is_special) *o.flag = 1;
  __syncthreads();

  constexpr int together = 8;
  index const of_part = o.across * o.pitch;
  for (int item = static_cast<int>(threadIdx.x); item < side_of_split * side_of_split / together;
       item += threads_of_split) {
    int const across = item / (side_of_split / together);
    int const depth = item % (side_of_split / together) * together;
    index const i = first_across + across;
    index const k = first_depth + depth;
    if (i >= o.across || k >= o.pitch) continue;
    unsigned words[parts_of_f32][together / 2];
#pragma unroll
    for (int e = 0; e < together; ++e) {
      float rest = square[across][depth + e];
#pragma unroll
      for (int part = 0; part < parts_of_f32; ++part) {
        Part const rounded = stored_as<Part>(rest);
        rest -= static_cast<float>(rounded);
        unsigned const bits = rounded.bits;
        words[part][e / 2] = e % 2 == 0 ? bits : words[part][e / 2] | bits << 16;
      }
    }
    Part* const to = o.to + batch * parts_of_f32 * of_part + i * o.pitch + k;
#pragma unroll
    for (int part = 0; part < parts_of_f32; ++part)
      *reinterpret_cast<uint4*>(to + part * of_part) = {words[part][0], words[part][1],
                                                        words[part][2], words[part][3]};
  }
}

/// What a product of split operands needs of one: its parts as lines for a tensor map, and bytes.
class operand_in_parts {
 public:
  operand_in_parts(strided_batch<float const> const& operand, index batch, index across,
                   index depth, index across_stride, index depth_stride)
      : operand_(operand),
        batch_(operand.batch_stride == 0 ? 1 : batch),
        across_(across),
        depth_(depth),
        across_stride_(across_stride),
        depth_stride_(depth_stride) {}

  index bytes() const { return planes() * across_ * pitch() * index{sizeof(bfloat16)}; }

  tensor_lines lines_at(void const* data) const {
    return {data, sizeof(bfloat16), depth_, across_, planes(), pitch(), across_ * pitch()};
  }
  bool can_be_split() const { return has_tensor_map(lines_at(nullptr)) && blocks() <= most_blocks; }

  void split(execution const& where, void* to, int* flag) const {
    auto const tiles = [](index extent) {
      return static_cast<unsigned>((extent + side_of_split - 1) / side_of_split);
    };
    launch_blocks(where, blocks(), threads_of_split, 0, "split_f32", split_f32<bfloat16>,
                  split_operand{operand_.data, operand_.batch_stride, across_stride_, depth_stride_,
                                across_, depth_, pitch(), static_cast<bfloat16*>(to), flag},
                  tiles(across_), tiles(depth_));
  }

 private:
  index pitch() const { return (depth_ + 7) / 8 * 8; }
  index planes() const { return batch_ * parts_of_f32; }
  index blocks() const {
    return batch_ * ((across_ + side_of_split - 1) / side_of_split) *
           ((depth_ + side_of_split - 1) / side_of_split);
  }

  strided_batch<float const> operand_;
  index batch_;
  index across_;
  index depth_;
  index across_stride_;
  index depth_stride_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
