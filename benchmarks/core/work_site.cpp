// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "core/work_site.hpp"

namespace xpose::bench {

void set_origin(bench_result& result, case_origin const& origin) {
  result.suite = origin.suite;
  if (!origin.seed) return;
  result.extra["seed"] = *origin.seed;
  result.extra["case"] = origin.number;
  result.extra["class"] = origin.shape_class;
}

bench_result result_of(work_site const& site, char const* operation, shape const& s,
                       std::string const& type) {
  bench_result common;
  common.operation = operation;
  common.policy = site.policy.name;
  common.threads = site.where.is_device() ? 0 : site.policy.threads;
  common.type = type;
  common.shape = s.text;
  common.layout = s.layout();
  set_origin(common, site.told.origin());
  return common;
}

}  // namespace xpose::bench
