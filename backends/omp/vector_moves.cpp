// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Turning rectangles in registers, for every instruction set that Highway compiles here: those of
// 1-, 2-, 4-, 8- and 16-byte elements here, others by groups-inl.h, small ones by
// small_matrices-inl.h. Assumes nothing of alignment; reads and writes only the rectangle.

#include <xpose/backends/omp/vector_moves.hpp>

#include <xpose/backends/message.hpp>
#include <xpose/backends/omp/copy_table.hpp>
#include <xpose/backends/omp/workspace.hpp>
#include <xpose/error.hpp>

#include <hwy/cache_control.h>

#include <strings.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xpose/backends/omp/vector_moves.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set

#include <xpose/backends/omp/casts-inl.h>
#include <xpose/backends/omp/groups-inl.h>
#include <xpose/backends/omp/lines-inl.h>
#include <xpose/backends/omp/small_matrices-inl.h>
#include <xpose/backends/omp/thin_lines-inl.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

// Plain loops. Scalable vectors have no fixed arrays of vectors, which the scheme below lives from.
template <int Bytes>
void turn(rectangle const& r, store_mode, char* workspace) {
  constexpr index side = 32;
  index const bytes = element_bytes<Bytes>(r);
  index const rows = std::max<index>(1, std::min(side, tile_function_bytes / (side * bytes)));
  for (index j = 0; j < r.height; j += rows)
    for (index i = 0; i < r.width; i += side) {
      index const width = std::min(side, r.width - i);
      index const height = std::min(rows, r.height - j);
      move_block<Bytes>(bytes, input_at(bytes, r, i, j, width, height, workspace), width, height,
                        r.out + i * r.out_pitch + j * bytes, r.out_pitch);
    }
}

template <int Bytes>
void turn_odd(rectangle const& r, store_mode mode, char* workspace) {
  turn<Bytes>(r, mode, workspace);
}

template <int Bytes, turn_function Turn>
void turn_matrices(matrix_batch const& batch, store_mode mode, char* workspace) {
  rectangle r = batch.first;
  for (index m = 0; m < batch.count; ++m, r.in += batch.in_step, r.out += batch.out_step)
    Turn(r, mode, workspace);
}

void copy_rows(char const* in, index in_pitch, char* out, index out_pitch, index bytes, index rows,
               store_mode) {
  for (index j = 0; j < rows; ++j)
    std::memcpy(out + j * out_pitch, in + j * in_pitch, static_cast<std::size_t>(bytes));
}

void finish_streaming() {}

#else

