// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "npy/native_array.hpp"

#include <algorithm>
#include <cstring>

namespace xpose::tools {
namespace {

bool is_complex(detail::element_type type) {
  return type == detail::element_type::complex_f32 || type == detail::element_type::complex_f64;
}

}  // namespace

int bytes_of_number(detail::element_type type, index bytes_per_element) {
  return static_cast<int>(is_complex(type) ? bytes_per_element / 2 : bytes_per_element);
}

void swap_bytes(void* data, index elements, index bytes_per_element, bool complex) {
  index const bytes = complex ? bytes_per_element / 2 : bytes_per_element;
  index const numbers = complex ? elements * 2 : elements;
  auto* number = static_cast<char*>(data);
  for (index i = 0; i < numbers; ++i, number += bytes) std::reverse(number, number + bytes);
}

detail::operand describe_output(void* data, npy_header const& header, detail::element_type type) {
  detail::operand o = describe(data, header);
  o.type = type;
  o.alignment = bytes_of_number(type, header.bytes_per_element);
  return o;
}

native_array::native_array(npy_input const& file, detail::element_type type)
    : operand_(describe_output(const_cast<void*>(file.data()), file.header(), type)) {
  npy_header const& header = file.header();
  bool const is_swapped = header.is_big_endian && header.bytes_per_element > 1;
  // NumPy aligns the data to 64 bytes; other writers need not.
  bool const is_aligned = reinterpret_cast<std::uintptr_t>(file.data()) %
                              static_cast<std::uintptr_t>(operand_.alignment) ==
                          0;
  if (!is_swapped && is_aligned) return;
  auto const bytes = static_cast<std::size_t>(header.elements * header.bytes_per_element);
  copy_.reset(new std::uint64_t[(bytes + 7) / 8]);
  std::memcpy(copy_.get(), file.data(), bytes);
  if (is_swapped)
    swap_bytes(copy_.get(), header.elements, header.bytes_per_element, is_complex(type));
  operand_.data = copy_.get();
}

}  // namespace xpose::tools
