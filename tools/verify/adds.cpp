// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// verify: add of every element type that it is compiled for.

#include "verify/operations.hpp"

#include <xpose/functional.hpp>

#include <iterator>

namespace xpose::tools {
namespace {

using detail::element_type;
using detail::scalar_kind;

struct scalar {
  alignas(16) unsigned char bytes[16] = {};
  scalar_kind kind = scalar_kind::zero;
};

struct add_case {
  bool repeats_a;  // one matrix for every matrix of the batch
  bool repeats_b;
  bool conjugates_a;
  bool conjugates_b;
  bool is_in_place;  // C is A
  scalar alpha;
  scalar beta;
  verify_buffer a;
  verify_buffer b;
  verify_buffer c;
};

/// What add calculates in.
element_row const& compute_type(element_row const& type) {
  bool const is_short = type.type == element_type::f16 || type.type == element_type::bf16;
  return is_short ? row_of(element_type::f32) : type;
}

scalar draw_scalar(random_numbers& numbers, element_row const& type) {
  constexpr int values[] = {0, 1, 1, 2, 3, -1, -2};
  index const last = type.is_signed ? static_cast<index>(std::size(values)) - 1 : 4;
  int const value = values[draw(numbers, 0, last)];
  bool const is_imaginary = type.is_complex && draw(numbers, 0, 2) == 0;
  scalar result;
  if (is_imaginary) type.store(result.bytes, {0.0, static_cast<double>(value)});
  else type.store(result.bytes, static_cast<double>(value));
  result.kind = value == 0                    ? scalar_kind::zero
                : value == 1 && !is_imaginary ? scalar_kind::one
                                              : scalar_kind::other;
  return result;
}

/// Integers whose sums every floating type represents exactly; integer types wrap around.
void fill(random_numbers& numbers, verify_buffer& buffer, element_row const& type) {
  index const most = type.is_integer ? 100 : 20;
  auto const value = [&] {
    return static_cast<double>(draw(numbers, type.is_signed ? -most : 0, most));
  };
  buffer.for_each([&](unsigned char* element) {
    double const real = value();
    type.store(element, {real, type.is_complex ? value() : 0.0});
  });
}

add_case draw_case(random_numbers& numbers, element_row const& type) {
  matrices const m = draw_matrices(numbers);
  auto const one_in = [&numbers](index count) { return draw(numbers, 1, count) == 1; };
  auto const buffer = [&](index batch) {
    return verify_buffer(numbers, batch, m.rows, m.cols, type.bytes, type.alignment, type.type);
  };
  bool const is_in_place = one_in(4);
  bool const repeats_a = !is_in_place && m.batch > 1 && one_in(4);
  bool const repeats_b = m.batch > 1 && one_in(4);
  add_case c{repeats_a,
             repeats_b,
             type.is_complex && one_in(2),
             type.is_complex && one_in(2),
             is_in_place,
             draw_scalar(numbers, compute_type(type)),
             draw_scalar(numbers, compute_type(type)),
             buffer(repeats_a ? 1 : m.batch),
             buffer(repeats_b ? 1 : m.batch),
             buffer(m.batch)};
  if (is_in_place) c.a = c.c;
  fill(numbers, c.a, type);
  fill(numbers, c.b, type);
  fill(numbers, c.c, type);
  return c;
}

/// With C's elements in place of A's if the case is in place.
detail::add_request request_for(add_case const& c, detail::operand a, detail::operand b,
                                detail::operand const& out) {
  if (c.is_in_place) a = out;
  auto const repeat = [&out](detail::operand& o) {
    o.batch = out.batch;
    o.batch_stride = 0;
  };
  if (c.repeats_a) repeat(a);
  if (c.repeats_b) repeat(b);
  a.conjugated = c.conjugates_a;
  b.conjugated = c.conjugates_b;
  return {a, b, out, c.alpha.bytes, c.beta.bytes, c.alpha.kind, c.beta.kind};
}

void run_case(verify_target const& target, add_case& c, row_counter& counter) {
  verify_buffer expected = c.c;
  detail::run_add(the_reference, request_for(c, c.a.on_host(), c.b.on_host(), expected.on_host()));

  device_memory a_memory, b_memory, c_memory;
  detail::add_request const request =
      target.is_on_device ? request_for(c, c.a.to_device(a_memory), c.b.to_device(b_memory),
                                        c.c.to_device(c_memory))
                          : request_for(c, c.a.on_host(), c.b.on_host(), c.c.on_host());
  detail::explanation_text const ran = detail::explain_add(target.where, request);
  detail::run_add(target.where, request);
  if (target.is_on_device) c.c.from_device(c_memory);
  counter.add(ran, c.c.has_bytes_of(expected) && c.c.is_poison_around());
}

}  // namespace

void verify_adds(verify_run const& run, row_taker const& take) {
  random_numbers numbers(run.seed * 1000 + 400);
  for (element_row const& type : all_elements()) {
    if (detail::is_float8_type(type.type)) continue;  // instantiated in the user's file
    row_counter counter("add", type.name);
    for (int i = 0; i < run.cases; ++i) {
      add_case c = draw_case(numbers, type);
      run_case(run.target, c, counter);
    }
    take(counter.row());
  }
}

}  // namespace xpose::tools
