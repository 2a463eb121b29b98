// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "core/work_site.hpp"

namespace xpose::bench {

bench_result result_of(work_site const& site, char const* operation, shape const& s,
                       std::string const& type) {
  bench_result common;
  common.operation = operation;
  common.policy = site.policy.name;
  common.threads = site.where.is_device() ? 0 : site.policy.threads;
  common.type = type;
  common.shape = s.text;
  common.layout = s.layout();
  case_origin const& origin = site.told.origin();
  common.suite = origin.suite;
  if (origin.seed) {
    common.extra["seed"] = *origin.seed;
    common.extra["case"] = origin.number;
    common.extra["class"] = origin.shape_class;
  }
  return common;
}

}  // namespace xpose::bench
