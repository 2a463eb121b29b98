// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The element types the library knows by name: reading and writing one of a type known at run time.
#pragma once

#include <xpose/detail/element_type.hpp>

#include <complex>

namespace xpose::tools {

struct element_row {
  detail::element_type type;
  char const* name;
  int bytes;
  int alignment;
  bool is_signed;
  bool is_integer;
  bool is_complex;
  double roundoff;  // of one rounding to the type; 0 for integers
  void (*store)(void* to, std::complex<double> value);
  std::complex<double> (*load)(void const* from);
};

element_row const& row_of(detail::element_type type);

/// All of them.
struct element_rows {
  element_row const* begin_;
  element_row const* end_;
  element_row const* begin() const { return begin_; }
  element_row const* end() const { return end_; }
};
element_rows all_elements();

}  // namespace xpose::tools
