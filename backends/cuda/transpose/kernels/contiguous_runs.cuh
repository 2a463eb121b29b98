// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copy of contiguous runs of bytes, at any address and in any order. A thread stores one vec16 of
// the output, realigned from the two vec16s of the input that hold it. For runs of 64 bytes or more
// in the same order on both sides, 32 in any order, 16 in small matrices. One vec16 a thread: 1.008
// of cudaMemcpy, two 1.004, four 0.997, eight 0.994 (H100, 2026-11-21). Reads the aligned vec16s
// around a run, never past the end of the input.
#pragma once

#include <xpose/backends/cuda/memory/tile_coordinates.cuh>
#include <xpose/backends/cuda/memory/vector_access.cuh>
#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/backends/cuda/transpose/select.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

inline constexpr int contiguous_runs_threads = 256;

struct contiguous_runs_problem {
  char const* in;
  char* out;
  char const* readable_end;  // past what is read, of the piece
  index row_bytes;
  fast_divisor vec16s_in_row;
  unsigned vec16_count;
  outer_dimensions rows;
};

template <int W>
__global__ void __launch_bounds__(contiguous_runs_threads)
    copy_contiguous_runs(contiguous_runs_problem const __grid_constant__ p) {
  unsigned const vec16 = blockIdx.x * contiguous_runs_threads + threadIdx.x;
  if (vec16 >= p.vec16_count) return;
  unsigned const row = p.vec16s_in_row.quotient(vec16);
  char const* in = p.in;
  char* out = p.out;
  p.rows.advance_to(row, in, out);

  index const at = index{vec16 - row * p.vec16s_in_row.value} * vec16_bytes;
  if constexpr (W == vec16_bytes) return store_vec16(out + at, load_vec16(in + at));
  index const first = at - bytes_past_alignment<vec16_bytes>(out);
  if (first >= p.row_bytes) return;
  char const* const from = in + first;
  char const* const low = align_down_16(from);
  char const* const end = in + min(first + vec16_bytes, p.row_bytes);
  bool const is_in_two = low + vec16_bytes < end;
  if (low + (is_in_two ? 2 : 1) * vec16_bytes > p.readable_end) {
    index const begin = max(first, index{0});
    return copy_words<W>(out + begin, in + begin, static_cast<int>(end - (in + begin)) / W);
  }

  uint4 const a = low + vec16_bytes > in ? load_vec16(low) : uint4{};
  uint4 const b = is_in_two ? load_vec16(low + vec16_bytes) : a;
  store_in_row<W>(out, first / W, p.row_bytes / W,
                  realign(a, b, static_cast<unsigned>(bytes_past_alignment<vec16_bytes>(from))));
}

template <int W>
void run_contiguous_runs(execution const& where, transpose_config const& config,
                         bit_copy const& copy) {
  index const run = copy.plan.dimensions[0].extent;
  contiguous_runs_problem p{copy.in, copy.out, copy.readable_end, run, fast_divisor{}, 0, {}};
  index bits = static_cast<index>(reinterpret_cast<std::uintptr_t>(copy.out));
  index rows = 1;
  for (int d = 1; d < copy.plan.count; ++d) {
    p.rows.add(copy.plan.dimensions[d]);
    bits |= copy.plan.dimensions[d].out_stride;
    rows *= copy.plan.dimensions[d].extent;
  }
  index const max_misalignment = bits % vec16_bytes == 0 ? 0 : vec16_bytes - W;
  index const vec16s_in_row = ceil_div(run + max_misalignment, vec16_bytes);
  p.vec16s_in_row = fast_divisor(vec16s_in_row);
  p.vec16_count = static_cast<unsigned>(rows * vec16s_in_row);
  launch_blocks(where, ceil_div(rows * vec16s_in_row, contiguous_runs_threads),
                contiguous_runs_threads, 0, config.name, copy_contiguous_runs<W>, p);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
