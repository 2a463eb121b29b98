// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Pieces as messages of MPI, from each process to each.
#include "piece_travel.hpp"

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr int tag = 1;

/// Bytes of the largest piece of a direction, a multiple of a cache line.
index slot_bytes(index elements, index piece_bytes, int bytes_per_element) {
  index const bytes =
      std::min(elements, elements_in_piece(piece_bytes, bytes_per_element)) * bytes_per_element;
  return (bytes + 63) / 64 * 64;
}

class message_transport {
 public:
  message_transport(travel const& t, message_memory const& memory)
      : communicator_(t.where.state->communicator),
        element_bytes_(t.copies.bytes_per_element()),
        outbox_bytes_(slot_bytes(t.plan.elements_sent(), t.where.piece_bytes, element_bytes_)),
        inbox_bytes_(slot_bytes(t.plan.elements_received(), t.where.piece_bytes, element_bytes_)),
        outboxes_(memory.data()),
        inboxes_(memory.data() + pieces_each_way * outbox_bytes_) {
    std::fill(std::begin(sends_), std::end(sends_), MPI_REQUEST_NULL);
    std::fill(std::begin(receives_), std::end(receives_), MPI_REQUEST_NULL);
  }

  std::byte* outbox(int slot) const { return outboxes_ + slot * outbox_bytes_; }
  void send(int slot, message_piece const& piece) {
    require_success(MPI_Isend(outbox(slot), bytes_of(piece), MPI_BYTE, piece.of.peer, tag,
                              communicator_, &sends_[slot]),
                    "MPI_Isend");
  }
  bool is_sent(int slot) { return is_complete(sends_[slot]); }
  void expect(int slot, message_piece const& piece) {
    require_success(MPI_Irecv(inbox(slot), bytes_of(piece), MPI_BYTE, piece.of.peer, tag,
                              communicator_, &receives_[slot]),
                    "MPI_Irecv");
  }
  std::byte const* arrived(int slot, message_piece const&) {
    return is_complete(receives_[slot]) ? inbox(slot) : nullptr;
  }
  void release(int, message_piece const&) {}

 private:
  std::byte* inbox(int slot) const { return inboxes_ + slot * inbox_bytes_; }
  int bytes_of(message_piece const& piece) const {
    return static_cast<int>(piece.elements() * element_bytes_);
  }
  static bool is_complete(MPI_Request& request) {
    int done = 0;
    require_success(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  }

  MPI_Comm communicator_;
  int element_bytes_;
  index outbox_bytes_;
  index inbox_bytes_;
  std::byte* outboxes_;
  std::byte* inboxes_;
  MPI_Request sends_[pieces_each_way];
  MPI_Request receives_[pieces_each_way];
};

}  // namespace

index pairwise_bytes(message_plan const& plan, index piece_bytes, int bytes_per_element) {
  return pieces_each_way * (slot_bytes(plan.elements_sent(), piece_bytes, bytes_per_element) +
                            slot_bytes(plan.elements_received(), piece_bytes, bytes_per_element));
}

void travel_pairwise(travel const& t, message_memory const& memory) {
  message_transport transport(t, memory);
  piece_travel<message_transport>(t, t.where.piece_bytes, transport).run();
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
