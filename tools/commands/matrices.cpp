// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/matrices.hpp"

#include "terminal/failure.hpp"

#include <utility>

namespace xpose::tools {

void check_matrices(npy_input const& in, char const* operation) {
  std::size_t const dimensions = in.header().shape.size();
  if (dimensions != 2 && dimensions != 3)
    throw failure(in.path(), "shape ", shape_text(in.header().shape), " has ", dimensions,
                  dimensions == 1 ? " dimension" : " dimensions", "; ", operation,
                  " takes matrices (2) and batches of matrices (3)");
}

detail::operand op(detail::operand o, bool is_transposed, bool is_conjugated) {
  if (is_transposed) {
    std::swap(o.rows, o.cols);
    std::swap(o.row_stride, o.col_stride);
  }
  o.conjugated = is_conjugated;
  return o;
}

std::string text_of_options(product_arguments const& o) {
  std::string text = text_of("alpha ", o.alpha.empty() ? "1" : o.alpha, ", beta ",
                             o.beta.empty() ? "not given" : o.beta);
  if (o.transpose_a) text += ", A transposed";
  if (o.conjugate_a) text += ", A conjugated";
  if (o.transpose_b) text += ", B transposed";
  if (o.conjugate_b) text += ", B conjugated";
  return text;
}

void broadcast(detail::operand& o, index batch) {
  if (o.batch != 1) return;
  o.batch = batch;
  o.batch_stride = 0;
}

npy_header header_of_result(detail::operand const& a, detail::operand const& b, index cols,
                            bool is_batch, named_type const& type) {
  npy_header header;
  header.descr = type.descr;
  header.kind = type.kind;
  header.bytes_per_element = type.bytes;
  header.shape = {a.rows, cols};
  if (is_batch) header.shape.insert(header.shape.begin(), a.batch == 1 ? b.batch : a.batch);
  return header;
}

}  // namespace xpose::tools
