// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Rounds of NCCL's sends and receives, between boxes in device memory. In a round each process
// exchanges a piece with each other one, as one group of NCCL, which is one kernel. Two boxes in
// each direction: a round is packed while the one before is on the wire, and unpacked while the
// next one is.
//
//     policy's stream   pack 0   pack 1   pack 2
//     wire                       round 0  round 1  round 2
//     unpack                              unpack 0 unpack 1 unpack 2
//
// No process waits for ever: both sides of a pair cut its message alike, so round n of one meets
// round n of the other.
#include "nccl_watch.hpp"

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Of a round, all pieces that a process sends together: 32 MiB by default, which NVLink moves in
/// 0.1 ms, ten times as long as a kernel of NCCL takes to start.
constexpr index pieces_in_round = 32;
constexpr int boxes_each_way = 2;
constexpr index alignment = 256;

index elements_in_slice(index piece_bytes, int processes, int bytes_per_element) {
  index const bytes = piece_bytes * pieces_in_round / std::max(1, processes - 1);
  return std::max<index>(1, bytes / bytes_per_element);
}

index aligned_bytes(index elements, int bytes_per_element) {
  return (elements * bytes_per_element + alignment - 1) / alignment * alignment;
}

/// The messages of one direction, and where their pieces lie in a box.
class box_plan {
 public:
  struct message {
    message_cutter cutter;
    index offset;
  };

  template <class With>
  box_plan(message_plan const& plan, With const& with, index slice, int bytes_per_element,
           bool by_rows) {
    for (int step = 1; step < plan.processes(); ++step) {
      passage const p = with((plan.rank() + step) % plan.processes());
      if (p.elements() == 0) continue;
      messages.push_back({message_cutter(p, slice, by_rows), bytes});
      bytes += aligned_bytes(std::min(p.elements(), slice), bytes_per_element);
    }
  }

  std::vector<message> messages;
  index bytes = 0;
};

class nccl_rounds {
 public:
  nccl_rounds(travel const& t, message_memory const& memory)
      : travel_(t),
        watch_(t),
        device_(*t.where.device),
        bytes_per_element_(t.copies.bytes_per_element()),
        slice_(elements_in_slice(t.where.piece_bytes, t.plan.processes(), bytes_per_element_)),
        to_(
            t.plan, [&](int peer) { return t.plan.to(peer); }, slice_, bytes_per_element_,
            t.by_rows),
        from_(
            t.plan, [&](int peer) { return t.plan.from(peer); }, slice_, bytes_per_element_,
            t.by_rows),
        outboxes_(memory.data()),
        inboxes_(memory.data() + boxes_each_way * to_.bytes) {}

  void run() {
    for (int round = 0; !watch_.has_failed() && exchange(round % boxes_each_way, round); ++round)
      if (round == 0) travel_.copies.keep(travel_.plan.to(travel_.plan.rank()));
    // A process without messages has its own elements still.
    if (to_.messages.empty() && from_.messages.empty())
      travel_.copies.keep(travel_.plan.to(travel_.plan.rank()));
    device_.record(last_packed, device_stream::policy);
    device_.record(last_wired, device_stream::wire);
    device_.record(last_unpacked, device_stream::unpack);
    for (int const last : {last_packed, last_wired, last_unpacked}) watch_.wait(last);
  }

 private:
  // Event 0 is that of the call's begin; of the others there is one a box.
  enum event { packed = 1, wired = 3, unpacked = 5, last_packed = 7, last_wired, last_unpacked };

  struct piece_in_box {
    message_piece piece;
    index offset;
  };
  /// The next piece of each message; false: there are none.
  static bool next_pieces(box_plan& plan, std::vector<piece_in_box>& pieces) {
    pieces.clear();
    for (auto& m : plan.messages) {
      message_piece piece{};
      if (m.cutter.next(piece)) pieces.push_back({piece, m.offset});
    }
    return !pieces.empty();
  }

  /// False: there was nothing left.
  bool exchange(int box, int round) {
    bool const sends = next_pieces(to_, sent_);
    bool const receives = next_pieces(from_, received_);
    if (!sends && !receives) return false;
    std::byte* const outbox = outboxes_ + box * to_.bytes;
    std::byte* const inbox = inboxes_ + box * from_.bytes;
    bool const is_used_before = round >= boxes_each_way;

    // The host waits, so that it sees errors, and no more than two rounds are enqueued.
    if (is_used_before) watch_.wait(wired + box);
    for (auto const& [piece, offset] : sent_) travel_.copies.pack(piece, outbox + offset);
    device_.record(packed + box, device_stream::policy);

    device_.wait(device_stream::wire, packed + box);
    if (is_used_before) device_.wait(device_stream::wire, unpacked + box);
    send_and_receive(outbox, inbox);
    device_.record(wired + box, device_stream::wire);

    device_.wait(device_stream::unpack, wired + box);
    for (auto const& [piece, offset] : received_) travel_.copies.unpack(piece, inbox + offset);
    device_.record(unpacked + box, device_stream::unpack);
    return true;
  }

  void send_and_receive(std::byte* outbox, std::byte* inbox) {
    nccl_functions const& nccl = *find_nccl();
    void* const communicator = travel_.where.state->nccl.handle();
    void* const wire = device_.handle(device_stream::wire);
    // A group that was begun is ended, whatever its calls say; the first error counts.
    int error = nccl.group_start();
    char const* failed = "ncclGroupStart";
    auto const call = [&](char const* name, auto const& function) {
      if (error != nccl_success) return;
      error = function();
      failed = name;
    };
    if (error == nccl_success) {
      for (auto const& [piece, offset] : sent_)
        call("ncclSend", [&, &p = piece, at = offset] {
          return nccl.send(outbox + at, bytes_of(p), nccl_bytes_type, p.of.peer, communicator,
                           wire);
        });
      for (auto const& [piece, offset] : received_)
        call("ncclRecv", [&, &p = piece, at = offset] {
          return nccl.receive(inbox + at, bytes_of(p), nccl_bytes_type, p.of.peer, communicator,
                              wire);
        });
      int const ended = nccl.group_end();
      call("ncclGroupEnd", [ended] { return ended; });
    }
    watch_.expect(error, failed);
  }

  std::size_t bytes_of(message_piece const& piece) const {
    return static_cast<std::size_t>(piece.elements() * bytes_per_element_);
  }

  travel const& travel_;
  nccl_watch watch_;
  device_queues& device_;
  int bytes_per_element_;
  index slice_;
  box_plan to_;
  box_plan from_;
  std::byte* outboxes_;
  std::byte* inboxes_;
  std::vector<piece_in_box> sent_;
  std::vector<piece_in_box> received_;
};

}  // namespace

index nccl_bytes(message_plan const& plan, index piece_bytes, int bytes_per_element) {
  index const slice = elements_in_slice(piece_bytes, plan.processes(), bytes_per_element);
  auto const box = [&](auto const& with) {
    index bytes = 0;
    for (int peer = 0; peer < plan.processes(); ++peer)
      if (peer != plan.rank())
        bytes += aligned_bytes(std::min(with(peer).elements(), slice), bytes_per_element);
    return bytes;
  };
  return boxes_each_way * (box([&](int peer) { return plan.to(peer); }) +
                           box([&](int peer) { return plan.from(peer); }));
}

void travel_by_nccl(travel const& t, message_memory const& memory) { nccl_rounds(t, memory).run(); }

}  // namespace detail
}  // namespace v0
}  // namespace xpose
