// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The subcommands that work: each takes what the user asked for and returns the exit code, or
// throws failure or one of xpose's own exceptions.
#pragma once

#include "commands/run_settings.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace xpose::tools {

int run_info(bool is_json);

/// transpose, permute and cast: one file in, one out. What a subcommand has no option for stays as
/// it is here.
struct move_arguments {
  std::string input;
  std::string output;
  std::string order = "C";
  std::string axes;  // permute; empty: all of them in reverse
  std::string type;  // cast: what raw elements are; empty: the header says it
  std::string to;    // cast: the type of the output
  run_settings settings;
};
int run_transpose(move_arguments const& arguments);
int run_permute(move_arguments const& arguments);
int run_cast(move_arguments const& arguments);

/// add and gemm: A and B in, one file out.
struct product_arguments {
  std::string a;
  std::string b;
  std::string output;
  std::string alpha;  // empty: 1
  std::string beta;   // empty: 1; of gemm without C 0
  std::string type;   // what raw elements are; empty: the header says it
  bool transpose_a = false;
  bool transpose_b = false;
  bool conjugate_a = false;
  bool conjugate_b = false;
  run_settings settings;
};

struct add_arguments : product_arguments {};
int run_add(add_arguments const& arguments);

struct gemm_arguments : product_arguments {
  std::string c;
  std::string type_b;  // empty: as type
  std::string to;      // the output's type; empty: the first that the library has
  std::string semiring = "plus_times";
  std::string precision = "full";
};
int run_gemm(gemm_arguments const& arguments);

struct verify_arguments {
  int cases = 20;  // for each row of the table
  std::uint64_t seed = 1;
  bool shows_all = false;  // a row for each type
  run_settings settings;
};
int run_verify(verify_arguments const& arguments);

struct tune_arguments {
  std::string policy = "all";
  std::string path;  // empty: where calls look
  double seconds = 180;
  bool gemm_order = false;
  bool shows = false;  // what there is; measures nothing
  bool is_json = false;
};
int run_tune(tune_arguments const& arguments);

}  // namespace xpose::tools
