// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// omp's transpose_inplace, for elements of any number of bytes.

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/omp/runtime/settings.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/backends/omp/runtime/workspace.hpp>
#include <xpose/backends/omp/transpose/in_place.hpp>
#include <xpose/backends/omp/transpose/kernel_table.hpp>
#include <xpose/backends/omp/transpose/simd/moves.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {
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

/// Of an unaligned row, the cache line of its last byte is one more. Without it 4096x4096 takes, us
/// (Zen 5, one thread, pitch 4112): bytes 2417, 1296 with it; 2 bytes 3580, 1620.
void prefetch_to_write(char const* row, index bytes) {
  for (index b = 0; b < bytes; b += 64) __builtin_prefetch(row + b, 1, 2);
  __builtin_prefetch(row + bytes - 1, 1, 2);
}

/// Bytes between the contiguous lines of the view, be these its rows or its columns; 0 if neither
/// is contiguous. Both directions may be reversed.
index pitch_of(operand const& square) {
  bool const has_unit = std::abs(square.row_stride) == 1 || std::abs(square.col_stride) == 1;
  return has_unit ? square.row_stride * square.col_stride * square.bytes_per_element : 0;
}

/// Whether rows of a tile and of its mirror image begin a few bytes apart modulo a page, or the
/// half of one. Loads of one then wait for stores to the other, whose low address bits overlap
/// theirs. Zen 5, one thread, us directly and through scratch: 4 bytes, pitch 4097 6180, 3750; 4096
/// 3500, 3020; 4098 3960, 3650; 4100 3220, 3440; 513x513 58, 45. 8 bytes, 4097 9890, 7970; 4096
/// equal, 1024x1024 255, 278. 16 bytes equal.
bool rows_alias(index pitch, index bytes) {
  constexpr index page = 4096;
  constexpr index near_bytes = 8;
  if (pitch % page == 0) return bytes <= 4;
  index const beyond = (std::abs(pitch) + near_bytes) % (page / 2);
  return bytes <= 8 && beyond <= 2 * near_bytes && beyond != near_bytes;
}

/// For contiguous rows. For each pair of tiles:
///   upper -> transpose -> scratch;  lower -> transpose -> upper;  scratch -> copy -> lower
/// Where rows alias, the lower tile also passes through scratch. The copy prefetches the next pair,
/// which the hardware cannot foresee (4096x4096, one thread, fraction of memcpy without: 0.65 for 2
/// and 4 bytes, with: 0.81 and 0.89).
void transpose_tile_pairs(int threads, operand const& o, index side) {
  index const bytes = o.bytes_per_element;
  index const pitch = pitch_of(o);
  simd_kernels const& simd = active_simd_kernels();
  simd_transpose const transpose = simd.transposes_for(bytes).transpose;
  index const scratch_pitch = side * bytes;
  bool const alias = rows_alias(pitch, bytes);
  auto const at = [&](tile_pair const& t, index i, index j) {
    return t.matrix + i * pitch + j * bytes;
  };
  int const team = team_of(threads, o);
  workspace const memory(team * transpose_workspace_bytes, team);
  for_each_pair(team, o, side, [&](tile_pair const& t, tile_pair const& next, int member) {
    char* const workspace = memory.data() + member * transpose_workspace_bytes;
    char* const of_upper = workspace + transpose_workspace_bytes - side * scratch_pitch;
    char* const of_lower = of_upper - side * scratch_pitch;
    char* const upper = at(t, t.first_row, t.first_col);
    char* const lower = at(t, t.first_col, t.first_row);
    bool const is_pair = !t.is_on_diagonal();
    transpose({upper, pitch, of_upper, scratch_pitch, t.width, t.height, nullptr, bytes, true},
              store_mode::cached, workspace);
    if (is_pair && alias)
      transpose({lower, pitch, of_lower, scratch_pitch, t.height, t.width, nullptr, bytes, true},
                store_mode::cached, workspace);
    else if (is_pair)
      transpose({lower, pitch, upper, pitch, t.height, t.width, nullptr, bytes, true},
                store_mode::cached, workspace);
    for (index k = 0; k < std::max(t.width, t.height); ++k) {
      if (k < next.height)
        prefetch_to_write(at(next, next.first_row + k, next.first_col), next.width * bytes);
      if (k < next.width)
        prefetch_to_write(at(next, next.first_col + k, next.first_row), next.height * bytes);
      if (k < t.width)
        simd.copy_rows(of_upper + k * scratch_pitch, 0, lower + k * pitch, 0, t.height * bytes, 1,
                       store_mode::cached);
      if (is_pair && alias && k < t.height)
        simd.copy_rows(of_lower + k * scratch_pitch, 0, upper + k * pitch, 0, t.width * bytes, 1,
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

/// The side of tiles: a row has 256 bytes, unless there are too few pairs for the team. Zen 5, one
/// thread, us with sides of 64, 128, 192 and 256: 4096x4096 bytes 1157, 764, 792, 669, 512x512 18,
/// 12, 11, 10; 2 bytes 1544, 1538, 1874, 2000x2000 368, 309, 298.
index side_of(index in_table, int team, operand const& o) {
  constexpr index row_bytes = 256;
  constexpr index pairs_of_member = 4;
  auto const pairs = [&](index side) {
    index const tiles = ceil_div(o.rows, side);
    return o.batch * tiles * (tiles + 1) / 2;
  };
  index side = in_table;
  while (side * o.bytes_per_element < row_bytes &&
         (team == 1 || pairs(2 * side) >= pairs_of_member * team))
    side *= 2;
  return side;
}

/// Swaps element (i, j) with (j, i) in every matrix, by pairs of tiles. Assumes square matrices
/// with distinct elements; takes any strides. Throws std::bad_alloc before anything is written.
void transpose_square(execution const& where, operand const& view) {
  index const bytes = pitch_of(view) != 0 ? view.bytes_per_element : any_size.bytes;
  cpu_in_place_config const& config = first_that_takes(cpu_in_place_table, bytes);
  if (explain_only(where, config.kernel)) return;
  if (config.bytes == any_size.bytes)
    return swap_elements(where.threads, view, config.side.elements);
  index const side = side_of(config.side.elements, team_of(where.threads, view), view);
  transpose_tile_pairs(where.threads, with_forward_rows(view), side);
}

}  // namespace

void omp_run_inplace(execution const& where, inplace_request const& r) {
  if (r.view.rows == r.view.cols) transpose_square(where, r.view);
  else transpose_packed(where, r.view);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
