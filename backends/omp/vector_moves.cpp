// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Turning rectangles of 1-, 2-, 4-, 8- and 16-byte elements in registers, for every instruction set
// that Highway compiles here. One scheme serves all sizes: a line of the output, 64 bytes, is four
// quarters of 16 bytes; a quarter of each of several columns comes from 16 / Bytes input rows by
// log2(16 / Bytes) interleaving steps inside 16-byte blocks, and blocks of four quarters are then
// brought together. Assumes nothing of alignment; reads and writes only the rectangle.

#include <xpose/backends/omp/vector_moves.hpp>

#include <xpose/backends/message.hpp>
#include <xpose/backends/omp/copy_table.hpp>
#include <xpose/backends/omp/workspace.hpp>
#include <xpose/error.hpp>

#include <hwy/cache_control.h>

#include <strings.h>
#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xpose/backends/omp/vector_moves.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr index line = 64;  // bytes that one streaming store should fill

struct piece {
  char const* first;
  index pitch;
};

/// Where width x height elements of the input from (i, j) on lie: in place, or calculated in the
/// stage.
template <int Bytes>
HWY_INLINE piece input_at(rectangle const& r, index i, index j, index width, index height,
                          char* stage) {
  if (r.function == nullptr) return {r.in + i * Bytes + j * r.in_pitch, r.in_pitch};
  tile_function const& f = *r.function;
  f.apply(f.f, {r.in + i * f.in_bytes + j * r.in_pitch, f.in_bytes, r.in_pitch, stage, Bytes,
                width * Bytes, width, height});
  return {stage, width * Bytes};
}

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

// Plain loops. Scalable vectors have no fixed arrays of vectors, which the scheme below lives from.
template <int Bytes>
void turn(rectangle const& r, store_mode, char* workspace) {
  constexpr index side = 32;
  for (index j = 0; j < r.height; j += side)
    for (index i = 0; i < r.width; i += side) {
      index const width = std::min(side, r.width - i);
      index const height = std::min(side, r.height - j);
      piece const p = input_at<Bytes>(r, i, j, width, height, workspace);
      char* const to = r.out + i * r.out_pitch + j * Bytes;
      for (index x = 0; x < width; ++x)
        for (index y = 0; y < height; ++y)
          std::memcpy(to + x * r.out_pitch + y * Bytes, p.first + x * Bytes + y * p.pitch, Bytes);
    }
}

void copy_rows(char const* in, index in_pitch, char* out, index out_pitch, index bytes, index rows,
               store_mode) {
  for (index j = 0; j < rows; ++j)
    std::memcpy(out + j * out_pitch, in + j * in_pitch, static_cast<std::size_t>(bytes));
}

void finish_streaming() {}

#else

template <int Bytes>
struct lane_of_bytes {
  using type = std::uint64_t;
};
template <>
struct lane_of_bytes<1> {
  using type = std::uint8_t;
};
template <>
struct lane_of_bytes<2> {
  using type = std::uint16_t;
};
template <>
struct lane_of_bytes<4> {
  using type = std::uint32_t;
};

/// How elements of a size fill vectors, quarters and lines.
template <int Bytes>
struct shape {
  using lane = typename lane_of_bytes<Bytes>::type;
  using tag = hn::CappedTag<lane, line / sizeof(lane)>;
  using vector = hn::Vec<tag>;
  static constexpr int vector_bytes = static_cast<int>(hn::MaxLanes(tag()) * sizeof(lane));
  static constexpr int blocks = vector_bytes / 16;
  static constexpr int vectors_in_line = 4 / blocks;
  static constexpr int rows_in_quarter = 16 / Bytes;
  static constexpr int rows = line / Bytes;             // input rows that fill a line
  static constexpr int columns = vector_bytes / Bytes;  // of one step along the rows
  // Rows read side by side: the hardware follows about 32 streams, and all four quarters of small
  // elements do not fit the registers.
  static constexpr int quarters_at_once = Bytes == 1 ? 1 : Bytes == 2 ? 2 : 4;
  using quarter = vector[rows_in_quarter];
};

template <int Bytes>
HWY_INLINE auto load(char const* from) {
  using s = shape<Bytes>;
  return hn::LoadU(typename s::tag(), reinterpret_cast<typename s::lane const*>(from));
}

template <int Bytes, store_mode Mode>
HWY_INLINE void store(typename shape<Bytes>::vector v, char* to) {
  using s = shape<Bytes>;
  auto* const lanes = reinterpret_cast<typename s::lane*>(to);
  if constexpr (Mode == store_mode::streamed) hn::Stream(v, typename s::tag(), lanes);
  else hn::StoreU(v, typename s::tag(), lanes);
}

