// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/check.hpp>

#include <xpose/backends/message.hpp>
#include <xpose/error.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Extent and stride in bytes, both positive; dimensions of one element have stride 0.
struct stretch {
  index extent;
  index stride;
  index reach() const { return (extent - 1) * stride; }
};

std::array<stretch, 3> stretches(operand const& o) {
  auto const make = [&o](index extent, index stride) {
    return stretch{extent, extent > 1 ? std::abs(stride) * o.bytes_per_element : index{0}};
  };
  return {make(o.batch, o.batch_stride), make(o.rows, o.row_stride), make(o.cols, o.col_stride)};
}

std::uint64_t lowest_address(operand const& o) {
  auto const back = [](index extent, index stride) {
    return stride < 0 ? (extent - 1) * stride : index{0};
  };
  index const offset =
      back(o.batch, o.batch_stride) + back(o.rows, o.row_stride) + back(o.cols, o.col_stride);
  return reinterpret_cast<std::uintptr_t>(o.data) +
         static_cast<std::uint64_t>(offset * o.bytes_per_element);
}

index bytes_spanned(operand const& o) {
  index bytes = o.bytes_per_element;
  for (stretch const& s : stretches(o)) bytes += s.reach();
  return bytes;
}

/// Two strides a and b meet where i * a = j * b for some i < rows, j < cols: first at i = b / gcd,
/// j = a / gcd.
bool pair_is_distinct(stretch const& x, stretch const& y) {
  if (x.extent <= 1) return y.extent <= 1 || y.stride != 0;
  if (y.extent <= 1) return x.stride != 0;
  if (x.stride == 0 || y.stride == 0) return false;
  index const divisor = std::gcd(x.stride, y.stride);
  return y.stride / divisor >= x.extent || x.stride / divisor >= y.extent;
}

/// Bytes that o covers modulo `modulus`, as an interval from its lowest address: strides that are
/// multiples vanish.
index width_modulo(operand const& o, index modulus) {
  index width = o.bytes_per_element;
  for (stretch const& s : stretches(o))
    if (s.stride % modulus != 0) width += s.reach();
  return width;
}

bool is_apart_modulo(operand const& x, operand const& y, index modulus) {
  std::uint64_t const difference = lowest_address(y) - lowest_address(x);
  // Unsigned wrap-around would spoil the remainder for a negative difference.
  index const ahead = static_cast<std::int64_t>(difference) % modulus;
  index const distance = ahead < 0 ? ahead + modulus : ahead;
  return distance >= width_modulo(x, modulus) && modulus - distance >= width_modulo(y, modulus);
}

void check_alignment(char const* op, char const* name, operand const& o) {
  if (!is_empty(o) &&
      reinterpret_cast<std::uintptr_t>(o.data) % static_cast<std::uintptr_t>(o.alignment) != 0)
    throw layout_error(message(op, ": ", name, " at ", o.data,
                               " is not aligned to its element type (", o.alignment, " bytes)")
                           .c_str());
}

void check_distinct(char const* op, char const* name, operand const& o) {
  if (has_distinct_elements(o)) return;
  throw layout_error(message(op, ": ", name, " is ", extents(o), " with row stride ", o.row_stride,
                             ", column stride ", o.col_stride,
                             o.batch > 1 ? message(", batch stride ", o.batch_stride) : "",
                             ": some elements share an address, and an output's must be distinct")
                         .c_str());
}

void check_apart(char const* op, char const* out_name, operand const& out, char const* in_name,
                 operand const& in) {
  if (!may_overlap(out, in)) return;
  auto const range = [](operand const& o) {
    return message("[0x", std::hex, lowest_address(o), ", 0x",
                   lowest_address(o) + static_cast<std::uint64_t>(bytes_spanned(o)), ")");
  };
  throw alias_error(message(op, ": ", out_name, ' ', range(out), " overlaps ", in_name, ' ',
                            range(in), "; the output must have memory of its own")
                        .c_str());
}

}  // namespace

bool has_distinct_elements(operand const& o) {
  if (is_empty(o)) return true;
  auto dims = stretches(o);
  if (dims[0].extent <= 1) return pair_is_distinct(dims[1], dims[2]);
  if (dims[1].extent <= 1) return pair_is_distinct(dims[0], dims[2]);
  if (dims[2].extent <= 1) return pair_is_distinct(dims[0], dims[1]);
  std::sort(dims.begin(), dims.end(),
            [](stretch const& a, stretch const& b) { return a.stride < b.stride; });
  bool const outermost_is_apart = dims[2].stride > dims[0].reach() + dims[1].reach();
  bool const innermost_is_apart = dims[0].stride > 0 && dims[1].stride > dims[0].reach() &&
                                  dims[2].stride % dims[1].stride == 0 &&
                                  pair_is_distinct(dims[1], dims[2]);
  return (outermost_is_apart && pair_is_distinct(dims[0], dims[1])) || innermost_is_apart;
}

bool may_overlap(operand const& x, operand const& y) {
  if (is_empty(x) || is_empty(y)) return false;
  std::uint64_t const x_begin = lowest_address(x);
  std::uint64_t const y_begin = lowest_address(y);
  if (x_begin + static_cast<std::uint64_t>(bytes_spanned(x)) <= y_begin ||
      y_begin + static_cast<std::uint64_t>(bytes_spanned(y)) <= x_begin)
    return false;
  // The ranges meet, as those of two blocks of one matrix do. They are apart still if they are
  // apart modulo some stride: the leading dimension for two blocks, twice the element for odd and
  // even columns.
  index divisor = 0;
  for (operand const* o : {&x, &y})
    for (stretch const& s : stretches(*o)) {
      divisor = std::gcd(divisor, s.stride);
      if (s.stride != 0 && is_apart_modulo(x, y, s.stride)) return false;
    }
  return divisor == 0 || !is_apart_modulo(x, y, divisor);
}

void check(copy_request const& r) {
  char const* const op = name_of(r.op);
  if (r.in.batch != r.out.batch || r.in.rows != r.out.rows || r.in.cols != r.out.cols)
    throw shape_error(
        message(op, ": out is ", extents(r.out), ", expected ", extents(r.in)).c_str());
  check_alignment(op, "in", r.in);
  check_alignment(op, "out", r.out);
  check_distinct(op, "out", r.out);
  check_apart(op, "out", r.out, "in", r.in);
}

void check(gemm_request const& r) {
  if (r.a.cols != r.b.rows)
    throw shape_error(message("gemm: A is ", extents(r.a), " and B is ", extents(r.b),
                              ": A's columns (", r.a.cols, ") must equal B's rows (", r.b.rows, ")")
                          .c_str());
  if (r.c.rows != r.a.rows || r.c.cols != r.b.cols)
    throw shape_error(message("gemm: C is ", extents(r.c), ", expected ", r.a.rows, 'x', r.b.cols,
                              " for A ", extents(r.a), " and B ", extents(r.b))
                          .c_str());
  if (r.a.batch != r.c.batch || r.b.batch != r.c.batch)
    throw shape_error(message("gemm: A is ", extents(r.a), ", B is ", extents(r.b), " and C is ",
                              extents(r.c), ": batches must have the same count")
                          .c_str());
  check_alignment("gemm", "A", r.a);
  check_alignment("gemm", "B", r.b);
  check_alignment("gemm", "C", r.c);
  check_distinct("gemm", "C", r.c);
  check_apart("gemm", "C", r.c, "A", r.a);
  check_apart("gemm", "C", r.c, "B", r.b);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
