// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The sub-commands: each times one job and sends its results to the supervisor.
#pragma once

#include "candidates/xpose_calls.hpp"
#include "core/session.hpp"
#include "core/shape.hpp"

namespace xpose::bench {

struct work_site {
  session& told;
  machine& where;
  policy_choice policy;
};

/// What all results of a case share: where it runs, its type and its shape.
bench_result result_of(work_site const& site, char const* operation, shape const& s,
                       std::string const& type);

void time_transpose(work_site const& site, job const& j);
void time_copy(work_site const& site, job const& j);
void time_add(work_site const& site, job const& j);
void time_permute(work_site const& site, job const& j);
void time_gemm(work_site const& site, job const& j);
void time_ladder(work_site const& site, job const& j);

}  // namespace xpose::bench