/// Block b of q[c] becomes the elements of column b * rows_in_quarter + c.
template <int Bytes>
HWY_INLINE void load_quarter(char const* in, index in_pitch, typename shape<Bytes>::quarter& q) {
  constexpr int count = shape<Bytes>::rows_in_quarter;
  typename shape<Bytes>::tag const d;
#pragma GCC unroll 16
  for (int k = 0; k < count; ++k) q[k] = load<Bytes>(in + k * in_pitch);
#pragma GCC unroll 4
  for (int step = 1; step < count; step *= 2) {
    typename shape<Bytes>::quarter w;
#pragma GCC unroll 16
    for (int k = 0; k < count / 2; ++k) {
      w[2 * k] = hn::InterleaveLower(d, q[k], q[k + count / 2]);
      w[2 * k + 1] = hn::InterleaveUpper(d, q[k], q[k + count / 2]);
    }
#pragma GCC unroll 16
    for (int k = 0; k < count; ++k) q[k] = w[k];
  }
}

/// Vector b of the result is block b of every v: a square of blocks turned.
template <int Bytes, class Vector>
HWY_INLINE void turn_blocks(Vector const (&v)[4], Vector (&t)[4]) {
  typename shape<Bytes>::tag const d;
  if constexpr (shape<Bytes>::blocks == 4) {
    auto const low02 = hn::ConcatLowerLower(d, v[2], v[0]);
    auto const high02 = hn::ConcatUpperUpper(d, v[2], v[0]);
    auto const low13 = hn::ConcatLowerLower(d, v[3], v[1]);
    auto const high13 = hn::ConcatUpperUpper(d, v[3], v[1]);
    t[0] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(low13), low02);
    t[1] = hn::OddEvenBlocks(low13, hn::SwapAdjacentBlocks(low02));
    t[2] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(high13), high02);
    t[3] = hn::OddEvenBlocks(high13, hn::SwapAdjacentBlocks(high02));
  } else if constexpr (shape<Bytes>::blocks == 2) {
    // t[2 b + h]: half h of the line of block b.
    t[0] = hn::ConcatLowerLower(d, v[1], v[0]);
    t[1] = hn::ConcatLowerLower(d, v[3], v[2]);
    t[2] = hn::ConcatUpperUpper(d, v[1], v[0]);
    t[3] = hn::ConcatUpperUpper(d, v[3], v[2]);
  } else {
    for (int k = 0; k < 4; ++k) t[k] = v[k];
  }
}

/// Bytes from 1 to 64, as two overlapping pieces of a fixed size.
HWY_INLINE void copy_short(char const* from, char* to, index bytes) {
  auto const both_ends = [&](auto piece) HWY_ATTR {
    constexpr index size = decltype(piece)::value;
    char first[size];
    char last[size];
    std::memcpy(first, from, size);
    std::memcpy(last, from + bytes - size, size);
    std::memcpy(to, first, size);
    std::memcpy(to + bytes - size, last, size);
  };
  if (bytes >= 32) both_ends(std::integral_constant<index, 32>());
  else if (bytes >= 16) both_ends(std::integral_constant<index, 16>());
  else if (bytes >= 8) both_ends(std::integral_constant<index, 8>());
  else if (bytes >= 4) both_ends(std::integral_constant<index, 4>());
  else if (bytes >= 2) both_ends(std::integral_constant<index, 2>());
  else *to = *from;
}

HWY_INLINE void copy_line(char const* from, char* to) {
#pragma GCC unroll 4
  for (int h = 0; h < line; h += shape<1>::vector_bytes)
    store<1, store_mode::cached>(load<1>(from + h), to + h);
}

/// To an aligned line.
HWY_INLINE void stream_line(char const* from, char* to) {
#pragma GCC unroll 4
  for (int h = 0; h < line; h += shape<1>::vector_bytes)
    store<1, store_mode::streamed>(load<1>(from + h), to + h);
}

/// Lines of the columns of one step, from four quarters (vectors at(quarter, c)), to
/// sink(column, vectors of its line).
template <int Bytes, class At, class Sink>
HWY_INLINE void gather_lines(At const& at, Sink const& sink) {
  using s = shape<Bytes>;
#pragma GCC unroll 16
  for (int c = 0; c < s::rows_in_quarter; ++c) {
    typename s::vector const quarters[4] = {at(0, c), at(1, c), at(2, c), at(3, c)};
    typename s::vector lines[4];
    turn_blocks<Bytes>(quarters, lines);
#pragma GCC unroll 4
    for (int b = 0; b < s::blocks; ++b)
      sink(b * s::rows_in_quarter + c, lines + b * s::vectors_in_line);
  }
}

template <int Bytes, store_mode Mode>
HWY_INLINE void store_line(typename shape<Bytes>::vector const* v, char* to) {
  using s = shape<Bytes>;
#pragma GCC unroll 4
  for (int h = 0; h < s::vectors_in_line; ++h) store<Bytes, Mode>(v[h], to + h * s::vector_bytes);
}

/// The first column of step number n along a width: the last step overlaps the one before.
template <int Bytes>
HWY_INLINE index step_start(index n, index width) {
  return std::min<index>(n * shape<Bytes>::columns, width - shape<Bytes>::columns);
}

