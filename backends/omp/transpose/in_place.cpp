// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// omp's transpose_inplace, for elements of any number of bytes.

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/core/given_memory.hpp>
#include <xpose/backends/omp/runtime/settings.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/backends/omp/runtime/workspace.hpp>
#include <xpose/backends/omp/transpose/driver.hpp>
#include <xpose/backends/omp/transpose/kernel_table.hpp>
#include <xpose/backends/omp/transpose/simd/moves.hpp>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace xpose::detail {
namespace {

/// A tile and its mirror image across the diagonal; on the diagonal they are the same.
struct tile_pair {
  char* matrix;
  index first_row;
  index first_col;
  index height;
  index width;
  bool is_repeated;  // it was visited before

  bool is_on_diagonal() const { return first_row == first_col; }
};

/// Calls swap(pair, the next pair, thread) for the tiles on and right of the diagonal; the last
/// pair is its own next. Row k of tiles and row k from below together have tiles + 1 of them: they
/// form one folded row, so that equal ranges are equal work. With 4 rows of tiles:
///   0 0 0 0          folded row 0: row 0 and row 3
///     1 1 1          folded row 1: row 1 and row 2
///       1 1
///         0
template <class Swap>
void for_each_pair(int team, operand const& o, index side, Swap const& swap) {
  index const tiles = ceil_div(o.rows, side);
  index const per_matrix = (tiles + 1) / 2 * (tiles + 1);
  auto const pair_of = [&](index task) {
    char* const matrix = static_cast<char*>(const_cast<void*>(o.data)) +
                         task / per_matrix * o.batch_stride * o.bytes_per_element;
    index const folded_row = task % per_matrix / (tiles + 1);
    index const at = task % per_matrix % (tiles + 1);
    bool const is_upper_half = at < tiles - folded_row;
    index const row = is_upper_half ? folded_row : tiles - 1 - folded_row;
    index const first_row = row * side;
    index const first_col = (is_upper_half ? folded_row + at : at - 1) * side;
    // With an odd number of rows, the middle one is its own counterpart: its second half is
    // skipped.
    bool const is_repeated = !is_upper_half && 2 * folded_row + 1 == tiles;
    auto const extent = [&](index first) { return std::min(side, o.rows - first); };
    return tile_pair{matrix,     first_row, first_col, extent(first_row), extent(first_col),
                     is_repeated};
  };
  index const tasks = o.batch * per_matrix;
  parallel_for(team, tasks, [&](index task, int member) {
    tile_pair const pair = pair_of(task);
    if (!pair.is_repeated) swap(pair, pair_of(std::min(task + 1, tasks - 1)), member);
  });
}

int team_of(int threads, operand const& o) {
  index const bytes = o.batch * o.rows * o.cols * o.bytes_per_element;
  return bytes <= tuned.move_team_bytes ? 1 : team_for(threads, bytes);
}

/// Swaps single elements, of any strides and sizes.
void swap_elements(int threads, operand const& o, index side) {
  index const bytes = o.bytes_per_element;
  for_each_pair(team_of(threads, o), o, side, [&](tile_pair const& t, tile_pair const&, int) {
    for (index i = t.first_row; i < t.first_row + t.height; ++i)
      for (index j = t.is_on_diagonal() ? i + 1 : t.first_col; j < t.first_col + t.width; ++j) {
        char* const a = t.matrix + (i * o.row_stride + j * o.col_stride) * bytes;
        char* const b = t.matrix + (j * o.row_stride + i * o.col_stride) * bytes;
        std::swap_ranges(a, a + bytes, b);
      }
  });
}

void prefetch_to_write(char const* row, index bytes) {
  for (index b = 0; b < bytes; b += 64) __builtin_prefetch(row + b, 1, 2);
}

/// Bytes between the contiguous lines of the view, be these its rows or its columns; 0 if neither
/// is contiguous. Both directions may be reversed.
index pitch_of(operand const& square) {
  bool const has_unit = std::abs(square.row_stride) == 1 || std::abs(square.col_stride) == 1;
  return has_unit ? square.row_stride * square.col_stride * square.bytes_per_element : 0;
}

/// For contiguous rows. For each pair of tiles:
///   upper -> transpose -> scratch;  lower -> transpose -> upper;  scratch -> copy -> lower
/// The copy prefetches the next pair, which the hardware cannot foresee (4096x4096, one thread,
/// fraction of memcpy without: 0.65 for 2 and 4 bytes, with: 0.81 and 0.89).
void transpose_tile_pairs(int threads, operand const& o, index side) {
  index const bytes = o.bytes_per_element;
  index const pitch = pitch_of(o);
  simd_kernels const& simd = active_simd_kernels();
  simd_transpose const transpose = simd.transposes_for(bytes).transpose;
  index const scratch_pitch = side * bytes;
  auto const at = [&](tile_pair const& t, index i, index j) {
    return t.matrix + i * pitch + j * bytes;
  };
  int const team = team_of(threads, o);
  workspace const memory(team * transpose_workspace_bytes, team);
  for_each_pair(team, o, side, [&](tile_pair const& t, tile_pair const& next, int member) {
    char* const workspace = memory.data() + member * transpose_workspace_bytes;
    char* const scratch = workspace + transpose_workspace_bytes - side * scratch_pitch;
    char* const upper = at(t, t.first_row, t.first_col);
    char* const lower = at(t, t.first_col, t.first_row);
    transpose({upper, pitch, scratch, scratch_pitch, t.width, t.height, nullptr, bytes, true},
              store_mode::cached, workspace);
    if (!t.is_on_diagonal())
      transpose({lower, pitch, upper, pitch, t.height, t.width, nullptr, bytes, true},
                store_mode::cached, workspace);
    for (index k = 0; k < t.width; ++k) {
      if (k < next.height)
        prefetch_to_write(at(next, next.first_row + k, next.first_col), next.width * bytes);
      if (k < next.width)
        prefetch_to_write(at(next, next.first_col + k, next.first_row), next.height * bytes);
      simd.copy_rows(scratch + k * scratch_pitch, 0, lower + k * pitch, 0, t.height * bytes, 1,
                     store_mode::cached);
    }
  });
}

/// The same view with both axes reversed if its contiguous rows run backwards in memory.
operand with_forward_rows(operand o) {
  bool const is_backwards = o.row_stride == -1 || o.col_stride == -1;
  if (!is_backwards) return o;
  index const last = (o.rows - 1) * o.row_stride + (o.cols - 1) * o.col_stride;
  o.data = static_cast<char const*>(o.data) + last * o.bytes_per_element;
  o.row_stride = -o.row_stride;
  o.col_stride = -o.col_stride;
  return o;
}

/// Swaps element (i, j) with (j, i) in every matrix, by pairs of tiles. Assumes square matrices
/// with distinct elements; takes any strides. Throws std::bad_alloc before anything is written.
void transpose_square(execution const& where, operand const& view) {
  index const bytes = pitch_of(view) != 0 ? view.bytes_per_element : any_size.bytes;
  cpu_in_place_config const& config = first_that_takes(cpu_in_place_table, bytes);
  if (explain_only(where, config.kernel)) return;
  index const side = config.side.elements;
  if (config.bytes == any_size.bytes) return swap_elements(where.threads, view, side);
  transpose_tile_pairs(where.threads, with_forward_rows(view), side);
}

/// Copies as many matrices as fit 4 MB, one at least, to the workspace, and transposes them back.
/// Assumes packed matrices that do not interleave. Throws std::bad_alloc before anything is
/// written.
void transpose_packed(execution const& where, operand const& view) {
  if (explain_only(where, "transpose_through_workspace")) return;
  constexpr index bytes_in_workspace = index{4} << 20;
  index const elements = view.rows * view.cols;
  index const bytes = elements * view.bytes_per_element;
  index const in_workspace = std::min(view.batch, std::max<index>(1, bytes_in_workspace / bytes));
  bool const is_given = brings_memory(where, backend_id::omp);
  std::optional<given_memory> given;
  if (is_given) given.emplace(where, in_workspace * bytes);
  workspace const own(is_given ? 0 : in_workspace * bytes);
  workspace const of_copies(copy_workspace_bytes(where.threads), team_for(where.threads, bytes));
  auto const copy_bits = [&](operand const& in, operand const& out) {
    omp_copy_bits(where, as_tensor(in), as_tensor(out), of_copies.data());
  };

  operand part = view;
  operand transposed = view;
  std::swap(transposed.rows, transposed.cols);
  if (is_packed_row_major(view.cols, view.row_stride, view.col_stride))
    transposed.row_stride = view.rows;
  else transposed.col_stride = view.cols;
  for (index first = 0; first < view.batch; first += in_workspace) {
    part.batch = transposed.batch = std::min(in_workspace, view.batch - first);
    part.data = transposed.data =
        static_cast<char const*>(view.data) + first * view.batch_stride * view.bytes_per_element;
    operand saved = part;
    saved.data = is_given ? given->data() : own.data();
    saved.batch_stride = elements;
    copy_bits(part, saved);
    std::swap(saved.rows, saved.cols);
    std::swap(saved.row_stride, saved.col_stride);
    copy_bits(saved, transposed);
  }
}

}  // namespace

void omp_run_inplace(execution const& where, inplace_request const& r) {
  if (r.view.rows == r.view.cols) transpose_square(where, r.view);
  else transpose_packed(where, r.view);
}

}  // namespace xpose::detail
