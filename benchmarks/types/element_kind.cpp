// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "types/element_kind.hpp"

#include <stdexcept>

namespace xpose::bench {
namespace {

constexpr std::size_t byte_sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};

struct named_kind {
  char const* name;
  element_kind kind;
  std::size_t bytes;
};

constexpr named_kind kinds[] = {{"i8", element_kind::i8, 1},     {"u8", element_kind::u8, 1},
                                {"i32", element_kind::i32, 4},   {"i64", element_kind::i64, 8},
                                {"e4m3", element_kind::e4m3, 1}, {"e5m2", element_kind::e5m2, 1},
                                {"f16", element_kind::f16, 2},   {"bf16", element_kind::bf16, 2},
                                {"f32", element_kind::f32, 4},   {"f64", element_kind::f64, 8},
                                {"c64", element_kind::c64, 8},   {"c128", element_kind::c128, 16}};

}  // namespace

element_type element_type_named(std::string const& name) {
  for (auto const& kind : kinds)
    if (name == kind.name) return {name, kind.kind, kind.bytes};
  for (std::size_t const bytes : byte_sizes)
    if (name == "b" + std::to_string(bytes)) return {name, element_kind::bytes, bytes};
  throw std::invalid_argument("unknown type '" + name + "'; types are " + element_type_names());
}

std::string element_type_names() {
  std::string names;
  for (auto const& kind : kinds) names += std::string(kind.name) + ", ";
  for (std::size_t const bytes : byte_sizes) names += "b" + std::to_string(bytes) + ", ";
  names.resize(names.size() - 2);
  return names;
}

}  // namespace xpose::bench
