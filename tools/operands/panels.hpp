// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Cutting operands into panels: pieces small enough to show progress between them and to be done
// again by a run that goes on.
#pragma once

#include <xpose/detail/request.hpp>

#include <functional>
#include <vector>

namespace xpose::tools {

/// Bytes of o's elements; repeated ones (a stride of 0) count each time.
index bytes_of(detail::tensor_operand const& o);
index bytes_of(detail::operand const& o);

/// Steps [first, first + extent) of one of o's dimensions.
detail::tensor_operand part(detail::tensor_operand o, int dimension, index first, index extent);

/// Three dimensions as a batch of matrices.
detail::operand as_operand(detail::tensor_operand const& o);

/// A panel's size at most, in bytes: 64 MB or what is given, or XPOSE_PANEL_BYTES of the
/// environment (tests make it small).
index bytes_in_panel(index otherwise = index{64} << 20);

using tensors = std::vector<detail::tensor_operand>;

/// Calls visit(parts) for panels of at most `bytes`, in the largest operand, that cover operands of
/// equal extents. The longest dimension is halved first, so panels of a large matrix have long
/// lines in both directions: a narrow one would fetch every page of the input many times over.
void for_each_panel(tensors const& operands, index bytes,
                    std::function<void(tensors const&)> const& visit);

/// Matrices, rows and columns of a batch of matrices.
struct tile {
  index first_matrix, matrices;
  index first_row, rows;
  index first_col, cols;
};

/// The elements of o that lie in t.
detail::operand part(detail::operand const& o, tile const& t);

/// Calls visit(tile) for tiles of at most `most`, which begin at 0, that cover o: columns first,
/// then rows, then matrices.
template <class Visit>
void for_each_tile(detail::operand const& o, tile const& most, Visit const& visit) {
  auto const rest = [](index extent, index first, index step) {
    return extent - first < step ? extent - first : step;
  };
  for (index b = 0; b < o.batch; b += most.matrices)
    for (index i = 0; i < o.rows; i += most.rows)
      for (index j = 0; j < o.cols; j += most.cols)
        visit(tile{b, rest(o.batch, b, most.matrices), i, rest(o.rows, i, most.rows), j,
                   rest(o.cols, j, most.cols)});
}

}  // namespace xpose::tools
