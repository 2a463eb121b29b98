// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/across/lanes.hpp>

#include <xpose/backends/cuda/runtime/driver_function.cuh>

#include <algorithm>
#include <memory>
#include <mutex>

namespace xpose::detail {
namespace {

/// Sets that no call has borrowed. Never destroyed: the runtime may end before static objects do.
struct kept_sets {
  std::mutex one_at_a_time;
  std::vector<lane_set*> sets;
  std::size_t made = 0;
};
kept_sets& kept() {
  static kept_sets& all = *new kept_sets;
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
  auto const of_device = [device](lane_set const* s) { return s->device == device; };
  for (auto found = std::find_if(sets.begin(), sets.end(), of_device); found != sets.end();
       found = std::find_if(sets.begin(), sets.end(), of_device)) {
    lane_set* const set = *found;
    sets.erase(found);
    if (set->context == context) return set;
    delete set;  // what it has is gone with its context
  }
  sets.reserve(kept().made + 1);  // so that keep() has room
  auto made = std::make_unique<lane_set>();
  made->device = device;
  made->context = context;
  ++kept().made;
  return made.release();
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

char* lanes::next_block() {
  if (blocks_used_ == set_->blocks.size()) {
    set_->blocks.reserve(blocks_used_ + 1);
    void* block = nullptr;
    check_cuda(cudaHostAlloc(&block, block_bytes, cudaHostAllocPortable), "cudaHostAlloc");
    set_->blocks.push_back(static_cast<char*>(block));
  }
  return set_->blocks[blocks_used_++];
}

}  // namespace xpose::detail
