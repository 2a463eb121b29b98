// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose-bench gemm.

#include "candidates/combine.hpp"
#include "candidates/gemm_task.hpp"
#include "ceilings/ceilings.hpp"
#include "operations/operations.hpp"

#include <stdexcept>

namespace xpose::bench {
namespace {

/// A case that takes too long at the host's peak is not begun; a device begins all.
void require_feasible(work_site const& site, gemm_case const& what, gemm_type const& type) {
  if (site.where.is_device()) return;
  double const longest = site.told.settings().longest_call;
  auto const peak = arithmetic_ceilings(site.where, site.policy.threads, type).at(0);
  double const probe = 1e8 * site.policy.threads;  // operations: some milliseconds
  candidate const loop{peak.name, [&](int) { peak.compute(probe); }, nullptr};
  site.where.seconds(loop, 0, 1, 1);
  double const rate = probe / site.where.seconds(loop, 0, 1, 1);
  double const seconds = operations_of(what, type) / rate;
  if (seconds > longest)
    throw std::runtime_error("skipped: one call takes " + std::to_string(seconds) +
                             " s at the machine's peak (--longest-call " + std::to_string(longest) +
                             ")");
}

}  // namespace

void time_gemm(work_site const& site, job const& j) {
  shape const s = parse_shape(j.shape, 3);
  gemm_type const type = gemm_type_named(j.type);
  auto what = make_gemm_case(s, type.in, type.out);
  what.may_round_to_tf32 = type.precision == gemm_precision::tf32;
  what.may_take_three_products = type.precision == gemm_precision::three_products;
  require_feasible(site, what, type);
  gemm_task const task(type, what);
  combine_comparison comparison(site, result_of(site, "gemm", s, type.name), task, s.offset);
  comparison.enter_all();
  comparison.run();
}

}  // namespace xpose::bench
