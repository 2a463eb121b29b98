// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// alpha and beta of gemm and add, read from the command line in the type that the call computes in.
#pragma once

#include <xpose/detail/element_type.hpp>
#include <xpose/semiring.hpp>

#include <string>

namespace xpose::tools {

struct scalar {
  alignas(16) unsigned char bytes[16] = {};
  bool is_one = false;   // the semiring's: 1, or 0 of min_plus and max_plus
  bool is_zero = false;  // the semiring's: 0, or the infinity of min_plus and max_plus
};

/// What scalars are read for: the type they have, and whose matrices they scale, for messages.
struct scalar_type {
  detail::element_type computes_in;
  char const* elements;
  detail::semiring_id semiring = detail::semiring_id::plus_times;
};

/// Reads "2", "-1.5", "1e3", "inf", and for a complex type "1+2j" or "3j". Throws failure, naming
/// the option.
scalar read_scalar(char const* option, std::string const& text, scalar_type const& type);

/// The semiring's one, which multiplies nothing, and its zero.
scalar scalar_one(scalar_type const& type);
scalar scalar_zero(scalar_type const& type);

}  // namespace xpose::tools
