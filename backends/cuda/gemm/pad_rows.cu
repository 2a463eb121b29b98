// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The kernel behind pad_operands.cuh: a thread stores one aligned vec16 of the workspace, from the
// two aligned ones of the input that hold it. Reads never pass the end of the input.

#include <xpose/backends/cuda/gemm/pad_operands.cuh>
#include <xpose/backends/cuda/memory/tile_coordinates.cuh>
#include <xpose/backends/cuda/memory/vector_access.cuh>
#include <xpose/backends/cuda/runtime/launch.cuh>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr int pad_rows_threads = 256;

/// Pitches in bytes.
struct padded_operand {
  char const* in;
  char* out;
  char const* readable_end;  // of the input
  index row_length;          // in elements
  index row_pitch, plane_pitch;
  fast_divisor vec16s_in_row;
  fast_divisor rows;
  unsigned vec16s;
};

struct padded_operands {
  padded_operand operands[2];
  unsigned blocks_of_first;
};

template <int W>
__global__ void __launch_bounds__(pad_rows_threads)
    pad_rows(__grid_constant__ padded_operands const padded) {
  bool const is_first = blockIdx.x < padded.blocks_of_first;
  padded_operand const& o = padded.operands[is_first ? 0 : 1];
  unsigned const block = is_first ? blockIdx.x : blockIdx.x - padded.blocks_of_first;
  unsigned const vec16 = block * pad_rows_threads + threadIdx.x;
  unsigned const row = o.vec16s_in_row.quotient(vec16);
  unsigned const plane = o.rows.quotient(row);
  index const first = index{vec16 - row * o.vec16s_in_row.value} * (vec16_bytes / W);
  char const* const in = o.in + plane * o.plane_pitch + (row - plane * o.rows.value) * o.row_pitch;
  pdl_wait();
  pdl_trigger();
  if (vec16 >= o.vec16s || first >= o.row_length) return;
  unaligned_vec16 const v = load_unaligned_in_row<W>(in, first, o.row_length, o.readable_end);
  store_vec16(o.out + index{vec16} * vec16_bytes, v.realigned());
}

padded_operand operand_of(padded_copy const& copy) {
  pitched_tensor const& in = copy.in;
  index const bytes = in.bytes_per_element;
  index const to_last = std::max<index>(0, (in.rows - 1) * in.row_stride) +
                        std::max<index>(0, (in.planes - 1) * in.plane_stride);
  auto const* const data = static_cast<char const*>(in.data);
  index const vec16s_in_row = copy.pitch * bytes / vec16_bytes;
  return {data,
          static_cast<char*>(copy.out),
          data + (to_last + in.row_length) * bytes,
          in.row_length,
          in.row_stride * bytes,
          in.plane_stride * bytes,
          fast_divisor(vec16s_in_row),
          fast_divisor(in.rows),
          static_cast<unsigned>(in.planes * in.rows * vec16s_in_row)};
}

}  // namespace

void cuda_pad_rows(execution const& where, padded_copy const* copies, int count) {
  padded_operands padded{};
  index blocks = 0;
  for (int c = 0; c < count; ++c) {
    padded.operands[c] = operand_of(copies[c]);
    blocks += ceil_div(index{padded.operands[c].vec16s}, pad_rows_threads);
    if (c == 0) padded.blocks_of_first = static_cast<unsigned>(blocks);
  }
  index const bytes = copies[0].in.bytes_per_element;
  auto* const kernel = bytes == 1   ? pad_rows<1>
                       : bytes == 2 ? pad_rows<2>
                       : bytes == 4 ? pad_rows<4>
                                    : pad_rows<8>;
  launch_pdl(where, 1, blocks, pad_rows_threads, 0, "pad_rows", kernel, padded);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
