// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/result.hpp"

#include <vector>

namespace xpose::bench {

/// Prints, for each operation, policy, suite, type and state among xpose's results: cases,
/// geometric mean, median, 10th percentile and share at 1.0 or more, against the best peer and
/// against the ceiling; and for each operation and policy the ten worst cells against the best peer
/// (the ceiling where no result has a peer), with their class and how to draw them again. A cell
/// above its ceiling shows that it was none: such cells are counted and left out of the means
/// against the ceiling.
void print_summary(std::vector<json> const& results);

}  // namespace xpose::bench
