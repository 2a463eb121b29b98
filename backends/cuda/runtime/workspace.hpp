// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Device memory that a call takes and gives back in the order of its stream.
#pragma once

#include <xpose/backends/core/given_memory.hpp>

#include <optional>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Comes from a pool of xpose's own, one a device, which keeps up to a sixteenth of the device's
/// memory from call to call: to map memory anew costs as much as to move it (a rectangle of 512 MB
/// in place: 0.34 of a copy from the default pool, which gives all back whenever the stream is
/// waited for; H100, 2026-11-21). The user's default pool is left as it is. May be captured.
/// A policy that brings memory is asked instead; it gets the memory back when the stream is done
/// with it, or at once if the policy says nosync.
/// Throws std::bad_alloc, and what the policy's memory throws.
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
