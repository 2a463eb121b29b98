// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes elements of odd sizes (no power of two up to 16). Compiled once per instruction set.
// A row group is the input rows whose elements fill whole cache lines of the output. A few columns
// of it are combined in scratch and stored, so that memory reads and writes at the same time.
// Elements of 3, 6 and 12 bytes are padded to 4, 8 and 16 in registers, interleaved, and compacted:
//   memory  aaabbbcccddd  -> pad ->  aaa-bbb-ccc-ddd-  -> interleave as 4 bytes ->
//           aaa-eee-iii-mmm-  -> compact ->  aaaeeeiiimmm  output row
// Other sizes are copied one by one.

#if defined(XPOSE_OMP_ODD_SIZES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_ODD_SIZES_INL
#undef XPOSE_OMP_ODD_SIZES_INL
#else
#define XPOSE_OMP_ODD_SIZES_INL
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

/// Elements of 3, 6 and 12 bytes in vectors: each 16-byte block takes 12 bytes of elements, padded
/// to elements of padded_bytes.
template <int Bytes>
struct padded_elements {
  static constexpr bool has_simd = Bytes == 3 || Bytes == 6 || Bytes == 12;
  static constexpr int padded_bytes = Bytes == 3 ? 4 : Bytes == 6 ? 8 : 16;
  using s = vector_shape<padded_bytes>;
  static constexpr int used_bytes = s::blocks * 12;  // bytes of elements in a vector
  using words = hn::Repartition<std::uint32_t, typename s::tag>;
  using bytes = hn::Repartition<std::uint8_t, typename s::tag>;
  using indices = decltype(hn::SetTableIndices(words(), static_cast<std::int32_t*>(nullptr)));

  struct shuffle_tables {
    alignas(64) std::int32_t from_start[16];  // word shuffle: elements begin the loaded vector
    alignas(64) std::int32_t from_end[16];    // they end it
    alignas(64) std::int32_t compact_words[16];
    alignas(16) std::uint8_t pad_bytes[16];  // byte shuffle within a block; above 127: zero
    alignas(16) std::uint8_t compact_bytes[16];
  };
  static constexpr shuffle_tables make() {
    shuffle_tables t{};
    constexpr int words_of = s::blocks * 4;
    for (int w = 0; w < 16; ++w) {
      int const start = w < words_of ? w / 4 * 3 + w % 4 : 0;
      t.from_start[w] = start < words_of ? start : 0;
      t.from_end[w] = w < words_of && w % 4 < 3 ? w / 4 * 3 + w % 4 + s::blocks : 0;
      t.compact_words[w] = w < s::blocks * 3 ? w / 3 * 4 + w % 3 : 0;
    }
    for (int b = 0; b < 16; ++b) {
      t.pad_bytes[b] = static_cast<std::uint8_t>(
          b % padded_bytes < Bytes ? b / padded_bytes * Bytes + b % padded_bytes : 0x80);
      t.compact_bytes[b] =
          static_cast<std::uint8_t>(b < 12 ? b / Bytes * padded_bytes + b % Bytes : 0x80);
    }
    return t;
  }
  static constexpr shuffle_tables shuffles = make();

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
  /// Loads one row's elements of a step's columns. The vector is longer than these: it is read from
  /// the first element on, or up to the last one, so that it does not leave the row.
  HWY_INLINE static auto load_row(char const* from, bool is_first) {
    auto const v = hn::BitCast(
        words(), load<padded_bytes>(is_first ? from : from + used_bytes - s::vector_bytes));
    auto const at =
        hn::SetTableIndices(words(), is_first ? shuffles.from_start : shuffles.from_end);
    return shuffled(hn::BitCast(typename s::tag(), hn::TableLookupLanes(v, at)),
                    shuffles.pad_bytes);
  }
  /// Stores used_bytes to `to`, and arbitrary bytes behind them.
  HWY_INLINE static void store_compacted(typename s::vector v, char* to) {
    auto const words_of = hn::BitCast(words(), shuffled(v, shuffles.compact_bytes));
    auto const at = hn::SetTableIndices(words(), shuffles.compact_words);
    store<padded_bytes, store_mode::cached>(
        hn::BitCast(typename s::tag(), hn::TableLookupLanes(words_of, at)), to);
  }