/// One line of every column: shape::rows rows from row j on, of width >= shape::columns;
/// sink_of(first column, number) gives the sink of a step. Quarters that must wait for the rest are
/// kept in the workspace, 64 bytes a column at most.
template <int Bytes, class SinkOf>
HWY_INLINE void turn_one_line(rectangle const& r, index j, char* workspace, SinkOf const& sink_of) {
  using s = shape<Bytes>;
  constexpr int group = s::quarters_at_once;
  constexpr index rows = group * s::rows_in_quarter;
  constexpr index waiting_bytes = index{4 - group} * s::rows_in_quarter * s::vector_bytes;
  index const steps = (r.width + s::columns - 1) / s::columns;
  index const steps_at_once =
      r.function == nullptr ? steps : tile_function_bytes / (rows * s::columns * Bytes);
  char* const kept = workspace + tile_function_bytes;
  auto const waiting = [](char* base, int q, int c) HWY_ATTR {
    return base + (q * s::rows_in_quarter + c) * s::vector_bytes;
  };
  // visit(step, its quarters) for the group of quarters from `first` on.
  auto const load_group = [&](int first, auto const& visit) HWY_ATTR {
    for (index begin = 0; begin < steps; begin += steps_at_once) {
      index const end = std::min(begin + steps_at_once, steps);
      index const i = step_start<Bytes>(begin, r.width);
      index const width = step_start<Bytes>(end - 1, r.width) + s::columns - i;
      piece const p = input_at<Bytes>(r, i, j + first * s::rows_in_quarter, width, rows, workspace);
      for (index n = begin; n < end; ++n) {
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
  turn_one_line<Bytes>(r, j, workspace, [=](index i, index) HWY_ATTR {
    return [=](int column, auto const* v)
               HWY_ATTR { store_line<Bytes, Mode>(v, out + (i + column) * out_pitch); };
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
      piece const p = input_at<Bytes>(r, i, j, width, height, workspace);
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

void copy_row_cached(char const* from, char* to, index bytes) {
  if (bytes > line) std::memcpy(to, from, static_cast<std::size_t>(bytes));
  else if (bytes > 0) copy_short(from, to, bytes);
}

/// Whole aligned lines are written past the caches.
void copy_row_streamed(char const* from, char* to, index bytes) {
  index const misaligned = static_cast<index>(reinterpret_cast<std::uintptr_t>(to) % line);
  index at = std::min(bytes, misaligned == 0 ? 0 : line - misaligned);
  if (at > 0) copy_short(from, to, at);
  for (; at + line <= bytes; at += line) stream_line(from + at, to + at);
  if (at < bytes) copy_short(from + at, to + at, bytes - at);
}

void copy_rows(char const* in, index in_pitch, char* out, index out_pitch, index bytes, index rows,
               store_mode mode) {
  auto const copy = mode == store_mode::streamed ? copy_row_streamed : copy_row_cached;
  for (index j = 0; j < rows; ++j) copy(in + j * in_pitch, out + j * out_pitch, bytes);
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
    turn_one_line<Bytes>(r, j, workspace, [&](index first, index n) HWY_ATTR {
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

/// Output rows below a line, one behind the other: what a call of many columns writes is one run.
template <int Bytes>
void turn_to_run(rectangle const& r, char* workspace) {
  using s = shape<Bytes>;
  constexpr index most_run_bytes = 128 << 10;
  index const in_bytes = r.function == nullptr ? Bytes : r.function->in_bytes;
  char* const stage = workspace + tile_function_bytes + 64 * s::columns;
  index const columns = most_run_bytes / (r.height * line) * line;
  for (index i = 0; i < r.width; i += columns) {
    index const width = std::min(columns, r.width - i);
    turn_thin<Bytes>(
        {r.in + i * in_bytes, r.in_pitch, stage, r.out_pitch, width, r.height, r.function},
        workspace);
    copy_row_streamed(stage, r.out + i * r.out_pitch, width * r.out_pitch);
  }
}

template <int Bytes>
void turn(rectangle const& r, store_mode mode, char* workspace) {
  using s = shape<Bytes>;
  auto const bits =
      reinterpret_cast<std::uintptr_t>(r.out) | static_cast<std::uintptr_t>(r.out_pitch);
  bool const has_lines = r.width >= s::columns && r.height >= s::rows;
  if (mode == store_mode::streamed && r.height < s::rows && r.out_pitch == r.height * Bytes)
    turn_to_run<Bytes>(r, workspace);
  else if (!has_lines) turn_thin<Bytes>(r, workspace);
  else if (mode == store_mode::cached) turn_lines<Bytes, store_mode::cached>(r, workspace);
  else if (bits % line == 0) turn_lines<Bytes, store_mode::streamed>(r, workspace);
  else turn_staged<Bytes>(r, workspace);
}

void finish_streaming() {
  hwy::FlushStream();
}

#endif

vector_moves const& table() {
  static constexpr vector_moves functions = {
      HWY_TARGET, {turn<1>, turn<2>, turn<4>, turn<8>, turn<16>}, copy_rows, finish_streaming};
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

bool is_beyond_caches(int team, index bytes) {
  static long const known = sysconf(_SC_LEVEL2_CACHE_SIZE);
  index const cache = known > 0 ? known : index{1} << 20;
  return static_cast<double>(bytes) > limits.streamed_from * static_cast<double>(team * cache);
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
