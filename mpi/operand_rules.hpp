// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The rules for one operand on one process, and its local matrix.
#pragma once

#include "state.hpp"

#include <xpose/detail/dist_request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// This process's part of a distributed operand, with the extents of the layout.
operand local_operand(dist_operand const& o, int rank);

/// Whether an operand with elements has contiguous rows, or rows as good as columns.
bool is_by_rows(operand const& o);

/// The same elements read as the transpose.
dist_operand transposed(dist_operand o);

/// Throws shape_error, layout_error or overflow_error. `name` is the operand's in messages.
void check_operand(dist_operation op, char const* name, dist_operand const& o,
                   mpi_state const& state);

/// Throws shape_error unless the global extents are the expected ones.
void check_extents(dist_operation op, char const* name, dist_layout const& layout, index rows,
                   index cols);

/// Throws alias_error if the local parts share memory, or may.
void check_apart(dist_operation op, char const* out_name, operand const& out, char const* in_name,
                 operand const& in);

/// Throw what the local kernels would have against an operand: an output whose elements share an
/// address, an address that is not aligned, memory that the local policy does not reach.
void check_input(dist_operation op, char const* name, dist_execution const& where,
                 operand const& in);
void check_output(dist_operation op, char const* name, dist_execution const& where,
                  operand const& out);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
