// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/run_settings.hpp"

#include "staging/device_memory.hpp"

#include <xpose/explain.hpp>

namespace xpose::tools {

run_target find_run_target(run_settings const& settings) {
  // Files are host memory, where xpose::automatic means omp.
  run_target target{detail::execution_of(automatic, nullptr), settings.threads, false, {}};
  if (settings.policy == "omp") target.where = detail::execution_of(omp, nullptr);
  if (settings.policy == "cuda") {
    target.where = detail::execution_of(cuda, nullptr);
    char reason[256];
    target.is_on_device = is_device_usable(reason, sizeof reason);
    if (!target.is_on_device) target.why_not_cuda = reason;
  }
  if (settings.threads != 0) target.where.threads = settings.threads;
  if (settings.policy == "seq") {
    target.where = detail::execution_of(seq, nullptr);
    target.threads = 1;
  }
  if (settings.policy == "reference") {
    target.where = {detail::backend_id::reference, 1, nullptr, false, true};
    target.threads = 1;
  }
  return target;
}

}  // namespace xpose::tools
