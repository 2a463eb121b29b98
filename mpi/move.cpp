// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "move.hpp"

#include "nccl_watch.hpp"
#include "operand_rules.hpp"
#include "resolved_call.hpp"

#include <xpose/backends/core/message.hpp>

#include <dlfcn.h>
#include <algorithm>
#include <cstring>
#include <limits>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

void check_policy(dist_execution const& where, dist_operation op, int bytes_per_element) {
  constexpr index most = std::numeric_limits<int>::max();
  if (where.piece_bytes < bytes_per_element || where.piece_bytes > most)
    refuse<shape_error>(name_of(op), ": piece_bytes is ", where.piece_bytes, ", it must be from ",
                        bytes_per_element, " (an element) to ", most);
}

/// Whether MPI reads and writes memory of devices itself, as builds of Open MPI and MPICH for CUDA
/// say of themselves.
bool mpi_takes_device_memory() {
  static bool const does = [] {
    auto const query = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support"));
    return query != nullptr && query() == 1;
  }();
  return does;
}

}  // namespace

void write_text(char* to, std::size_t capacity, std::string const& text) {
  std::size_t const length = std::min(capacity - 1, text.size());
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

dist_operand checked_move::read() const {
  return move_.op == dist_operation::transpose ? transposed(move_.in) : move_.in;
}

void checked_move::check() {
  mpi_state const& state = *where_.state;
  check_operand(move_.op, in_name_, move_.in, state);
  check_operand(move_.op, out_name_, move_.out, state);
  dist_operand const read_in = read();
  check_extents(move_.op, out_name_, move_.out.layout, read_in.layout.rows, read_in.layout.cols);
  check_policy(where_, move_.op, move_.in.bytes_per_element);
  in_ = local_operand(read_in, state.rank);
  out_ = local_operand(move_.out, state.rank);
  check_apart(move_.op, out_name_, out_, in_name_, in_);
  check_input(move_.op, in_name_, where_, in_);
  check_output(move_.op, out_name_, where_, out_);
  plan_ = message_plan(read_in.layout, move_.out.layout, state.rank, state.size);
  take_memory();
}

void checked_move::take_memory() {
  int const bytes = in_.bytes_per_element;
  index const collective = collective_bytes(plan_, bytes);
  bool const is_asked = static_cast<mpi_engine>(where_.engine) == mpi_engine::collective;
  bool const may_be = collective <= 2 * most_collective_bytes(where_.piece_bytes);
  index const needed = std::max(pairwise_bytes(plan_, where_.piece_bytes, bytes),
                                is_asked || may_be ? collective : 0);
  if (where_.device == nullptr) memory_ = message_memory(needed);
  else take_device_memory(needed);
}

void checked_move::take_device_memory(index host_bytes) {
  if (mpi_takes_device_memory()) {
    memory_ = device_memory(where_.local, host_bytes);
    where_.device->finish();  // MPI knows no streams
  } else {
    where_.device->reserve_pinned(host_bytes);
  }
  nccl_ = where_.state->nccl.use_of(where_.device->device());
  if (*obstacle_of(nccl_) != '\0') return;
  try {
    nccl_memory_ =
        device_memory(where_.local, nccl_bytes(plan_, where_.piece_bytes, in_.bytes_per_element));
  } catch (std::exception const&) {  // other engines need none
    nccl_ = nccl_use::no_memory;
  }
}

void checked_move::add_to(agreement& agreed) {
  agreed.same(in_name_, "bytes of an element", move_.in.bytes_per_element);
  agreed.same_layout(in_name_, move_.in.layout);
  agreed.same_layout(out_name_, move_.out.layout);
  add_sizes_to(agreed);
}

void checked_move::add_sizes_to(agreement& agreed) {
  index const bytes = move_.in.bytes_per_element;
  bytes_number_ =
      agreed.largest(std::max(plan_.elements_sent(), plan_.elements_received()) * bytes);
  messages_number_ = agreed.largest(std::max(plan_.messages_sent(), plan_.messages_received()));
  nodes_number_ = agreed.largest(where_.state->ranks_on_node < where_.state->size);
  by_rows_number_ = agreed.largest(is_by_rows(out_));
  devices_number_ = agreed.largest(where_.device != nullptr);
  nccl_number_ = agreed.largest(static_cast<index>(nccl_));
}

void checked_move::choose(agreement const& agreed) {
  size_ = {agreed.result(bytes_number_),
           agreed.result(messages_number_),
           where_.piece_bytes,
           move_.in.bytes_per_element,
           where_.state->size,
           agreed.result(nodes_number_) == 0,
           agreed.result(devices_number_) != 0,
           nccl_use::no_device};
  if (travels())
    size_.nccl = settle_nccl(where_, static_cast<nccl_use>(agreed.result(nccl_number_)));
  by_rows_ = agreed.result(by_rows_number_) != 0;
  // Throws on all processes or on none: they all have the same size.
  if (travels()) engine_ = choose_engine(static_cast<mpi_engine>(where_.engine), size_, move_.op);
}

void checked_move::explain(explanation_text& text) const {
  write_text(text.backend, sizeof(text.backend), "mpi");
  write_text(text.kernel, sizeof(text.kernel), travels() ? name_of(engine_) : "local");
  write_text(text.reason, sizeof(text.reason),
             travels() ? reason_for(static_cast<mpi_engine>(where_.engine), size_)
                       : "every process holds what it needs");
}

void checked_move::start_nccl() {
  nccl_communicator& nccl = where_.state->nccl;
  if (size_.nccl == nccl_use::ready || nccl.make(where_.state->communicator)) return;
  size_.nccl = nccl_use::failed;
  engine_ = choose_engine(static_cast<mpi_engine>(where_.engine), size_, move_.op);
}

void checked_move::travel_by_engine(travel const& t) {
  if (engine_ == mpi_engine::nccl) start_nccl();
  index const outbox = window_outbox_bytes(size_);
  if (engine_ == mpi_engine::shared_memory &&
      !where_.state->window.reserve(where_.state->communicator, pieces_each_way * outbox,
                                    size_.is_on_devices, where_.device != nullptr))
    engine_ = mpi_engine::pairwise;
  if (where_.device != nullptr && memory_.data() == nullptr)
    memory_ = message_memory(std::shared_ptr<void>(), where_.device->pinned());
  switch (engine_) {
    case mpi_engine::nccl:
      return travel_by_nccl(t, nccl_memory_);
    case mpi_engine::shared_memory:
      return travel_through_window(t, outbox);
    case mpi_engine::collective:
      return travel_collectively(t, memory_);
    case mpi_engine::by_cost:
    case mpi_engine::pairwise:
      return travel_pairwise(t, memory_);
  }
}

void checked_move::run() {
  local_copies const copies(where_, in_, out_, by_rows_);
  if (travels()) travel_by_engine({where_, move_.op, plan_, copies, by_rows_});
  else copies.keep(plan_.to(plan_.rank()));
  try {
    settle_devices(where_, move_.op, size_.is_on_devices);
  } catch (...) {
    if (engine_ == mpi_engine::nccl) give_up_nccl(where_);
    throw;
  }
}

void run_dist_move(dist_execution const& given, dist_move const& move) {
  resolved_call call(given, move.op);
  checked_move checked(call.where, move);
  refusal const own = refusal_of([&] {
    call.resolve();
    checked.check();
  });
  agreement agreed(call.where, move.op);
  checked.add_to(agreed);
  agreed.settle(own);
  checked.choose(agreed);
  if (given.explained != nullptr) return checked.explain(*given.explained);
  checked.run();
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
