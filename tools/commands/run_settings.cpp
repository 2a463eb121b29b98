// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/run_settings.hpp"

#include "terminal/failure.hpp"

#include <xpose/explain.hpp>

namespace xpose::tools {

run_target find_run_target(run_settings const& settings) {
  // Files are host memory, where xpose::automatic means omp.
  run_target target{{detail::execution_of(automatic, nullptr), {}}, settings.threads, false, {}};
  detail::execution& where = target.where;
  if (settings.policy == "omp") where = detail::execution_of(omp, nullptr);
  if (settings.policy == "cuda") {
    where = detail::execution_of(cuda, nullptr);
    char reason[256];
    target.is_on_device = detail::cuda_is_available(reason, sizeof reason);
    if (!target.is_on_device) target.why_not_cuda = reason;
  }
  if (settings.threads != 0) where.threads = settings.threads;
  if (settings.policy == "seq") {
    where = detail::execution_of(seq, nullptr);
    target.threads = 1;
  }
  if (settings.policy == "reference") {
    where = {detail::backend_id::reference, 1, nullptr, false, true};
    target.threads = 1;
  }
  if (settings.device_memory_bytes != 0 && settings.policy != "cuda")
    throw failure("--device-memory", "it is for --policy cuda, and the policy is ",
                  settings.policy);
  target.where.across.device_bytes = static_cast<index>(settings.device_memory_bytes);
  return target;
}

}  // namespace xpose::tools
