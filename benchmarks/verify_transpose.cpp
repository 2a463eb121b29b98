// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "element_size.hpp"
#include "verify.hpp"

#include <xpose/xpose.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace xpose::bench {
namespace {

constexpr std::size_t largest_on_host = std::size_t{64} << 20;
constexpr index tile = 256;

/// A row-major matrix of elements of any size, as bytes.
struct stored_matrix {
  unsigned char const* data;
  index ld;
  index bytes_per_element;

  unsigned char const* at(index i, index j) const {
    return data + (i * ld + j) * bytes_per_element;
  }
};

/// The reference's answer for one tile of one matrix, packed.
void reference_tile(stored_matrix const& in, bool is_copy, index first_row, index first_col,
                    index rows, index cols, unsigned char* expected) {
  with_size(static_cast<std::size_t>(in.bytes_per_element), [&](auto size) {
    using element = bytes_of<decltype(size)::value>;
    // The tile of out starts at (first_row, first_col).
    auto const* const from = reinterpret_cast<element const*>(
        is_copy ? in.at(first_row, first_col) : in.at(first_col, first_row));
    matrix_view<element> const to(reinterpret_cast<element*>(expected), rows, cols);
    if (is_copy) copy(seq, matrix_view<element const>(from, rows, cols, row_major, in.ld), to);
    else transpose(seq, matrix_view<element const>(from, cols, rows, row_major, in.ld), to);
  });
}

std::string element_differs(index matrix, index i, index j) {
  return "out(" + std::to_string(i) + ", " + std::to_string(j) + ")" +
         (matrix > 0 ? " of matrix " + std::to_string(matrix) : "") + " differs from the reference";
}

bool is_poison(unsigned char const* bytes, std::size_t count) {
  return std::all_of(bytes, bytes + count, [](unsigned char b) { return b == poison; });
}

std::string compare_on_host(transpose_case const& what, bool is_copy, unsigned char const* in,
                            unsigned char const* out) {
  auto const bytes = static_cast<index>(what.type.bytes);
  index const out_rows = is_copy ? what.rows : what.cols;
  index const out_cols = is_copy ? what.cols : what.rows;
  std::string wrong;
#pragma omp parallel
  {
    std::vector<unsigned char> expected(static_cast<std::size_t>(tile * tile * bytes));
    std::string found;
#pragma omp for collapse(2) schedule(dynamic)
    for (index matrix = 0; matrix < what.batch; ++matrix)
      for (index first_row = 0; first_row < out_rows; first_row += tile) {
        stored_matrix const from{in + matrix * what.in_batch_stride * bytes, what.in_ld, bytes};
        stored_matrix const to{out + matrix * what.out_batch_stride * bytes, what.out_ld, bytes};
        index const rows = std::min(tile, out_rows - first_row);
        for (index first_col = 0; first_col < out_cols && found.empty(); first_col += tile) {
          index const cols = std::min(tile, out_cols - first_col);
          reference_tile(from, is_copy, first_row, first_col, rows, cols, expected.data());
          for (index i = 0; i < rows && found.empty(); ++i)
            for (index j = 0; j < cols; ++j)
              if (std::memcmp(to.at(first_row + i, first_col + j),
                              expected.data() + (i * cols + j) * bytes, what.type.bytes) != 0) {
                found = element_differs(matrix, first_row + i, first_col + j);
                break;
              }
        }
        for (index i = first_row; i < first_row + rows && found.empty(); ++i)
          if (!is_poison(to.at(i, out_cols),
                         static_cast<std::size_t>((what.out_ld - out_cols) * bytes)))
            found = "memory behind row " + std::to_string(i) + " of out was written";
      }
    if (!found.empty())
#pragma omp critical
      wrong = found;
  }
  index const end = (what.batch - 1) * what.out_batch_stride + out_rows * what.out_ld;
  if (wrong.empty() && !is_poison(out + end * bytes, guard_bytes))
    wrong = "memory behind out was written";
  return wrong;
}

}  // namespace

verdict verify_transpose(place& where, transpose_case const& what, bool is_copy, void const* in,
                         void const* out) {
  index const out_rows = is_copy ? what.rows : what.cols;
  std::size_t const in_bytes =
      static_cast<std::size_t>(what.batch * what.rows * what.in_ld) * what.type.bytes;
  std::size_t const out_bytes =
      static_cast<std::size_t>(what.batch * out_rows * what.out_ld) * what.type.bytes;
  if (!where.is_device())
    return {compare_on_host(what, is_copy, static_cast<unsigned char const*>(in),
                            static_cast<unsigned char const*>(out)),
            "reference"};
  if (out_bytes <= largest_on_host) {
    std::vector<unsigned char> in_host(in_bytes);
    std::vector<unsigned char> out_host(out_bytes + guard_bytes);
    where.copy_to_host(in_host.data(), in, in_host.size());
    where.copy_to_host(out_host.data(), out, out_host.size());
    return {compare_on_host(what, is_copy, in_host.data(), out_host.data()), "reference"};
  }
  index const wrong = device::count_mismatches(what, is_copy, in, out, where.stream());
  return {wrong == 0 ? "" : std::to_string(wrong) + " elements of out differ",
          "definition on the device"};
}

}  // namespace xpose::bench
