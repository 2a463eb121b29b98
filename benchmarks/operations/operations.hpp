// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The sub-commands: each times one job and sends its results to the supervisor.
#pragma once

#include "core/work_site.hpp"

namespace xpose::bench {

void time_transpose(work_site const& site, job const& j);
void time_copy(work_site const& site, job const& j);
void time_add(work_site const& site, job const& j);
void time_permute(work_site const& site, job const& j);
void time_gemm(work_site const& site, job const& j);
void time_ladder(work_site const& site, job const& j);

}  // namespace xpose::bench
