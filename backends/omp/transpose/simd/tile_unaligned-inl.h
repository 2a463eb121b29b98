// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes a tile by 64-byte cache lines (tile-inl.h) to output rows of any alignment. Compiled
// once per instruction set.

#if defined(XPOSE_OMP_TILE_UNALIGNED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_TILE_UNALIGNED_INL
#undef XPOSE_OMP_TILE_UNALIGNED_INL
#else
#define XPOSE_OMP_TILE_UNALIGNED_INL
#endif

#include <xpose/backends/omp/transpose/simd/tile-inl.h>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

/// Software write-combining for an output row that is not aligned to cache lines. Scratch holds the
/// last two results of 64 bytes:
///   scratch  [ older 64 | newer 64 ]
///   memory        [ cache line ]     one streaming store of the 64 bytes that straddle both
/// A cache line is stored one result late: its loads then hit no store in flight, and memory reads
/// and writes at the same time. 4097x4099 of 4 bytes: 0.57 of memcpy; 0.40 when pieces of 2 KB were
/// flushed, because cached stores of each piece's ends held up all stores behind them.
struct write_combining_row {
  char* scratch;
  char* to;  // where the newer 64 bytes of scratch belong

  index offset() const { return line_offset(to); }
  HWY_INLINE void write_line(bool is_head) const {
    index const before = offset();
    if (is_head && before != 0) copy_short(scratch + cache_line, to, cache_line - before);
    else copy_line<store_mode::streamed>(scratch + cache_line - before, to - before);
  }
  HWY_INLINE void write_tail() const {
    index const left = offset();
    if (left != 0) copy_short(scratch + 2 * cache_line - left, to + cache_line - left, left);
  }
};

/// The workspace behind the partial cache lines, of which transpose_lines_pipelined has two sets.
template <int Bytes>
HWY_INLINE char* behind_partial_lines(rectangle const& r, char* workspace) {
  using s = vector_shape<Bytes>;
  index const sets = s::quarters_at_once == 4 ? 0 : 2;
  return workspace + tile_function_bytes + sets * all_steps<Bytes>(r).end * s::columns * cache_line;
}

/// To unaligned output rows without AVX-512, or at addresses that no lane divides; the height has
/// one cache line at least. Groups of lines, as aligned rows have, read what was just stored to
/// scratch: 3001x5003 of 4 bytes 5.1 ms, 12.1 so; of bytes 1.8, 2.5 (Zen 5). Tiles of 64 to 512
/// columns, whose scratch L1 holds, are no faster.
template <int Bytes, class Fusion>
index transpose_through_scratch(rectangle const& r, char* workspace, Fusion const& fusion) {
  using s = vector_shape<Bytes>;
  char* const scratch = behind_partial_lines<Bytes>(r, workspace);
  auto const row_at = [=, &r](index i, index j) HWY_ATTR {
    return write_combining_row{scratch + i * 2 * cache_line, r.out + i * r.out_pitch + j * Bytes};
  };
  index const j = transpose_all_lines<Bytes, store_mode::streamed>(
      r, workspace, fusion, [&](index at) HWY_ATTR {
        return [=, &fusion](index first, index unstored) HWY_ATTR {
          return [=, &fusion](int column, auto const* v) HWY_ATTR {
            index const i = first + column;
            if (i < unstored) return;
            write_combining_row const row = row_at(i, at - s::rows);
            if (at != 0) {
              row.write_line(at == s::rows);
              copy_line(row.scratch + cache_line, row.scratch);
            }
            fusion.finish(v, i, at, [&](auto const* finished) HWY_ATTR {
              store_line<Bytes, store_mode::cached>(finished, row.scratch + cache_line);
            });
          };
        };
      });
  for (index i = 0; i < r.width; ++i) {
    write_combining_row const row = row_at(i, j - s::rows);
    row.write_line(j == s::rows);
    row.write_tail();
  }
  return j;
}

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86

/// The numbers 0, 1, .. of the lanes of two vectors.
template <class Lane>
struct lanes_of_two {
  static constexpr int count = 2 * cache_line / static_cast<int>(sizeof(Lane));
  alignas(cache_line) Lane lanes[count];
  constexpr lanes_of_two() : lanes() {
    for (int k = 0; k < count; ++k) lanes[k] = static_cast<Lane>(k);
  }
};
template <class Lane>
inline constexpr lanes_of_two<Lane> lane_numbers{};

/// A vector from lane `at` of two vectors on. (Highway 1.0.3 has no TwoTablesLookupLanes.)
template <class Vector>
HWY_INLINE Vector lanes_from(Vector first, Vector second, index at) {
  using lane = hn::TFromV<Vector>;
  auto const numbers = _mm512_loadu_si512(lane_numbers<lane>.lanes + at);
  if constexpr (sizeof(lane) == 8)
    return Vector{_mm512_permutex2var_epi64(first.raw, numbers, second.raw)};
  else if constexpr (sizeof(lane) == 4)
    return Vector{_mm512_permutex2var_epi32(first.raw, numbers, second.raw)};
  else return Vector{_mm512_permutex2var_epi16(first.raw, numbers, second.raw)};
}

