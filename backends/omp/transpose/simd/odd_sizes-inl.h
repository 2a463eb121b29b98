// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Turning elements whose size is no power of two up to 16, for the instruction set that this is
// compiled for. As many input rows as fill whole lines of the output with their elements are a
// group; a few columns of a group are put together in a stage and written, so that reading and
// writing memory go on side by side. Elements of 3, 6 and 12 bytes are spread to 4, 8 and 16,
// interleaved as those are, and packed again, 48 bytes of a line; others are moved one by one.

#if defined(XPOSE_OMP_GROUPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GROUPS_INL
#undef XPOSE_OMP_GROUPS_INL
#else
#define XPOSE_OMP_GROUPS_INL
#endif

#include <xpose/backends/omp/transpose/simd/registers-inl.h>
#include <xpose/backends/omp/transpose/simd/skinny-inl.h>

#include <numeric>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

/// How the sizes that vectors know fill blocks of 16 bytes: 12 bytes of elements in each, spread to
/// elements of `wide` bytes.
template <int Bytes>
struct spread {
  static constexpr bool is_known = Bytes == 3 || Bytes == 6 || Bytes == 12;
  static constexpr int wide = Bytes == 3 ? 4 : Bytes == 6 ? 8 : 16;
  using s = shape<wide>;
  static constexpr int kept = s::blocks * 12;  // bytes of a vector that are elements
  using words = hn::Repartition<std::uint32_t, typename s::tag>;
  using bytes = hn::Repartition<std::uint8_t, typename s::tag>;
  using indices = decltype(hn::SetTableIndices(words(), static_cast<std::int32_t*>(nullptr)));

  struct tables {
    alignas(64) std::int32_t from_start[16];  // words of blocks: the vector begins with elements
    alignas(64) std::int32_t from_end[16];    // it ends with them
    alignas(64) std::int32_t packed[16];
    alignas(16) std::uint8_t widened[16];  // bytes within a block; above 127: zero
    alignas(16) std::uint8_t narrowed[16];
  };
  static constexpr tables make() {
    tables t{};
    constexpr int words_of = s::blocks * 4;
    for (int w = 0; w < 16; ++w) {
      int const start = w < words_of ? w / 4 * 3 + w % 4 : 0;
      t.from_start[w] = start < words_of ? start : 0;
      t.from_end[w] = w < words_of && w % 4 < 3 ? w / 4 * 3 + w % 4 + s::blocks : 0;
      t.packed[w] = w < s::blocks * 3 ? w / 3 * 4 + w % 3 : 0;
    }
    for (int b = 0; b < 16; ++b) {
      t.widened[b] =
          static_cast<std::uint8_t>(b % wide < Bytes ? b / wide * Bytes + b % wide : 0x80);
      t.narrowed[b] = static_cast<std::uint8_t>(b < 12 ? b / Bytes * wide + b % Bytes : 0x80);
    }
    return t;
  }
  static constexpr tables known = make();

  HWY_INLINE static auto order_of(std::uint8_t const (&within_block)[16]) {
    return hn::LoadDup128(bytes(), within_block);
  }
  template <class Vector>
  HWY_INLINE static Vector shuffled(Vector v, std::uint8_t const (&within_block)[16]) {
    if constexpr (Bytes == 12) return v;
    else
      return hn::BitCast(typename s::tag(),
                         hn::TableLookupBytesOr0(hn::BitCast(bytes(), v), order_of(within_block)));
  }
  /// One row's elements of the columns of a step. The vector is read from its first element on, or
  /// up to its last one: it is longer than the elements, and must not leave the row.
  HWY_INLINE static auto load_row(char const* from, bool is_first) {
    auto const v =
        hn::BitCast(words(), load<wide>(is_first ? from : from + kept - s::vector_bytes));
    auto const at = hn::SetTableIndices(words(), is_first ? known.from_start : known.from_end);
    return shuffled(hn::BitCast(typename s::tag(), hn::TableLookupLanes(v, at)), known.widened);
  }
  /// `kept` bytes to `to`, and more behind them.
  HWY_INLINE static void store_packed(typename s::vector v, char* to) {
    auto const words_of = hn::BitCast(words(), shuffled(v, known.narrowed));
    auto const at = hn::SetTableIndices(words(), known.packed);
    store<wide, store_mode::cached>(
        hn::BitCast(typename s::tag(), hn::TableLookupLanes(words_of, at)), to);
  }

