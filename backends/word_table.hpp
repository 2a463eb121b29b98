// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The table that bit copies are chosen from: one row for each width of word, whatever the element
// type.
#pragma once

#include <xpose/backends/copy_plan.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

struct word_row {
  int bytes;
  char const* kernel_turned;
  char const* kernel_in_order;
  void (*run)(execution const& where, copy_plan const& plan, tensor_operand const& in,
              tensor_operand const& out);
};

/// The row of the plan's word; plans use words of 1, 2, 4, 8 and 16 bytes, and every table has them
/// all.
template <int Rows>
word_row const& row_for(word_row const (&table)[Rows], copy_plan const& plan) {
  int row = 0;
  while (table[row].bytes != plan.bytes_per_unit) ++row;
  return table[row];
}

template <int Rows>
void copy_words_by(word_row const (&table)[Rows], execution const& where, copy_request const& r) {
  copy_plan const plan = plan_words(r.in, r.out);
  if (plan.units != 0) row_for(table, plan).run(where, plan, r.in, r.out);
}

/// The name of the kernel for a request, with or without an element function.
template <int Rows>
char const* kernel_name(word_row const (&table)[Rows], copy_request const& r,
                        int most_bytes_in_tile) {
  if (r.function != element_function::copy_bits)
    return plan_elements(r.in, r.out).turns() && r.out.bytes_per_element <= most_bytes_in_tile
               ? "transpose_tiles<function>"
               : "copy_runs<function>";
  copy_plan const plan = plan_words(r.in, r.out);
  word_row const& row = row_for(table, plan);
  return plan.turns() ? row.kernel_turned : row.kernel_in_order;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
