// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/across/lanes.hpp>

#include <xpose/backends/cuda/runtime/launch.cuh>

#include <algorithm>
#include <memory>
#include <mutex>

namespace xpose::detail {
namespace {

/// What no call has borrowed. Never destroyed: the runtime may end before static objects do.
template <class Thing>
struct kept {
  std::mutex one_at_a_time;
  std::vector<Thing> things;
};
kept<lane_set*>& kept_lanes() {
  static auto& all = *new kept<lane_set*>;
  return all;
}
kept<char*>& kept_blocks() {
  static auto& all = *new kept<char*>;
  return all;
}

/// The process keeps as many as two calls borrow.
constexpr std::size_t most_kept_blocks = 16;

void make_stream(cudaStream_t& stream) {
  if (stream == nullptr)
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
               "cudaStreamCreateWithFlags");
}

/// What a set lacks: an earlier call may have failed half-way.
void complete(lane_set& set) {
  make_stream(set.in);
  make_stream(set.out);
  make_stream(set.compute);
  if (set.device_bytes != 0) return;
  std::size_t unused = 0;
  std::size_t all = 0;
  check_cuda(cudaMemGetInfo(&unused, &all), "cudaMemGetInfo");
  set.device_bytes = static_cast<index>(all);
}

void keep(lane_set* set) {
  auto& [lock, sets] = kept_lanes();
  std::lock_guard<std::mutex> const guard(lock);
  sets.push_back(set);
}

lane_set* borrow(int device) {
  auto& [lock, sets] = kept_lanes();
  std::lock_guard<std::mutex> const guard(lock);
  auto const found = std::find_if(sets.begin(), sets.end(),
                                  [device](lane_set const* s) { return s->device == device; });
  if (found == sets.end()) {
    static std::size_t made_so_far = 0;
    sets.reserve(made_so_far + 1);  // so that keep() has room
    auto made = std::make_unique<lane_set>();
    ++made_so_far;
    made->device = device;
    return made.release();
  }
  lane_set* const set = *found;
  sets.erase(found);
  return set;
}

}  // namespace

lanes::lanes() {
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  set_ = borrow(device);
  try {
    complete(*set_);
  } catch (...) {
    keep(set_);
    throw;
  }
}

lanes::~lanes() { keep(set_); }

cudaEvent_t lanes::next_event() {
  if (events_used_ == set_->events.size()) {
    set_->events.reserve(events_used_ + 1);
    cudaEvent_t event = nullptr;
    check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
               "cudaEventCreateWithFlags");
    set_->events.push_back(event);
  }
  return set_->events[events_used_++];
}

pinned_blocks::pinned_blocks(int count) {
  auto& [lock, kept] = kept_blocks();
  {
    std::lock_guard<std::mutex> const guard(lock);
    blocks_.reserve(static_cast<std::size_t>(count));
    kept.reserve(most_kept_blocks);
    while (!kept.empty() && blocks_.size() < static_cast<std::size_t>(count)) {
      blocks_.push_back(kept.back());
      kept.pop_back();
    }
  }
  try {
    while (blocks_.size() < static_cast<std::size_t>(count)) {
      void* block = nullptr;
      check_cuda(cudaHostAlloc(&block, block_bytes, cudaHostAllocPortable), "cudaHostAlloc");
      blocks_.push_back(static_cast<char*>(block));
    }
  } catch (...) {
    give_back();
    throw;
  }
}

pinned_blocks::~pinned_blocks() { give_back(); }

void pinned_blocks::give_back() {
  auto& [lock, kept] = kept_blocks();
  std::lock_guard<std::mutex> const guard(lock);
  for (char* const block : blocks_) {
    if (kept.size() < most_kept_blocks) kept.push_back(block);
    else if (cudaFreeHost(block) != cudaSuccess) cudaGetLastError();
  }
  blocks_.clear();
}

}  // namespace xpose::detail