  static constexpr index rows = s::rows;  // whose elements are 48 bytes of a line
  static constexpr index columns = s::columns;

  /// 48 bytes, and up to 64 more, for each column of a step to to_of(column).
  template <class ToOf>
  HWY_INLINE static void turn_step(piece const& p, bool is_first, ToOf const& to_of) {
    typename s::quarter z[4];
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) {
#pragma GCC unroll 4
      for (int k = 0; k < s::rows_in_quarter; ++k)
        z[q][k] = load_row(p.first + (q * s::rows_in_quarter + k) * p.pitch, is_first);
      interleave_rows<wide>(z[q]);
    }
    gather_lines<wide>([&](int q, int c) HWY_ATTR { return z[q][c]; },
                       [&](int column, auto const* v) HWY_ATTR {
                         char* const to = to_of(column);
#pragma GCC unroll 4
                         for (int h = 0; h < s::vectors_in_line; ++h)
                           store_packed(v[h], to + h * kept);
                       });
  }
};

/// Columns of a group on their way to lines of memory: each has a place in the stage, which is a
/// line of what the group before left, the group itself, and what vectors write behind it. So many
/// are gathered at a time; elements of 3 bytes in passes of 16 rows over all columns, because the
/// hardware follows no more rows side by side (4096x4096: 0.40 of memcpy with 64 rows, 0.67 with
/// 16; 6 bytes lose: 0.78 with 32 rows, 0.72 with 8).
template <int Bytes, store_mode Mode>
struct group_columns {
  static constexpr int passes = Bytes == 3 ? 4 : 1;
  static constexpr index at_once = spread<Bytes>::is_known ? spread<Bytes>::columns : 4;
  static constexpr index stage_columns = passes > 1 ? most_group_columns : at_once;

  rectangle const& r;
  char* workspace;
  index bytes = element_bytes<Bytes>(r);
  index rows = line / std::gcd(bytes, line) * (Bytes == 32 ? 2 : 1);
  index pitch = line + rows * bytes + line;
  char* kept = workspace + tile_function_bytes;  // a line for each column of the rectangle
  char* stage = kept + most_group_columns * line;

  char* to(index i, index j) const { return r.out + i * r.out_pitch + j * bytes; }
  /// Bytes of its line before it. Constant along a column: groups are whole lines.
  index before(index i) const {
    return Mode == store_mode::cached
               ? 0
               : static_cast<index>(reinterpret_cast<std::uintptr_t>(to(i, 0)) % line);
  }
  char* place(index i) const { return stage + i % stage_columns * pitch; }

  /// The rows of the group at j that belong to a pass, for the columns from i on.
  HWY_INLINE void gather(index i, index width, index j, int pass) const {
    index const height = rows / passes;
    index const first = pass * height;
    if (pass == 0 && j > 0)
      for (index c = i; c < i + width; ++c)
        if (before(c) != 0) copy_line(kept + c * line, place(c));
    auto const to_of = [&](index c)
                           HWY_ATTR { return place(i + c) + before(i + c) + first * bytes; };
    if constexpr (spread<Bytes>::is_known) {
      using known = spread<Bytes>;
      bool const is_calculated = r.function != nullptr;
      bool const is_first = is_calculated || i < known::columns;
      bool const fits = is_calculated || !is_first || r.width * Bytes >= known::s::vector_bytes;
      if (width == known::columns && fits) {
        piece const p = input_at(bytes, r, i, j + first, width, height, workspace);
        for (index k = 0; k < height; k += known::rows)
          known::turn_step({p.first + k * p.pitch, p.pitch}, is_first,
                           [&](index c) HWY_ATTR { return to_of(c) + k * Bytes; });
        return;
      }
    }
    for (index k = 0; k < height; k += rows_calculated(width)) {
      index const some = std::min(rows_calculated(width), height - k);
      piece const p = input_at(bytes, r, i, j + first + k, width, some, workspace);
      for (index c = 0; c < width; ++c)
        move_block<Bytes>(bytes, {p.first + c * bytes, p.pitch}, 1, some, to_of(c) + k * bytes, 0);
    }
  }
  index rows_calculated(index width) const {
    return r.function == nullptr ? rows : tile_function_bytes / (width * bytes);
  }

