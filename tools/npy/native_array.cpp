// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "npy/native_array.hpp"

#include <algorithm>
#include <cstring>

namespace xpose::tools {
namespace {

bool is_swapped(npy_header const& header) {
  return header.is_big_endian && header.bytes_per_element > 1;
}

bool is_complex(detail::element_type type) {
  return type == detail::element_type::complex_f32 || type == detail::element_type::complex_f64;
}

}  // namespace

void swap_bytes(void* data, index elements, index bytes_per_element, bool complex) {
  index const bytes = complex ? bytes_per_element / 2 : bytes_per_element;
  index const numbers = complex ? elements * 2 : elements;
  auto* number = static_cast<char*>(data);
  for (index i = 0; i < numbers; ++i, number += bytes) std::reverse(number, number + bytes);
}

detail::tensor_operand describe_typed(void const* data, npy_header const& header,
                                      detail::element_type type) {
  detail::tensor_operand o = describe_tensor(data, header);
  o.type = type;
  o.alignment = is_complex(type) ? o.bytes_per_element / 2 : o.bytes_per_element;
  return o;
}

detail::operand describe_matrices(void const* data, npy_header const& header,
                                  detail::element_type type) {
  detail::operand o = describe(data, header);
  o.type = type;
  o.alignment = is_complex(type) ? o.bytes_per_element / 2 : o.bytes_per_element;
  return o;
}

detail::operand native_array::operand() const {
  return describe_matrices(tensor_.data, header_, tensor_.type);
}

bool needs_copy(npy_input const& file, detail::element_type type) {
  auto const alignment =
      static_cast<std::uintptr_t>(describe_typed(file.data(), file.header(), type).alignment);
  // NumPy aligns the data to 64 bytes; other writers need not.
  bool const is_aligned = reinterpret_cast<std::uintptr_t>(file.data()) % alignment == 0;
  return is_swapped(file.header()) || !is_aligned;
}

native_array::native_array(npy_input const& file, detail::element_type type)
    : header_(file.header()), tensor_(describe_typed(file.data(), file.header(), type)) {
  if (!needs_copy(file, type)) return;
  auto const bytes = static_cast<std::size_t>(header_.elements * header_.bytes_per_element);
  copy_.reset(new std::uint64_t[(bytes + 7) / 8]);
  std::memcpy(copy_.get(), file.data(), bytes);
  if (is_swapped(header_))
    swap_bytes(copy_.get(), header_.elements, header_.bytes_per_element, is_complex(type));
  tensor_.data = copy_.get();
}

}  // namespace xpose::tools
