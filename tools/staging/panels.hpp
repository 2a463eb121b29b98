// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Cutting a matrix or a batch into panels: pieces small enough to show progress between them and to
// fit a device's memory.
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose::tools {

struct panel {
  index first_matrix, matrices;
  index first_row, rows;
  index first_col, cols;
};

/// The elements of o that lie in p.
detail::operand part(detail::operand const& o, panel const& p);

/// A panel's size at most, in bytes: 64 MB, or XPOSE_PANEL_BYTES of the environment (tests make it
/// small).
index bytes_in_panel();

/// Calls visit(panel) for panels of about `bytes` that cover o. Panels of a large matrix keep lines
/// of at least 16 KB in both directions: a narrow one would fetch every page of the input many
/// times over.
template <class Visit>
void for_each_panel(detail::operand const& o, index bytes, Visit const& visit);

/// How many matrices, rows and columns a panel of o has.
struct panel_size {
  index matrices, rows, cols;
};
panel_size choose_panel(detail::operand const& o, index bytes);

template <class Visit>
void for_each_panel(detail::operand const& o, panel_size const& size, Visit const& visit) {
  auto const rest = [](index extent, index first, index most) {
    return extent - first < most ? extent - first : most;
  };
  for (index b = 0; b < o.batch; b += size.matrices)
    for (index i = 0; i < o.rows; i += size.rows)
      for (index j = 0; j < o.cols; j += size.cols)
        visit(panel{b, rest(o.batch, b, size.matrices), i, rest(o.rows, i, size.rows), j,
                    rest(o.cols, j, size.cols)});
}

template <class Visit>
void for_each_panel(detail::operand const& o, index bytes, Visit const& visit) {
  for_each_panel(o, choose_panel(o, bytes), visit);
}

}  // namespace xpose::tools
