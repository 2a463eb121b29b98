// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Moves operands between memories, by what suits the memory:
//     device, managed      kernels reach it                          in_reach
//     pinned, registered   copy engines, in rows of 128 bytes and more; else kernels over the bus
//     another device       copy engines
//     pageable             the processor packs blocks of pinned memory, copy engines move those
#pragma once

#include <xpose/backends/across/lanes.hpp>
#include <xpose/detail/request.hpp>

#include <vector>

namespace xpose {
inline namespace v0 {
namespace detail {

enum class bus_way { in_reach, pinned, other_device, pageable };

/// Of the current device. Memory whose ends differ is packed by the processor, as pageable memory
/// is. Throws residency_error if one end is on a device and the other is not.
bus_way reach_of(char const* op, char const* name, tensor_operand const& o);

/// Whether one goes to the other in rows that are long enough for copy engines.
bool has_long_rows(tensor_operand const& from, tensor_operand const& to);

/// Moves memory, which is managed, to the current device in the stream's order; not if it exceeds
/// half of the device's.
void prefetch(tensor_operand const& o, index device_bytes, cudaStream_t stream);

/// The traffic of one call on one device. Enqueues on the streams of its lanes; of pageable memory
/// the calling thread packs and unpacks.
class bus {
 public:
  /// As many blocks of pinned memory each way as the call will need; threads as omp's.
  bus(lanes& streams, bool packs_in, bool packs_out, int threads);

  /// Both have the same extents; `device` is of the current device, in memory of the call's or of
  /// the caller's. From the host, or from another device.
  void to_device(bus_way how, tensor_operand const& host, tensor_operand const& device);
  /// What goes to pageable memory is there after drain().
  void from_device(bus_way how, tensor_operand const& device, tensor_operand const& host);
  void drain();

 private:
  static constexpr int blocks_each_way = 4;

  struct block {
    char* memory;
    cudaEvent_t moved;
    bool is_moving;
    tensor_operand packed;
    tensor_operand target;  // of from_device
  };
  using ring = std::vector<block>;

  block& next(ring& blocks, std::size_t& position);
  void unpack(block& b);
  void pack_by_processor(tensor_operand const& from, tensor_operand const& to) const;

  lanes& streams_;
  int threads_;
  ring in_;
  ring out_;
  std::size_t next_in_ = 0;
  std::size_t next_out_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
