// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Walks the tiles of a plan in a fixed order; each thread takes a contiguous range of them. Two
// axes may be tiled; the others advance one by one.
#pragma once

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/core/problems/copy_plan.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A dimension split into equal tiles, a multiple of a granule; the last may be shorter.
struct tile_axis {
  index extent;
  index in_stride;
  index out_stride;
  index tile;
  index tiles;
};

/// A dimension in tiles of `max` elements at most, rounded up to the granule.
inline tile_axis tiled(copy_plan::dimension const& d, index max, index granule = 1) {
  index const parts = ceil_div(d.extent, std::max<index>(max, 1));
  index const tile = ceil_div(ceil_div(d.extent, parts), granule) * granule;
  return {d.extent, d.in_stride, d.out_stride, tile, ceil_div(d.extent, tile)};
}

struct tile_walk {
  int count = 0;
  index tiles = 1;
  tile_axis axes[copy_plan::max_dimensions];  // the first advances fastest

  void add(tile_axis const& a) {
    axes[count++] = a;
    tiles *= a.tiles;
  }

  /// Calls visit(in offset, out offset, extent along axis 0, along axis 1) for tiles first to
  /// last - 1.
  template <class Visit>
  void visit(index first, index last, Visit const& visit) const {
    index at[copy_plan::max_dimensions] = {};  // tile coordinates
    index in = 0;
    index out = 0;
    index rest = first;
    for (int a = 0; a < count && rest > 0; ++a) {
      at[a] = rest % axes[a].tiles;
      rest /= axes[a].tiles;
      in += at[a] * axes[a].tile * axes[a].in_stride;
      out += at[a] * axes[a].tile * axes[a].out_stride;
    }
    auto const extent = [&](int a) {
      return a < count ? std::min(axes[a].tile, axes[a].extent - at[a] * axes[a].tile) : index{1};
    };
    for (index tile = first; tile < last; ++tile) {
      visit(in, out, extent(0), extent(1));
      for (int a = 0; a < count; ++a) {
        index const step = axes[a].tile;
        in += step * axes[a].in_stride;
        out += step * axes[a].out_stride;
        if (++at[a] < axes[a].tiles) break;
        in -= axes[a].tiles * step * axes[a].in_stride;
        out -= axes[a].tiles * step * axes[a].out_stride;
        at[a] = 0;
      }
    }
  }
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
