// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "staging/staging.hpp"

#include "staging/panels.hpp"
#include "terminal/failure.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace xpose::tools {
namespace {

using detail::tensor_operand;

constexpr index bytes_of_buffer = index{32} << 20;

/// The same elements, packed at `data`, dimensions of shorter strides inside.
tensor_operand packed(tensor_operand const& like, void const* data) {
  tensor_operand o = like;
  o.data = data;
  std::vector<int> order;
  for (int d = 0; d < o.count; ++d) order.push_back(d);
  std::sort(order.begin(), order.end(), [&like](int x, int y) {
    index const of_x = std::abs(like.dimensions[x].stride);
    index const of_y = std::abs(like.dimensions[y].stride);
    return of_x != of_y ? of_x < of_y : x < y;
  });
  index stride = 1;
  for (int const at : order) {
    auto& d = o.dimensions[at];
    d.stride = stride;
    stride *= d.extent;
  }
  return o;
}

tensor_operand with_repeats_once(tensor_operand o) {
  for (int d = 0; d < o.count; ++d)
    if (o.dimensions[d].stride == 0) o.dimensions[d].extent = 1;
  return o;
}

tensor_operand with_repeats_of(tensor_operand const& like, tensor_operand o) {
  for (int d = 0; d < o.count; ++d)
    if (like.dimensions[d].stride == 0) o.dimensions[d] = {like.dimensions[d].extent, 0};
  return o;
}

tensor_operand as_bytes(tensor_operand o) {
  o.alignment = 1;
  o.type = detail::element_type::other;
  o.conjugated = false;
  return o;
}

void move_on_host(tensor_operand const& from, tensor_operand const& to) {
  detail::execution const on_cores{detail::backend_id::omp, 0, nullptr, false, true};
  detail::run_copy(on_cores, {operation::copy, as_bytes(from), as_bytes(to),
                              detail::element_function::copy_bits});
}

/// Calls move(part of host, part of packed) for parts of at most so many bytes that are contiguous
/// in the packed operand: cut in its slowest dimension.
template <class Move>
void for_each_run(tensor_operand const& host, tensor_operand const& packed, index bytes,
                  Move const& move) {
  if (bytes_of(packed) <= bytes) return move(host, packed);
  int slowest = 0;
  for (int d = 1; d < packed.count; ++d) {
    auto const& a = packed.dimensions[d];
    auto const& b = packed.dimensions[slowest];
    if (a.extent > 1 && (b.extent <= 1 || a.stride > b.stride)) slowest = d;
  }
  index const extent = packed.dimensions[slowest].extent;
  index const steps = std::max<index>(1, bytes / (bytes_of(packed) / extent));
  for (index first = 0; first < extent; first += steps) {
    index const some = std::min(steps, extent - first);
    for_each_run(part(host, slowest, first, some), part(packed, slowest, first, some), bytes, move);
  }
}

index offset_in(device_memory const& memory, tensor_operand const& o) {
  return static_cast<char const*>(o.data) - memory.data();
}

}  // namespace

stager::stager() : buffer_(bytes_of_buffer) {}

tensor_operand stager::to_device(tensor_operand const& host, device_memory& memory,
                                 bool with_elements) {
  if (bytes_of(host) == 0) return host;
  if (host.bytes_per_element > buffer_.bytes())
    throw failure("cuda", "elements of ", host.bytes_per_element,
                  " bytes do not fit the buffer of ", buffer_.bytes(),
                  " bytes between files and the device; use --policy omp");
  tensor_operand const once = with_repeats_once(host);
  memory = device_memory();  // the old block goes before the new one is asked for
  memory = device_memory(bytes_of(once));
  tensor_operand const on_device = packed(once, memory.data());
  if (with_elements)
    for_each_run(once, on_device, buffer_.bytes(),
                 [&](tensor_operand const& of_host, tensor_operand const& of_device) {
                   tensor_operand in_buffer = of_device;
                   in_buffer.data = buffer_.data();
                   move_on_host(of_host, in_buffer);
                   memory.copy_from_host(offset_in(memory, of_device), buffer_.data(),
                                         bytes_of(of_device));
                 });
  return with_repeats_of(host, on_device);
}

void stager::to_host(tensor_operand const& on_device, device_memory const& memory,
                     tensor_operand const& host) {
  if (bytes_of(host) == 0) return;
  for_each_run(host, on_device, buffer_.bytes(),
               [&](tensor_operand const& of_host, tensor_operand const& of_device) {
                 tensor_operand in_buffer = of_device;
                 in_buffer.data = buffer_.data();
                 memory.copy_to_host(buffer_.data(), offset_in(memory, of_device),
                                     bytes_of(of_device));
                 move_on_host(in_buffer, of_host);
               });
}

detail::operand stager::to_device(detail::operand const& host, device_memory& memory,
                                  bool with_elements) {
  return as_operand(to_device(as_tensor(host), memory, with_elements));
}

void stager::to_host(detail::operand const& on_device, device_memory const& memory,
                     detail::operand const& host) {
  to_host(as_tensor(on_device), memory, as_tensor(host));
}

}  // namespace xpose::tools
