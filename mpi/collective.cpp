// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// One MPI_Alltoallv: MPI chooses how, which pays for many short messages. Everything is packed
// before and unpacked behind it. Not MPI_Ialltoallv, which would let us watch the clock: Open MPI
// 4.1.4's did not return on the receiver of 4608 bytes whose sender had returned.
#include "engines.hpp"

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Where each process's message begins, in elements.
struct message_table {
  std::vector<int> counts;
  std::vector<int> starts;
};

template <class With>
message_table table_of(message_plan const& plan, With const& with) {
  message_table table;
  int start = 0;
  for (int peer = 0; peer < plan.processes(); ++peer) {
    int const count = peer == plan.rank() ? 0 : static_cast<int>(with(peer).elements());
    table.counts.push_back(count);
    table.starts.push_back(start);
    start += count;
  }
  return table;
}

message_piece whole(passage const& p) { return {p, 0, p.row_count(), 0, p.col_count()}; }

/// An element as a datatype, so that counts are elements: bytes would leave 31 bits sooner.
class element_datatype {
 public:
  explicit element_datatype(int bytes) {
    require_success(MPI_Type_contiguous(bytes, MPI_BYTE, &type_), "MPI_Type_contiguous");
    require_success(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ~element_datatype() { MPI_Type_free(&type_); }
  element_datatype(element_datatype const&) = delete;
  element_datatype& operator=(element_datatype const&) = delete;
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace

index collective_bytes(message_plan const& plan, int bytes_per_element) {
  return (plan.elements_sent() + plan.elements_received()) * bytes_per_element;
}

void travel_collectively(travel const& t, message_memory const& memory) {
  message_plan const& plan = t.plan;
  index const bytes = t.copies.bytes_per_element();
  auto const to = [&](int peer) { return plan.to(peer); };
  auto const from = [&](int peer) { return plan.from(peer); };
  message_table const sent = table_of(plan, to);
  message_table const received = table_of(plan, from);
  std::byte* const outbox = memory.data();
  std::byte* const inbox = memory.data() + plan.elements_sent() * bytes;
  auto const for_each = [&](message_table const& table, std::byte* box, auto const& copy) {
    for (int peer = 0; peer < plan.processes(); ++peer)
      if (table.counts[static_cast<std::size_t>(peer)] > 0)
        copy(peer, box + table.starts[static_cast<std::size_t>(peer)] * bytes);
  };

  for_each(sent, outbox, [&](int peer, std::byte* data) { t.copies.pack(whole(to(peer)), data); });
  t.copies.finish();
  element_datatype const element(t.copies.bytes_per_element());
  require_success(MPI_Alltoallv(outbox, sent.counts.data(), sent.starts.data(), element, inbox,
                                received.counts.data(), received.starts.data(), element,
                                t.where.state->communicator),
                  "MPI_Alltoallv");
  t.copies.keep(plan.to(plan.rank()));
  for_each(received, inbox,
           [&](int peer, std::byte* data) { t.copies.unpack(whole(from(peer)), data); });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
