// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// NumPy's dtype descriptions: how many bytes an element has and what it is.
#pragma once

#include "npy/python_literal.hpp"

#include <xpose/config.hpp>

namespace xpose::tools {

struct dtype {
  index bytes = 0;
  char kind = '\0';  // NumPy's letter; '\0' for a structured type
  bool is_big_endian = false;
  bool has_objects = false;
};

/// The dtype that a header's descr describes: a string, or a list of fields, nested to any depth.
/// Throws literal_error.
dtype read_dtype(python_literal const& descr);

/// The dtype of a header's descr as JSON that numpy.dtype() reads: a string, or for structured
/// types an object of names, formats, offsets and itemsize. Titles are left out, and arrays of
/// structures in a structure are raw bytes (V).
std::string json_dtype(std::string const& descr, bool is_utf8);

}  // namespace xpose::tools
