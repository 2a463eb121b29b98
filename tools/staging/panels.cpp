// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "staging/panels.hpp"

#include <algorithm>
#include <cstdlib>

namespace xpose::tools {

detail::operand part(detail::operand const& o, panel const& p) {
  index const offset =
      p.first_matrix * o.batch_stride + p.first_row * o.row_stride + p.first_col * o.col_stride;
  detail::operand of_panel = o;
  of_panel.data = static_cast<char const*>(o.data) + offset * o.bytes_per_element;
  of_panel.batch = p.matrices;
  of_panel.rows = p.rows;
  of_panel.cols = p.cols;
  return of_panel;
}

index bytes_in_panel() {
  char const* const set = std::getenv("XPOSE_PANEL_BYTES");
  index const bytes = set != nullptr ? std::atoll(set) : 0;
  return bytes > 0 ? bytes : index{64} << 20;
}

panel_size choose_panel(detail::operand const& o, index bytes) {
  constexpr index bytes_in_line = 16384;
  index const elements = std::max<index>(1, bytes / std::max(1, o.bytes_per_element));
  // A matrix lies in memory, so its size in elements fits.
  index const in_matrix = std::max<index>(1, o.rows) * std::max<index>(1, o.cols);
  if (in_matrix <= elements)
    return {elements / in_matrix, std::max<index>(1, o.rows), std::max<index>(1, o.cols)};
  index const line = std::clamp<index>(bytes_in_line / o.bytes_per_element, 1, elements);
  index const rows = std::clamp(elements / o.cols, std::min(line, o.rows), o.rows);
  return {1, rows, std::clamp<index>(elements / rows, 1, o.cols)};
}

}  // namespace xpose::tools
