// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The one engine: a call's pieces pass through buffers of the device. While kernels run on one, the
// next is loaded and the last is stored.
//
//     stream in       load 0   load 1            load 2
//     policy's             run 0    run 1             run 2
//     stream out                    store 0  store 1
//
// Streams wait for each other by events alone. Two buffers an operand suffice, since a load waits
// for the kernels that last used its buffer, and a kernel for the store. An input that is in a
// buffer already is not loaded again: gemm's panels are read as seldom as buffers allow.
#pragma once

#include <xpose/backends/across/bus.hpp>
#include <xpose/backends/cuda/runtime/workspace.hpp>
#include <xpose/detail/across_request.hpp>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Of one call, whatever its devices.
class progress_meter {
 public:
  progress_meter(across_terms const& terms, index total);
  bool is_watched() const { return terms_.progress != nullptr; }
  /// Before the first piece, once nothing is refused any more.
  void begin();
  void add(index bytes);

 private:
  across_terms terms_;
  index total_;
  std::mutex one_at_a_time_;
  index done_ = 0;
  bool has_begun_ = false;
};

/// Where the parts of a call wait for each other before they write: each has its memory then, or
/// one has failed and none writes.
class start_gate {
 public:
  explicit start_gate(int parts) : missing_(parts) {}
  /// Returns when all parts are here or have left, or one has failed.
  void pass();
  void leave();
  void fail();

 private:
  std::mutex one_at_a_time_;
  std::condition_variable changed_;
  int missing_;
  bool has_failed_ = false;
};

/// A part of a call: all of it, or that of one of several devices.
struct call_part {
  execution where;
  index device_bytes;  // 0: the library's choice
  progress_meter* progress;
  std::atomic<bool>* is_stopped;  // by a part that failed; may be null
  std::function<void()> pass;     // the gate of several devices; may be empty
  int packing_threads;            // as omp's
  bool returns_done;

  /// Before the first write. False: another part has failed, and this one writes nothing.
  bool may_begin() const;
};

/// How an operand of pieces passes through the device; one in reach is used where it lies.
struct streamed_operand {
  bus_way how;
  bool is_read;
  bool is_written;
  index buffer_bytes;  // of its largest part
  int buffers;         // two suffice, and one if there is one part
};

class tile_engine {
 public:
  static constexpr int most_operands = 5;
  using parts = tensor_operand[most_operands];

  /// Takes all memory: device memory from the policy, pinned memory if an operand is pageable.
  tile_engine(call_part const& part, lanes& streams, std::vector<streamed_operand> const& operands);
  /// After an exception waits for the call's streams: what was enqueued uses its memory.
  ~tile_engine();

  /// parts_of(tile, where the operands' parts go); run(where, the same parts on the device).
  struct job {
    index tiles;
    std::function<void(index, parts&)> parts_of;
    std::function<void(execution const&, parts const&)> run;
  };
  void run(job const& j);
  /// Parts of one operand that go to memory of the caller's on the device, or from there, as they
  /// are: no buffer, no kernel.
  void move_straight(job const& j, bus_way in, bus_way out);

 private:
  struct buffer {
    char* data;
    tensor_operand holds;  // the part of the caller's operand; data null: none
    cudaEvent_t loaded;    // on `in`
    cudaEvent_t used;      // on the policy's stream
    cudaEvent_t stored;    // on `out`
    bool is_stored;        // `stored` was recorded
    index last_tile;       // negative: none
  };
  struct operand_buffers {
    streamed_operand about;
    std::vector<buffer> all;
    buffer* current = nullptr;
  };

  void start();
  void load(job const& j, index tile);
  void load(operand_buffers& o, tensor_operand const& part, index tile);
  void compute(job const& j);
  /// Bytes of the output that are there once the stream has come so far.
  void finish_tile(index bytes, cudaStream_t stream);
  void finish();

  call_part part_;
  lanes& streams_;
  std::vector<operand_buffers> operands_;
  std::optional<stream_workspace> memory_;
  bus bus_;
  parts now_;               // of the tile whose parts are loaded
  index bytes_before_ = 0;  // of the tile before, which `done_[0]` follows
  cudaEvent_t done_[2] = {};
  bool must_wait_;
  bool is_finished_ = true;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
