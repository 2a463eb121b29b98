// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes skinny rectangles: shorter than a cache line or narrower than a vector. Compiled once
// per instruction set. Assumes that input rows, or else output rows, are packed (no gaps).

#if defined(XPOSE_OMP_SKINNY_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_SKINNY_INL
#undef XPOSE_OMP_SKINNY_INL
#else
#define XPOSE_OMP_SKINNY_INL
#endif

#include <xpose/backends/omp/transpose/simd/registers-inl.h>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

/// Software write-combining of contiguous output that arrives in pieces. Stores full cache lines;
/// what does not fill one waits in scratch for the next piece.
struct write_combining_buffer {
  char* scratch;  // aligned to a cache line
  char* to;       // where the next piece belongs
  index head_offset = line_offset(to);

  index offset() const { return line_offset(to); }
  char* next() const { return scratch + offset(); }
  /// The next piece lies at next(): stores the cache lines that are full.
  void write(index bytes) {
    char* const first = to - offset();
    index const lines = (offset() + bytes) / cache_line * cache_line;
    to += bytes;
    if (lines == 0) return;
    if (head_offset > 0)
      copy_short(scratch + head_offset, first + head_offset, cache_line - head_offset);
    for (index b = head_offset > 0 ? cache_line : 0; b < lines; b += cache_line)
      copy_line<store_mode::streamed>(scratch + b, first + b);
    copy_line(scratch + lines, scratch);
    head_offset = 0;
  }
  void finish() const {
    if (offset() > head_offset)
      copy_short(scratch + head_offset, to - offset() + head_offset, offset() - head_offset);
  }
};

/// Packed output rows of `height` elements, less than a cache line each: one contiguous run.
/// Rows = 16 / Bytes, or the least power of two >= height if that is less. Height 3, Rows 4:
///   3 input rows -> interleave -> a0 b0 c0 -- a1 b1 c1 -- -> byte shuffle -> a0 b0 c0 a1 b1 c1
/// Vectors lose their padding by a shuffle of words where it is whole words. In L3, 3x100000 of 4
/// bytes: 31 GB/s, and 15 by stores of 16 bytes to scratch (EPYC Zen 4).
template <int Bytes, int Rows>
struct column_compactor {
  using s = vector_shape<Bytes>;
  static constexpr bool fills_block = Rows == s::rows_in_block;
  index height;
  index column_bytes = height * Bytes;
  index block_bytes =
      fills_block ? std::min<index>(16, column_bytes) : s::rows_in_block / Rows * column_bytes;
  alignas(16) std::uint8_t compact_bytes[16] = {};  // byte shuffle that drops a block's padding
  alignas(64) std::int32_t compact_words[16] = {};  // word shuffle that drops a vector's

  explicit column_compactor(index given) : height(given) {
    for (index t = 0; t < block_bytes; ++t)
      compact_bytes[t] =
          static_cast<std::uint8_t>(t / column_bytes * Rows * Bytes + t % column_bytes);
    for (index t = 0; t < s::blocks * block_bytes / 4; ++t) {
      index const b = t * 4 / block_bytes;
      // Two rows come as the lower halves of both, or the upper: blocks 0 and 2, then 1 and 3.
      index const from = Rows == 2 && s::blocks == 4 ? b % 2 * 2 + b / 2 : b;
      compact_words[t] = static_cast<std::int32_t>((from * 16 + t * 4 % block_bytes) / 4);
    }
  }

