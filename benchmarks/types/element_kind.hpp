// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The element types that the bench times, by the names of its command line. A transpose depends on
// the size alone, so "b3" or "b12" name a size without arithmetic.
#pragma once

#include <cstddef>
#include <string>

namespace xpose::bench {

enum class element_kind { bytes, i8, u8, i32, i64, e4m3, e5m2, f16, bf16, f32, f64, c64, c128 };

struct element_type {
  std::string name;  ///< "f32", "bf16", "b12"
  element_kind kind;
  std::size_t bytes;
};

/// The type of that name: one of i8 u8 i32 i64 e4m3 e5m2 f16 bf16 f32 f64 c64 c128, or bN for N
/// bytes (N = 1, 2, 3, 4, 6, 8, 12, 16, 24, 32). Throws std::invalid_argument, naming all of them.
element_type element_type_named(std::string const& name);

/// All of them, for messages and --list.
std::string element_type_names();

}  // namespace xpose::bench
