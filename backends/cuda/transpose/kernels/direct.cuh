// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copies in output order through an element function, one element or vector an access: consecutive
// threads write consecutive elements of the output's fastest dimension, so that stores coalesce.
// Used where the input is fastest along the same dimension but rows are short; for batches of small
// matrices with padded pitches (8x8 at pitches of 9 and 10: 0.48 of a copy, tiles 0.15; H100,
// 2026-11-21); for few words, as no other kernel has so little to do between its load and its
// store; and for results too large for a tile. Assumes natural alignment only.
#pragma once

#include <xpose/backends/cuda/transpose/kernels/tile_strided.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Loads the element that f is called with; elementwise/iterator.cuh overloads it.
template <class T, class F>
__device__ void load_value(uninitialized<T>& v, char const* from, F const&) {
  v.load(from);
}

/// A thread has Loads independent loads in flight.
template <int Loads>
struct direct_block {
  static constexpr int threads = 256;
  static constexpr int elements = threads * Loads;
};

template <int Loads, class In, class Out, class F>
__global__ void __launch_bounds__(direct_block<Loads>::threads)
    copy_direct(char const* const first_in, char* const first_out, unsigned const elements,
                outer_dimensions const __grid_constant__ dimensions, F const f) {
  using block = direct_block<Loads>;
  unsigned const first = blockIdx.x * block::elements + threadIdx.x;
  uninitialized<In> v[Loads];
  char* to[Loads];
#pragma unroll
  for (int k = 0; k < Loads; ++k) {
    unsigned const element = first + k * block::threads;
    to[k] = nullptr;
    if (element >= elements) continue;
    char const* in = first_in;
    to[k] = first_out;
    dimensions.advance_to(element, in, to[k]);
    load_value(v[k], in, f);
  }
#pragma unroll
  for (int k = 0; k < Loads; ++k)
    if (to[k] != nullptr) *reinterpret_cast<Out*>(to[k]) = static_cast<Out>(f(v[k].value));
}

/// Over all dimensions; strides in bytes.
template <class In, class Out, int Loads, class F>
void launch_direct(execution const& where, char const* in, char* out,
                   outer_dimensions const& dimensions, index elements, F const& f) {
  using block = direct_block<Loads>;
  launch_blocks(where, ceil_div(elements, block::elements), block::threads, 0, "copy_direct",
                copy_direct<Loads, In, Out, F>, in, out, static_cast<unsigned>(elements),
                dimensions, f);
}

/// Few elements go one a thread, in more blocks: f32 of 12x28x28x4 by 0312 0.82 of a copy, 0.69 by
/// fours; f64 of 64x40x3x5x900 by 01432 0.63, 0.74 (H200, 2026-11-28).
template <class In, class Out, class F>
void launch_direct_elements(execution const& where, char const* in, char* out,
                            outer_dimensions const& dimensions, index elements, F const& f) {
  constexpr index few = index{1} << 18;
  if (elements <= few) launch_direct<In, Out, 1>(where, in, out, dimensions, elements, f);
  else launch_direct<In, Out, 4>(where, in, out, dimensions, elements, f);
}

template <int W>
void run_direct(execution const& where, transpose_config const&, bit_copy const& copy) {
  outer_dimensions dimensions{};
  if (copy.words_in_run > 1) dimensions.add({copy.words_in_run, W, W});
  for (int d = 1; d < copy.plan.count; ++d) dimensions.add(copy.plan.dimensions[d]);
  using word = typename word_of<W>::type;
  launch_direct_elements<word, word>(where, copy.in, copy.out, dimensions, copy.word_count,
                                     identity{});
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
