// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "staging/staging.hpp"

#include "staging/panels.hpp"

#include <algorithm>
#include <cstdlib>

namespace xpose::tools {
namespace {

constexpr index bytes_of_buffer = index{32} << 20;

bool is_col_major(detail::operand const& o) {
  return o.cols > 1 && (o.rows <= 1 || std::abs(o.row_stride) < std::abs(o.col_stride));
}

/// The same matrices, packed at `data` in whichever order is nearer to the operand's own.
detail::operand packed(detail::operand const& like, bool col_major, void const* data) {
  detail::operand o = like;
  o.data = data;
  o.batch_stride = like.rows * like.cols;
  o.row_stride = col_major ? 1 : like.cols;
  o.col_stride = col_major ? like.rows : 1;
  return o;
}

/// Panels that are contiguous in a packed operand: full matrices, else full lines, else a part
/// of one.
panel_size run_size(detail::operand const& o, bool col_major, index bytes) {
  index const elements = std::max<index>(1, bytes / o.bytes_per_element);
  index const lines = col_major ? o.cols : o.rows;
  index const line = col_major ? o.rows : o.cols;
  if (lines * line <= elements) return {elements / (lines * line), o.rows, o.cols};
  index const lines_in_run = std::max<index>(1, elements / line);
  index const elements_in_line = std::min(line, elements);
  return col_major ? panel_size{1, elements_in_line, lines_in_run}
                   : panel_size{1, lines_in_run, elements_in_line};
}

void move_on_host(detail::operand const& from, detail::operand const& to) {
  detail::execution const on_cores{detail::backend_id::omp, 0, nullptr, false, true};
  detail::run_copy(on_cores, {operation::copy, as_tensor(from), as_tensor(to),
                              detail::element_function::copy_bits});
}

detail::operand as_bytes(detail::operand o) {
  o.alignment = 1;
  o.type = detail::element_type::other;
  o.conjugated = false;
  return o;
}

/// Calls move(part of host, its packed copy in the buffer, offset on the device, bytes).
template <class Move>
void for_each_run(detail::operand const& host, detail::operand const& on_device,
                  pinned_memory const& buffer, Move const& move) {
  bool const col_major = is_col_major(host);
  for_each_panel(host, run_size(host, col_major, buffer.bytes()), [&](panel const& p) {
    detail::operand const of_host = as_bytes(part(host, p));
    auto const offset = static_cast<char const*>(part(on_device, p).data) -
                        static_cast<char const*>(on_device.data);
    move(of_host, packed(of_host, col_major, buffer.data()), offset, bytes_of(of_host));
  });
}

}  // namespace

index bytes_of(detail::operand const& o) {
  // The extents of an operand without elements may be any: their product need not fit.
  return detail::is_empty(o) ? 0 : o.batch * o.rows * o.cols * o.bytes_per_element;
}

stager::stager() : buffer_(bytes_of_buffer) {}

detail::operand stager::to_device(detail::operand const& host, device_memory& memory,
                                  bool with_elements) {
  if (bytes_of(host) == 0) return host;
  memory = device_memory();  // the old block goes before the new one is asked for
  memory = device_memory(bytes_of(host));
  detail::operand const on_device = packed(host, is_col_major(host), memory.data());
  if (with_elements)
    for_each_run(host, on_device, buffer_,
                 [&](detail::operand const& of_host, detail::operand const& in_buffer, index offset,
                     index bytes) {
                   move_on_host(of_host, in_buffer);
                   memory.copy_from_host(offset, in_buffer.data, bytes);
                 });
  return on_device;
}

void stager::to_host(detail::operand const& on_device, device_memory const& memory,
                     detail::operand const& host) {
  if (bytes_of(host) == 0) return;
  for_each_run(host, on_device, buffer_,
               [&](detail::operand const& of_host, detail::operand const& in_buffer, index offset,
                   index bytes) {
                 memory.copy_to_host(const_cast<void*>(in_buffer.data), offset, bytes);
                 move_on_host(in_buffer, of_host);
               });
}

}  // namespace xpose::tools
