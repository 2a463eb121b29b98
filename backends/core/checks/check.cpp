// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/core/checks/check.hpp>

#include <xpose/backends/core/checks/overlap.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

namespace xpose::detail {
namespace {

/// Stride in bytes, not negative; 0 for extent 1.
struct byte_dimension {
  index extent;
  index stride;
  index reach() const { return (extent - 1) * stride; }
};

using byte_dimension_array = std::array<byte_dimension, tensor_operand::max_rank>;

/// {1, 0} for dimensions that the operand does not have.
byte_dimension_array byte_dimensions(tensor_operand const& o) {
  byte_dimension_array all;
  all.fill({1, 0});
  for (int d = 0; d < o.count; ++d) {
    auto const [extent, stride] = o.dimensions[d];
    all[static_cast<std::size_t>(d)] = {
        extent, extent > 1 ? std::abs(stride) * o.bytes_per_element : index{0}};
  }
  return all;
}

/// Two elements share an address where i * a = j * b, i < x.extent, j < y.extent; the first such
/// pair is i = b / gcd(a, b), j = a / gcd(a, b). A stride beyond the other's reach decides without
/// divisions, which would be a third of a small gemm's checks.
bool pair_is_distinct(byte_dimension const& x, byte_dimension const& y) {
  if (x.extent <= 1) return y.extent <= 1 || y.stride != 0;
  if (y.extent <= 1) return x.stride != 0;
  if (x.stride == 0 || y.stride == 0) return false;
  if (x.stride > y.reach() || y.stride > x.reach()) return true;
  index const divisor = std::gcd(x.stride, y.stride);
  return y.stride / divisor >= x.extent || x.stride / divisor >= y.extent;
}

void check_alignment(char const* op, char const* name, tensor_operand const& o) {
  auto const bits_below = static_cast<std::uintptr_t>(o.alignment) - 1;  // of a power of two
  if (!is_empty(o) && (reinterpret_cast<std::uintptr_t>(o.data) & bits_below) != 0)
    refuse<layout_error>(op, ": ", name, " at ", o.data, " is not aligned to its element type (",
                         o.alignment, " bytes)");
}

void check_distinct(char const* op, char const* name, tensor_operand const& o) {
  if (has_distinct_elements(o)) return;
  refuse<layout_error>(op, ": ", name, " is ", extents(o), " with ", strides(o),
                       ": some elements share an address, and an output's must be distinct");
}

void check_apart(char const* op, char const* out_name, tensor_operand const& out,
                 char const* in_name, tensor_operand const& in,
                 char const* rule = "the output must have memory of its own") {
  overlap const found = overlap_of(out, in);
  if (found == overlap::none) return;
  auto const range = [](tensor_operand const& o) {
    byte_range const bytes = range_of(o);
    return message("[0x", std::hex, bytes.begin, ", 0x", bytes.end(), ")");
  };
  char const* const what =
      found == overlap::some ? " overlaps " : " could not be shown to be apart from ";
  refuse<alias_error>(op, ": ", out_name, ' ', range(out), what, in_name, ' ', range(in), "; ",
                      rule);
}

/// Whether element for element x and y are the same memory.
bool is_same_place(tensor_operand const& x, tensor_operand const& y) {
  auto const same_step = [](dimension const& a, dimension const& b) {
    return a.extent == b.extent && (a.extent <= 1 || a.stride == b.stride);
  };
  return x.data == y.data && x.bytes_per_element == y.bytes_per_element &&
         std::equal(x.dimensions, x.dimensions + x.count, y.dimensions, same_step);
}

}  // namespace

bool has_distinct_elements(tensor_operand const& o) {
  if (is_empty(o)) return true;
  byte_dimension_array all = byte_dimensions(o);
  byte_dimension* first = all.data();
  byte_dimension* last =
      std::remove_if(first, first + o.count, [](byte_dimension s) { return s.extent <= 1; });
  auto const by_stride = [](byte_dimension a, byte_dimension b) { return a.stride < b.stride; };
  while (last - first > 2) {
    std::iter_swap(last - 1, std::max_element(first, last, by_stride));
    std::iter_swap(first, std::min_element(first, last - 1, by_stride));
    if (first->stride == 0) return false;
    index inner_reach = 0;
    for (byte_dimension const* s = first; s != last - 1; ++s) inner_reach += s->reach();
    index outer_divisor = 0;
    for (byte_dimension const* s = first + 1; s != last; ++s)
      outer_divisor = std::gcd(outer_divisor, s->stride);
    if ((last - 1)->stride > inner_reach) --last;
    else if (outer_divisor > first->reach()) ++first;
    else return false;
  }
  byte_dimension const none{1, 0};
  return pair_is_distinct(last - first > 0 ? first[0] : none, last - first > 1 ? first[1] : none);
}

tensor_operand permuted(tensor_operand const& o, int const* permutation) {
  tensor_operand permuted_operand = o;
  bool is_taken[tensor_operand::max_rank] = {};
  for (int d = 0; d < o.count; ++d) {
    int const from = permutation[d];
    if (from < 0 || from >= o.count || is_taken[from]) {
      std::string numbers;
      for (int e = 0; e < o.count; ++e) numbers += message(e == 0 ? "" : ", ", permutation[e]);
      refuse<shape_error>("permute: (", numbers, ") is no permutation of ", o.count,
                          o.count == 1 ? " dimension" : " dimensions");
    }
    is_taken[from] = true;
    permuted_operand.dimensions[d] = o.dimensions[from];
  }
  return permuted_operand;
}

void check(copy_request const& r) {
  char const* const op = name_of(r.op);
  auto const same_extent = [](dimension const& a, dimension const& b) {
    return a.extent == b.extent;
  };
  if (!std::equal(r.in.dimensions, r.in.dimensions + r.in.count, r.out.dimensions, same_extent))
    refuse<shape_error>(op, ": out is ", extents(r.out), ", expected ", extents(r.in));
  check_alignment(op, "in", r.in);
  check_alignment(op, "out", r.out);
  check_distinct(op, "out", r.out);
  check_apart(op, "out", r.out, "in", r.in);
}

void check(gemm_request const& r) {
  if (r.a.cols != r.b.rows)
    refuse<shape_error>("gemm: A is ", extents(r.a), " and B is ", extents(r.b), ": A's columns (",
                        r.a.cols, ") must equal B's rows (", r.b.rows, ")");
  if (r.c.rows != r.a.rows || r.c.cols != r.b.cols)
    refuse<shape_error>("gemm: C is ", extents(r.c), ", expected ", r.a.rows, 'x', r.b.cols,
                        " for A ", extents(r.a), " and B ", extents(r.b));
  if (r.a.batch != r.c.batch || r.b.batch != r.c.batch)
    refuse<shape_error>("gemm: A is ", extents(r.a), ", B is ", extents(r.b), " and C is ",
                        extents(r.c), ": batches must have the same count");
  tensor_operand const a = as_tensor(r.a);
  tensor_operand const b = as_tensor(r.b);
  tensor_operand const c = as_tensor(r.c);
  check_alignment("gemm", "A", a);
  check_alignment("gemm", "B", b);
  check_alignment("gemm", "C", c);
  check_distinct("gemm", "C", c);
  check_apart("gemm", "C", c, "A", a);
  check_apart("gemm", "C", c, "B", b);
}

void check(inplace_request const& r) {
  operand const& o = r.view;
  tensor_operand const view = as_tensor(o);
  check_alignment("transpose_inplace", "view", view);
  if (!moves_nothing(o) && o.rows != o.cols &&
      !is_packed_row_major(o.cols, o.row_stride, o.col_stride) &&
      !is_packed_col_major(o.rows, o.row_stride, o.col_stride))
    refuse<layout_error>("transpose_inplace: view is ", extents(view), " with ", strides(view),
                         ": a matrix that is not square must be packed, with strides ", o.cols,
                         ", 1 or 1, ", o.rows);
  check_distinct("transpose_inplace", "view", view);
}

void check(add_request const& r) {
  auto const has_extents_of_c = [&r](operand const& o) {
    return o.batch == r.c.batch && o.rows == r.c.rows && o.cols == r.c.cols;
  };
  if (!has_extents_of_c(r.a) || !has_extents_of_c(r.b))
    refuse<shape_error>("add: A is ", extents(r.a), ", B is ", extents(r.b), " and C is ",
                        extents(r.c), ": all three must have the same extents");
  tensor_operand const a = as_tensor(r.a);
  tensor_operand const b = as_tensor(r.b);
  tensor_operand const c = as_tensor(r.c);
  check_alignment("add", "A", a);
  check_alignment("add", "B", b);
  check_alignment("add", "C", c);
  check_distinct("add", "C", c);
  if (!is_same_place(a, c))
    check_apart("add", "C", c, "A", a, "C must be A itself or have memory of its own");
  if (!is_same_place(b, c))
    check_apart("add", "C", c, "B", b, "C must be B itself or have memory of its own");
}

void refuse_types(operation op) {
  refuse<backend_error>(name_of(op), ": these element types are not compiled into xpose");
}

}  // namespace xpose::detail
