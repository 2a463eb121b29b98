// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The combinations of types and semiring that the bench's gemm times, by name.
#pragma once

#include "types/element_kind.hpp"

#include <xpose/gemm_precision.hpp>

#include <string>

namespace xpose::bench {

enum class semiring_choice { plus_times, min_plus, max_plus };

struct gemm_type {
  std::string name;  ///< "f32", "bf16_f32" (bf16 in, f32 out), "min_plus_f32"
  element_type in;
  element_type out;
  semiring_choice semiring;
  gemm_precision precision;

  bool is_complex() const { return in.kind == element_kind::c64 || in.kind == element_kind::c128; }
  bool is_integer() const { return out.kind == element_kind::i32 || out.kind == element_kind::i64; }
};

/// As the package in Python calls them.
char const* name_of(semiring_choice over);
char const* name_of(gemm_precision precision);

/// Throws std::invalid_argument, naming all of them.
gemm_type gemm_type_named(std::string const& name);

std::string gemm_type_names();

}  // namespace xpose::bench