  /// Stores the columns of a step to `run`, in rising order, and up to 64 bytes behind them.
  /// A column takes so many quarters of a cache line.
  template <int Quarters>
  HWY_INLINE void compact_quarters(char const* in, index pitch, char* run) const {
    typename s::tag const d;
    hn::Repartition<std::uint8_t, typename s::tag> const bytes;
    hn::Repartition<std::uint32_t, typename s::tag> const words;
    constexpr int room = 16 * Quarters;
    constexpr int columns_in_line = std::min(Rows, 4 / Quarters);
    typename s::vector z[Quarters][Rows];
#pragma GCC unroll 4
    for (int q = 0; q < Quarters; ++q) {
#pragma GCC unroll 16
      for (int k = 0; k < Rows; ++k)
        z[q][k] = load<Bytes>(in + std::min<index>(q * Rows + k, height - 1) * pitch);
      interleave_rows<Bytes>(z[q]);
    }
    if constexpr (!fills_block)
#pragma GCC unroll 16
      for (auto& v : z[0])
        v = hn::BitCast(
            d, hn::TableLookupBytes(hn::BitCast(bytes, v), hn::LoadDup128(bytes, compact_bytes)));
    alignas(64) char columns[(s::columns + 4) * room];
    // Columns without padding are stored where they belong. With four blocks, the halves of two
    // rows (below) are not in order until the word shuffle. In the caches, 8x1528 of 4 bytes takes
    // 1.4 us, 2.5 through scratch, 4x764 of 8 bytes 0.7, 1.2 (Zen 3).
    constexpr bool is_split = Rows == 2 && Quarters == 1 && s::blocks == 4;
    bool const is_packed = fills_block && !is_split && column_bytes == room;
    char* const to = is_packed ? run : columns;
    if (Quarters == 1 && block_bytes % 4 != 0) {
#pragma GCC unroll 16
      for (int c = 0; c < Rows; ++c)
        store<Bytes, store_mode::cached>(z[0][c], columns + c * s::vector_bytes);
      for (int b = 0; b < s::blocks; ++b)
#pragma GCC unroll 16
        for (int c = 0; c < Rows; ++c, run += block_bytes)
          std::memcpy(run, columns + c * s::vector_bytes + b * 16, 16);
      return;
    }
    if constexpr (Rows == 2 && Quarters == 1 && s::blocks > 1) {
      store<Bytes, store_mode::cached>(hn::ConcatLowerLower(d, z[0][1], z[0][0]), to);
      store<Bytes, store_mode::cached>(hn::ConcatUpperUpper(d, z[0][1], z[0][0]),
                                       to + s::vector_bytes);
    } else {
#pragma GCC unroll 16
      for (int c = 0; c < Rows; c += columns_in_line) {
        typename s::vector v[4], t[4];
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k) v[k] = z[k % Quarters][c + k / Quarters % columns_in_line];
        transpose_blocks<Bytes>(v, t);
#pragma GCC unroll 4
        for (int b = 0; b < s::blocks; ++b)
          store_line<Bytes, store_mode::cached>(t + b * s::vectors_in_line,
                                                to + (b * Rows + c) * room);
      }
    }
    if (is_packed) return;
    if constexpr (Quarters == 1) {
      auto const order = hn::SetTableIndices(words, compact_words);
#pragma GCC unroll 16
      for (int k = 0; k < Rows; ++k, run += s::blocks * block_bytes) {
        auto const v = hn::BitCast(words, load<Bytes>(columns + k * s::vector_bytes));
        store<Bytes, store_mode::cached>(hn::BitCast(d, hn::TableLookupLanes(v, order)), run);
      }
    } else {
#pragma GCC unroll 64
      for (int c = 0; c < s::columns; ++c)
        std::memcpy(run + c * column_bytes, columns + c * room, room);
    }
  }
  HWY_INLINE void compact(char const* in, index pitch, char* run) const {
    if constexpr (fills_block) {
      if (column_bytes > 32) return compact_quarters<4>(in, pitch, run);
      if (column_bytes > 16) return compact_quarters<2>(in, pitch, run);
    }
    compact_quarters<1>(in, pitch, run);
  }
};

