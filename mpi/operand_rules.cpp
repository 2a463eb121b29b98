// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "operand_rules.hpp"

#include "progress.hpp"

#include <xpose/backends/core/checks/overlap.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

#include <cstdlib>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

std::string start_of(dist_operation op, char const* name) {
  return message(name_of(op), ": ", name);
}

void check_layout(dist_operation op, char const* name, dist_layout const& l, int processes) {
  std::string const start = start_of(op, name);
  if (l.rows < 0 || l.cols < 0)
    refuse<shape_error>(start, " has ", l.rows, 'x', l.cols, " elements; extents are 0 or more");
  if (l.block_rows < 1 || l.block_cols < 1)
    refuse<layout_error>(start, " has blocks of ", l.block_rows, 'x', l.block_cols,
                         "; a block has 1x1 elements or more");
  if (l.grid.rows < 1 || l.grid.cols < 1)
    refuse<layout_error>(start, " is on a grid of ", l.grid.rows, 'x', l.grid.cols,
                         "; a grid has 1x1 processes or more");
  if (l.grid.size() > processes)
    refuse<shape_error>(start, " is on a grid of ", l.grid.rows, 'x', l.grid.cols,
                        " processes, the communicator has ", processes);
  if (l.first_row < 0 || l.first_row >= l.grid.rows || l.first_col < 0 ||
      l.first_col >= l.grid.cols)
    refuse<layout_error>(start, " begins on the process at (", l.first_row, ", ", l.first_col,
                         ") of a grid of ", l.grid.rows, 'x', l.grid.cols);
}

void check_local(dist_operation op, char const* name, dist_operand const& o, operand const& local) {
  std::string const start = start_of(op, name);
  if (o.given_rows >= 0 && (o.given_rows != local.rows || o.given_cols != local.cols))
    refuse<shape_error>(start, "'s local matrix is ", o.given_rows, 'x', o.given_cols,
                        ", its layout gives this process ", local.rows, 'x', local.cols);
  bool const by_rows = o.storage == local_storage::leading_row;
  if (by_rows || o.storage == local_storage::leading_col) {
    index const ld = by_rows ? o.strides.row_stride : o.strides.col_stride;
    index const extent = by_rows ? local.cols : local.rows;
    if (ld < extent)
      refuse<layout_error>(start, ": leading dimension ", ld, " of a ",
                           by_rows ? "row-major " : "column-major ", local.rows, 'x', local.cols,
                           " local matrix is below its ", extent, by_rows ? " columns" : " rows");
  }
  dimension const dimensions[] = {{local.rows, local.row_stride}, {local.cols, local.col_stride}};
  auto const bytes = static_cast<std::size_t>(o.bytes_per_element);
  if (!is_valid_view(o.data == nullptr, bytes, dimensions, 2))
    refuse_view(message(start, "'s local matrix").c_str(), o.data == nullptr, bytes, dimensions, 2);
}

/// One element that no kernel has anything against.
class good_element {
 public:
  good_element(dist_execution const& where, operand const& like) {
    if (where.device == nullptr) {
      memory_ = message_memory(like.bytes_per_element);
      return;
    }
    where.device->reserve_pinned(like.bytes_per_element);
    memory_ = message_memory(std::shared_ptr<void>(), where.device->pinned());
  }

  /// It, for all elements of extents like another's.
  operand repeated(operand like) const {
    like.data = memory_.data();
    like.row_stride = 0;
    like.col_stride = 0;
    return like;
  }

 private:
  message_memory memory_;
};

/// What a local copy would throw, as a sentence of the distributed call.
void check_copy(dist_operation op, char const* name, execution where, operand const& in,
                operand const& out) {
  launch_report report{};
  report.explain_only = true;
  where.report = &report;
  auto const text = [&](char const* what) {
    return message(start_of(op, name), "'s local matrix: ", what);
  };
  try {
    run_copy(where, {operation::copy, as_tensor(in), as_tensor(out), element_function::copy_bits});
  } catch (layout_error const& e) {
    throw layout_error(text(e.what()).c_str());
  } catch (residency_error const& e) {
    throw residency_error(text(e.what()).c_str());
  }
}

}  // namespace

operand local_operand(dist_operand const& o, int rank) {
  index const rows = o.layout.local_rows(rank);
  index const cols = o.layout.local_cols(rank);
  strided strides = o.strides;
  if (o.storage == local_storage::packed_rows) strides = {cols, 1};
  if (o.storage == local_storage::packed_cols) strides = {1, rows};
  return {o.data,
          1,
          rows,
          cols,
          0,
          strides.row_stride,
          strides.col_stride,
          o.bytes_per_element,
          o.alignment,
          o.type,
          false};
}

bool is_by_rows(operand const& o) {
  return !is_empty(o) && std::abs(o.col_stride) <= std::abs(o.row_stride);
}

dist_operand transposed(dist_operand o) {
  o.layout = o.layout.transposed();
  o.strides = {o.strides.col_stride, o.strides.row_stride};
  std::swap(o.given_rows, o.given_cols);
  o.storage = mirrored(o.storage);
  return o;
}

void check_operand(dist_operation op, char const* name, dist_operand const& o,
                   mpi_state const& state) {
  check_layout(op, name, o.layout, state.size);
  check_local(op, name, o, local_operand(o, state.rank));
}

void check_extents(dist_operation op, char const* name, dist_layout const& layout, index rows,
                   index cols) {
  if (layout.rows != rows || layout.cols != cols)
    refuse<shape_error>(start_of(op, name), " is ", layout.rows, 'x', layout.cols, ", expected ",
                        rows, 'x', cols);
}

void check_apart(dist_operation op, char const* out_name, operand const& out, char const* in_name,
                 operand const& in) {
  if (is_empty(in) || is_empty(out)) return;
  if (overlap_of(as_tensor(out), as_tensor(in)) != overlap::none)
    refuse<alias_error>(start_of(op, out_name), "'s local matrix at ", out.data, " overlaps ",
                        in_name, "'s at ", in.data, "; the output must have memory of its own");
}

void check_input(dist_operation op, char const* name, dist_execution const& where,
                 operand const& in) {
  if (is_empty(in)) return;
  good_element const element(where, in);
  operand first = in;
  first.rows = first.cols = 1;
  check_copy(op, name, where.local, first, element.repeated(first));
}

void check_output(dist_operation op, char const* name, dist_execution const& where,
                  operand const& out) {
  if (is_empty(out)) return;
  good_element const element(where, out);
  check_copy(op, name, where.local, element.repeated(out), out);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
