// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The loop of the engines that send pieces: while pieces are under way the next one is packed and
// those that came are unpacked, so that memory is a few pieces, and packing costs time only where
// it is slower than the wire.
//
// No process waits for ever: pieces go out and are expected in the order of steps (piece_queue), so
// the process whose step is the lowest always finds its peer at the same step.
#pragma once

#include "engines.hpp"

#include <algorithm>

namespace xpose::detail {

inline index elements_in_piece(index piece_bytes, int bytes_per_element) {
  return std::max<index>(1, piece_bytes / bytes_per_element);
}

/// Pieces of one direction that are under way: a ring.
struct piece_ring {
  message_piece pieces[pieces_each_way];
  int oldest = 0;
  int used = 0;

  bool has_free() const { return used < pieces_each_way; }
  int next_free() const { return (oldest + used) % pieces_each_way; }
  void release_oldest() {
    oldest = (oldest + 1) % pieces_each_way;
    --used;
  }
};

/// A Transport has, for slots 0 to pieces_each_way - 1 of each direction:
///   std::byte* outbox(slot)                 where to pack
///   void send(slot, piece)                  what was packed
///   bool is_sent(slot)                      whether the outbox may be packed again
///   void expect(slot, piece)
///   std::byte const* arrived(slot, piece)   null if it has not
///   void release(slot, piece)               when it is unpacked
template <class Transport>
class piece_travel {
 public:
  piece_travel(travel const& t, index piece_bytes, Transport& transport)
      : travel_(t),
        transport_(transport),
        to_send_(t.plan, piece_queue::to, elements(piece_bytes), t.by_rows),
        to_receive_(t.plan, piece_queue::from, elements(piece_bytes), t.by_rows),
        patience_(t.where, t.op) {}

  void run() {
    while (expect_one()) {
    }
    bool more_to_send = send_one();
    travel_.copies.keep(travel_.plan.to(travel_.plan.rank()));
    patience_.made_progress();
    for (;;) {
      bool const sent = more_to_send && sent_.has_free();
      if (sent) more_to_send = send_one();
      bool const finished_sends = finish_sends();
      bool const finished_receives = finish_receives();
      if (sent || finished_sends || finished_receives) patience_.made_progress();
      else if (!more_to_send && sent_.used == 0 && received_.used == 0) return;
      else patience_.wait_a_little();
    }
  }

 private:
  index elements(index piece_bytes) const {
    return elements_in_piece(piece_bytes, travel_.copies.bytes_per_element());
  }

  bool expect_one() {
    if (!received_.has_free()) return false;
    int const slot = received_.next_free();
    if (!to_receive_.next(received_.pieces[slot])) return false;
    transport_.expect(slot, received_.pieces[slot]);
    ++received_.used;
    return true;
  }

  bool send_one() {
    int const slot = sent_.next_free();
    message_piece& piece = sent_.pieces[slot];
    if (!to_send_.next(piece)) return false;
    travel_.copies.pack(piece, transport_.outbox(slot));
    transport_.send(slot, piece);
    ++sent_.used;
    return true;
  }

  bool finish_sends() {
    bool any = false;
    for (; sent_.used > 0 && transport_.is_sent(sent_.oldest); any = true) sent_.release_oldest();
    return any;
  }

  /// In order: a later piece of the same pair cannot come before an earlier one.
  bool finish_receives() {
    bool any = false;
    while (received_.used > 0) {
      int const slot = received_.oldest;
      message_piece const& piece = received_.pieces[slot];
      std::byte const* const data = transport_.arrived(slot, piece);
      if (data == nullptr) break;
      travel_.copies.unpack(piece, data);
      transport_.release(slot, piece);
      received_.release_oldest();
      expect_one();
      any = true;
    }
    return any;
  }

  travel const& travel_;
  Transport& transport_;
  piece_ring sent_{};
  piece_ring received_{};
  piece_queue to_send_;
  piece_queue to_receive_;
  patience patience_;
};

}  // namespace xpose::detail
