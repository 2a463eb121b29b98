// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "types/gemm_type.hpp"

#include <stdexcept>

namespace xpose::bench {
namespace {

struct known_type {
  char const* name;
  char const* in;
  char const* out;
  semiring_choice semiring;
  gemm_precision precision = gemm_precision::full;
};

constexpr known_type known_types[] = {
    {"f32", "f32", "f32", semiring_choice::plus_times},
    {"fast_f32", "f32", "f32", semiring_choice::plus_times, fast_f32},
    {"tf32", "f32", "f32", semiring_choice::plus_times, tf32},
    {"f64", "f64", "f64", semiring_choice::plus_times},
    {"c64", "c64", "c64", semiring_choice::plus_times},
    {"c128", "c128", "c128", semiring_choice::plus_times},
    {"c64_3m", "c64", "c64", semiring_choice::plus_times, three_products},
    {"c128_3m", "c128", "c128", semiring_choice::plus_times, three_products},
    {"f16", "f16", "f16", semiring_choice::plus_times},
    {"f16_f32", "f16", "f32", semiring_choice::plus_times},
    {"bf16", "bf16", "bf16", semiring_choice::plus_times},
    {"bf16_f32", "bf16", "f32", semiring_choice::plus_times},
    {"e4m3_f32", "e4m3", "f32", semiring_choice::plus_times},
    {"e4m3_bf16", "e4m3", "bf16", semiring_choice::plus_times},
    {"e5m2_f32", "e5m2", "f32", semiring_choice::plus_times},
    {"i8", "i8", "i32", semiring_choice::plus_times},
    {"u8", "u8", "i32", semiring_choice::plus_times},
    {"i32", "i32", "i32", semiring_choice::plus_times},
    {"i64", "i64", "i64", semiring_choice::plus_times},
    {"min_plus_f32", "f32", "f32", semiring_choice::min_plus},
    {"max_plus_f32", "f32", "f32", semiring_choice::max_plus},
};

}  // namespace

char const* name_of(semiring_choice over) {
  if (over == semiring_choice::min_plus) return "min_plus";
  return over == semiring_choice::max_plus ? "max_plus" : "plus_times";
}

char const* name_of(gemm_precision precision) {
  switch (precision) {
    case gemm_precision::fast_f32:
      return "fast_f32";
    case gemm_precision::tf32:
      return "tf32";
    case gemm_precision::three_products:
      return "three_products";
    default:
      return "full";
  }
}

gemm_type gemm_type_named(std::string const& name) {
  for (auto const& known : known_types)
    if (name == known.name)
      return {name, element_type_named(known.in), element_type_named(known.out), known.semiring,
              known.precision};
  throw std::invalid_argument("unknown type '" + name + "'; gemm's types are " + gemm_type_names());
}

std::string gemm_type_names() {
  std::string names;
  for (auto const& known : known_types)
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  return names;
}

}  // namespace xpose::bench
