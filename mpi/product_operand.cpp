// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "product_operand.hpp"

#include "device.hpp"
#include "messages.hpp"

#include <xpose/detail/across_request.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {

bool is_same_grid(process_grid const& a, process_grid const& b) {
  bool const is_line = a.rows == 1 || a.cols == 1;
  return a.rows == b.rows && a.cols == b.cols && (is_line || a.ranks == b.ranks);
}

product_operand::product_operand(dist_operand const& o, process_grid const& grid,
                                 dist_execution const& where, product_memory memory)
    : where_(where),
      where_it_lies_(where.device == nullptr ? product_memory::as_given : memory),
      is_transposed_(!is_same_grid(o.layout.grid, grid)),
      given_(is_transposed_ ? transposed(o) : o),
      local_(local_operand(given_, where.state->rank)) {
  dist_layout& l = given_.layout;
  l.block_rows = std::min(l.block_rows, std::max<index>(l.rows, 1));
  l.block_cols = std::min(l.block_cols, std::max<index>(l.cols, 1));
}

bool product_operand::is_direct() const {
  if (is_empty(local_)) return true;
  bool const has_stride = local_.cols <= 1 || local_.col_stride >= std::max<index>(local_.rows, 1);
  return where_it_lies_ == product_memory::as_given &&
         (local_.rows == 1 || local_.row_stride == 1) && has_stride;
}

void product_operand::take_memory() {
  if (is_direct()) return;
  index const bytes = local_.rows * local_.cols * local_.bytes_per_element;
  bool const is_of_host = where_.device == nullptr || where_it_lies_ == product_memory::host;
  memory_ = is_of_host ? message_memory(bytes) : device_memory(where_.local, bytes);
}

operand product_operand::packed() const {
  operand o = local_;
  o.data = memory_.data();
  o.row_stride = 1;
  o.col_stride = local_.rows;
  return o;
}

void product_operand::copy(operand const& from, operand const& to) const noexcept {
  copy_request const request{operation::copy, as_tensor(from), as_tensor(to),
                             element_function::copy_bits};
  if (where_.device == nullptr) return copy_without_fail(where_.local, request);
  try {
    if (where_it_lies_ == product_memory::as_given) return run_copy(where_.local, request);
    across_execution between{};
    static_cast<execution&>(between) = where_.local;
    run_copy(between, request);
  } catch (...) {
    where_.device->note_fault();
  }
}

void product_operand::copy_in() const noexcept {
  if (!is_direct()) copy(local_, packed());
}
void product_operand::copy_out() const noexcept {
  if (!is_direct()) copy(packed(), local_);
}

void* product_operand::data() const {
  return const_cast<void*>(is_direct() ? local_.data : packed().data);
}

index product_operand::leading_dimension() const {
  index const ld = is_direct() && local_.cols > 1 ? local_.col_stride : local_.rows;
  return std::max<index>(ld, 1);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