  static constexpr index rows = s::rows;  // their elements are 48 bytes of an output row
  static constexpr index columns = s::columns;

  /// Stores 48 bytes of each column of a step to to_of(column), and up to 64 bytes more.
  template <class ToOf>
  HWY_INLINE static void transpose_step(pitched_rows const& p, bool is_first, ToOf const& to_of) {
    typename s::quarter_lines z[4];
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) {
#pragma GCC unroll 4
      for (int k = 0; k < s::rows_in_block; ++k)
        z[q][k] = load_row(p.first + (q * s::rows_in_block + k) * p.pitch, is_first);
      interleave_rows<padded_bytes>(z[q]);
    }
    assemble_lines<padded_bytes>([&](int q, int c) HWY_ATTR { return z[q][c]; },
                                 [&](int column, auto const* v) HWY_ATTR {
                                   char* const to = to_of(column);
#pragma GCC unroll 4
                                   for (int h = 0; h < s::vectors_in_line; ++h)
                                     store_compacted(v[h], to + h * used_bytes);
                                 });
  }
};

/// The columns of a row group on their way to memory. Each has a row of scratch:
///   [ 64 bytes: rest of the group before | the group's elements | surplus of vector stores ]
/// Elements of 3 bytes take passes of 16 rows over all columns, because the hardware prefetcher
/// follows no more rows (4096x4096: 0.40 of memcpy with 64 rows, 0.67 with 16). 6 bytes lose by
/// passes: 0.78 with 32 rows, 0.72 with 8.
template <int Bytes, store_mode Mode>
struct row_group {
  static constexpr int passes = Bytes == 3 ? 4 : 1;
  static constexpr index at_once =
      padded_elements<Bytes>::has_simd ? padded_elements<Bytes>::columns : 4;
  static constexpr index scratch_columns = passes > 1 ? max_odd_size_columns : at_once;

  rectangle const& r;
  char* workspace;
  index bytes = element_bytes<Bytes>(r);
  index rows = cache_line / std::gcd(bytes, cache_line) * (Bytes == 32 ? 2 : 1);
  index pitch = cache_line + rows * bytes + cache_line;
  char* tails = workspace + tile_function_bytes;  // a cache line for each column
  char* scratch = tails + max_odd_size_columns * cache_line;

  char* to(index i, index j) const { return r.out + i * r.out_pitch + j * bytes; }
  /// Offset of to(i, 0) in its cache line. The same for every group: groups fill whole cache lines.
  index offset(index i) const { return Mode == store_mode::cached ? 0 : line_offset(to(i, 0)); }
  char* scratch_at(index i) const { return scratch + i % scratch_columns * pitch; }

  /// Transposes the rows of one pass, of the group at row j, for `width` columns from i on.
  HWY_INLINE void transpose_columns(index i, index width, index j, int pass) const {
    index const height = rows / passes;
    index const first = pass * height;
    if (pass == 0 && j > 0)
      for (index c = i; c < i + width; ++c)
        if (offset(c) != 0) copy_line(tails + c * cache_line, scratch_at(c));
    auto const to_of = [&](index c)
                           HWY_ATTR { return scratch_at(i + c) + offset(i + c) + first * bytes; };
    if constexpr (padded_elements<Bytes>::has_simd) {
      using padded = padded_elements<Bytes>;
      bool const has_function = r.function != nullptr;
      bool const is_first = has_function || i < padded::columns;
      bool const fits = has_function || !is_first || r.width * Bytes >= padded::s::vector_bytes;
      if (width == padded::columns && fits) {
        pitched_rows const p = input_at(bytes, r, i, j + first, width, height, workspace);
        for (index k = 0; k < height; k += padded::rows)
          padded::transpose_step({p.first + k * p.pitch, p.pitch}, is_first,
                                 [&](index c) HWY_ATTR { return to_of(c) + k * Bytes; });
        return;
      }
    }
    for (index k = 0; k < height; k += rows_at_once(width)) {
      index const some = std::min(rows_at_once(width), height - k);
      pitched_rows const p = input_at(bytes, r, i, j + first + k, width, some, workspace);
      for (index c = 0; c < width; ++c)
        move_block<Bytes>(bytes, {p.first + c * bytes, p.pitch}, 1, some, to_of(c) + k * bytes, 0);
    }
  }
  index rows_at_once(index width) const {
    return r.function == nullptr ? rows : tile_function_bytes / (width * bytes);
  }

