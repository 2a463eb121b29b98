// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Memory for messages: of the host, or of a device (device.hpp).
#pragma once

#include <xpose/config.hpp>

#include <cstddef>
#include <memory>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Without elements yet.
class message_memory {
 public:
  message_memory() = default;
  /// Of the host. Throws std::bad_alloc.
  explicit message_memory(index bytes);
  /// Keeps the owner.
  template <class Owner>
  message_memory(std::shared_ptr<Owner> owner, void* data)
      : memory_(std::move(owner), static_cast<std::byte*>(data)) {}
  std::byte* data() const { return memory_.get(); }

 private:
  std::shared_ptr<std::byte> memory_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
