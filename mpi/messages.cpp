// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "messages.hpp"

#include <algorithm>
#include <new>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr std::align_val_t cache_line{64};

shared_runs const* at(std::vector<shared_runs> const& runs, int number) {
  auto const position = static_cast<std::size_t>(number);
  return number < 0 || position >= runs.size() ? nullptr : &runs[position];
}

passage between(int peer, grid_position at_peer, std::vector<shared_runs> const& rows,
                std::vector<shared_runs> const& cols) {
  return {peer, at(rows, at_peer.row), at(cols, at_peer.col)};
}

/// Sums value(passage) over the messages with others, of which `with` gives the one of a process.
template <class With, class Value>
index sum_over_others(message_plan const& plan, With const& with, Value const& value) {
  index sum = 0;
  for (int peer = 0; peer < plan.processes(); ++peer)
    if (peer != plan.rank()) sum += value(with(peer));
  return sum;
}

index elements_of(passage const& m) { return m.elements(); }
index is_sent(passage const& m) { return m.elements() > 0 ? 1 : 0; }

tensor_operand tensor_of(operand const& matrix, std::byte const* data, strided strides,
                         run_family const& rows, run_family const& cols, bool is_from) {
  tensor_operand t = as_tensor(matrix);
  index const row = is_from ? rows.from : rows.to;
  index const col = is_from ? cols.from : cols.to;
  index const row_step = is_from ? rows.from_step : rows.to_step;
  index const col_step = is_from ? cols.from_step : cols.to_step;
  t.data = data + (row * strides.row_stride + col * strides.col_stride) * matrix.bytes_per_element;
  t.count = 4;
  t.dimensions[0] = {rows.repeat, row_step * strides.row_stride};
  t.dimensions[1] = {rows.length, strides.row_stride};
  t.dimensions[2] = {cols.repeat, col_step * strides.col_stride};
  t.dimensions[3] = {cols.length, strides.col_stride};
  t.is_batch = false;
  return t;
}

void copy_noting_faults(execution const& where, device_queues* device,
                        copy_request const& request) {
  if (device == nullptr) return copy_without_fail(where, request);
  try {
    run_copy(where, request);
  } catch (...) {
    device->note_fault();
  }
}

void copy_families(execution const& where, device_queues* device, operand const& like,
                   std::byte const* from, strided from_strides, std::byte const* to,
                   strided to_strides, run_families const& rows, run_families const& cols) {
  for (run_family const& r : rows)
    for (run_family const& c : cols)
      copy_noting_faults(
          where, device,
          {operation::copy, tensor_of(like, from, from_strides, r, c, true),
           tensor_of(like, to, to_strides, r, c, false), element_function::copy_bits});
}

std::byte const* bytes_of(operand const& o) { return static_cast<std::byte const*>(o.data); }
strided operand_strides(operand const& o) { return {o.row_stride, o.col_stride}; }

}  // namespace

void copy_without_fail(execution const& where, copy_request const& request) {
  try {
    run_copy(where, request);
  } catch (...) {
    run_copy({backend_id::reference, 1, nullptr, false, true}, request);
  }
}

message_memory::message_memory(index bytes)
    : memory_(
          static_cast<std::byte*>(
              bytes > 0 ? ::operator new(static_cast<std::size_t>(bytes), cache_line) : nullptr),
          [](std::byte* memory) { ::operator delete(memory, cache_line); }) {}

message_plan::message_plan(dist_layout const& in, dist_layout const& out, int rank, int processes)
    : in_grid_(in.grid), out_grid_(out.grid), rank_(rank), processes_(processes) {
  if (in.rows == 0 || in.cols == 0) return;
  grid_position const in_at = in.grid.position_of(rank);
  grid_position const out_at = out.grid.position_of(rank);
  rows_to_ = runs_by_peer(row_axis_of(in), in_at.row, row_axis_of(out));
  cols_to_ = runs_by_peer(col_axis_of(in), in_at.col, col_axis_of(out));
  rows_from_ = runs_by_peer(row_axis_of(out), out_at.row, row_axis_of(in));
  cols_from_ = runs_by_peer(col_axis_of(out), out_at.col, col_axis_of(in));
}