/// One line of every column: shape::rows rows from row j on; sink_of(first column, number) gives
/// the sink of a step. Quarters that must wait for the rest are kept in the workspace, 64 bytes a
/// column at most.
/// Streamed matrices of short rows are worth a prefetch of the next group of rows: the hardware
/// does not see an order in lines that lie a row apart on the same page (share of memcpy without
/// and with, 4 bytes: 1000000x16 0.84, 0.90; 400000x64 0.73, 0.84; 10000x1024 0.87, 0.63; in the
/// caches it loses a tenth).
template <int Bytes, store_mode Mode, class SinkOf>
HWY_INLINE void turn_one_line(rectangle const& r, index j, char* workspace, SinkOf const& sink_of) {
  using s = shape<Bytes>;
  if (r.width < s::columns) {
    piece const p = input_at(Bytes, r, 0, j, r.width, s::rows, workspace);
    return turn_narrow_line<Bytes>(p, r.width, sink_of(0, 0));
  }
  constexpr int group = s::quarters_at_once;
  constexpr index rows = group * s::rows_in_quarter;
  constexpr index waiting_bytes = index{4 - group} * s::rows_in_quarter * s::vector_bytes;
  index const steps = (r.width + s::columns - 1) / s::columns;
  constexpr index function_piece_bytes =
      2048;  // with 16 KB 0.57 in place of 0.66, float to bfloat16
  index const steps_at_once =
      r.function == nullptr
          ? steps
          : std::max<index>(1, function_piece_bytes / (rows * s::columns * Bytes));
  constexpr index most_prefetched_pitch = 512;
  bool const prefetches =
      Mode == store_mode::streamed && r.function == nullptr && r.in_pitch <= most_prefetched_pitch;
  char* const kept = workspace + tile_function_bytes;
  auto const waiting = [](char* base, int q, int c) HWY_ATTR {
    return base + (q * s::rows_in_quarter + c) * s::vector_bytes;
  };
  // visit(step, its quarters) for the group of quarters from `first` on.
  auto const load_group = [&](int first, auto const& visit) HWY_ATTR {
    index const first_row = j + first * s::rows_in_quarter;
    // Through a stage memory would wait: it is read row by row then (float to bfloat16, 4096x4096:
    // 0.66 in place of 0.70 of memcpy).
    bool const is_cast = all_casts::with<Bytes>(r.function, [&](auto pair) HWY_ATTR {
      using in_element = typename decltype(pair)::in;
      using out_element = typename decltype(pair)::out;
      for (index n = 0; n < steps; ++n) {
        char const* const from = r.in + step_start<Bytes>(n, r.width) * index{sizeof(in_element)} +
                                 first_row * r.in_pitch;
        typename s::quarter z[group];
#pragma GCC unroll 4
        for (int q = 0; q < group; ++q) {
#pragma GCC unroll 16
          for (int k = 0; k < s::rows_in_quarter; ++k)
            z[q][k] = load_cast<in_element, out_element>(from +
                                                         (q * s::rows_in_quarter + k) * r.in_pitch);
          interleave_rows<Bytes>(z[q]);
        }
        visit(n, z);
      }
    });
    if (is_cast) return;
    for (index begin = 0; begin < steps; begin += steps_at_once) {
      index const end = std::min(begin + steps_at_once, steps);
      index const i = step_start<Bytes>(begin, r.width);
      index const width = step_start<Bytes>(end - 1, r.width) + s::columns - i;
      piece const p = input_at(Bytes, r, i, first_row, width, rows, workspace);
      for (index n = begin; n < end; ++n) {
        if (prefetches)
          for (index k = rows; k < 2 * rows; ++k)
            __builtin_prefetch(p.first + k * p.pitch + n * s::vector_bytes);
        char const* const from = p.first + (step_start<Bytes>(n, r.width) - i) * Bytes;
        typename s::quarter z[group];
#pragma GCC unroll 4
        for (int q = 0; q < group; ++q)
          load_quarter<Bytes>(from + q * s::rows_in_quarter * p.pitch, p.pitch, z[q]);
        visit(n, z);
      }
    }
  };

  for (int first = 0; first + group < 4; first += group)
    load_group(first, [&](index n, typename s::quarter const* z) HWY_ATTR {
#pragma GCC unroll 4
      for (int q = 0; q < group; ++q)
#pragma GCC unroll 16
        for (int c = 0; c < s::rows_in_quarter; ++c)
          store<Bytes, store_mode::cached>(z[q][c],
                                           waiting(kept + n * waiting_bytes, first + q, c));
    });

  constexpr int first_of_last = 4 - group;
  load_group(first_of_last, [&](index n, typename s::quarter const* z) HWY_ATTR {
    gather_lines<Bytes>(
        [&](int q, int c) HWY_ATTR {
          return q < first_of_last ? load<Bytes>(waiting(kept + n * waiting_bytes, q, c))
                                   : z[q - first_of_last][c];
        },
        sink_of(step_start<Bytes>(n, r.width), n));
  });
}

/// The line from row j on to every row of the output, which begins at column 0 there.
template <int Bytes, store_mode Mode>
void turn_to_rows(rectangle const& r, index j, char* workspace) {
  char* const out = r.out + j * Bytes;
  index const out_pitch = r.out_pitch;
  turn_one_line<Bytes, Mode>(r, j, workspace, [=](index i, index n) HWY_ATTR {
    index const repeated = n * shape<Bytes>::columns - i;  // columns that the step before had
    return [=](int column, auto const* v) HWY_ATTR {
      if (column >= repeated) store_line<Bytes, Mode>(v, out + (i + column) * out_pitch);
    };
  });
}

/// For rectangles below a line or a vector in one direction: through a scratch tile of whole rows
/// and lines, from and to which only what exists is copied.
template <int Bytes>
void turn_thin(rectangle const& r, char* workspace) {
  using s = shape<Bytes>;
  alignas(64) char rows[s::rows * line];
  alignas(64) char lines[s::columns * line];
  for (index j = 0; j < r.height; j += s::rows) {
    index const height = std::min<index>(s::rows, r.height - j);
    for (index i = 0; i < r.width; i += s::columns) {
      index const width = std::min<index>(s::columns, r.width - i);
      piece const p = input_at(Bytes, r, i, j, width, height, workspace);
      for (index k = 0; k < height; ++k)
        copy_short(p.first + k * p.pitch, rows + k * line, width * Bytes);
      turn_to_rows<Bytes, store_mode::cached>({rows, line, lines, line, s::columns, s::rows}, 0,
                                              workspace);
      char* const to = r.out + i * r.out_pitch + j * Bytes;
      for (index k = 0; k < width; ++k)
        copy_short(lines + k * line, to + k * r.out_pitch, height * Bytes);
    }
  }
}

