// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a process sends to each other one and receives from it, and the local copies between the
// operands and messages.
#pragma once

#include "device.hpp"
#include "message_memory.hpp"
#include "runs.hpp"

#include <xpose/detail/dist_request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A copy of the host, with the plain loops if the local policy finds no memory for its kernels: a
/// process cannot leave a move that the others are in.
void copy_without_fail(execution const& where, copy_request const& request);

/// The elements that pass from one process to another: a matrix of rows x cols.
struct passage {
  int peer = -1;
  shared_runs const* rows = nullptr;
  shared_runs const* cols = nullptr;

  index row_count() const { return rows == nullptr ? 0 : total_of(*rows); }
  index col_count() const { return cols == nullptr ? 0 : total_of(*cols); }
  index elements() const { return row_count() * col_count(); }
};

/// A part of a message that travels by itself.
struct message_piece {
  passage of;
  index first_row;
  index rows;
  index first_col;
  index cols;

  index elements() const { return rows * cols; }
};

/// A move as one process sees it.
class message_plan {
 public:
  message_plan(dist_layout const& in, dist_layout const& out, int rank, int processes);

  passage to(int peer) const;
  passage from(int peer) const;
  int processes() const { return processes_; }
  int rank() const { return rank_; }
  index elements_sent() const;
  index elements_received() const;
  index messages_sent() const;
  index messages_received() const;

 private:
  process_grid in_grid_;
  process_grid out_grid_;
  int rank_;
  int processes_;
  // By row or column of the other layout's grid.
  std::vector<shared_runs> rows_to_, cols_to_, rows_from_, cols_from_;
};

/// Cuts a message into pieces, in the order of its elements.
class message_cutter {
 public:
  message_cutter() = default;
  /// `by_rows`: messages are row-major.
  message_cutter(passage const& message, index piece_elements, bool by_rows);

  /// False: there are no more.
  bool next(message_piece& piece);

 private:
  passage message_;
  index rows_in_piece_ = 0;
  index cols_in_piece_ = 0;
  index first_row_ = 0;
  index first_col_ = 0;
};

/// Hands out the pieces of all messages to or from others: those with the process s behind (from:
/// in front) this one before those with s + 1, so that at every step all pairs are different.
class piece_queue {
 public:
  enum direction { to, from };
  /// `by_rows`: messages are row-major.
  piece_queue(message_plan const& plan, direction d, index piece_elements, bool by_rows);

  bool next(message_piece& piece);

 private:
  passage message_of(int step) const;

  message_plan const& plan_;
  direction direction_;
  index piece_elements_;
  bool by_rows_;
  int step_ = 0;
  message_cutter current_;
};

/// The local copies of a move. Those of a device are enqueued: packing and keep() on the policy's
/// stream, unpacking on its own.
class local_copies {
 public:
  /// `by_rows`: messages are row-major.
  local_copies(dist_execution const& where, operand const& in, operand const& out, bool by_rows)
      : where_(where.local), device_(where.device), in_(in), out_(out), by_rows_(by_rows) {}

  // noexcept: without memory for a list of a few runs the process ends, and with it the program. If
  // it left the call, others would write to memory that is gone, or wait.
  void pack(message_piece const& piece, std::byte* memory) const noexcept;
  void unpack(message_piece const& piece, std::byte const* memory) const noexcept;
  /// The elements that stay on this process.
  void keep(passage const& own) const noexcept;
  int bytes_per_element() const { return in_.bytes_per_element; }

  /// Whether the copies before mark() of that event are done; those of the host are.
  void mark(int event, device_stream stream) const noexcept;
  bool is_done(int event) const noexcept;
  /// Until all are.
  void finish() const noexcept;

 private:
  strided strides_of(message_piece const& piece) const {
    return by_rows_ ? strided{piece.cols, 1} : strided{1, piece.rows};
  }

  execution on(device_stream stream) const noexcept;

  execution where_;
  device_queues* device_;  // null: the host
  operand in_;
  operand out_;
  bool by_rows_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
