// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Memory for the panels and waiting sums of one call of gemm. What built-in types need is kept for
// the next call of the thread, because fresh memory costs a page fault for every 4 KB: a quarter of
// the time of 256x256x256 floats. Types with constructors get memory of their own.
#pragma once

#include <xpose/backends/omp/gemm_kernel.hpp>
#include <xpose/backends/omp/workspace.hpp>

#include <memory>

namespace xpose {
inline namespace v0 {
namespace detail {

/// More than this is given back at the end of the call.
inline constexpr index kept_panel_bytes = 24 << 20;

/// Two pieces of a thread's memory may be in use at a time: panels that threads share, and its own.
enum class panel_owner : int { team, thread };

class panel_memory {
 public:
  panel_memory(gemm_kernel const& kernel, index bytes, panel_owner owner)
      : kernel_(kernel), count_(0), data_(nullptr) {
    if (bytes == 0) return;
    if (kernel.construct == nullptr && bytes <= kept_panel_bytes) {
      data_ = kept(owner).at_least(bytes);
      return;
    }
    own_ = std::make_unique<workspace>(bytes);
    data_ = own_->data();
    if (kernel.construct == nullptr) return;
    kernel.construct(data_, bytes / kernel.sum_bytes);
    count_ = bytes / kernel.sum_bytes;
  }
  ~panel_memory() {
    if (count_ != 0) kernel_.destroy(data_, count_);
  }
  panel_memory(panel_memory const&) = delete;
  panel_memory& operator=(panel_memory const&) = delete;

  char* data() const { return data_; }

 private:
  struct kept_workspace {
    std::unique_ptr<workspace> memory;
    index bytes = 0;

    char* at_least(index wanted) {
      if (wanted > bytes) {
        memory.reset();
        bytes = 0;
        memory = std::make_unique<workspace>(wanted);
        bytes = wanted;
      }
      return memory->data();
    }
  };
  static kept_workspace& kept(panel_owner owner) {
    thread_local kept_workspace both[2];
    return both[static_cast<int>(owner)];
  }

  gemm_kernel const& kernel_;
  std::unique_ptr<workspace> own_;
  index count_;
  char* data_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
