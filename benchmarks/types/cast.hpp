// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Casts as types of a transpose or a copy: "f32:bf16".
#pragma once

#include "types/random.hpp"

#include <string>

namespace xpose::bench {

struct cast_types {
  element_type in;
  element_type out;
};

bool is_cast(std::string const& type);

/// "FROM:TO", two of f16, bf16, f32 and f64. Throws std::invalid_argument, naming the rule.
cast_types cast_types_named(std::string const& type);

/// The part of a cast's name before the colon; another type's name as it is.
std::string type_of_in(std::string const& type);

/// f(tag of in's elements, tag of out's) with xpose's types.
template <class F>
auto with_cast_types(element_kind in_kind, element_kind out_kind, F const& f) {
  auto const with_type = [](element_kind kind, auto const& g) {
    switch (kind) {
      case element_kind::f16:
        return g(type_tag<float16>{});
      case element_kind::bf16:
        return g(type_tag<bfloat16>{});
      case element_kind::f64:
        return g(type_tag<double>{});
      default:
        return g(type_tag<float>{});
    }
  };
  return with_type(
      in_kind, [&](auto in) { return with_type(out_kind, [&](auto out) { return f(in, out); }); });
}

}  // namespace xpose::bench
