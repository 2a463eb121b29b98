// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "npy/npy.hpp"

#include "files/resumable_file.hpp"
#include "operands/panels.hpp"
#include "terminal/failure.hpp"

#include <algorithm>
#include <cstring>

namespace xpose::tools {
namespace {

std::size_t bytes_of_file(std::string const& path, npy_header const& header,
                          std::size_t bytes_of_header) {
  std::vector<index> const& shape = header.shape;
  // Without elements the other extents may be any.
  if (std::find(shape.begin(), shape.end(), index{0}) != shape.end()) return bytes_of_header;
  index bytes = header.bytes_per_element;
  bool fits = true;
  for (index const extent : shape) fits = fits && !__builtin_mul_overflow(bytes, extent, &bytes);
  if (!fits || __builtin_add_overflow(bytes, static_cast<index>(bytes_of_header), &bytes))
    throw failure(path, "shape ", shape_text(header.shape), " of ", header.bytes_per_element,
                  "-byte elements does not fit 64 bits");
  return static_cast<std::size_t>(bytes);
}

}  // namespace

npy_input::npy_input(std::string const& path)
    : file_(path), header_(read_npy_header(file_.path(), file_.bytes())) {}

npy_output::npy_output(std::string const& path, npy_header const& header,
                       run_identity const& identity) {
  std::string const before_data = npy_header_bytes(header);
  bytes_before_data_ = before_data.size();
  std::size_t const bytes = bytes_of_file(path, header, bytes_before_data_);
  if (identity.lines.empty()) file_ = std::make_unique<output_file>(path, bytes);
  else file_ = std::make_unique<resumable_file>(path, bytes, identity);
  std::memcpy(file_->data(), before_data.data(), bytes_before_data_);
}

void check_size(std::string const& path, npy_header const& header) {
  bytes_of_file(path, header, 0);
}

detail::tensor_operand describe_tensor(void const* data, npy_header const& header) {
  detail::tensor_operand o{};
  o.data = data;
  o.count = std::max(1, static_cast<int>(header.shape.size()));
  o.bytes_per_element = static_cast<int>(header.bytes_per_element);
  o.alignment = 1;
  o.type = detail::element_type::other;
  o.dimensions[0] = {1, 1};
  auto const count = static_cast<int>(header.shape.size());
  index stride = 1;
  for (int step = 0; step < count; ++step) {
    int const d = header.is_fortran_order ? step : count - 1 - step;
    index const extent = header.shape[static_cast<std::size_t>(d)];
    o.dimensions[d] = {extent, stride};
    // Only an array without elements overflows here, and its strides are never used.
    if (__builtin_mul_overflow(stride, extent, &stride)) stride = 0;
  }
  return o;
}

detail::operand describe(void const* data, npy_header const& header) {
  detail::tensor_operand o = describe_tensor(data, header);
  if (o.count == 2) {
    o.dimensions[2] = o.dimensions[1];
    o.dimensions[1] = o.dimensions[0];
    o.dimensions[0] = {1, 0};
  }
  return as_operand(o);
}

}  // namespace xpose::tools
