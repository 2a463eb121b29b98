// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Suites whose shapes nobody chose: drawn from distributions that stand for what programs do. A
// case is a function of suite, seed, number and element size alone: `--suite random --seed S --case
// I` draws it again. Results hold the shape too, for mathematics libraries that round otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace xpose::bench {

struct random_case {
  std::string shape;        ///< in the grammar of core/shape.hpp
  std::string shape_class;  ///< "aligned", "odd, few columns": what a summary groups bad cases by
};

/// What a case is drawn for.
struct case_request {
  std::uint64_t seed;
  int number;
  std::size_t element_bytes;
  bool is_device;  ///< gemm: up to 3e11 multiply-adds instead of 3e10
};

struct random_suite {
  char const* name;
  char const* operation;
  char const* what;
  std::vector<std::string> types;
  random_case (*draw)(case_request const& r);
  bool in_place = false;
};

std::vector<random_suite> const& random_suites();
/// Null: there is none.
random_suite const* find_random_suite(std::string const& operation, std::string const& name);

}  // namespace xpose::bench
