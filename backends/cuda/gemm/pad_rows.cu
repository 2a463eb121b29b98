// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The kernel behind gemm/pad_rows.hpp: a thread stores one chunk of the workspace, from the two
// chunks of the input that hold it. Reads whole chunks around a line, never past the end of the
// input.

#include <xpose/backends/cuda/gemm/pad_rows.hpp>

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
  index length;              // of a line, in elements
  index line_pitch;
  index plane_pitch;
  fast_divisor chunks_in_line;
  fast_divisor lines;
  unsigned chunks;
};

struct padded_operands {
  padded_operand operands[2];
  unsigned blocks_of_first;
};

template <int W>
__global__ void __launch_bounds__(pad_rows_threads)
    pad_rows(__grid_constant__ padded_operands const copied) {
  bool const is_first = blockIdx.x < copied.blocks_of_first;
  padded_operand const& o = copied.operands[is_first ? 0 : 1];
  unsigned const block = is_first ? blockIdx.x : blockIdx.x - copied.blocks_of_first;
  unsigned const vec16 = block * pad_rows_threads + threadIdx.x;
  unsigned const line = o.chunks_in_line.quotient(vec16);
  unsigned const plane = o.lines.quotient(line);
  index const first = index{vec16 - line * o.chunks_in_line.value} * (vec16_bytes / W);
  char const* const in =
      o.in + plane * o.plane_pitch + (line - plane * o.lines.value) * o.line_pitch;
  pdl_wait();
  pdl_trigger();
  if (vec16 >= o.chunks || first >= o.length) return;
  unaligned_vec16 const v = load_unaligned_in_row<W>(in, first, o.length, o.readable_end);
  store_vec16(o.out + index{vec16} * vec16_bytes, v.realigned());
}

padded_operand operand_of(padded_copy const& copy) {
  pitched_tensor const& in = copy.in;
  index const bytes = in.bytes_per_element;
  index const to_last = std::max<index>(0, (in.lines - 1) * in.line_stride) +
                        std::max<index>(0, (in.planes - 1) * in.plane_stride);
  auto const* const data = static_cast<char const*>(in.data);
  index const chunks_in_line = copy.pitch * bytes / vec16_bytes;
  return {data,
          static_cast<char*>(copy.out),
          data + (to_last + in.length) * bytes,
          in.length,
          in.line_stride * bytes,
          in.plane_stride * bytes,
          fast_divisor(chunks_in_line),
          fast_divisor(in.lines),
          static_cast<unsigned>(in.planes * in.lines * chunks_in_line)};
}

index blocks_of(padded_operand const& o) {
  return (index{o.chunks} + pad_rows_threads - 1) / pad_rows_threads;
}

struct pad_rows_kernel {
  int bytes;
  void (*kernel)(padded_operands);
};
constexpr pad_rows_kernel kernels[] = {
    {1, pad_rows<1>}, {2, pad_rows<2>}, {4, pad_rows<4>}, {8, pad_rows<8>}};

}  // namespace

void cuda_pad_rows(execution const& where, padded_copy const* copies, int count) {
  padded_operands copied{};
  index blocks = 0;
  for (int c = 0; c < count; ++c) {
    copied.operands[c] = operand_of(copies[c]);
    blocks += blocks_of(copied.operands[c]);
  }
  copied.blocks_of_first = static_cast<unsigned>(blocks_of(copied.operands[0]));
  for (pad_rows_kernel const& row : kernels)
    if (row.bytes == copies[0].in.bytes_per_element)
      launch_pdl(where, 1, blocks, pad_rows_threads, 0, "copy_lines", row.kernel, copied);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
