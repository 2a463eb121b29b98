// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/core/trace/call_text.hpp>

#include <xpose/backends/core/message.hpp>

#include <iterator>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

std::string type_text(tensor_operand const& o) { return type_text(o.type, o.bytes_per_element); }
std::string type_text(operand const& o) { return type_text(o.type, o.bytes_per_element); }

/// "f32", or "f32:bf16" where the output's type is another.
template <class Operand>
std::string types_text(Operand const& in, Operand const& out) {
  std::string const from = type_text(in);
  std::string const to = type_text(out);
  return from == to ? from : from + ":" + to;
}

}  // namespace

std::string type_text(element_type type, int bytes_per_element) {
  constexpr char const* names[] = {"",    "i8",   "u8",  "i16", "u16", "i32",  "u32",  "i64", "u64",
                                   "f16", "bf16", "f32", "f64", "c64", "c128", "e4m3", "e5m2"};
  auto const number = static_cast<std::size_t>(type);
  if (type == element_type::other || number >= std::size(names))
    return message('b', bytes_per_element);
  return names[number];
}

std::string call_text(copy_request const& r) {
  std::string const what = message(name_of(r.op), ' ', types_text(r.in, r.out));
  if (r.op != operation::transpose) return message(what, " to ", extents(r.out));
  tensor_operand in = r.in;  // which the request has transposed already
  std::swap(in.dimensions[1], in.dimensions[2]);
  return message(what, ' ', extents(in));
}

std::string call_text(gemm_request const& r) {
  std::string const batch = r.c.batch == 1 ? "" : message(r.c.batch, " of ");
  return message("gemm ", types_text(r.a, r.c), ' ', batch, r.c.rows, 'x', r.c.cols, 'x', r.a.cols);
}

std::string call_text(inplace_request const& r) {
  return message(name_of(r.op), ' ', type_text(r.view), ' ', extents(r.view));
}

std::string call_text(add_request const& r) {
  return message(name_of(r.op), ' ', types_text(r.a, r.c), ' ', extents(r.c));
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