passage message_plan::to(int peer) const {
  return between(peer, out_grid_.position_of(peer), rows_to_, cols_to_);
}
passage message_plan::from(int peer) const {
  return between(peer, in_grid_.position_of(peer), rows_from_, cols_from_);
}
index message_plan::elements_sent() const {
  return sum_over_others(
      *this, [&](int peer) { return to(peer); }, elements_of);
}
index message_plan::elements_received() const {
  return sum_over_others(
      *this, [&](int peer) { return from(peer); }, elements_of);
}
index message_plan::messages_sent() const {
  return sum_over_others(
      *this, [&](int peer) { return to(peer); }, is_sent);
}
index message_plan::messages_received() const {
  return sum_over_others(
      *this, [&](int peer) { return from(peer); }, is_sent);
}

piece_queue::piece_queue(message_plan const& plan, direction d, index piece_elements, bool by_rows)
    : plan_(plan),
      direction_(d),
      piece_elements_(std::max<index>(piece_elements, 1)),
      by_rows_(by_rows) {}

message_cutter::message_cutter(passage const& message, index piece_elements, bool by_rows)
    : message_(message) {
  index const rows = message.row_count();
  index const cols = message.col_count();
  // Whole rows of a row-major message, so that what is received is written in long stripes.
  index const inner = std::max<index>(1, std::min(by_rows ? cols : rows, piece_elements));
  index const outer = std::max<index>(1, piece_elements / inner);
  rows_in_piece_ = by_rows ? outer : inner;
  cols_in_piece_ = by_rows ? inner : outer;
}

bool message_cutter::next(message_piece& piece) {
  if (message_.elements() == 0 || first_row_ >= message_.row_count()) return false;
  piece = {message_, first_row_, std::min(rows_in_piece_, message_.row_count() - first_row_),
           first_col_, std::min(cols_in_piece_, message_.col_count() - first_col_)};
  first_col_ += piece.cols;
  if (first_col_ >= message_.col_count()) {
    first_col_ = 0;
    first_row_ += rows_in_piece_;
  }
  return true;
}

passage piece_queue::message_of(int step) const {
  int const processes = plan_.processes();
  return direction_ == to ? plan_.to((plan_.rank() + step) % processes)
                          : plan_.from((plan_.rank() - step + processes) % processes);
}

bool piece_queue::next(message_piece& piece) {
  while (!current_.next(piece)) {
    if (++step_ >= plan_.processes()) return false;
    current_ = message_cutter(message_of(step_), piece_elements_, by_rows_);
  }
  return true;
}

execution local_copies::on(device_stream stream) const noexcept {
  return device_ == nullptr ? where_ : device_->on(stream);
}

void local_copies::mark(int event, device_stream stream) const noexcept {
  if (device_ != nullptr) device_->record(event, stream);
}
bool local_copies::is_done(int event) const noexcept {
  return device_ == nullptr || device_->is_done(event);
}
void local_copies::finish() const noexcept {
  if (device_ != nullptr) device_->finish();
}

void local_copies::pack(message_piece const& p, std::byte* memory) const noexcept {
  copy_families(on(device_stream::policy), device_, in_, bytes_of(in_), operand_strides(in_),
                memory, strides_of(p),
                families_of(*p.of.rows, p.first_row, p.rows, walk::mine_to_message),
                families_of(*p.of.cols, p.first_col, p.cols, walk::mine_to_message));
}

void local_copies::unpack(message_piece const& p, std::byte const* memory) const noexcept {
  copy_families(on(device_stream::unpack), device_, out_, memory, strides_of(p), bytes_of(out_),
                operand_strides(out_),
                families_of(*p.of.rows, p.first_row, p.rows, walk::message_to_mine),
                families_of(*p.of.cols, p.first_col, p.cols, walk::message_to_mine));
}

void local_copies::keep(passage const& own) const noexcept {
  if (own.elements() == 0) return;
  copy_families(on(device_stream::policy), device_, in_, bytes_of(in_), operand_strides(in_),
                bytes_of(out_), operand_strides(out_),
                families_of(*own.rows, 0, own.row_count(), walk::mine_to_theirs),
                families_of(*own.cols, 0, own.col_count(), walk::mine_to_theirs));
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