  HWY_INLINE void write(index i, index j) const {
    char const* const from = place(i);
    index const skipped = before(i);
    char* const first = to(i, j) - skipped;
    index b = 0;
    if (j == 0 && skipped != 0) {
      copy_short(from + skipped, first + skipped, line - skipped);
      b = line;
    }
    for (; b < rows * bytes; b += line) {
      if constexpr (Mode == store_mode::cached) copy_line(from + b, first + b);
      else stream_line(from + b, first + b);
    }
    if (skipped != 0) copy_line(from + b, kept + i * line);
  }
  /// What is left of all groups, which end at row j.
  void finish(index j) const {
    for (index i = 0; i < r.width; ++i)
      if (before(i) != 0) copy_short(kept + i * line, to(i, j) - before(i), before(i));
  }
};

/// Whole groups of rows in lines, the rest element by element.
template <int Bytes, store_mode Mode>
void turn_groups(rectangle const& r, char* workspace) {
  using columns = group_columns<Bytes, Mode>;
  columns const c{r, workspace};
  index j = 0;
  for (; j + c.rows <= r.height; j += c.rows)
    for (int pass = 0; pass < columns::passes; ++pass)
      for (index i = 0; i < r.width; i += columns::at_once) {
        index const width = std::min(columns::at_once, r.width - i);
        c.gather(i, width, j, pass);
        if (pass + 1 == columns::passes)
          for (index k = i; k < i + width; ++k) c.write(k, j);
      }
  if (j > 0) c.finish(j);
  for (index i = 0; i < r.width && j < r.height; i += columns::at_once) {
    index const width = std::min(columns::at_once, r.width - i);
    for (index k = j; k < r.height; k += c.rows_calculated(width)) {
      index const some = std::min(c.rows_calculated(width), r.height - k);
      move_block<Bytes>(c.bytes, input_at(c.bytes, r, i, k, width, some, workspace), width, some,
                        c.to(i, k), r.out_pitch);
    }
  }
}

/// Fewer rows than a group, with the rows of the output one behind the other: one run.
template <int Bytes>
void turn_groups_to_run(rectangle const& r, char* workspace) {
  index const bytes = element_bytes<Bytes>(r);
  index const column_bytes = r.height * bytes;
  index const at_once = std::max<index>(1, 2048 / column_bytes);
  run_writer writer{workspace + tile_function_bytes, r.out};
  for (index i = 0; i < r.width; i += at_once) {
    index const width = std::min(at_once, r.width - i);
    move_block<Bytes>(bytes, input_at(bytes, r, i, 0, width, r.height, workspace), width, r.height,
                      writer.next(), column_bytes);
    writer.write(width * column_bytes);
  }
  writer.finish();
}

template <int Bytes>
void turn_odd(rectangle const& r, store_mode mode, char* workspace) {
  index const bytes = element_bytes<Bytes>(r);
  if (mode == store_mode::cached) turn_groups<Bytes, store_mode::cached>(r, workspace);
  else if (r.height < line / std::gcd(bytes, line) && r.out_pitch == r.height * bytes)
    turn_groups_to_run<Bytes>(r, workspace);
  else turn_groups<Bytes, store_mode::streamed>(r, workspace);
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
