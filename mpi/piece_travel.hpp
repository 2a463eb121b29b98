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

namespace xpose {
inline namespace v0 {
namespace detail {

inline index elements_in_piece(index piece_bytes, int bytes_per_element) {
  return std::max<index>(1, piece_bytes / bytes_per_element);
}

/// Pieces of one direction that are under way: a ring. The `ahead` oldest have gone the first of
/// two ways, packing and the wire, or the wire and unpacking.
struct piece_ring {
  message_piece pieces[pieces_each_way];
  int oldest = 0;
  int used = 0;
  int ahead = 0;

  bool has_free() const { return used < pieces_each_way; }
  int next_free() const { return (oldest + used) % pieces_each_way; }
  int next_ahead() const { return (oldest + ahead) % pieces_each_way; }
  void release_oldest() {
    oldest = (oldest + 1) % pieces_each_way;
    --used;
    --ahead;
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
    bool more_to_pack = pack_one();
    send_packed();
    travel_.copies.keep(travel_.plan.to(travel_.plan.rank()));
    patience_.made_progress();
    for (;;) {
      bool const packed = more_to_pack && sent_.has_free();
      if (packed) more_to_pack = pack_one();
      bool const sent = send_packed();
      bool const finished_sends = finish_sends();
      bool const finished_receives = finish_receives();
      if (packed || sent || finished_sends || finished_receives) patience_.made_progress();
      else if (!more_to_pack && sent_.used == 0 && received_.used == 0) return;
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

  bool pack_one() {
    int const slot = sent_.next_free();
    message_piece& piece = sent_.pieces[slot];
    if (!to_send_.next(piece)) return false;
    travel_.copies.pack(piece, transport_.outbox(slot));
    travel_.copies.mark(packed_event + slot, device_stream::policy);
    ++sent_.used;
    return true;
  }

  bool send_packed() {
    bool any = false;
    for (; sent_.ahead < sent_.used; ++sent_.ahead, any = true) {
      int const slot = sent_.next_ahead();
      if (!travel_.copies.is_done(packed_event + slot)) break;
      transport_.send(slot, sent_.pieces[slot]);
    }
    return any;
  }

  bool finish_sends() {
    bool any = false;
    for (; sent_.ahead > 0 && transport_.is_sent(sent_.oldest); any = true) sent_.release_oldest();
    return any;
  }

  /// In order: a later piece of the same pair cannot come before an earlier one.
  bool finish_receives() {
    bool any = finish_unpacking();
    while (received_.ahead < received_.used) {
      int const slot = received_.next_ahead();
      message_piece const& piece = received_.pieces[slot];
      std::byte const* const data = transport_.arrived(slot, piece);
      if (data == nullptr) break;
      travel_.copies.unpack(piece, data);
      travel_.copies.mark(unpacked_event + slot, device_stream::unpack);
      ++received_.ahead;
      finish_unpacking();
      any = true;
    }
    return any;
  }

  bool finish_unpacking() {
    bool any = false;
    for (; received_.ahead > 0; any = true) {
      int const slot = received_.oldest;
      if (!travel_.copies.is_done(unpacked_event + slot)) break;
      transport_.release(slot, received_.pieces[slot]);
      received_.release_oldest();
      expect_one();
    }
    return any;
  }

  // Event 0 is that of the call's begin.
  static constexpr int packed_event = 1;
  static constexpr int unpacked_event = packed_event + pieces_each_way;
  static_assert(unpacked_event + pieces_each_way <= device_queues::most_events);

  travel const& travel_;
  Transport& transport_;
  piece_ring sent_{};
  piece_ring received_{};
  piece_queue to_send_;
  piece_queue to_receive_;
  patience patience_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
