// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm over rows of C, panel by panel.
#pragma once

#include "commands/gemm_types.hpp"
#include "commands/report.hpp"
#include "commands/run_settings.hpp"
#include "npy/npy.hpp"

#include <xpose/explain.hpp>

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

/// Throws failure if B does not fit the device. Returns where it ran; adds to the times.
detail::explanation_text run_gemm_panels(run_target const& target, gemm_work const& work,
                                         run_times& times);

}  // namespace xpose::tools
