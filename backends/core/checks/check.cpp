// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/core/checks/check.hpp>

#include <xpose/backends/core/checks/overlap.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>
#include <xpose/layer_epilogue.hpp>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string_view>

namespace xpose::detail {
namespace {

/// Of more than one element; the stride in bytes, not negative.
struct byte_dimension {
  index extent;
  index stride;
  index reach() const { return (extent - 1) * stride; }
};

/// Two elements share an address where i * a = j * b, i < x.extent, j < y.extent; the first such
/// pair is i = b / gcd(a, b), j = a / gcd(a, b). A stride beyond the other's reach decides without
/// divisions, which would be a third of a small gemm's checks.
bool pair_is_distinct(byte_dimension const& x, byte_dimension const& y) {
  if (x.stride == 0 || y.stride == 0) return false;
  if (x.stride > y.reach() || y.stride > x.reach()) return true;
  index const divisor = std::gcd(x.stride, y.stride);
  return y.stride / divisor >= x.extent || x.stride / divisor >= y.extent;
}

/// Whether no two elements share an address. Exact if at most two dimensions have more than one
/// element. With more, one dimension after the other is removed:
///     the largest stride,  if it exceeds the span of all others together, or
///     the smallest stride, if its span is below the gcd of the other strides;
/// the last two are decided exactly. If neither can be removed the answer is false, although some
/// such layouts are distinct.
bool has_distinct_elements(tensor_operand const& o) {
  if (is_empty(o)) return true;
  byte_dimension all[tensor_operand::max_rank];
  byte_dimension* first = all;
  byte_dimension* last = all;
  for (int d = 0; d < o.count; ++d) {
    auto const [extent, stride] = o.dimensions[d];
    if (extent > 1) *last++ = {extent, std::abs(stride) * o.bytes_per_element};
  }
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
  if (last - first < 2) return first == last || first->stride != 0;
  return pair_is_distinct(first[0], first[1]);
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

/// Whether element for element x and y are the same memory.
bool is_same_place(tensor_operand const& x, tensor_operand const& y) {
  auto const same_step = [](dimension const& a, dimension const& b) {
    return a.extent == b.extent && (a.extent <= 1 || a.stride == b.stride);
  };
  return x.data == y.data && x.bytes_per_element == y.bytes_per_element &&
         std::equal(x.dimensions, x.dimensions + x.count, y.dimensions, same_step);
}

/// With may_be_in, out may also be `in` itself, element for element.
void check_apart(char const* op, char const* out_name, tensor_operand const& out,
                 char const* in_name, tensor_operand const& in, bool may_be_in = false) {
  if (may_be_in && is_same_place(in, out)) return;
  overlap const found = overlap_of(out, in);
  if (found == overlap::none) return;
  auto const range = [](tensor_operand const& o) {
    byte_range const bytes = range_of(o);
    return message("[0x", std::hex, bytes.begin, ", 0x", bytes.end(), ")");
  };
  char const* const what =
      found == overlap::some ? " overlaps " : " could not be shown to be apart from ";
  std::string const rule =
      may_be_in ? message(out_name, " must be ", in_name, " itself or") : "the output must";
  bool const is_transpose = op == std::string_view("transpose");
  char const* const in_place =
      is_transpose && out.data == in.data ? "; within one memory, call transpose_inplace" : "";
  refuse<alias_error>(op, ": ", out_name, ' ', range(out), what, in_name, ' ', range(in), "; ",
                      rule, " have memory of its own", in_place);
}

/// One matrix with elements, of strides that are not negative: the bytes from its first element.
bool is_plain(operand const& o) {
  auto const bits_below = static_cast<std::uintptr_t>(o.alignment) - 1;
  return o.batch == 1 && o.rows > 0 && o.cols > 0 && o.row_stride >= 0 && o.col_stride >= 0 &&
         (reinterpret_cast<std::uintptr_t>(o.data) & bits_below) == 0;
}
index reach_of_rows(operand const& o) { return (o.rows - 1) * o.row_stride; }
index reach_of_cols(operand const& o) { return (o.cols - 1) * o.col_stride; }
char const* end_of_plain(operand const& o) {
  return static_cast<char const*>(o.data) +
         (reach_of_rows(o) + reach_of_cols(o) + 1) * o.bytes_per_element;
}

/// Whether the rules for memory hold, where that is easily seen: rows, or columns, one behind the
/// other, and matrices too. Their full arithmetic would be a third of a 4x4x4 gemm.
template <class Request>
bool is_plainly_right(Request const& r) {
  if (!is_plain(r.a) || !is_plain(r.b) || !is_plain(r.c)) return false;
  bool const is_distinct = (r.c.col_stride > 0 && r.c.row_stride > reach_of_cols(r.c)) ||
                           (r.c.row_stride > 0 && r.c.col_stride > reach_of_rows(r.c));
  auto const is_apart = [&](operand const& o) {
    return end_of_plain(o) <= r.c.data || end_of_plain(r.c) <= o.data;
  };
  return is_distinct && is_apart(r.a) && is_apart(r.b);
}

/// The rules of C = f(A, B) but those for extents.
template <class Request>
void check_memory(Request const& r, bool may_be_in) {
  if (is_plainly_right(r)) return;
  char const* const op = name_of(r.op);
  tensor_operand const a = as_tensor(r.a);
  tensor_operand const b = as_tensor(r.b);
  tensor_operand const c = as_tensor(r.c);
  check_alignment(op, "A", a);
  check_alignment(op, "B", b);
  check_alignment(op, "C", c);
  check_distinct(op, "C", c);
  check_apart(op, "C", c, "A", a, may_be_in);
  check_apart(op, "C", c, "B", b, may_be_in);
}

/// An operand of a layer_epilogue, if there is one.
void check_layer_operand(operand const& c, char const* name, operand const& o) {
  if (o.data == nullptr) return;
  if ((o.rows != 1 && o.rows != c.rows) || (o.cols != 1 && o.cols != c.cols))
    refuse<shape_error>("gemm: ", name, " is ", o.rows, 'x', o.cols, ", expected 1 or ", c.rows,
                        " rows and 1 or ", c.cols, " columns, for C ", extents(c));
  check_alignment("gemm", name, as_tensor(o));
  check_apart("gemm", "C", as_tensor(c), name, as_tensor(o));
}

}  // namespace

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
  check_memory(r, false);
  if (r.layer != nullptr) {
    check_layer_operand(r.c, "scale", r.layer->scale);
    check_layer_operand(r.c, "bias", r.layer->bias);
  }
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
  check_memory(r, true);
}

void refuse_types(operation op) {
  refuse<backend_error>(name_of(op), ": these element types are not compiled into xpose");
}

}  // namespace xpose::detail
