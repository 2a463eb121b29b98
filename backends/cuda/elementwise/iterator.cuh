// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// transpose and copy of an iterator's elements on a GPU, one element an access: through a 32x32
// tile in shared memory where iterator and output are fastest along different dimensions, otherwise
// in output order. Only for iterator_view, in a user's file. Assumes checked operands. The input
// has no memory: its "addresses" are positions, one byte an element (iterator_view.hpp). A thread
// evaluates all its elements before it stores the first, so that their loads are in flight
// together.
#pragma once

#include <xpose/backends/cuda/elementwise/driver.cuh>
#include <xpose/iterator_view.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

using iterator_tile = strided_tile<32>;

template <class Out, class Reader>
__global__ void __launch_bounds__(iterator_tile::threads)
    transpose_iterator(transpose_problem const __grid_constant__ p, tile_order const order,
                       Reader const read) {
  constexpr int side = iterator_tile::side, rows_in_step = iterator_tile::rows_in_step;
  __shared__ shared_tile<Out, side, side + iterator_tile::pad> tile;
  auto const at = locate_tile(p, order);
  int const lane = static_cast<int>(threadIdx.x) % side;
  int const top = static_cast<int>(threadIdx.x) / side;
  int const row = at.row_tile * side, col = at.col_tile * side;

  index const first =
      element_at(at.in) + index{row + top} * p.in_pitch + index{col + lane} * p.in_step;
  uninitialized<Out> v[iterator_tile::steps];
#pragma unroll
  for (int k = 0; k < iterator_tile::steps; ++k)
    if (col + lane < p.cols && row + top + rows_in_step * k < p.rows)
      new (&v[k].value) Out(static_cast<Out>(read(first + rows_in_step * k * p.in_pitch)));
#pragma unroll
  for (int k = 0; k < iterator_tile::steps; ++k)
    if (col + lane < p.cols && row + top + rows_in_step * k < p.rows)
      tile(top + rows_in_step * k, lane) = v[k].value;
  __syncthreads();

  char* const out = at.out + index{col + top} * p.out_pitch + index{row + lane} * p.out_step;
#pragma unroll
  for (int k = 0; k < iterator_tile::steps; ++k)
    if (row + lane < p.rows && col + top + rows_in_step * k < p.cols)
      *reinterpret_cast<Out*>(out + rows_in_step * k * p.out_pitch) =
          tile(lane, top + rows_in_step * k);
}

/// The function of copy_direct where "addresses" are positions: load_value() reads the element.
template <class Reader>
struct elements_of {
  template <class T>
  __device__ T const& operator()(T const& x) const {
    return x;
  }
  Reader read;
};
template <class Out, class Reader>
__device__ void load_value(uninitialized<Out>& v, char const* position,
                           elements_of<Reader> const& from) {
  new (&v.value) Out(static_cast<Out>(from.read(element_at(position))));
}

template <class Out, class Reader>
void launch_iterator(execution const& where, function_copy const& c, Reader const& reader) {
  if constexpr (sizeof(Out) <= max_tile_element_bytes)
    if (c.plan.transposes()) {
      constexpr char const* name = "transpose_iterator";
      if (!explain_only(where, name))
        launch_tiles<iterator_tile>(where, name, transpose_iterator<Out, Reader>, problem_of(c), 0,
                                    0, reader);
      return;
    }
  if (!explain_only(where, "copy_iterator"))
    launch_in_output_order<Out, Out>(where, c, elements_of<Reader>{reader});
}

/// out(i..) = reader(position of the element).
template <class Out, class Reader>
void cuda_copy_iterator(execution const& where, tensor_operand const& positions,
                        tensor_operand const& out, Reader const& reader) {
  for_each_function_piece(plan_function_copy(positions, out), [&](function_copy const& piece) {
    launch_iterator<Out>(where, piece, reader);
  });
  finish(where);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
