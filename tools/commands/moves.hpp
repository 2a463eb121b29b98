// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Runs an operation that works on elements one by one (transpose, permute, cast, add), panel by
// panel: pages in, and the call.
#pragma once

#include "commands/report.hpp"
#include "commands/run_settings.hpp"
#include "commands/tile_run.hpp"
#include "operands/panels.hpp"

#include <functional>

namespace xpose::tools {

struct move {
  char const* operation;
  tensors operands;  // of equal extents; the last one is the output
  std::function<void(detail::across_execution const&, tensors const&)> run;
};

/// What a move of these operands would do.
detail::explanation_text explain(move const& m, detail::across_execution const& where,
                                 tensors const& operands);

/// A copy, or a cast, of one operand to another.
move copy_of(char const* name, operation op, detail::tensor_operand const& from,
             detail::tensor_operand const& to,
             detail::element_function function = detail::element_function::copy_bits);

struct move_result {
  detail::explanation_text ran;  // where
  double done_before;            // share of the work that an earlier run has done
};

/// Panel by panel; adds to the times.
move_result run_move(move const& m, run_settings const& settings, run_target const& target,
                     run_files const& files, run_times& times);

/// Bytes that a move reads and writes.
work_done work_of(move const& m);

}  // namespace xpose::tools
