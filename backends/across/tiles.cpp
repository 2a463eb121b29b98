// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/across/tiles.hpp>

#include <xpose/backends/across/parts.hpp>
#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/cuda/runtime/launch.cuh>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr index buffer_alignment = 256;

void record(cudaEvent_t event, cudaStream_t stream) {
  check_cuda(cudaEventRecord(event, stream), "cudaEventRecord");
}
void wait(cudaStream_t stream, cudaEvent_t event) {
  check_cuda(cudaStreamWaitEvent(stream, event, 0), "cudaStreamWaitEvent");
}

/// Parts may begin at one address and differ: elements of an input may share addresses.
bool is_same(tensor_operand const& x, tensor_operand const& y) {
  auto const same = [](dimension const& a, dimension const& b) {
    return a.extent == b.extent && a.stride == b.stride;
  };
  return x.data == y.data && x.count == y.count &&
         std::equal(x.dimensions, x.dimensions + x.count, y.dimensions, same);
}

bool packs(std::vector<streamed_operand> const& operands, bool streamed_operand::*way) {
  return std::any_of(operands.begin(), operands.end(), [way](streamed_operand const& o) {
    return o.how == bus_way::pageable && o.*way;
  });
}

}  // namespace

progress_meter::progress_meter(across_terms const& terms, index total)
    : terms_(terms), total_(total) {}

void progress_meter::begin() {
  if (!is_watched()) return;
  std::lock_guard<std::mutex> const guard(one_at_a_time_);
  if (has_begun_) return;
  has_begun_ = true;
  terms_.progress(terms_.context, 0, total_);
}

void start_gate::pass() {
  std::unique_lock<std::mutex> lock(one_at_a_time_);
  --missing_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return missing_ <= 0 || has_failed_; });
}
void start_gate::leave() {
  std::lock_guard<std::mutex> const guard(one_at_a_time_);
  --missing_;
  changed_.notify_all();
}
void start_gate::fail() {
  std::lock_guard<std::mutex> const guard(one_at_a_time_);
  has_failed_ = true;
  changed_.notify_all();
}

bool call_part::may_begin() const {
  if (pass) pass();
  if (is_stopped != nullptr && *is_stopped) return false;
  progress->begin();
  return true;
}

void progress_meter::add(index bytes) {
  if (!is_watched()) return;
  std::lock_guard<std::mutex> const guard(one_at_a_time_);
  done_ += bytes;
  terms_.progress(terms_.context, done_, total_);
}

tile_engine::tile_engine(call_part const& part, lanes& streams,
                         std::vector<streamed_operand> const& operands)
    : part_(part),
      streams_(streams),
      bus_(streams, packs(operands, &streamed_operand::is_read),
           packs(operands, &streamed_operand::is_written), part.packing_threads),
      must_wait_(part.returns_done || !part.where.nosync || part.progress->is_watched() ||
                 packs(operands, &streamed_operand::is_read) ||
                 packs(operands, &streamed_operand::is_written)) {
  index bytes = 0;
  for (streamed_operand const& o : operands) {
    operands_.push_back({o, {}});
    if (o.how == bus_way::in_reach) continue;
    for (int b = 0; b < o.buffers; ++b) {
      operands_.back().all.push_back({nullptr,
                                      {},
                                      streams.next_event(),
                                      streams.next_event(),
                                      streams.next_event(),
                                      false,
                                      -1});
      bytes += ceil_div(o.buffer_bytes, buffer_alignment) * buffer_alignment;
    }
  }
  if (bytes == 0) return;
  memory_.emplace(part.where, bytes);
  auto* at = static_cast<char*>(memory_->data());
  for (operand_buffers& o : operands_)
    for (buffer& b : o.all) {
      b.data = at;
      at += ceil_div(o.about.buffer_bytes, buffer_alignment) * buffer_alignment;
    }
}

tile_engine::~tile_engine() {
  if (is_finished_) return;
  for (cudaStream_t const stream : {streams_->in, stream_of(part_.where), streams_->out})
    if (cudaStreamSynchronize(stream) != cudaSuccess) cudaGetLastError();
}

void tile_engine::start() {
  is_finished_ = false;
  cudaEvent_t const begin = streams_.next_event();
  record(begin, stream_of(part_.where));
  wait(streams_->in, begin);
  wait(streams_->out, begin);
}

void tile_engine::load(job const& j, index tile) {
  j.parts_of(tile, now_);
  for (std::size_t n = 0; n < operands_.size(); ++n)
    if (operands_[n].about.how != bus_way::in_reach) load(operands_[n], now_[n], tile);
}