/// Stores the results of every step at once, so that memory reads and writes at the same time. With
/// pieces of 8 KB, 3 x 10000000 of 4, 8 and 16 bytes had 0.67, 0.73 and 0.78 of memcpy.
template <int Bytes, int Rows>
void transpose_to_run(rectangle const& r, store_mode mode, char* workspace) {
  using s = vector_shape<Bytes>;
  column_compactor<Bytes, Rows> const compactor(r.height);
  index const column_bytes = compactor.column_bytes;
  index const columns_at_once = tile_function_bytes / 2 / column_bytes / s::columns * s::columns;
  // The last step overlaps the one before, and repeats bytes that lie before the scratch.
  write_combining_buffer buffer{workspace + tile_function_bytes + cache_line * cache_line, r.out};
  char const* const end = r.out + r.width * column_bytes;
  for (index i = 0; i < r.width;) {
    // No less than a vector may be left.
    index const width = r.function == nullptr || r.width - i < columns_at_once + s::columns
                            ? r.width - i
                            : columns_at_once;
    pitched_rows const p = input_at(Bytes, r, i, 0, width, r.height, workspace);
    for (index n = 0; n * s::columns < width; ++n) {
      index const first = step_start<Bytes>(n, width);
      index const repeated = (n * s::columns - first) * column_bytes;
      index const bytes = s::columns * column_bytes - repeated;
      bool const is_direct = mode == store_mode::cached && end - buffer.to >= bytes + cache_line;
      compactor.compact(p.first + first * Bytes, p.pitch,
                        (is_direct ? buffer.to : buffer.next()) - repeated);
      if (!is_direct && mode == store_mode::cached)
        std::memcpy(buffer.to, buffer.next(), static_cast<std::size_t>(bytes));
      if (mode == store_mode::cached) buffer.to += bytes;
      else buffer.write(bytes);
    }
    i += width;
  }
  if (mode == store_mode::streamed) buffer.finish();
}

template <int Bytes, int Rows = 2>
void transpose_to_run_by_height(rectangle const& r, store_mode mode, char* workspace) {
  constexpr int max_rows = vector_shape<Bytes>::rows_in_block;
  if constexpr (Rows < max_rows)
    if (r.height > Rows) return transpose_to_run_by_height<Bytes, 2 * Rows>(r, mode, workspace);
  transpose_to_run<Bytes, std::min(Rows, max_rows)>(r, mode, workspace);
}

/// The vector whose block b is the 16 bytes at from + b % 2 * step + b / 2 * pair_step.
template <int Bytes>
HWY_INLINE auto load_blocks(char const* from, index step, index pair_step) {
  using s = vector_shape<Bytes>;
  using lane = typename s::lane;
  hn::FixedTag<lane, 16 / sizeof(lane)> const block;
  auto const at = [=](index offset) HWY_ATTR {
    return hn::LoadU(block, reinterpret_cast<lane const*>(from + offset));
  };
  if constexpr (s::blocks == 1) {
    return at(0);
  } else if constexpr (s::blocks == 2) {
    return hn::Combine(typename s::tag(), at(step), at(0));
  } else {
    hn::FixedTag<lane, 32 / sizeof(lane)> const half;
    return hn::Combine(typename s::tag(), hn::Combine(half, at(pair_step + step), at(pair_step)),
                       hn::Combine(half, at(step), at(0)));
  }
}

/// One cache line of every column, for rows shorter than a vector. Each block holds 16 bytes of a
/// row of its own, so that interleaves alone give cache lines. Reads 16 bytes of every row, even if
/// rows are shorter.
template <int Bytes, class Sink>
HWY_INLINE void transpose_narrow_line(pitched_rows const& p, index width, Sink const& sink) {
  using s = vector_shape<Bytes>;
  constexpr index group = s::rows_in_block;  // also the columns in a block
  for (index wanted = 0; wanted < width; wanted += group) {
    index const first = std::max<index>(0, std::min(wanted, width - group));
    typename s::quarter_lines z[s::vectors_in_line];
#pragma GCC unroll 4
    for (int h = 0; h < s::vectors_in_line; ++h) {
      char const* const from = p.first + first * Bytes + h * s::blocks * group * p.pitch;
#pragma GCC unroll 16
      for (int k = 0; k < group; ++k)
        z[h][k] = load_blocks<Bytes>(from + k * p.pitch, group * p.pitch, 2 * group * p.pitch);
      interleave_rows<Bytes>(z[h]);
    }
#pragma GCC unroll 16
    for (int c = 0; c < group; ++c) {
      if (first + c < wanted || first + c >= width) continue;
      typename s::vector lines[s::vectors_in_line];
      for (int h = 0; h < s::vectors_in_line; ++h) lines[h] = z[h][c];
      sink(static_cast<int>(first + c), lines);
    }
  }
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