/// The same of bytes: the blocks of 16 bytes that it begins and ends in, shifted. (A shuffle of
/// bytes is AVX-512 VBMI, which Highway compiles only where it is asked to.)
HWY_INLINE hn::Vec512<std::uint8_t> bytes_from(hn::Vec512<std::uint8_t> first,
                                               hn::Vec512<std::uint8_t> second, index at) {
  constexpr std::uint8_t none = 0x80;
  alignas(16) static constexpr std::uint8_t numbers[48] = {
      none, none, none, none, none, none, none, none, none, none, none, none,
      none, none, none, none, 0,    1,    2,    3,    4,    5,    6,    7,
      8,    9,    10,   11,   12,   13,   14,   15,   none, none, none, none,
      none, none, none, none, none, none, none, none, none, none, none, none};
  hn::Full512<std::uint8_t> const d;
  hn::Full512<std::uint64_t> const of_halves;
  auto const a = hn::BitCast(of_halves, first);
  auto const b = hn::BitCast(of_halves, second);
  index const half = at / 16 * 2;
  auto const begins = hn::BitCast(d, lanes_from(a, b, half));
  if (at % 16 == 0) return begins;
  auto const ends = hn::BitCast(d, lanes_from(a, b, half + 2));
  return hn::Or(hn::TableLookupBytesOr0(begins, hn::LoadDup128(d, numbers + 16 + at % 16)),
                hn::TableLookupBytesOr0(ends, hn::LoadDup128(d, numbers + at % 16)));
}

/// To unaligned output rows of which every one begins at a multiple of a lane:
///   results of a row   [ kept 64 | new 64 ]
///   memory                 [ line ]           one shuffle, one streaming store
/// The new result is kept for the next line. Lines are written in groups, as aligned rows are.
template <int Bytes, class Fusion>
index transpose_shifted(rectangle const& r, char* workspace, Fusion const& fusion) {
  using s = vector_shape<Bytes>;
  using lane = typename s::lane;
  char* const kept = behind_partial_lines<Bytes>(r, workspace);
  char* const out = r.out;
  index const out_pitch = r.out_pitch;
  auto const sink_at = [=, &fusion](index at) HWY_ATTR {
    return [=, &fusion](index first, index unstored) HWY_ATTR {
      return [=, &fusion](int column, auto const* v) HWY_ATTR {
        index const i = first + column;
        if (i < unstored) return;
        char* const to = out + i * out_pitch + at * Bytes;
        char* const before = kept + i * cache_line;
        index const offset = line_offset(to);
        fusion.finish(v, i, at, [&](auto const* finished) HWY_ATTR {
          if (at != 0) {
            auto const last = load<Bytes>(before);
            index const at_lane = (cache_line - offset) / static_cast<index>(sizeof(lane));
            auto const line = [&]() HWY_ATTR {
              if constexpr (Bytes == 1) return bytes_from(last, finished[0], at_lane);
              else return lanes_from(last, finished[0], at_lane);
            }();
            store<Bytes, store_mode::streamed>(line, to - offset);
          }
          store<Bytes, store_mode::cached>(finished[0], before);
          if (at == 0) copy_short(before, to, cache_line - offset);
        });
      };
    };
  };
  index const j =
      transpose_grouped_lines<Bytes, store_mode::streamed>(r, workspace, fusion, sink_at);
  for (index i = 0; i < r.width; ++i) {
    char* const end = out + i * out_pitch + j * Bytes;
    index const left = line_offset(end);
    if (left != 0) copy_short(kept + (i + 1) * cache_line - left, end - left, left);
  }
  return j;
}

#endif

/// Or of the addresses of all output rows: its low zero bits are their common alignment.
HWY_INLINE std::uintptr_t address_bits(rectangle const& r) {
  return reinterpret_cast<std::uintptr_t>(r.out) | static_cast<std::uintptr_t>(r.out_pitch);
}

/// Streaming stores to rows that are not aligned to cache lines.
HWY_INLINE bool streams_unaligned(rectangle const& r, store_mode mode) {
  return mode == store_mode::streamed && address_bits(r) % cache_line != 0;
}

/// Transposes all full cache lines of the height (one at least) with the stores that the mode and
/// the output's alignment ask for. Returns the input rows transposed.
template <int Bytes, class Fusion>
index transpose_lines_in_mode(rectangle const& r, store_mode mode, char* workspace,
                              Fusion const& fusion) {
  if (mode == store_mode::cached)
    return transpose_lines<Bytes, store_mode::cached>(r, workspace, fusion);
  if (streams_unaligned(r, mode)) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    if (address_bits(r) % sizeof(typename vector_shape<Bytes>::lane) == 0)
      return transpose_shifted<Bytes>(r, workspace, fusion);
#endif
    return transpose_through_scratch<Bytes>(r, workspace, fusion);
  }
  return transpose_lines<Bytes, store_mode::streamed>(r, workspace, fusion);
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
