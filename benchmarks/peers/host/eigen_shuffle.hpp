// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Eigen's Tensor module: a file of its own, because its headers take as long as all other peers.
#pragma once

#include "peers/peer.hpp"

namespace xpose::bench {

/// Null for elements that are no numbers to Eigen and for more than six dimensions.
std::unique_ptr<copy_runner> make_shuffle(permute_case const& what, int threads);

}  // namespace xpose::bench
