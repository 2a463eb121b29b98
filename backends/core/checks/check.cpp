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

namespace xpose {
inline namespace v0 {
namespace detail {
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

/// A matrix as its memory: what an operand or a tensor is if its batch has one matrix.
struct plain_matrix {
  plain_matrix(operand const& o)
      : first(static_cast<char const*>(o.data)),
        // One sign for four comparisons: with wrapped_product, a gemm's checks take 117
        // instructions, not 141 (Emerald Rapids, 2026-11-29).
        is_plain(o.batch == 1 && (o.row_stride | o.col_stride | (o.rows - 1) | (o.cols - 1)) >= 0 &&
                 is_aligned(o.alignment)),
        row_stride(o.row_stride),
        col_stride(o.col_stride),
        row_reach(wrapped_product(o.rows - 1, o.row_stride)),
        col_reach(wrapped_product(o.cols - 1, o.col_stride)),
        bytes(o.bytes_per_element) {}

  /// Of no elements it can overflow, and is not used then.
  static index wrapped_product(index x, index y) {
    return static_cast<index>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
  }

  bool is_aligned(int alignment) const {
    return (reinterpret_cast<std::uintptr_t>(first) &
            (static_cast<std::uintptr_t>(alignment) - 1)) == 0;
  }
  bool is_distinct() const {
    return (col_stride > 0 && row_stride > col_reach) || (row_stride > 0 && col_stride > row_reach);
  }
  char const* end() const { return first + (row_reach + col_reach + 1) * bytes; }

  char const* first;
  bool is_plain;
  index row_stride;
  index col_stride;
  index row_reach;
  index col_reach;
  index bytes;
};

/// Whether the rules for memory hold, where that is easily seen: single matrices whose rows, or
/// columns, lie one behind the other, and so do the matrices. The full arithmetic would be a third
/// of a 4x4x4 gemm.
template <class... Ins>
bool are_plainly_right(plain_matrix const& out, Ins const&... ins) {
  auto const is_apart = [&](plain_matrix const& in) {
    return in.is_plain && (in.end() <= out.first || out.end() <= in.first);
  };
  return out.is_plain && out.is_distinct() && (is_apart(ins) && ...);
}

/// A batch of matrices, as as_tensor() took it.
operand matrix_of(tensor_operand const& t) {
  dimension const* const d = t.dimensions;
  return {t.data,      d[0].extent,         d[1].extent, d[2].extent, d[0].stride, d[1].stride,
          d[2].stride, t.bytes_per_element, t.alignment, t.type,      t.conjugated};
}

/// Apart, so that what is plainly right needs none of its registers.
template <class Request>
[[gnu::noinline]] void check_memory_in_full(Request const& r, bool may_be_in) {
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

/// The rules of C = f(A, B) but those for extents.
template <class Request>
void check_memory(Request const& r, bool may_be_in) {
  if (!are_plainly_right(r.c, plain_matrix(r.a), plain_matrix(r.b)))
    check_memory_in_full(r, may_be_in);
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
  if (r.out.is_batch && r.in.data != nullptr &&
      are_plainly_right(matrix_of(r.out), plain_matrix(matrix_of(r.in))))
    return;
  check_alignment(op, "in", r.in);
  check_alignment(op, "out", r.out);
  check_distinct(op, "out", r.out);
  check_apart(op, "out", r.out, "in", r.in);
}

/// The first rule for extents that does not hold; one does not.
[[gnu::cold, noreturn]] static void refuse_extents(gemm_request const& r) {
  if (r.a.cols != r.b.rows)
    refuse<shape_error>("gemm: A is ", extents(r.a), " and B is ", extents(r.b), ": A's columns (",
                        r.a.cols, ") must equal B's rows (", r.b.rows, ")");
  if (r.c.rows != r.a.rows || r.c.cols != r.b.cols)
    refuse<shape_error>("gemm: C is ", extents(r.c), ", expected ", r.a.rows, 'x', r.b.cols,
                        " for A ", extents(r.a), " and B ", extents(r.b));
  refuse<shape_error>("gemm: A is ", extents(r.a), ", B is ", extents(r.b), " and C is ",
                      extents(r.c), ": batches must have the same count");
}

void check(gemm_request const& r) {
  if (r.a.cols != r.b.rows || r.c.rows != r.a.rows || r.c.cols != r.b.cols ||
      r.a.batch != r.c.batch || r.b.batch != r.c.batch)
    refuse_extents(r);
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

}  // namespace detail
}  // namespace v0
}  // namespace xpose
