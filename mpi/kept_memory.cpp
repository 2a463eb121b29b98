// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "kept_memory.hpp"

namespace xpose {
inline namespace v0 {
namespace detail {

std::byte* kept_memory::reserve(index bytes) {
  if (bytes > bytes_) {
    bytes_ = 0;
    memory_ = {};  // the old block goes before the new one is asked for
    memory_ = message_memory(bytes);
    bytes_ = bytes;
  }
  return memory_.data();
}

void kept_memory::end_call() noexcept {
  if (bytes_ <= most_kept_bytes) return;
  memory_ = {};
  bytes_ = 0;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
