// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "device_matrix.hpp"

/// Whether the processes can use NCCL, as explain says. Collective.
inline bool has_nccl() {
  int const processes = context().size();
  auto const layout = xp::dist_layout::row_slabs(2 * processes, 2 * processes, processes);
  device_matrix<float> in(layout, {});
  device_matrix<float> out(layout, {});
  auto const how =
      xp::explain(on_processes().with(xp::cuda), xp::operation::transpose, in.view(), out.view());
  return how.reason.find("not nccl") == std::string::npos;
}
