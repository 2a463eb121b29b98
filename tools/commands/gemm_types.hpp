// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What xpose gemm multiplies: the library's own list of compiled types.
#pragma once

#include "commands/scalar.hpp"
#include "npy/element_types.hpp"

namespace xpose::tools {

struct gemm_type {
  detail::element_type a, b, out;
  detail::element_type accumulate;
  detail::semiring_id semiring;
};

/// "plus_times", "min_plus", "max_plus", "or_and", in the order of semiring_id.
std::vector<std::string> const& semiring_names();
detail::semiring_id semiring_named(std::string const& name);

/// Of A and B, as their files say or --type does.
struct gemm_inputs {
  std::string a_path, b_path;
  npy_header const* a;
  npy_header const* b;
  std::string a_declared, b_declared;
};

/// The first of the list with these inputs, this semiring and, if `to` names one, that output.
/// Throws failure, naming what is taken instead.
gemm_type find_gemm_type(gemm_inputs const& inputs, detail::semiring_id semiring,
                         std::string const& to);

}  // namespace xpose::tools
