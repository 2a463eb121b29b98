// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Temporary device memory of a call, allocated and freed in stream order.
#pragma once

#include <xpose/backends/core/given_memory.hpp>

#include <optional>

namespace xpose {
inline namespace v0 {
namespace detail {

/// From xpose's own memory pool of the device, which keeps up to a sixteenth of the device's memory
/// between calls: mapping memory costs as much as moving it. (A rectangle of 512 MB in place: 0.34
/// of a copy from the default pool, which returns all memory at each synchronisation; H100,
/// 2026-11-21.) The user's default pool is left as it is. May be captured. If the policy brings
/// memory, that is used, and returned when the stream is done with it, or at once if the policy
/// says nosync. Throws std::bad_alloc, and what the policy's memory throws.
class XPOSE_EXPORT stream_workspace {
 public:
  stream_workspace(execution const& where, index bytes);
  ~stream_workspace();
  stream_workspace(stream_workspace const&) = delete;
  stream_workspace& operator=(stream_workspace const&) = delete;

  void* data() const { return data_; }

 private:
  void* stream_;
  bool nosync_;
  void* data_ = nullptr;
  std::optional<given_memory> given_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
