// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/across/bus.hpp>

#include <xpose/backends/across/parts.hpp>
#include <xpose/backends/core/availability.hpp>
#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/backends/core/problems/copy_plan.hpp>
#include <xpose/backends/cuda/runtime/launch.cuh>

#include <algorithm>
#include <climits>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// H100, 2026-11-26, GB/s in and out, by the bytes of rows with gaps between them:
///     copy engines   32: 23 21   64: 41 45   128: 51 52   256: 47 51   512 and more: 55 55
///     kernels        32: 29 20   64: 40 45   128: 51 52   256: 40 47   512 and more: 51 52
constexpr index shortest_row = 128;
constexpr index most_copies = 256;  // 5 us each, in which the bus moves 256 KiB

using plan_dimension = copy_plan::dimension;

/// The copies of a plan: rows of one length, and loops over them.
struct row_copies {
  explicit row_copies(copy_plan const& plan) : row_bytes(plan.dimensions[0].extent) {
    int best = 0;
    for (int d = 1; d < plan.count; ++d)
      if (is_pitch(plan.dimensions[d]) &&
          (best == 0 || plan.dimensions[d].extent > plan.dimensions[best].extent))
        best = d;
    if (best != 0) rows = plan.dimensions[best];
    for (int d = 1; d < plan.count; ++d) {
      if (d == best) continue;
      loops[loop_count++] = plan.dimensions[d];
      copies *= plan.dimensions[d].extent;
    }
  }
  bool is_pitch(plan_dimension const& d) const {
    return d.in_stride >= row_bytes && d.out_stride >= row_bytes && d.in_stride <= INT_MAX &&
           d.out_stride <= INT_MAX;
  }

  index row_bytes;
  plan_dimension rows{1, 0, 0};
  plan_dimension loops[copy_plan::max_dimensions];
  int loop_count = 0;
  index copies = 1;
};

copy_plan plan_of(tensor_operand from, tensor_operand to) {
  drop_repeats(from, to);
  return plan_runs(from, to);
}

