// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/across/lanes.hpp>

#include <xpose/backends/cuda/runtime/driver_function.cuh>

#include <algorithm>
#include <memory>
#include <mutex>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

struct pinned_block {
  char* memory;
  int device;
  unsigned long long context;
};

/// What no call has borrowed. Never destroyed: the runtime may end before static objects do. What
/// belonged to a context that has ended stays here, and is borrowed no more.
struct kept_things {
  std::mutex one_at_a_time;
  std::vector<lane_set*> sets;
  std::vector<pinned_block> blocks;
  std::size_t sets_made = 0;
  std::size_t blocks_made = 0;
};
kept_things& kept() {
  static kept_things& all = *new kept_things;
  return all;
}

/// Which context the current device has; a new one after cudaDeviceReset. Makes one if it has none.
unsigned long long current_context() {
  static auto const get_id = driver_function<decltype(&cuCtxGetId)>("cuCtxGetId");
  check_cuda(cudaFree(nullptr), "cudaFree");
  unsigned long long id = 0;
  check_driver(get_id(nullptr, &id), "cuCtxGetId");
  return id;
}

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
  std::lock_guard<std::mutex> const guard(kept().one_at_a_time);
  kept().sets.push_back(set);
}

lane_set* borrow(int device, unsigned long long context) {
  std::lock_guard<std::mutex> const guard(kept().one_at_a_time);
  auto& sets = kept().sets;
  auto const found = std::find_if(sets.begin(), sets.end(), [&](lane_set const* s) {
    return s->device == device && s->context == context;
  });
  if (found != sets.end()) {
    lane_set* const set = *found;
    sets.erase(found);
    return set;
  }
  sets.reserve(kept().sets_made + 1);  // so that keep() has room
  auto made = std::make_unique<lane_set>();
  made->device = device;
  made->context = context;
  ++kept().sets_made;
  return made.release();
}

/// Null: there is none.
char* borrow_block(int device, unsigned long long context) {
  std::lock_guard<std::mutex> const guard(kept().one_at_a_time);
  auto& blocks = kept().blocks;
  auto const found = std::find_if(blocks.begin(), blocks.end(), [&](pinned_block const& b) {
    return b.device == device && b.context == context;
  });
  if (found == blocks.end()) {
    blocks.reserve(++kept().blocks_made);  // so that it may come back
    return nullptr;
  }
  char* const memory = found->memory;
  blocks.erase(found);
  return memory;
}

}  // namespace

lanes::lanes() {
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  set_ = borrow(device, current_context());
  try {
    complete(*set_);
  } catch (...) {
    keep(set_);
    throw;
  }
}

lanes::~lanes() {
  {
    std::lock_guard<std::mutex> const guard(kept().one_at_a_time);
    for (char* const block : blocks_) kept().blocks.push_back({block, set_->device, set_->context});
  }
  keep(set_);
}

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

char* lanes::next_block() {
  blocks_.reserve(blocks_.size() + 1);
  char* block = borrow_block(set_->device, set_->context);
  if (block == nullptr) {
    void* made = nullptr;
    check_cuda(cudaHostAlloc(&made, block_bytes, cudaHostAllocPortable), "cudaHostAlloc");
    block = static_cast<char*>(made);
  }
  blocks_.push_back(block);
  return block;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
