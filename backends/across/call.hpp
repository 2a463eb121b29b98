// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the drivers of across() share: parts of a call on one device or several, and refusals.
#pragma once

#include <xpose/backends/across/parts.hpp>
#include <xpose/backends/across/tiles.hpp>
#include <xpose/backends/core/availability.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/error.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Temporary memory of copies and sums: a quarter of a GiB.
inline constexpr index default_buffer_bytes = index{256} << 20;
/// Of one buffer of theirs: 32 MiB, 0.6 ms of the bus. The launches of a piece take a tenth of
/// that.
inline constexpr index most_bytes_of_buffer = index{32} << 20;

/// Bytes of one of so many buffers. Throws backend_error if the limit holds no element in each.
index buffer_bytes(char const* op, index limit, int buffers, index largest_element);

/// Throws backend_error: the call cannot be captured, or has code of the caller's.
void require_movable(char const* op, execution const& where, user_code const& code);

/// Moves managed operands to the current device, in the order of the policy's stream, ahead of
/// kernels that would fault on them page by page. Not under capture.
void prefetch_managed(execution const& where, std::initializer_list<tensor_operand> operands);

/// The call as the CUDA backend's driver, or the caller's code, runs it where the operands lie.
void run_in_reach(char const* op, execution where, across_terms const& terms, index output_bytes,
                  user_code const& code, std::function<void(execution const&)> const& run);

/// The same of a part whose operands are in reach; returns when it is done.
void run_in_reach(call_part const& call, index output_bytes,
                  std::function<void(execution const&)> const& run);

/// Runs `part` on each of the devices, each on a thread and a stream of its own, and throws what
/// the first of them threw. part(call, number): that part of the output.
void on_devices(char const* op, execution const& where, across_terms const& terms,
                progress_meter& progress,
                std::function<void(call_part const&, int number)> const& part);

/// The number-th of `count` parts of the output: along the largest stride that has as many
/// positions, in multiples of 64 where it has more. Extents may be 0.
box part_of_device(tensor_operand const& output, int number, int count);

/// How many threads of a team pack and unpack for each of so many devices: three quarters of it, at
/// most 24 for one device and 32 in all. 64 MB of pageable memory in, GB/s (H100): on 64 cores 1.7
/// with all, 35 with 24; on 16 cores 33 to 35 with all, 38 to 40 with 12. 24 threads pack at 80; on
/// that machine of 64 cores loops of 48 threads take 6 ms (docs/tuning_log.md). With two devices
/// products gain by these bounds, and moves from host to host do not (docs/across.md).
int packing_threads(int team, int devices);

inline call_part whole_call(execution const& where, across_terms const& terms,
                            progress_meter& progress) {
  return {where, terms.device_bytes, &progress, nullptr, {}, packing_threads(team_for(0, 2), 1),
          false};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