/// The hardware does not foresee rows that lie apart; without their prefetch memory waits for
/// streamed ones (tensors of rows of 128, 512, 640 and 1536 bytes, share of memcpy without and
/// with: 0.18 and 0.56, 0.22 and 0.62, 0.22 and 0.63, 0.77 and 0.84).
void copy_rows(char const* in, index in_pitch, char* out, index out_pitch, index bytes, index rows,
               store_mode mode) {
  constexpr index rows_ahead = 2;
  constexpr index most_prefetched = 4096;
  bool const prefetches =
      mode == store_mode::streamed && in_pitch != bytes && bytes <= most_prefetched;
  auto const copy = mode == store_mode::streamed ? copy_row_streamed : copy_row_cached;
  for (index j = 0; j < rows; ++j) {
    char const* const from = in + j * in_pitch;
    if (prefetches && j + rows_ahead < rows)
      for (index b = 0; b < bytes; b += line) __builtin_prefetch(from + rows_ahead * in_pitch + b);
    copy(from, out + j * out_pitch, bytes);
  }
}

/// Straight to the output: whole lines, the last group of rows overlapping the one before.
template <int Bytes, store_mode Mode>
void turn_lines(rectangle const& r, char* workspace) {
  using s = shape<Bytes>;
  index j = 0;
  for (; j + s::rows <= r.height; j += s::rows) turn_to_rows<Bytes, Mode>(r, j, workspace);
  if (j < r.height) turn_to_rows<Bytes, store_mode::cached>(r, r.height - s::rows, workspace);
}

/// The lines of one output row, 64 bytes at a time, on their way to lines of memory that begin
/// elsewhere: 128 bytes of a stage hold the last two. A line of memory is written one turn after
/// its last bytes arrived, so that it is loaded from where no store is still under way, and so that
/// reading and writing memory go on side by side (4097x4099 of 4 bytes: 0.40 of memcpy when pieces
/// of 2 KB were gathered and then flushed, because the first and last line of each, written through
/// the caches, held up all stores behind them; 0.57 without those).
struct staged_row {
  char* stage;
  char* to;  // where the newest line in the stage belongs

  index misaligned() const {
    return static_cast<index>(reinterpret_cast<std::uintptr_t>(to) % line);
  }
  HWY_INLINE void write_line(bool is_head) const {
    index const before = misaligned();
    if (is_head && before != 0) copy_short(stage + line, to, line - before);
    else stream_line(stage + line - before, to - before);
  }
  HWY_INLINE void write_tail() const {
    index const left = misaligned();
    if (left != 0) copy_short(stage + 2 * line - left, to + line - left, left);
  }
};

/// Output rows that are not whole aligned lines.
template <int Bytes>
void turn_staged(rectangle const& r, char* workspace) {
  using s = shape<Bytes>;
  index const steps = (r.width + s::columns - 1) / s::columns;
  char* const stage =
      workspace + tile_function_bytes + (s::quarters_at_once == 4 ? 0 : steps * s::columns * 64);
  auto const row_at = [&](index i, index j) HWY_ATTR {
    return staged_row{stage + i * 2 * line, r.out + i * r.out_pitch + j * Bytes};
  };
  index j = 0;
  for (; j + s::rows <= r.height; j += s::rows)
    turn_one_line<Bytes, store_mode::streamed>(r, j, workspace, [&](index first, index n) HWY_ATTR {
      return [&, first, n](int column, auto const* v) HWY_ATTR {
        index const i = first + column;
        if (i < n * s::columns) return;  // the step before had it
        staged_row const row = row_at(i, j - s::rows);
        if (j != 0) {
          row.write_line(j == s::rows);
          copy_line(row.stage + line, row.stage);
        }
        store_line<Bytes, store_mode::cached>(v, row.stage + line);
      };
    });
  for (index i = 0; i < r.width; ++i) {
    staged_row const row = row_at(i, j - s::rows);
    row.write_line(j == s::rows);
    row.write_tail();
  }
  if (j < r.height)
    turn_thin<Bytes>({r.in + j * r.in_pitch, r.in_pitch, r.out + j * Bytes, r.out_pitch, r.width,
                      r.height - j, r.function},
                     workspace);
}

