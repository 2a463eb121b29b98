// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// An element function as the compiled drivers call it: once per tile, so that the call costs
// nothing, and the loop over the tile is compiled where the function is known.
#pragma once

#include <xpose/backends/omp/transpose/kernel_table.hpp>

#include <cstring>

namespace xpose {
inline namespace v0 {
namespace detail {

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

/// Copies elements of any size between any strides, one by one: what has no SIMD kernel. Has the
/// form of an element function, so that one driver runs both.
/// With the size known, a copy of one element is one or two instructions. Bytes = 0: `bytes` points
/// to the size, an index.
template <int Bytes>
void copy_elements(void const* bytes, function_tile const& t) {
  auto const size =
      static_cast<std::size_t>(Bytes != 0 ? Bytes : *static_cast<index const*>(bytes));
  for (index j = 0; j < t.height; ++j) {
    char const* from = t.in + j * t.in_pitch;
    char* to = t.to + j * t.to_pitch;
    for (index i = 0; i < t.width; ++i, from += t.in_step, to += t.to_step)
      std::memcpy(to, from, size);
  }
}

struct element_copy : element_size {
  void (*apply)(void const* bytes, function_tile const& tile);
};
inline constexpr element_copy element_copies[] = {
    {element_size{1}, copy_elements<1>},   {element_size{2}, copy_elements<2>},
    {element_size{3}, copy_elements<3>},   {element_size{4}, copy_elements<4>},
    {element_size{6}, copy_elements<6>},   {element_size{8}, copy_elements<8>},
    {element_size{12}, copy_elements<12>}, {element_size{16}, copy_elements<16>},
    {element_size{24}, copy_elements<24>}, {element_size{32}, copy_elements<32>},
    {any_size, copy_elements<0>},
};

/// `bytes` must outlive the result.
inline tile_function element_copy_of(index const& bytes) {
  return {&bytes, bytes, bytes, first_that_takes(element_copies, bytes).apply};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