  HWY_INLINE void write(index i, index j) const {
    char const* const from = scratch_at(i);
    index const head_offset = offset(i);
    char* const first = to(i, j) - head_offset;
    index b = 0;
    if (j == 0 && head_offset != 0) {
      copy_short(from + head_offset, first + head_offset, cache_line - head_offset);
      b = cache_line;
    }
    for (; b < rows * bytes; b += cache_line) copy_line<Mode>(from + b, first + b);
    if (head_offset != 0) copy_line(from + b, tails + i * cache_line);
  }
  /// Stores what is left of all groups, which end at row j.
  void finish(index j) const {
    for (index i = 0; i < r.width; ++i)
      if (offset(i) != 0) copy_short(tails + i * cache_line, to(i, j) - offset(i), offset(i));
  }
};

/// Full row groups by cache lines, the remaining rows element by element.
template <int Bytes, store_mode Mode>
void transpose_row_groups(rectangle const& r, char* workspace) {
  row_group<Bytes, Mode> const group{r, workspace};
  index j = 0;
  for (; j + group.rows <= r.height; j += group.rows)
    for (int pass = 0; pass < group.passes; ++pass)
      for (index i = 0; i < r.width; i += group.at_once) {
        index const width = std::min(group.at_once, r.width - i);
        group.transpose_columns(i, width, j, pass);
        if (pass + 1 == group.passes)
          for (index k = i; k < i + width; ++k) group.write(k, j);
      }
  if (j > 0) group.finish(j);
  for (index i = 0; i < r.width && j < r.height; i += group.at_once) {
    index const width = std::min(group.at_once, r.width - i);
    for (index k = j; k < r.height; k += group.rows_at_once(width)) {
      index const some = std::min(group.rows_at_once(width), r.height - k);
      move_block<Bytes>(group.bytes, input_at(group.bytes, r, i, k, width, some, workspace), width,
                        some, group.to(i, k), r.out_pitch);
    }
  }
}

/// Fewer rows than a row group, with packed output rows: one contiguous run.
template <int Bytes>
void transpose_row_group_to_run(rectangle const& r, char* workspace) {
  index const bytes = element_bytes<Bytes>(r);
  index const column_bytes = r.height * bytes;
  index const at_once = std::max<index>(1, 2048 / column_bytes);
  write_combining_buffer buffer{workspace + tile_function_bytes, r.out};
  for (index i = 0; i < r.width; i += at_once) {
    index const width = std::min(at_once, r.width - i);
    move_block<Bytes>(bytes, input_at(bytes, r, i, 0, width, r.height, workspace), width, r.height,
                      buffer.next(), column_bytes);
    buffer.write(width * column_bytes);
  }
  buffer.finish();
}

template <int Bytes>
void transpose_odd_size(rectangle const& r, store_mode mode, char* workspace) {
  index const bytes = element_bytes<Bytes>(r);
  if (mode == store_mode::cached) transpose_row_groups<Bytes, store_mode::cached>(r, workspace);
  else if (r.height < cache_line / std::gcd(bytes, cache_line) && r.out_pitch == r.height * bytes)
    transpose_row_group_to_run<Bytes>(r, workspace);
  else transpose_row_groups<Bytes, store_mode::streamed>(r, workspace);
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
