// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/operations.hpp"

#include <string_view>

namespace xpose::tools {

matrices draw_matrices(random_numbers& numbers) {
  index const rows = draw_extent(numbers);
  index const cols = draw_extent(numbers);
  bool const is_batch = rows * cols < 10000 && draw(numbers, 0, 2) == 0;
  return {is_batch ? draw(numbers, 0, 5) : 1, rows, cols};
}

element_row draw_bytes_type(random_numbers& numbers, int bytes) {
  element_row type{};
  // The largest alignment a type of this size has, or none.
  int const natural = bytes & -bytes;
  type.bytes = bytes;
  type.alignment = draw(numbers, 0, 1) == 0 || natural > 16 ? 1 : natural;
  return type;
}

void fill_with_bits(random_numbers& numbers, verify_buffer& buffer, int bytes) {
  buffer.for_each([&](unsigned char* element) {
    for (int b = 0; b < bytes; ++b) element[b] = static_cast<unsigned char>(numbers());
  });
}

std::string text_of_size(int bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

void row_counter::add(detail::explanation_text const& ran, bool is_match) {
  backends_.insert(ran.backend);
  if (std::string_view(ran.kernel) != "none") kernels_.insert(ran.kernel);
  ++cases_;
  if (!is_match) ++mismatches_;
}

verify_row row_counter::row() const {
  auto const joined = [](std::set<std::string> const& names) {
    std::string text;
    for (auto const& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  };
  return {operation_, type_, criterion_, joined(backends_), joined(kernels_), cases_, mismatches_};
}

}  // namespace xpose::tools
