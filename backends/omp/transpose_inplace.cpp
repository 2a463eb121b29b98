// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/transpose_inplace.hpp>

#include <xpose/backends/backend.hpp>
#include <xpose/backends/omp/parallel.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

template <int Bytes>
struct swap_of {
  // It may stand for any element type: bytes are moved, never interpreted.
  struct __attribute__((may_alias)) block {
    char bytes[Bytes];
  };
  static void elements(char* a, char* b, index) {
    std::swap(*reinterpret_cast<block*>(a), *reinterpret_cast<block*>(b));
  }
};
struct swap_of_any_size {
  static void elements(char* a, char* b, index bytes) { std::swap_ranges(a, a + bytes, b); }
};

constexpr index side = 32;  // two tiles of 16-byte elements fill a 32 KB first-level cache

/// The tile from (first_row, first_col) with the one across the diagonal, or itself on the
/// diagonal.
template <class Swap>
void swap_tiles(operand const& o, char* matrix, index first_row, index first_col) {
  index const bytes = o.bytes_per_element;
  bool const is_on_diagonal = first_row == first_col;
  index const last_row = std::min(first_row + side, o.rows);
  index const last_col = std::min(first_col + side, o.cols);
  for (index i = first_row; i < last_row; ++i)
    for (index j = is_on_diagonal ? i + 1 : first_col; j < last_col; ++j)
      Swap::elements(matrix + (i * o.row_stride + j * o.col_stride) * bytes,
                     matrix + (j * o.row_stride + i * o.col_stride) * bytes, bytes);
}

/// Tiles on and right of the diagonal. Row of tiles k and its counterpart from below, which
/// together have tiles + 1 of them, are taken as one line, so that equal ranges are equal work.
template <class Swap>
void swap_all_tiles(int threads, operand const& o) {
  index const tiles = (o.rows + side - 1) / side;
  index const lines = (tiles + 1) / 2;
  index const per_matrix = lines * (tiles + 1);
  // Waking a team costs more than moving this much on one thread.
  constexpr index serial_bytes = 65536;
  int const team = o.batch * o.rows * o.cols * o.bytes_per_element <= serial_bytes ? 1 : threads;
  parallel_for(team, o.batch * per_matrix, [&](index task) {
    char* const matrix = static_cast<char*>(const_cast<void*>(o.data)) +
                         task / per_matrix * o.batch_stride * o.bytes_per_element;
    index const line = task % per_matrix / (tiles + 1);
    index const at = task % per_matrix % (tiles + 1);
    index const counterpart = tiles - 1 - line;
    if (at < tiles - line) swap_tiles<Swap>(o, matrix, line * side, (line + at) * side);
    else if (counterpart != line) swap_tiles<Swap>(o, matrix, counterpart * side, (at - 1) * side);
  });
}

void copy_bits(execution const& where, operand const& in, operand const& out) {
  omp_run_copy(where,
               {operation::copy, as_tensor(in), as_tensor(out), element_function::copy_bits});
}

struct swap_row {
  int bytes;
  char const* kernel;
  void (*run)(int threads, operand const& view);
};

constexpr swap_row table[] = {
    {1, "swap_tiles<1>", swap_all_tiles<swap_of<1>>},
    {2, "swap_tiles<2>", swap_all_tiles<swap_of<2>>},
    {4, "swap_tiles<4>", swap_all_tiles<swap_of<4>>},
    {8, "swap_tiles<8>", swap_all_tiles<swap_of<8>>},
    {16, "swap_tiles<16>", swap_all_tiles<swap_of<16>>},
};
constexpr swap_row any_size{0, "swap_tiles<bytes>", swap_all_tiles<swap_of_any_size>};

swap_row const& row_for(operand const& o) {
  for (swap_row const& row : table)
    if (row.bytes == o.bytes_per_element) return row;
  return any_size;
}

}  // namespace

void transpose_square_inplace(int threads, operand const& view) {
  row_for(view).run(threads, view);
}

void transpose_packed_inplace(execution const& where, operand const& view) {
  constexpr index bytes_in_workspace = index{4} << 20;
  index const elements = view.rows * view.cols;
  index const bytes = elements * view.bytes_per_element;
  index const in_workspace = std::min(view.batch, std::max<index>(1, bytes_in_workspace / bytes));
  std::unique_ptr<char[]> const workspace(new char[static_cast<std::size_t>(in_workspace * bytes)]);

  operand part = view;
  operand turned = view;
  std::swap(turned.rows, turned.cols);
  if (is_packed_row_major(view.cols, view.row_stride, view.col_stride))
    turned.row_stride = view.rows;
  else turned.col_stride = view.cols;
  for (index first = 0; first < view.batch; first += in_workspace) {
    part.batch = turned.batch = std::min(in_workspace, view.batch - first);
    part.data = turned.data =
        static_cast<char const*>(view.data) + first * view.batch_stride * view.bytes_per_element;
    operand saved = part;
    saved.data = workspace.get();
    saved.batch_stride = elements;
    copy_bits(where, part, saved);
    std::swap(saved.rows, saved.cols);
    std::swap(saved.row_stride, saved.col_stride);
    copy_bits(where, saved, turned);
  }
}

char const* omp_inplace_kernel(inplace_request const& r) {
  return r.view.rows == r.view.cols ? row_for(r.view).kernel : "copy_through_workspace";
}

void omp_run_inplace(execution const& where, inplace_request const& r) {
  if (r.view.rows == r.view.cols) transpose_square_inplace(where.threads, r.view);
  else transpose_packed_inplace(where, r.view);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