/// Of no less than a line, and no narrower than a vector or in rows one behind the other.
template <int Bytes>
void turn_whole_lines(rectangle const& r, store_mode mode, char* workspace) {
  auto const bits =
      reinterpret_cast<std::uintptr_t>(r.out) | static_cast<std::uintptr_t>(r.out_pitch);
  if (mode == store_mode::cached) turn_lines<Bytes, store_mode::cached>(r, workspace);
  else if (bits % line == 0) turn_lines<Bytes, store_mode::streamed>(r, workspace);
  else turn_staged<Bytes>(r, workspace);
}

template <int Bytes>
void turn(rectangle const& r, store_mode mode, char* workspace) {
  using s = shape<Bytes>;
  if (r.width >= s::columns && r.height >= s::rows)
    return turn_whole_lines<Bytes>(r, mode, workspace);
  if (r.width >= s::columns && r.out_pitch == r.height * Bytes)
    return turn_to_run_of<Bytes>(r, mode, workspace);
  // Behind rows of less than a block there must be more of them to read.
  bool const is_packed = r.function != nullptr || r.in_pitch == r.width * Bytes;
  index const behind =
      r.function == nullptr && r.width * Bytes < 16 ? 16 / (r.width * Bytes) + 1 : 0;
  index const height = is_packed ? std::max<index>(0, r.height - behind) / s::rows * s::rows : 0;
  rectangle part = r;
  part.height = height;
  if (height > 0) turn_whole_lines<Bytes>(part, mode, workspace);
  part.in += height * r.in_pitch;
  part.out += height * Bytes;
  part.height = r.height - height;
  turn_thin<Bytes>(part, workspace);
}

void finish_streaming() {
  hwy::FlushStream();
}

#endif

template <int Bytes>
constexpr turn_functions known() {
  return {Bytes, turn<Bytes>, turn_matrices<Bytes, turn<Bytes>>};
}
template <int Bytes>
constexpr turn_functions odd() {
  return {Bytes, turn_odd<Bytes>, turn_matrices<Bytes, turn_odd<Bytes>>};
}

vector_moves const& table() {
  static constexpr vector_moves functions = {
      HWY_TARGET,
      {known<1>(), known<2>(), known<4>(), known<8>(), known<16>(), odd<3>(), odd<6>(), odd<12>(),
       odd<24>(), odd<32>(), odd<0>()},
      copy_rows,
      finish_streaming,
      casts,
      cast_count};
  return functions;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

HWY_EXPORT(table);

/// The best of some targets that this file was compiled for.
vector_moves const& best_of(std::int64_t targets) {
  hwy::ChosenTarget chosen;  // one of our own: the global one belongs to every user of Highway
  chosen.Update(targets);
  return HWY_DISPATCH_TABLE(table)[chosen.GetIndex()]();
}

}  // namespace

int all_vector_moves(vector_moves const* (&tables)[16]) {
  std::int64_t targets = hwy::SupportedTargets();
  int count = 0;
  // The last, the fallback, answers for every target that is left.
  while (count < 16) {
    tables[count] = &best_of(targets);
    targets &= ~tables[count]->target;
    if (count > 0 && tables[count] == tables[count - 1]) break;
    ++count;
  }
  return count;
}

namespace {
std::atomic<index> told_limit{0};
}

bool is_beyond_caches(int team, index bytes) {
  static long const known = sysconf(_SC_LEVEL2_CACHE_SIZE);
  index const cache = known > 0 ? known : index{1} << 20;
  index const told = told_limit.load(std::memory_order_relaxed);
  return bytes > (told > 0 ? told : std::max<index>(team, limits.caches_of_a_thread) * cache);
}

void stream_from(index bytes) {
  told_limit.store(bytes, std::memory_order_relaxed);
}

char* turn_workspace() {
  thread_local workspace const memory(turn_workspace_bytes);
  return memory.data();
}

char const* isa_of(vector_moves const& moves) {
  return hwy::TargetName(moves.target);
}

vector_moves const& vector_moves_here() {
  static vector_moves const& best = best_of(hwy::SupportedTargets());
  char const* const wanted = std::getenv("XPOSE_ISA");
  if (wanted == nullptr || *wanted == 0) return best;
  vector_moves const* tables[16];
  int const count = all_vector_moves(tables);
  std::string names;
  for (int t = 0; t < count; ++t) {
    if (strcasecmp(wanted, isa_of(*tables[t])) == 0) return *tables[t];
    names += message(t == 0 ? "" : ", ", isa_of(*tables[t]));
  }
  throw backend_error(
      message("XPOSE_ISA is ", wanted, ", and this machine and build have ", names).c_str());
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
#endif
