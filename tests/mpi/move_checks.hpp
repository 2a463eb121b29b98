// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Moves from a layout to a layout, of matrices in memory of the host or of a device.
#pragma once

#include "dist_matrix.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

/// Where matrices lie, and what their calls may take.
struct move_site {
  std::vector<xp::mpi_engine> engines;
  xp::mpi_policy (*with_local)(xp::mpi_policy const& policy, int number);
};

/// Elements, engines, orders and local policies change from call to call, so that the pairs of
/// layouts meet all of them in a few hundred calls.
struct variant {
  move_site const& site;
  int number;
  xp::mpi_engine engine() const {
    return site.engines[static_cast<std::size_t>(number) % site.engines.size()];
  }
  local_form in() const {
    return {number % 2 == 0 ? xp::row_major : xp::col_major, number % 3 == 0 ? 0 : 2};
  }
  local_form out() const {
    return {number / 2 % 2 == 0 ? xp::row_major : xp::col_major, number % 5 == 0 ? 3 : 0};
  }
  xp::mpi_policy policy() const {
    // Pieces of a few elements, so that every message has several; and of all.
    xp::index const bytes = number % 7 == 0 ? large : number % 7 == 1 ? 96 : 640;
    return site.with_local(on_processes().engine(engine()).piece_bytes(bytes), number);
  }

 private:
  static constexpr xp::index large = xp::index{1} << 20;
};

inline std::string described(xp::dist_layout const& l) {
  std::ostringstream text;
  text << l.rows << 'x' << l.cols << " in " << l.block_rows << 'x' << l.block_cols << " on "
       << l.grid.rows << 'x' << l.grid.cols << " from " << l.first_row << ',' << l.first_col;
  return text.str();
}

template <template <class> class Matrix, class T>
void check_moves(xp::dist_layout const& from, xp::dist_layout const& to, variant const& t,
                 bool transposes) {
  CAPTURE(described(from));
  CAPTURE(described(to));
  CAPTURE(t.number);
  CAPTURE(sizeof(T));
  Matrix<T> in(from, t.in());
  Matrix<T> out(to, t.out());
  in.fill(distinct<T>);
  xp::dist_matrix_view<T const> const read = in.view();
  if (transposes) xp::transpose(t.policy(), read, out.view());
  else xp::redistribute(t.policy(), read, out.view());
  auto const expected = [&](xp::index i, xp::index j) {
    return transposes ? distinct<T>(j, i) : distinct<T>(i, j);
  };
  CHECK(out.wrong_elements(expected) == 0);
  CHECK(out.written_outside() == 0);
  CHECK(in.wrong_elements(distinct<T>) == 0);
  CHECK(in.written_outside() == 0);
}

template <template <class> class Matrix>
void check_any_size(xp::dist_layout const& from, xp::dist_layout const& to, variant const& t,
                    bool transposes) {
  switch (t.number % 7) {
    case 0:
      return check_moves<Matrix, opaque<1>>(from, to, t, transposes);
    case 1:
      return check_moves<Matrix, std::uint16_t>(from, to, t, transposes);
    case 2:
      return check_moves<Matrix, opaque<3>>(from, to, t, transposes);
    case 3:
      return check_moves<Matrix, float>(from, to, t, transposes);
    case 4:
      return check_moves<Matrix, double>(from, to, t, transposes);
    case 5:
      return check_moves<Matrix, opaque<16>>(from, to, t, transposes);
    default:
      return check_moves<Matrix, opaque<24>>(from, to, t, transposes);
  }
}
