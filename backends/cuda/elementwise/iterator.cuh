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

namespace xpose::detail {

template <class Out, class Reader>
__global__ void __launch_bounds__(strided_tile::threads)
    transpose_iterator(transpose_problem const __grid_constant__ p, tile_order const order,
                       Reader const read) {
  constexpr int side = strided_tile::side, rows_in_step = strided_tile::rows_in_step;
  __shared__ shared_tile<Out, side, side + strided_tile::pad> tile;
  auto const at = locate_tile(p, order);
  int const lane = static_cast<int>(threadIdx.x) % side;
  int const top = static_cast<int>(threadIdx.x) / side;
  int const row = at.row_tile * side, col = at.col_tile * side;

  index const first =
      element_at(at.in) + index{row + top} * p.in_pitch + index{col + lane} * p.in_step;
  uninitialized<Out> v[strided_tile::steps];
#pragma unroll
  for (int k = 0; k < strided_tile::steps; ++k)
    if (col + lane < p.cols && row + top + rows_in_step * k < p.rows)
      new (&v[k].value) Out(static_cast<Out>(read(first + rows_in_step * k * p.in_pitch)));
#pragma unroll
  for (int k = 0; k < strided_tile::steps; ++k)
    if (col + lane < p.cols && row + top + rows_in_step * k < p.rows)
      tile(top + rows_in_step * k, lane) = v[k].value;
  __syncthreads();

  char* const out = at.out + index{col + top} * p.out_pitch + index{row + lane} * p.out_step;
#pragma unroll
  for (int k = 0; k < strided_tile::steps; ++k)
    if (row + lane < p.rows && col + top + rows_in_step * k < p.cols)
      *reinterpret_cast<Out*>(out + rows_in_step * k * p.out_pitch) =
          tile(lane, top + rows_in_step * k);
}

template <class Out, class Reader>
__global__ void __launch_bounds__(direct_block::threads)
    copy_iterator(char const* const first_in, char* const first_out, unsigned const elements,
                  outer_dimensions const __grid_constant__ dimensions, Reader const read) {
  unsigned const first = blockIdx.x * direct_block::elements + threadIdx.x;
  uninitialized<Out> v[direct_block::elements_in_thread];
  char* to[direct_block::elements_in_thread];
#pragma unroll
  for (int k = 0; k < direct_block::elements_in_thread; ++k) {
    unsigned const element = first + k * direct_block::threads;
    to[k] = nullptr;
    if (element >= elements) continue;
    char const* at = first_in;
    to[k] = first_out;
    dimensions.advance_to(element, at, to[k]);
    new (&v[k].value) Out(static_cast<Out>(read(element_at(at))));
  }
#pragma unroll
  for (int k = 0; k < direct_block::elements_in_thread; ++k)
    if (to[k] != nullptr) *reinterpret_cast<Out*>(to[k]) = v[k].value;
}

template <class Out, class Reader>
void launch_iterator(execution const& where, function_copy const& c, Reader const& reader) {
  if constexpr (sizeof(Out) <= max_tile_element_bytes)
    if (transposes_in_tiles(c)) {
      constexpr char const* name = "transpose_iterator";
      if (explain_only(where, name)) return;
      transpose_problem const p = problem_of(c);
      auto const tiles = [](int extent) { return ceil_div(index{extent}, strided_tile::side); };
      return launch_blocks(where, tiles(p.rows) * tiles(p.cols) * p.batch_count,
                           strided_tile::threads, 0, name, transpose_iterator<Out, Reader>, p,
                           tile_order(tiles(p.rows), tiles(p.cols)), reader);
    }
  constexpr char const* name = "copy_iterator";
  if (explain_only(where, name)) return;
  outer_dimensions all{};
  for (int d = 0; d < c.plan.count; ++d) all.add(c.plan.dimensions[d]);
  launch_blocks(where, ceil_div(c.plan.units, direct_block::elements), direct_block::threads, 0,
                name, copy_iterator<Out, Reader>, c.in, c.out, static_cast<unsigned>(c.plan.units),
                all, reader);
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

}  // namespace xpose::detail
