// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/run_settings.hpp"

#include <xpose/explain.hpp>

namespace xpose::tools {

run_target find_run_target(run_settings const& settings) {
  using detail::backend_id;
  // Files are host memory, where xpose::automatic means omp.
  backend_id const backend = settings.policy == "seq"    ? backend_id::reference
                             : settings.policy == "cuda" ? backend_id::cuda
                             : settings.policy == "omp"  ? backend_id::omp
                                                         : backend_id::automatic;
  run_target target{
      {backend, settings.threads, detail::stream_of(detail::default_stream_here), false, false},
      false,
      {}};
  if (backend == backend_id::cuda) {
    char reason[256];
    target.is_on_device = detail::cuda_is_available(reason, sizeof reason);
    if (!target.is_on_device) target.why_not_cuda = reason;
  }
  return target;
}

}  // namespace xpose::tools
