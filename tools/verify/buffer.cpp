// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace xpose::tools {
namespace {

/// Never constant, so that a wrong element is not mistaken for poison that was left alone.
unsigned char poison(std::size_t at) {
  return static_cast<unsigned char>(0xa5 ^ (at * 29 + (at >> 8) * 7));
}

}  // namespace

index draw(random_numbers& numbers, index first, index last) {
  // Not std::uniform_int_distribution, whose numbers differ from one standard library to the next.
  return first + static_cast<index>(numbers() % static_cast<std::uint64_t>(last - first + 1));
}

index draw_extent(random_numbers& numbers) {
  index const kind = draw(numbers, 0, 19);
  if (kind == 0) return draw(numbers, 0, 1);
  if (kind < 8) return draw(numbers, 1, 20);
  if (kind < 12) return draw(numbers, 30, 34);
  if (kind < 16) return draw(numbers, 62, 67);
  if (kind < 19) return draw(numbers, 68, 140);
  return draw(numbers, 250, 300);
}

verify_buffer::verify_buffer(random_numbers& numbers, index batch, index rows, index cols,
                             int bytes_per_element, int alignment, detail::element_type type,
                             buffer_layout layout)
    : shape_{nullptr, batch, rows, cols, 0, 0, 0, bytes_per_element, alignment, type, false} {
  bool const is_row_major = draw(numbers, 0, 1) == 0;
  bool const is_packed = layout == buffer_layout::packed;
  index const step = !is_packed && draw(numbers, 0, 7) == 0 ? draw(numbers, 2, 3) : 1;
  index const line = std::max<index>(1, is_row_major ? cols : rows);
  index const lines = std::max<index>(1, is_row_major ? rows : cols);
  index const ld = line * step + (is_packed || draw(numbers, 0, 1) == 0 ? 0 : draw(numbers, 1, 9));
  index const distance = lines * ld + (draw(numbers, 0, 1) == 0 ? 0 : draw(numbers, 1, 7));
  (is_row_major ? shape_.col_stride : shape_.row_stride) = step;
  (is_row_major ? shape_.row_stride : shape_.col_stride) = ld;
  shape_.batch_stride = distance;

  index const before = draw(numbers, 0, 16);
  index first = before;
  for (auto const& [extent, stride] :
       {std::pair<index, index*>{rows, &shape_.row_stride}, {cols, &shape_.col_stride}}) {
    if (is_packed || draw(numbers, 0, 11) != 0 || extent == 0) continue;
    first += (extent - 1) * *stride;
    *stride = -*stride;
  }
  index const elements = before + std::max<index>(1, batch) * distance + draw(numbers, 1, 16);
  // A type of alignment 1 may lie at any byte.
  index const shift = alignment == 1 ? draw(numbers, 0, 15) : 0;
  offset_ = first * bytes_per_element + shift;
  auto const bytes = static_cast<std::size_t>(elements * bytes_per_element + shift);
  blocks_.resize((bytes + sizeof(block) - 1) / sizeof(block));
  for (std::size_t at = 0; at < size(); ++at) data()[at] = poison(at);
}

detail::operand verify_buffer::on_host() const {
  detail::operand o = shape_;
  o.data = data() + offset_;
  return o;
}

bool verify_buffer::has_bytes_of(verify_buffer const& other) const {
  return size() == other.size() && std::memcmp(data(), other.data(), size()) == 0;
}

bool verify_buffer::is_poison_around() {
  std::vector<char> is_inside(size(), 0);
  for_each([&](unsigned char const* element) {
    std::fill_n(is_inside.begin() + (element - data()), shape_.bytes_per_element, char{1});
  });
  for (std::size_t at = 0; at < size(); ++at)
    if (!is_inside[at] && data()[at] != poison(at)) return false;
  return true;
}

detail::operand verify_buffer::to_device(device_memory& memory) const {
  memory = device_memory(static_cast<index>(size()));
  memory.copy_from_host(0, data(), static_cast<index>(size()));
  detail::operand o = shape_;
  o.data = memory.data() + offset_;
  return o;
}

void verify_buffer::from_device(device_memory const& memory) {
  memory.copy_to_host(data(), 0, static_cast<index>(size()));
}

}  // namespace xpose::tools