void tile_engine::load(operand_buffers& o, tensor_operand const& part, index tile) {
  auto const is_loaded = [&](buffer const& b) { return is_same(b.holds, part); };
  auto found = std::find_if(o.all.begin(), o.all.end(), is_loaded);
  if (o.about.is_written || found == o.all.end()) {
    found = std::min_element(o.all.begin(), o.all.end(), [](buffer const& x, buffer const& y) {
      return x.last_tile < y.last_tile;
    });
    buffer& b = *found;
    b.holds = part;
    if (o.about.is_read) {
      if (b.last_tile >= 0) wait(streams_->in, b.used);
      if (b.is_stored) wait(streams_->in, b.stored);
      bus_.to_device(o.about.how, part, packed_as(part, b.data));
      record(b.loaded, streams_->in);
    }
  }
  found->last_tile = tile;
  o.current = &*found;
}

void tile_engine::compute(job const& j) {
  cudaStream_t const stream = stream_of(part_.where);
  parts on_device;
  for (std::size_t n = 0; n < operands_.size(); ++n) {
    operand_buffers const& o = operands_[n];
    on_device[n] = now_[n];
    if (o.about.how == bus_way::in_reach) continue;
    if (o.about.is_read) wait(stream, o.current->loaded);
    else if (o.current->is_stored) wait(stream, o.current->stored);
    on_device[n] = packed_as(now_[n], o.current->data);
  }
  execution inner = part_.where;
  inner.nosync = true;
  inner.report = nullptr;
  // A pool without streams would have its memory back while kernels use it.
  if (!part_.where.nosync) inner.memory = {};
  j.run(inner, on_device);
  for (operand_buffers const& o : operands_)
    if (o.about.how != bus_way::in_reach) record(o.current->used, stream);
}

void tile_engine::run(job const& j) {
  if (!part_.may_begin()) return;
  start();
  load(j, 0);
  for (index tile = 0; tile < j.tiles; ++tile) {
    if (part_.is_stopped != nullptr && *part_.is_stopped) break;
    compute(j);
    // What to store, before the next load moves on.
    struct stored {
      operand_buffers* from;
      buffer* memory;
      tensor_operand part;
    };
    stored results[most_operands];
    int result_count = 0;
    index bytes = 0;
    for (std::size_t n = 0; n < operands_.size(); ++n) {
      operand_buffers& o = operands_[n];
      if (!o.about.is_written) continue;
      bytes += bytes_of(now_[n]);
      if (o.about.how != bus_way::in_reach) results[result_count++] = {&o, o.current, now_[n]};
    }
    if (tile + 1 < j.tiles) load(j, tile + 1);
    for (stored const* r = results; r != results + result_count; ++r) {
      stored const& s = *r;
      wait(streams_->out, s.memory->used);
      bus_.from_device(s.from->about.how, packed_as(s.part, s.memory->data), s.part);
      record(s.memory->stored, streams_->out);
      s.memory->is_stored = true;
    }
    finish_tile(bytes, result_count == 0 ? stream_of(part_.where) : streams_->out);
  }
  finish();
}

void tile_engine::move_straight(job const& j, bus_way in, bus_way out) {
  if (!part_.may_begin()) return;
  start();
  for (index tile = 0; tile < j.tiles; ++tile) {
    if (part_.is_stopped != nullptr && *part_.is_stopped) break;
    j.parts_of(tile, now_);
    bool const is_load = out == bus_way::in_reach;
    if (is_load) bus_.to_device(in, now_[0], now_[1]);
    else bus_.from_device(out, now_[0], now_[1]);
    finish_tile(bytes_of(now_[1]), is_load ? streams_->in : streams_->out);
  }
  finish();
}

void tile_engine::finish_tile(index bytes, cudaStream_t stream) {
  if (!part_.progress->is_watched()) return;
  for (cudaEvent_t& done : done_)
    if (done == nullptr) done = streams_.next_event();
  record(done_[1], stream);
  // A tile behind, so that the device has work while the caller looks at its bar.
  if (bytes_before_ != 0) {
    check_cuda(cudaEventSynchronize(done_[0]), "cudaEventSynchronize");
    part_.progress->add(bytes_before_);
  }
  bytes_before_ = bytes;
  std::swap(done_[0], done_[1]);
}

void tile_engine::finish() {
  cudaStream_t const stream = stream_of(part_.where);
  for (cudaStream_t const lane : {streams_->in, streams_->out}) {
    cudaEvent_t const end = streams_.next_event();
    record(end, lane);
    wait(stream, end);
  }
  bus_.drain();
  if (must_wait_) check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  is_finished_ = true;
  if (bytes_before_ != 0) part_.progress->add(bytes_before_);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
