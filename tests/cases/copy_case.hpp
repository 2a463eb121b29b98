// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// transpose or copy of one matrix or batch on one backend, with or without a function, against
// plain loops.
#pragma once

#include "matrix.hpp"
#include "support/backends.hpp"

#include <doctest/doctest.h>

/// What is moved where: op from one layout to another.
struct copy_case {
  xpose::operation op;
  cases::layout in;
  cases::layout out;
};

/// transpose and copy from rows x cols in one pattern to another.
inline copy_case transpose_case(cases::pattern in, cases::pattern out, cases::index rows,
                                cases::index cols, cases::index batch = 1) {
  return {xpose::operation::transpose, cases::place(in, rows, cols, batch),
          cases::place(out, cols, rows, batch)};
}
inline copy_case plain_copy_case(cases::pattern in, cases::pattern out, cases::index rows,
                                 cases::index cols, cases::index batch = 1) {
  return {xpose::operation::copy, cases::place(in, rows, cols, batch),
          cases::place(out, rows, cols, batch)};
}

/// Checks all memory of both operands. `in` is filled and lies as the case says.
template <class Out, class In, class F = xpose::identity>
void check_copy(backend const& on, copy_case const& c, matrix<In>& in, F const& f = {}) {
  CAPTURE(on.name);
  CAPTURE(sizeof(In));
  CAPTURE(sizeof(Out));
  CAPTURE(c.in);
  CAPTURE(c.out);
  bool const turns = c.op == xpose::operation::transpose;
  matrix<Out> out(on.where, c.out);
  auto const move = [&](auto const& from, auto const& to) {
    if (turns) xpose::transpose(on.policy, from, to, f);
    else xpose::copy(on.policy, from, to, f);
  };
  // A matrix with a function is a batch of one: each kind of view is compiled with each function.
  bool const is_matrix = c.in.batch == 1 && std::is_same_v<F, xpose::identity>;
  if constexpr (std::is_same_v<F, xpose::identity>)
    if (is_matrix) move(in.there(), out.there());
  if (!is_matrix) move(in.batch_there(), out.batch_there());

  auto const source = in.batch_here();
  bool const out_is_right = out.holds([&](cases::index m, cases::index i, cases::index j) {
    return f(turns ? source[m](j, i) : source[m](i, j));
  });
  bool const in_is_untouched = in.is_untouched();
  CHECK(out_is_right);
  CHECK(in_is_untouched);
}

/// The same of bytes that tell positions apart.
template <class T>
void check_bytes(backend const& on, copy_case const& c) {
  matrix<T> in(on.where, c.in);
  in.fill_with_bytes();
  check_copy<T>(on, c, in);
}
