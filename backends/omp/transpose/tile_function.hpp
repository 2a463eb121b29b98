// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// An element function as the compiled drivers call it: once per tile, so that the call costs
// nothing, and the loop over the tile is compiled where the function is known.
#pragma once

#include <xpose/config.hpp>

namespace xpose::detail {

/// Bytes of output elements calculated at a time: half of an L1 cache.
inline constexpr index tile_function_bytes = 16 << 10;

/// Element (i, j) of width x height, at to + i * to_step + j * to_pitch, becomes f of the one at
/// in + i * in_step + j * in_pitch; all in bytes.
struct function_tile {
  char const* in;
  index in_step;
  index in_pitch;
  char* to;
  index to_step;
  index to_pitch;
  index width;
  index height;
};

struct tile_function {
  void const* f;
  index in_bytes;  // of an element
  index out_bytes;
  void (*apply)(void const* f, function_tile const& tile);
  /// The same to contiguous rows, with streaming stores; needs no f. Null: the driver goes through
  /// scratch.
  void (*apply_streamed)(function_tile const& tile) = nullptr;
};

template <class In, class Out, class F>
void apply_to_tile(void const* function, function_tile const& t) {
  F const& f = *static_cast<F const*>(function);
  bool const reads_run = t.in_step == index{sizeof(In)};
  bool const writes_run = t.to_step == index{sizeof(Out)};
  for (index j = 0; j < t.height; ++j) {
    char const* const from = t.in + j * t.in_pitch;
    char* const to = t.to + j * t.to_pitch;
    auto const in_at = [=](index i) -> In const& {
      return *reinterpret_cast<In const*>(from + i * t.in_step);
    };
    In const* const ins = reinterpret_cast<In const*>(from);
    Out* const outs = reinterpret_cast<Out*>(to);
    if (reads_run && writes_run)
      for (index i = 0; i < t.width; ++i) outs[i] = static_cast<Out>(f(ins[i]));
    else if (writes_run)
      for (index i = 0; i < t.width; ++i) outs[i] = static_cast<Out>(f(in_at(i)));
    else
      for (index i = 0; i < t.width; ++i)
        *reinterpret_cast<Out*>(to + i * t.to_step) = static_cast<Out>(f(in_at(i)));
  }
}

/// f must outlive the result.
template <class In, class Out, class F>
tile_function tile_function_of(F const& f) {
  return {&f, sizeof(In), sizeof(Out), apply_to_tile<In, Out, F>};
}

}  // namespace xpose::detail
