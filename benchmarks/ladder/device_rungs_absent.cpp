// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A build without CUDA.

#include "ladder.hpp"

#include <stdexcept>

namespace xpose::bench::ladder {

std::vector<rung> const& device_rungs() {
  static std::vector<rung> const none;
  return none;
}

void run_rungs_once(table const&, std::vector<index> const&) {
  throw std::runtime_error("this build has no CUDA backend");
}

}  // namespace xpose::bench::ladder
