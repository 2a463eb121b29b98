// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Turning rectangles by lines of 64 bytes, for the instruction set that this is compiled for: what
// of the rows of the input makes one line of every row of the output, and that line's way to
// memory, straight or put together with its neighbours. Terms, as plain_turn below, say what
// elements are calculated from on their way.

#if defined(XPOSE_OMP_TURN_LINES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_TURN_LINES_INL
#undef XPOSE_OMP_TURN_LINES_INL
#else
#define XPOSE_OMP_TURN_LINES_INL
#endif

#include <xpose/backends/omp/casts-inl.h>
#include <xpose/backends/omp/lines-inl.h>
#include <xpose/backends/omp/thin_lines-inl.h>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

/// Elements are what the input has, or its function of them.
struct plain_turn {
  /// Whether load(i, j) gives a vector of elements from column i of row j of the input on.
  static constexpr bool loads = false;
  /// store(vectors) with what is stored of the line of output row i from column j on.
  template <class Vector, class Store>
  HWY_INLINE void finish(Vector const* v, index, index, Store const& store) const {
    store(v);
  }
};

/// One line of every column: shape::rows rows from row j on; sink_of(first column, number) gives
/// the sink of a step. Quarters that must wait for the rest are kept in the workspace, 64 bytes a
/// column at most.
/// Streamed matrices of short rows are worth a prefetch of the next group of rows: the hardware
/// does not see an order in lines that lie a row apart on the same page (share of memcpy without
/// and with, 4 bytes: 1000000x16 0.84, 0.90; 400000x64 0.73, 0.84; 10000x1024 0.87, 0.63; in the
/// caches it loses a tenth).
template <int Bytes, store_mode Mode, class Terms, class SinkOf>
HWY_INLINE void turn_one_line(rectangle const& r, index j, char* workspace, Terms const& terms,
                              SinkOf const& sink_of) {
  using s = shape<Bytes>;
  if constexpr (!Terms::loads) {
    if (r.width < s::columns) {
      piece const p = input_at(Bytes, r, 0, j, r.width, s::rows, workspace);
      return turn_narrow_line<Bytes>(p, r.width, sink_of(0, 0));
    }
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
    // element(i, row): a vector from column i of a row on.
    auto const load_steps = [&](auto const& element) HWY_ATTR {
      for (index n = 0; n < steps; ++n) {
        index const i = step_start<Bytes>(n, r.width);
        typename s::quarter z[group];
#pragma GCC unroll 4
        for (int q = 0; q < group; ++q) {
#pragma GCC unroll 16
          for (int k = 0; k < s::rows_in_quarter; ++k)
            z[q][k] = element(i, first_row + q * s::rows_in_quarter + k);
          interleave_rows<Bytes>(z[q]);
        }
        visit(n, z);
      }
    };
    if constexpr (Terms::loads)
      return load_steps([&](index i, index row) HWY_ATTR { return terms.load(i, row); });
    // Through a stage memory would wait: it is read row by row then (float to bfloat16, 4096x4096:
    // 0.66 in place of 0.70 of memcpy).
    bool const is_cast = loaded_casts::with<Bytes>(r.function, [&](auto pair) HWY_ATTR {
      using in_element = typename decltype(pair)::in;
      using out_element = typename decltype(pair)::out;
      load_steps([&](index i, index row) HWY_ATTR {
        return load_cast<in_element, out_element>(r.in + i * index{sizeof(in_element)} +
                                                  row * r.in_pitch);
      });
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
template <int Bytes, store_mode Mode, class Terms>
void turn_to_rows(rectangle const& r, index j, char* workspace, Terms const& terms) {
  char* const out = r.out + j * Bytes;
  index const out_pitch = r.out_pitch;
  turn_one_line<Bytes, Mode>(
      r, j, workspace, terms, [terms, out, out_pitch, j](index i, index n) HWY_ATTR {
        index const repeated = n * shape<Bytes>::columns - i;  // columns that the step before had
        return [terms, out, out_pitch, i, j, repeated](int column, auto const* v) HWY_ATTR {
          if (column < repeated) return;
          terms.finish(v, i + column, j, [&](auto const* finished) HWY_ATTR {
            store_line<Bytes, Mode>(finished, out + (i + column) * out_pitch);
          });
        };
      });
}

/// Straight to the output, as many whole lines as the height has; the rows of the input that they
/// are made of are returned.
template <int Bytes, store_mode Mode, class Terms>
index turn_lines(rectangle const& r, char* workspace, Terms const& terms) {
  using s = shape<Bytes>;
  index j = 0;
  for (; j + s::rows <= r.height; j += s::rows) turn_to_rows<Bytes, Mode>(r, j, workspace, terms);
  return j;
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

/// The same to output rows that are not whole aligned lines; the height has a line at least.
template <int Bytes, class Terms>
index turn_staged(rectangle const& r, char* workspace, Terms const& terms) {
  using s = shape<Bytes>;
  index const steps = (r.width + s::columns - 1) / s::columns;
  char* const stage =
      workspace + tile_function_bytes + (s::quarters_at_once == 4 ? 0 : steps * s::columns * 64);
  auto const row_at = [&](index i, index j) HWY_ATTR {
    return staged_row{stage + i * 2 * line, r.out + i * r.out_pitch + j * Bytes};
  };
  index j = 0;
  for (; j + s::rows <= r.height; j += s::rows)
    turn_one_line<Bytes, store_mode::streamed>(
        r, j, workspace, terms, [&](index first, index n) HWY_ATTR {
          return [&, first, n](int column, auto const* v) HWY_ATTR {
            index const i = first + column;
            if (i < n * s::columns) return;  // the step before had it
            staged_row const row = row_at(i, j - s::rows);
            if (j != 0) {
              row.write_line(j == s::rows);
              copy_line(row.stage + line, row.stage);
            }
            terms.finish(v, i, j, [&](auto const* finished) HWY_ATTR {
              store_line<Bytes, store_mode::cached>(finished, row.stage + line);
            });
          };
        });
  for (index i = 0; i < r.width; ++i) {
    staged_row const row = row_at(i, j - s::rows);
    row.write_line(j == s::rows);
    row.write_tail();
  }
  return j;
}

/// What the addresses of rows of the output have in common.
HWY_INLINE std::uintptr_t bits_of(rectangle const& r) {
  return reinterpret_cast<std::uintptr_t>(r.out) | static_cast<std::uintptr_t>(r.out_pitch);
}

/// Streamed rows that are not whole aligned lines.
HWY_INLINE bool needs_stage(rectangle const& r, store_mode mode) {
  return mode == store_mode::streamed && bits_of(r) % line != 0;
}

/// As many whole lines as the height has, a line at least, on the way that the mode and the
/// alignment of the output ask for; the rows of the input that they are made of are returned.
template <int Bytes, class Terms>
index turn_in_mode(rectangle const& r, store_mode mode, char* workspace, Terms const& terms) {
  if (mode == store_mode::cached) return turn_lines<Bytes, store_mode::cached>(r, workspace, terms);
  if (needs_stage(r, mode)) return turn_staged<Bytes>(r, workspace, terms);
  return turn_lines<Bytes, store_mode::streamed>(r, workspace, terms);
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
