// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Pieces through a window that all processes see: a piece is packed where its receiver reads it,
// and messages say only which outbox is full, and that it is read. MPI would copy every piece once
// or twice more.
#include "piece_travel.hpp"

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr int full_tag = 2;
constexpr int read_tag = 3;

class window_transport {
 public:
  window_transport(travel const& t, index outbox_bytes)
      : communicator_(t.where.state->communicator),
        window_(t.where.state->window),
        rank_(t.where.state->rank),
        outbox_bytes_(outbox_bytes) {
    for (auto* requests : {sends_, reads_, receives_, answers_})
      std::fill_n(requests, pieces_each_way, MPI_REQUEST_NULL);
  }

  std::byte* outbox(int slot) const { return window_.of_process(rank_) + slot * outbox_bytes_; }
  void send(int slot, message_piece const& piece) {
    window_.synchronise();
    full_[slot] = slot;
    require_success(
        MPI_Irecv(nullptr, 0, MPI_BYTE, piece.of.peer, read_tag, communicator_, &reads_[slot]),
        "MPI_Irecv");
    require_success(
        MPI_Isend(&full_[slot], 1, MPI_INT, piece.of.peer, full_tag, communicator_, &sends_[slot]),
        "MPI_Isend");
  }
  bool is_sent(int slot) { return is_complete(sends_[slot]) && is_complete(reads_[slot]); }
  void expect(int slot, message_piece const& piece) {
    require_success(MPI_Wait(&answers_[slot], MPI_STATUS_IGNORE), "MPI_Wait");
    require_success(MPI_Irecv(&arrived_[slot], 1, MPI_INT, piece.of.peer, full_tag, communicator_,
                              &receives_[slot]),
                    "MPI_Irecv");
  }
  std::byte const* arrived(int slot, message_piece const& piece) {
    if (!is_complete(receives_[slot])) return nullptr;
    window_.synchronise();
    return window_.of_process(piece.of.peer) + arrived_[slot] * outbox_bytes_;
  }
  void release(int slot, message_piece const& piece) {
    window_.synchronise();
    require_success(
        MPI_Isend(nullptr, 0, MPI_BYTE, piece.of.peer, read_tag, communicator_, &answers_[slot]),
        "MPI_Isend");
  }
  void finish() {
    require_success(MPI_Waitall(pieces_each_way, answers_, MPI_STATUSES_IGNORE), "MPI_Waitall");
  }

 private:
  static bool is_complete(MPI_Request& request) {
    int done = 0;
    require_success(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  }

  MPI_Comm communicator_;
  shared_window const& window_;
  int rank_;
  index outbox_bytes_;
  int full_[pieces_each_way] = {};
  int arrived_[pieces_each_way] = {};
  MPI_Request sends_[pieces_each_way];     // that an outbox is full
  MPI_Request reads_[pieces_each_way];     // that it was read
  MPI_Request receives_[pieces_each_way];  // that a peer's outbox is full
  MPI_Request answers_[pieces_each_way];   // that it was read
};

}  // namespace

void travel_through_window(travel const& t, index outbox_bytes) {
  window_transport transport(t, outbox_bytes);
  piece_travel<window_transport>(t, outbox_bytes, transport).run();
  transport.finish();
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
