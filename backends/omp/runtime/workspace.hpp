// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Temporary memory of one call, for all threads of its team. The calling thread allocates it before
// the first byte of an output is written, so that a lack of memory loses nothing.
#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// What the calling thread keeps for its next call: so many bytes for each thread of the team, and
/// once more for what they share. Larger blocks are freed at once. Fresh memory costs a page fault
/// for every 4 KB: a quarter of the time of 256x256x256 floats.
inline constexpr index kept_bytes_of_member = 24 << 20;

/// Aligned to 64 bytes. A call owns its workspace until it ends: user code that runs within it, and
/// calls xpose itself, gets another. Works while thread_local and static objects are destroyed,
/// too; nothing is kept then.
class XPOSE_EXPORT workspace {
 public:
  /// 0 bytes: none. Throws std::bad_alloc.
  explicit workspace(index bytes, int team = 1);
  ~workspace();
  workspace(workspace const&) = delete;
  workspace& operator=(workspace const&) = delete;

  char* data() const { return data_; }

 private:
  char* data_ = nullptr;
  index bytes_ = 0;
  index most_kept_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
