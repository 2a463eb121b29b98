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

bool is_cast(std::string const& type) {
  return type.find(':') != std::string::npos;
}

std::string type_of_in(std::string const& type) {
  return type.substr(0, type.find(':'));
}

cast_case make_cast_case(transpose_case const& moved, std::string const& type, bool is_copy) {
  cast_case what{moved, castable_type(type, type.substr(type.find(':') + 1)), is_copy};
  what.moved.type = castable_type(type, type_of_in(type));
  if (what.moved.type.kind == what.out_type.kind)
    throw std::invalid_argument("cast '" + type + "': both types are the same");
  if (moved.in_place)
    throw std::invalid_argument("cast '" + type + "': in place no element changes its type");
  return what;
}

}  // namespace xpose::bench
