// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A build without CUDA.

#include "ladder/ladder.hpp"

namespace xpose::bench::ladder {

std::vector<rung> const& device_rungs() {
  static std::vector<rung> const none;
  return none;
}

}  // namespace xpose::bench::ladder
