// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// verify: transpose_inplace by element size.

#include "verify/operations.hpp"

namespace xpose::tools {
namespace {

/// Square matrices of any layout, others packed, as transpose_inplace takes them.
verify_buffer draw_buffer(random_numbers& numbers, element_row const& type) {
  matrices m = draw_matrices(numbers);
  bool const is_square = draw(numbers, 0, 1) == 0;
  if (is_square) m.cols = m.rows;
  return {numbers,    m.batch,
          m.rows,     m.cols,
          type.bytes, type.alignment,
          type.type,  is_square ? buffer_layout::any : buffer_layout::packed};
}

void run_case(verify_target const& target, verify_buffer& buffer, row_counter& counter) {
  verify_buffer expected = buffer;
  detail::run_transpose_inplace(the_reference, {expected.on_host()});

  device_memory memory;
  detail::inplace_request const request{target.is_on_device ? buffer.to_device(memory)
                                                            : buffer.on_host()};
  detail::explanation_text const ran = detail::explain_transpose_inplace(target.where, request);
  detail::run_transpose_inplace(target.where, request);
  if (target.is_on_device) buffer.from_device(memory);
  counter.add(ran, buffer.has_bytes_of(expected) && buffer.is_poison_around());
}

}  // namespace

void verify_in_place(verify_run const& run, row_taker const& take) {
  random_numbers numbers(run.seed * 1000 + 300);
  for (int const bytes : sizes_of_elements) {
    row_counter counter("transpose_inplace", text_of_size(bytes));
    for (int i = 0; i < run.cases; ++i) {
      verify_buffer buffer = draw_buffer(numbers, draw_bytes_type(numbers, bytes));
      fill_with_bits(numbers, buffer, bytes);
      run_case(run.target, buffer, counter);
    }
    take(counter.row());
  }
}

}  // namespace xpose::tools