void copy_rows(row_copies const& c, char const* from, char* to, cudaStream_t stream) {
  auto const width = static_cast<std::size_t>(c.row_bytes);
  if (c.rows.extent == 1)
    check_cuda(cudaMemcpyAsync(to, from, width, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
  else
    check_cuda(
        cudaMemcpy2DAsync(to, static_cast<std::size_t>(c.rows.out_stride), from,
                          static_cast<std::size_t>(c.rows.in_stride), width,
                          static_cast<std::size_t>(c.rows.extent), cudaMemcpyDefault, stream),
        "cudaMemcpy2DAsync");
}

bool has_long_rows(row_copies const& c) {
  bool const is_one = c.copies == 1 && c.rows.extent == 1;
  return is_one || c.row_bytes >= shortest_row;
}

void copy_by_engines(tensor_operand const& from, tensor_operand const& to, copy_plan const& plan,
                     row_copies const& copies, cudaStream_t stream) {
  char const* const first = first_unit<char const>(from, plan.in_offset);
  char* const target = first_unit<char>(to, plan.out_offset);
  for (index n = 0; n < copies.copies; ++n) {
    index in_offset = 0;
    index out_offset = 0;
    index number = n;
    for (int l = 0; l < copies.loop_count; ++l) {
      plan_dimension const& loop = copies.loops[l];
      in_offset += number % loop.extent * loop.in_stride;
      out_offset += number % loop.extent * loop.out_stride;
      number /= loop.extent;
    }
    copy_rows(copies, first + in_offset, target + out_offset, stream);
  }
}

copy_request bit_copy_of(tensor_operand from, tensor_operand to) {
  drop_repeats(from, to);
  return {operation::copy, from, to, element_function::copy_bits};
}

/// By engines, or by a kernel that reaches both.
void move(bus_way how, tensor_operand const& from, tensor_operand const& to, cudaStream_t stream) {
  copy_plan const plan = plan_of(from, to);
  row_copies const copies(plan);
  bool const suits_engines = has_long_rows(copies) && copies.copies <= most_copies;
  if (how == bus_way::other_device || suits_engines)
    return copy_by_engines(from, to, plan, copies, stream);
  cuda_run_copy({backend_id::cuda, 0, stream, true, true}, bit_copy_of(from, to));
}

bus_way reach_of_byte(char const* byte) {
  switch (residency_of(byte)) {
    case residency::unknown_to_cuda:
      return bus_way::pageable;
    case residency::pinned_host:
      return bus_way::pinned;
    case residency::managed:
    case residency::not_told:
      return bus_way::in_reach;
    case residency::device:
      break;
  }
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  return device_of(byte) == device ? bus_way::in_reach : bus_way::other_device;
}

bool is_on_host(bus_way r) { return r == bus_way::pinned || r == bus_way::pageable; }

}  // namespace

bus_way reach_of(char const* op, char const* name, tensor_operand const& o) {
  auto const [first, last] = span_of(o);
  bus_way const begin = reach_of_byte(first);
  bus_way const end = reach_of_byte(last);
  if (begin == end) return begin;
  if (is_on_host(begin) && is_on_host(end)) return bus_way::pageable;
  refuse<residency_error>(op, ": ", name, " begins at ", static_cast<void const*>(first),
                          " and ends at ", static_cast<void const*>(last),
                          ", in memories of two kinds, of which one is a device's");
}

bool has_long_rows(tensor_operand const& from, tensor_operand const& to) {
  return has_long_rows(row_copies(plan_of(from, to)));
}

void prefetch(tensor_operand const& o, index device_bytes, cudaStream_t stream) {
  auto const [first, last] = span_of(o);
  index const bytes = last - first + 1;
  if (bytes > device_bytes / 2) return;
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
#if CUDART_VERSION >= 13000
  cudaMemLocation const there{cudaMemLocationTypeDevice, device};
  cudaError_t const status =
      cudaMemPrefetchAsync(first, static_cast<std::size_t>(bytes), there, 0, stream);
#else
  cudaError_t const status =
      cudaMemPrefetchAsync(first, static_cast<std::size_t>(bytes), device, stream);
#endif
  // A hint, which not every device takes; the next call tells if the device is lost.
  if (status != cudaSuccess) cudaGetLastError();
}

bus::bus(lanes& streams, bool packs_in, bool packs_out, int threads)
    : streams_(streams), threads_(threads) {
  auto const fill = [&streams](ring& blocks) {
    for (int b = 0; b < blocks_each_way; ++b)
      blocks.push_back({streams.next_block(), streams.next_event(), false, {}, {}});
  };
  if (packs_in) fill(in_);
  if (packs_out) fill(out_);
}

void bus::pack_by_processor(tensor_operand const& from, tensor_operand const& to) const {
  omp_run_copy({backend_id::omp, threads_, nullptr, false, true}, bit_copy_of(from, to));
}

void bus::unpack(block& b) {
  check_cuda(cudaEventSynchronize(b.moved), "cudaEventSynchronize");
  b.is_moving = false;
  if (b.target.data != nullptr) pack_by_processor(b.packed, b.target);
}

bus::block& bus::next(ring& blocks, std::size_t& position) {
  block& b = blocks[position];
  position = (position + 1) % blocks.size();
  if (b.is_moving) unpack(b);
  return b;
}

void bus::to_device(bus_way how, tensor_operand const& host, tensor_operand const& device) {
  cudaStream_t const stream = streams_->in;
  if (how != bus_way::pageable) return move(how, host, device, stream);
  tensor_operand once = host;
  tensor_operand target = device;
  drop_repeats(once, target);
  box_grid const pieces = cut(&once, 1, lanes::block_bytes);
  for (index n = 0; n < pieces.boxes(); ++n) {
    block& b = next(in_, next_in_);
    tensor_operand const part = part_of(once, pieces[n]);
    tensor_operand const packed = packed_as(part, b.memory);
    pack_by_processor(part, packed);
    move(bus_way::pinned, packed, part_of(target, pieces[n]), stream);
    check_cuda(cudaEventRecord(b.moved, stream), "cudaEventRecord");
    b.is_moving = true;
  }
}

void bus::from_device(bus_way how, tensor_operand const& device, tensor_operand const& host) {
  cudaStream_t const stream = streams_->out;
  if (how != bus_way::pageable) return move(how, device, host, stream);
  box_grid const pieces = cut(&host, 1, lanes::block_bytes);
  for (index n = 0; n < pieces.boxes(); ++n) {
    block& b = next(out_, next_out_);
    b.target = part_of(host, pieces[n]);
    b.packed = packed_as(b.target, b.memory);
    move(bus_way::pinned, part_of(device, pieces[n]), b.packed, stream);
    check_cuda(cudaEventRecord(b.moved, stream), "cudaEventRecord");
    b.is_moving = true;
  }
}

void bus::drain() {
  for (std::size_t n = 0; n < out_.size(); ++n) {
    block& b = next(out_, next_out_);
    b.is_moving = false;
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
