// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The subcommands: each takes what the user asked for and returns the exit code, or throws failure
// or one of xpose's own exceptions.
#pragma once

#include "commands/run_settings.hpp"

#include <cstdint>
#include <string>

namespace xpose::tools {

int run_info(bool is_json);

struct transpose_arguments {
  std::string input;
  std::string output;
  std::string order = "C";
  run_settings settings;
};
int run_transpose(transpose_arguments const& arguments);

struct gemm_arguments {
  std::string a;
  std::string b;
  std::string output;
  std::string alpha = "1";
  std::string beta;  // empty: 1 with c, 0 without
  std::string c;
  bool transpose_a = false;
  bool transpose_b = false;
  bool conjugate_a = false;
  bool conjugate_b = false;
  run_settings settings;
};
int run_gemm(gemm_arguments const& arguments);

struct verify_arguments {
  int cases = 20;  // for each row of the table
  std::uint64_t seed = 1;
  run_settings settings;
};
int run_verify(verify_arguments const& arguments);

}  // namespace xpose::tools
