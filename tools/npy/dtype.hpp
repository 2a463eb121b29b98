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

}  // namespace xpose::tools
