// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "types/cast.hpp"

#include <stdexcept>

namespace xpose::bench {
namespace {

element_type castable_type(std::string const& cast, std::string const& name) {
  for (auto const* const known : {"f16", "bf16", "f32", "f64"})
    if (name == known) return element_type_named(name);
  throw std::invalid_argument("cast '" + cast + "': '" + name +
                              "' is not one of f16, bf16, f32, f64");
}

}  // namespace

bool is_cast(std::string const& type) { return type.find(':') != std::string::npos; }

std::string type_of_in(std::string const& type) { return type.substr(0, type.find(':')); }

cast_types cast_types_named(std::string const& type) {
  element_type const out = castable_type(type, type.substr(type.find(':') + 1));
  element_type const in = castable_type(type, type_of_in(type));
  if (in.kind == out.kind)
    throw std::invalid_argument("cast '" + type + "': both types are the same");
  return {in, out};
}

}  // namespace xpose::bench
