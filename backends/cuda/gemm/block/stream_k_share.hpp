// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// How the clusters of a launch share tiles (block/stream_k.cuh), as the host decides it.
#pragma once

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/config.hpp>

#include <cstdint>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Tiles are counted by clusters' worth, as all blocks of a cluster have the same k tiles of their
/// own tiles.
struct stream_k_share {
  unsigned tiles = 0;        // the first so many are shared
  unsigned k_tiles = 0;      // of a tile
  unsigned of_cluster = 0;   // k tiles that each cluster takes
  unsigned longer = 0;       // the first so many clusters take one more
  void* partials = nullptr;  // a tile of accumulators for each block
  /// For each team of each block (partial_tile): the launch's ticket, once its accumulators are in
  /// the workspace.
  std::uint64_t* tickets = nullptr;
  std::uint64_t ticket = 0;
};

/// The most k tiles that can be numbered.
inline constexpr index most_shared_k_tiles = 2147483647;

/// Of `tiles`, shared by so many clusters: all, or those of the last wave and of the one before it.
/// None where the last wave is full.
inline stream_k_share stream_k_share_of(index tiles, index k_tiles, index clusters) {
  stream_k_share share;
  index const whole_waves = tiles / clusters;
  index const shared = whole_waves > 1 ? tiles - (whole_waves - 1) * clusters : tiles;
  if (tiles % clusters == 0 || shared * k_tiles > most_shared_k_tiles) return share;
  share.tiles = static_cast<unsigned>(shared);
  share.k_tiles = static_cast<unsigned>(k_tiles);
  share.of_cluster = static_cast<unsigned>(shared * k_tiles / clusters);
  share.longer = static_cast<unsigned>(shared * k_tiles % clusters);
  return share;
}

/// Differs for each launch of a process, and is odd: what a workspace holds that was not written
/// yet is no ticket, but with a chance of 2^-63.
XPOSE_EXPORT std::uint64_t stream_k_ticket();

}  // namespace detail
}  // namespace v0
}  // namespace xpose
