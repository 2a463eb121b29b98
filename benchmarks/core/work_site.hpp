// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Where a job is timed: what every sub-command and every comparison gets.
#pragma once

#include "core/machine.hpp"
#include "core/session.hpp"
#include "core/settings.hpp"
#include "core/shape.hpp"

namespace xpose::bench {

struct work_site {
  session& told;
  machine& where;
  policy_choice policy;
};

/// The suite of a result and, if that is random, what draws its case again.
void set_origin(bench_result& result, case_origin const& origin);

/// What all results of a case share: where it runs, its type and its shape.
bench_result result_of(work_site const& site, char const* operation, shape const& s,
                       std::string const& type);

}  // namespace xpose::bench
