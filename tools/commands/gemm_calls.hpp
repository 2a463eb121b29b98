// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm over C, tile by tile.
#pragma once

#include "commands/gemm_types.hpp"
#include "commands/report.hpp"
#include "commands/run_settings.hpp"
#include "commands/tile_run.hpp"
#include "npy/npy.hpp"
#include "operands/panels.hpp"

namespace xpose::tools {

struct gemm_work {
  detail::operand a;
  detail::operand b;
  detail::operand out;
  gemm_type type;
  scalar alpha;
  scalar beta;
  gemm_precision precision;
  npy_input const* c;  // null: no C
};

struct gemm_result {
  detail::explanation_text ran;  // where
  double done_before;            // share of the work that an earlier run has done
};

/// Tile by tile, of the extents of `most` (choose_tile) or what is left; files.inputs begin with A
/// and B. Adds to the times.
gemm_result run_gemm_tiles(run_target const& target, gemm_work const& work, tile const& most,
                           run_files const& files, bool is_resumable, run_times& times);

}  // namespace xpose::tools
