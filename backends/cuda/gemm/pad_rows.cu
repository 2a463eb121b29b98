// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The kernel behind gemm/pad_rows.hpp: a thread stores one chunk of the workspace, from the two chunks
// of the input that hold it. Reads whole chunks around a line, never past the end of the input.

#include <xpose/backends/cuda/gemm/pad_rows.hpp>

#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/backends/cuda/memory/tile_coordinates.cuh>
#include <xpose/backends/cuda/memory/vector_access.cuh>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr int copy_lines_threads = 256;

/// Pitches in bytes.
struct copied_operand {
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

struct copied_operands {
  copied_operand operands[2];
  unsigned blocks_of_first;
};

template <int W>
__global__ void __launch_bounds__(copy_lines_threads)
    copy_lines(__grid_constant__ copied_operands const copied) {
  bool const is_first = blockIdx.x < copied.blocks_of_first;
  copied_operand const& o = copied.operands[is_first ? 0 : 1];
  unsigned const block = is_first ? blockIdx.x : blockIdx.x - copied.blocks_of_first;
  unsigned const chunk = block * copy_lines_threads + threadIdx.x;
  unsigned const line = o.chunks_in_line.quotient(chunk);
  unsigned const plane = o.lines.quotient(line);
  index const first = index{chunk - line * o.chunks_in_line.value} * (chunk_bytes / W);
  char const* const in =
      o.in + plane * o.plane_pitch + (line - plane * o.lines.value) * o.line_pitch;
  wait_for_kernel_before();
  let_next_kernel_start();
  if (chunk >= o.chunks || first >= o.length) return;
  two_chunks const v = load_at_any_address<W>(in, first, o.length, o.readable_end);
  store_chunk(o.out + index{chunk} * chunk_bytes, v.straight());
}

copied_operand operand_of(line_copy const& copy) {
  tensor_lines const& in = copy.in;
  index const bytes = in.bytes_per_element;
  index const to_last = std::max<index>(0, (in.lines - 1) * in.line_stride) +
                        std::max<index>(0, (in.planes - 1) * in.plane_stride);
  auto const* const data = static_cast<char const*>(in.data);
  index const chunks_in_line = copy.pitch * bytes / chunk_bytes;
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

index blocks_of(copied_operand const& o) {
  return (index{o.chunks} + copy_lines_threads - 1) / copy_lines_threads;
}

struct lines_kernel {
  int bytes;
  void (*kernel)(copied_operands);
};
constexpr lines_kernel kernels[] = {
    {1, copy_lines<1>}, {2, copy_lines<2>}, {4, copy_lines<4>}, {8, copy_lines<8>}};

}  // namespace

void cuda_copy_lines(execution const& where, line_copy const* copies, int count) {
  copied_operands copied{};
  index blocks = 0;
  for (int c = 0; c < count; ++c) {
    copied.operands[c] = operand_of(copies[c]);
    blocks += blocks_of(copied.operands[c]);
  }
  copied.blocks_of_first = static_cast<unsigned>(blocks_of(copied.operands[0]));
  for (lines_kernel const& row : kernels)
    if (row.bytes == copies[0].in.bytes_per_element)
      launch_early(where, 1, blocks, copy_lines_threads, 0, "copy_lines", row.kernel, copied);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
