// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The element types that the command knows by name, as options, help and .npy headers spell them.
#pragma once

#include "npy/npy_header.hpp"

#include <xpose/detail/element_type.hpp>

#include <string>
#include <vector>

namespace xpose::tools {

struct named_type {
  char const* name;       // "f4"
  char const* long_name;  // NumPy's, or that of the package ml_dtypes: "float32"
  detail::element_type element;
  char kind;  // NumPy's letter; 'V' for a type that a .npy header cannot name
  index bytes;
  char const* descr;  // in the header of an output
};

/// All of them; bool, of which the library knows the size only, first.
std::vector<named_type> const& named_types();

/// By either of its names, or null.
named_type const* find_type(std::string const& name);

named_type const& type_of(detail::element_type type);

/// The type of a file's elements. `declared`, the option --type, says what raw elements are: kind
/// V, or unsigned integers of that size. Empty: the header has to say it; null for one without a
/// name here. Throws failure, naming the path.
named_type const* type_of_elements(std::string const& path, npy_header const& header,
                                   std::string const& declared);

}  // namespace xpose::tools
