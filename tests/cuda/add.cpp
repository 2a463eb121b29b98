// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Which kernel of the cuda backend adds which operands, and that the sums are those of plain loops.
// Every case needs a GPU.

#include "support/backends.hpp"

#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <ostream>
#include <utility>

TEST_SUITE_BEGIN("cuda.add");

namespace {

using xpose::index;
using xpose::operation;

/// Rows x cols; whether A and B lie by columns; a pad behind every row or column and the place of
/// the first element in elements.
struct add_shape {
  index rows, cols;
  bool a_by_columns, b_by_columns;
  index batch = 1;
  index pad = 0;
  index at = 0;
};

std::ostream& operator<<(std::ostream& out, add_shape const& s) {
  return out << s.batch << " of " << s.rows << 'x' << s.cols << ", A by "
             << (s.a_by_columns ? "columns" : "rows") << ", B by "
             << (s.b_by_columns ? "columns" : "rows") << ", pad " << s.pad << ", at " << s.at;
}

template <class T>
struct operand_on_device {
  operand_on_device(add_shape const& s, bool is_by_columns)
      : shape(s),
        by_columns(is_by_columns),
        pitch((by_columns ? s.rows : s.cols) + s.pad),
        step((by_columns ? s.cols : s.rows) * pitch),
        memory(place::device, static_cast<std::size_t>(s.batch * step + s.at) * sizeof(T)) {}

  index place_of(index m, index i, index j) const {
    return shape.at + m * step + (by_columns ? j * pitch + i : i * pitch + j);
  }
  T* elements_here() { return reinterpret_cast<T*>(memory.host()); }
  xpose::batch_view<T> view() const {
    return {reinterpret_cast<T*>(memory.there()) + shape.at,
            shape.batch,
            shape.rows,
            shape.cols,
            by_columns ? xpose::strided{1, pitch} : xpose::strided{pitch, 1},
            step};
  }

  add_shape shape;
  bool by_columns;
  index pitch, step;
  image memory;
};

/// 0 to 15, exact in every type, as are the sums below.
int value_at(index place) {
  return static_cast<int>(static_cast<std::uint64_t>(place) * 2654435761u >> 7 & 15);
}
template <class T>
T number(int value) {
  return T(static_cast<float>(value));
}

/// C = 2 A + 3 B, and 2 A alone, which another kernel may do; all memory is compared.
template <class T>
void check(add_shape const& s, char const* kernel) {
  CAPTURE(sizeof(T));
  CAPTURE(s);
  operand_on_device<T> a(s, s.a_by_columns), b(s, s.b_by_columns), c(s, false);
  for (auto* operand : {&a, &b}) {
    for (index k = 0; k < s.at + s.batch * operand->step; ++k)
      operand->elements_here()[k] = number<T>(value_at(k));
    operand->memory.send();
  }
  auto const told =
      xpose::explain(xpose::cuda.strict(), operation::add, a.view(), b.view(), c.view());
  CHECK(told.kernel == kernel);
  for (int const beta : {3, 0}) {
    xpose::add(xpose::cuda.strict(), 2, a.view(), beta, b.view(), c.view());
    for (index m = 0; m < s.batch; ++m)
      for (index i = 0; i < s.rows; ++i)
        for (index j = 0; j < s.cols; ++j)
          c.elements_here()[c.place_of(m, i, j)] =
              number<T>(2 * value_at(a.place_of(m, i, j)) + beta * value_at(b.place_of(m, i, j)));
    bool const is_right = c.memory.is_as_on_host();
    CHECK(is_right);
  }
}

template <class T>
void check_type() {
  for (auto const& [a, b] : {std::pair(true, false), {false, true}, {true, true}}) {
    bool const is_narrow_or_wide = sizeof(T) < 4 || sizeof(T) == 16;
    char const* const aligned = a && b              ? "add_both_aligned"
                                : is_narrow_or_wide ? "add_vec16"
                                                    : "add_unaligned";
    check<T>({608, 704, a, b}, aligned);
    check<T>({601, 617, a, b, 1, 7}, aligned);
    check<T>({601, 617, a, b, 2, 7, 16}, aligned);
    check<T>({64, 64, a, b}, "add_in_order");
    check<T>({301, 403, a, b, 1, 1, 1}, a && b ? "add_transposed" : "add_in_order");
    check<T>({362, 407, a, b}, (a && b) || sizeof(T) >= 8 ? "add_transposed" : "add_in_order");
    char const* const if_misaligned = sizeof(T) == 16 ? aligned
                                      : a && b        ? "add_both_transposed"
                                                      : "add_unaligned";
    check<T>({608, 704, a, b, 1, 0, 1}, if_misaligned);
    check<T>({601, 617, a, b}, if_misaligned);
    check<T>({501, 417, a, b, 3, 1, 1}, if_misaligned);
    if (a && b) {
      check<T>({33, 9001, a, b, 1, 1, 3}, if_misaligned);
      check<T>({9001, 35, a, b, 2, 0, 1}, if_misaligned);
      for (index const few : {2, 3, 8, 17, 31}) {
        check<T>({9001, few, a, b}, "add_both_skinny");
        check<T>({few, 9001, a, b}, "add_both_skinny");
        check<T>({few, 8200 / few, a, b, 3, 5, 1}, "add_both_skinny");
        check<T>({8200 / few, few, a, b, 3, 0, 3}, "add_both_skinny");
      }
      for (index const few : {2, 4, 8, 16}) {  // of which A, B and C have vectors, or some of them
        check<T>({few, 9008, a, b}, "add_both_skinny");
        check<T>({9008, few, a, b}, "add_both_skinny");
        check<T>({few, 8192 / few, a, b, 3, 16}, "add_both_skinny");
        check<T>({8192 / few, few, a, b, 3, 16}, "add_both_skinny");
      }
      check<T>({12, 48, a, b, 70}, "add_both_skinny");
      check<T>({48, 12, a, b, 70, 1, 1}, "add_both_skinny");
      check<T>({12, 40, a, b, 70}, "add_in_order");
      continue;
    }
    check<T>({20001, 3, a, b}, "add_skinny_rows");
    check<T>({20001, 3, a, b, 1, 1, 1}, "add_skinny_rows");
    check<T>({9001, 13, a, b, 2, 0, 3}, "add_skinny_rows");
    check<T>({3, 20001, a, b}, "add_skinny_cols");
    check<T>({4, 20001, a, b, 1, 1, 1}, "add_skinny_cols");
    check<T>({13, 9001, a, b, 2, 3, 3}, "add_skinny_cols");
  }
  check<T>({608, 704, false, false}, "add_in_order");
  check<T>({601, 617, false, false}, "add_in_order");  // one row; its last elements fill no vector
  check<T>({3, 7, false, false}, "add_in_order");
  check<T>({1, 5, false, false}, "add_in_order");
  check<T>({601, 617, false, false, 1, 7}, "add_in_order");
  check<T>({601, 617, false, false, 3, 1, 1}, "add_in_order");
}

TEST_CASE("add runs on the kernel of its operands' order and alignment on cuda") {
  if (!needs_gpu()) return;
  check_type<std::int8_t>();
  check_type<xpose::bfloat16>();
  check_type<xpose::float16>();
  check_type<float>();
  check_type<double>();
  check_type<std::complex<double>>();
}

}  // namespace

TEST_SUITE_END();
