// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/across/call.hpp>

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/detail/current_device.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <thread>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Waits for the device before its streams go back to other calls.
struct lanes_of_device {
  lanes streams;
  ~lanes_of_device() {
    if (cudaStreamSynchronize(streams->compute) != cudaSuccess) cudaGetLastError();
  }
};

void check_device(char const* op, int device) {
  int const devices = cuda_availability().devices;
  if (device >= devices)
    refuse<backend_error>(op, ": xpose::cuda.devices() names device ", device,
                          ", and the machine has ", devices);
  availability const& there = cuda_availability(device);
  if (!there.is_available)
    refuse<backend_error>(op, ": xpose::cuda cannot run on device ", device, ": ", there.reason);
}

}  // namespace

index buffer_bytes(char const* op, index limit, int buffers, index largest_element) {
  constexpr index alignment = 256;
  index const each = (limit == 0 ? default_buffer_bytes : limit) / std::max(buffers, 1);
  index const bytes = std::min(each / alignment * alignment, most_bytes_of_buffer);
  if (bytes < largest_element)
    refuse<backend_error>(op, ": device_bytes is ", limit, ", and ", buffers, " buffers of ",
                          std::max(largest_element, alignment),
                          " bytes are the least that the call needs");
  return bytes;
}

void require_movable(char const* op, execution const& where, user_code const& code) {
  if (code.run != nullptr)
    refuse<backend_error>(op,
                          ": across() moves operands, and devices() divides calls, of xpose's own "
                          "types and functions only; copy operands to the device first");
  if (is_captured(where))
    refuse<backend_error>(op,
                          ": the policy's stream is being captured in a graph, and a call of "
                          "across() that moves operands cannot be");
}

void prefetch_managed(execution const& where, std::initializer_list<tensor_operand> operands) {
  bool const only_explains = where.report != nullptr && where.report->explain_only;
  if (only_explains || is_captured(where)) return;
  for (tensor_operand const& o : operands) {
    bool const has_memory = o.data != nullptr && !is_empty(o);
    if (!has_memory || residency_of(o.data) != residency::managed) continue;
    lanes const streams;
    prefetch(o, streams->device_bytes, stream_of(where));
  }
}

void run_in_reach(char const* op, execution where, across_terms const& terms, index output_bytes,
                  user_code const& code, std::function<void(execution const&)> const& run) {
  check_capture(op, where);
  bool const only_explains = where.report != nullptr && where.report->explain_only;
  across_terms const told = only_explains ? across_terms{} : terms;
  progress_meter progress(told, output_bytes);
  where.nosync = where.nosync && !progress.is_watched();
  progress.begin();
  if (code.run != nullptr) code.run(code.context, where, backend_id::cuda);
  else run(where);
  progress.add(output_bytes);
}

void run_in_reach(call_part const& call, index output_bytes,
                  std::function<void(execution const&)> const& run) {
  if (!call.may_begin()) return;
  execution where = call.where;
  where.nosync = false;
  run(where);
  call.progress->add(output_bytes);
}

void on_devices(char const* op, execution const& where, across_terms const& terms,
                progress_meter& progress,
                std::function<void(call_part const&, int number)> const& part) {
  int const count = terms.device_count;
  for (int n = 0; n < count; ++n) check_device(op, terms.devices[n]);
  lanes main_lanes;
  cudaEvent_t const begin = main_lanes.next_event();
  check_cuda(cudaEventRecord(begin, stream_of(where)), "cudaEventRecord");
  std::atomic<bool> is_stopped{false};
  start_gate gate(count);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(count));
  int const threads = packing_threads(team_for(0, 2), count);
  auto const run = [&](int n) {
    bool has_passed = false;
    try {
      current_device const there(terms.devices[n]);
      lanes_of_device own;
      call_part call{where, terms.device_bytes, &progress, &is_stopped, {}, threads, true};
      call.pass = [&] {
        has_passed = true;
        gate.pass();
      };
      call.where.stream = own.streams->compute;
      call.where.memory = {};  // the policy's is of one device
      call.where.report = nullptr;
      check_cuda(cudaStreamWaitEvent(own.streams->compute, begin, 0), "cudaStreamWaitEvent");
      part(call, n);
      if (!has_passed) gate.leave();
    } catch (...) {
      failures[static_cast<std::size_t>(n)] = std::current_exception();
      is_stopped = true;
      gate.fail();
    }
  };
  std::vector<std::thread> others;
  others.reserve(static_cast<std::size_t>(count));
  try {
    for (int n = 1; n < count; ++n) others.emplace_back(run, n);
  } catch (...) {
    failures[0] = std::current_exception();
    is_stopped = true;
    gate.fail();
  }
  if (!is_stopped) run(0);
  for (std::thread& t : others) t.join();
  for (std::exception_ptr const& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

int packing_threads(int team, int devices) {
  constexpr int most_in_all = 32;
  constexpr int most_for_one = 24;
  int const each = std::min(team - team / 4, most_in_all) / devices;
  return std::clamp(each, 1, most_for_one);
}

box part_of_device(tensor_operand const& output, int number, int count) {
  int best = -1;
  auto const is_better = [&](int d) {
    if (best < 0) return true;
    bool const suffices = output.dimensions[d].extent >= count;
    bool const best_suffices = output.dimensions[best].extent >= count;
    if (suffices != best_suffices) return suffices;
    if (!suffices) return output.dimensions[d].extent > output.dimensions[best].extent;
    return std::abs(output.dimensions[d].stride) > std::abs(output.dimensions[best].stride);
  };
  box b{};
  for (int d = 0; d < output.count; ++d) {
    b.extent[d] = output.dimensions[d].extent;
    if (b.extent[d] > 1 && is_better(d)) best = d;
  }
  if (best < 0) best = 0;
  index const extent = output.dimensions[best].extent;
  index step = ceil_div(extent, index{count});
  if (step > 64) step = ceil_div(step, index{64}) * 64;
  b.first[best] = std::min(number * step, extent);
  b.extent[best] = std::min(step, extent - b.first[best]);
  return b;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
