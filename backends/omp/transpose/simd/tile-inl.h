// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes a tile by 64-byte cache lines of the output. Compiled once per instruction set.
// 64 / Bytes input rows make one cache line of every output row:
//   16 input rows of 4 bytes        one cache line of output rows 0, 1, ...
//   [ step 0 | step 1 | ... ]  -->  [ 16 elements ]    aligned: stored directly
//     vectors of each row           [ 16 elements ]    unaligned: tile_unaligned-inl.h
// A Fusion (no_fusion below) calculates elements while they are in registers.

#if defined(XPOSE_OMP_TILE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_TILE_INL
#undef XPOSE_OMP_TILE_INL
#else
#define XPOSE_OMP_TILE_INL
#endif

#include <xpose/backends/omp/transpose/simd/casts-inl.h>
#include <xpose/backends/omp/transpose/simd/direct-inl.h>
#include <xpose/backends/omp/transpose/simd/register_lines-inl.h>
#include <xpose/backends/omp/transpose/simd/registers-inl.h>
#include <xpose/backends/omp/transpose/simd/skinny-inl.h>

#include <algorithm>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

/// The plain transpose: elements are the input's, or its element function of them.
struct no_fusion {
  /// Prologue: whether load(i, j) supplies the vector at row j, column i in place of the input.
  static constexpr bool loads = false;
  /// Epilogue: calls store with what belongs in output row i from column j on, one cache line.
  template <class Vector, class Store>
  HWY_INLINE void finish(Vector const* v, index, index, Store const& store) const {
    store(v);
  }
};

/// Up to this pitch, software prefetches the next rows of matrices that exceed the caches. The
/// hardware sees no stream in cache lines one row apart on the same page. Fraction of memcpy
/// without and with, 4 bytes: 1000000x16 0.84, 0.90; 400000x64 0.73, 0.84; 10000x1024 0.87, 0.63.
/// In the caches it loses a tenth.
constexpr index max_prefetched_pitch = 512;
/// Bytes of element-function results calculated at a time (float to bfloat16: 0.66 of memcpy; 0.57
/// with 16 KB).
constexpr index function_piece_bytes = 2048;

/// A range of steps along a width; a step is one vector wide.
struct step_range {
  index first;
  index end;
};
/// The same with what lies so many bytes further on in the input prefetched.
struct prefetching_steps : step_range {
  index ahead;
};
template <int Bytes>
HWY_INLINE step_range all_steps(rectangle const& r) {
  return {0, (r.width + vector_shape<Bytes>::columns - 1) / vector_shape<Bytes>::columns};
}
/// Bytes of the input that are as many elements as these bytes of the output.
template <int Bytes>
HWY_INLINE index input_bytes(rectangle const& r, index output_bytes) {
  return r.function == nullptr ? output_bytes : output_bytes / Bytes * r.function->in_bytes;
}

/// Prefetches `bytes` bytes from here on. Their last byte too: of 6016x6016 bytes with a pitch of
/// 6017 that takes 2.4 ms, 4.6 without (Zen 5).
HWY_INLINE void prefetch(char const* from, index bytes) {
  for (index b = std::min(bytes, cache_line); b <= bytes; b += cache_line)
    __builtin_prefetch(from + b - 1);
}

/// Loads and transposes `Group` quarters' rows from first_row on. Calls visit(step, its quarters).
template <int Bytes, store_mode Mode, int Group, class Steps, class Fusion, class Visit>
HWY_INLINE void load_quarters(rectangle const& r, index first_row, Steps steps, char* workspace,
                              Fusion const& fusion, Visit const& visit) {
  using s = vector_shape<Bytes>;
  constexpr index rows = Group * s::rows_in_block;
  index const r_width = r.width;  // a store may be one to r as far as the compiler knows
  auto const prefetch_next = [&](char const* from, index bytes) HWY_ATTR {
    if constexpr (std::is_same_v<Steps, prefetching_steps>) prefetch(from + steps.ahead, bytes);
  };
  // element(i, row) is the vector of this row from column i on.
  auto const load_steps = [&](auto const& element) HWY_ATTR {
    for (index n = steps.first; n < steps.end; ++n) {
      index const i = step_start<Bytes>(n, r_width);
      typename s::quarter_lines z[Group];
#pragma GCC unroll 4
      for (int q = 0; q < Group; ++q) {
#pragma GCC unroll 16
        for (int k = 0; k < s::rows_in_block; ++k)
          z[q][k] = element(i, first_row + q * s::rows_in_block + k);
        interleave_rows<Bytes>(z[q]);
      }
      visit(n, z);
    }
  };
  if constexpr (Fusion::loads)
    return load_steps([&](index i, index row) HWY_ATTR { return fusion.load(i, row); });
  // Casts are fused into the loads. Through scratch the input is read row by row, and memory waits
  // (float to bfloat16, 4096x4096: 0.66 of memcpy, 0.70 fused).
  bool const is_cast = loaded_casts::with<Bytes>(r.function, [&](auto pair) HWY_ATTR {
    using in_element = typename decltype(pair)::in;
    using out_element = typename decltype(pair)::out;
    constexpr index bytes = sizeof(in_element);
    char const* const in = r.in;
    index const in_pitch = r.in_pitch;
    load_steps([&](index i, index row) HWY_ATTR {
      char const* const from = in + i * bytes + row * in_pitch;
      prefetch_next(from, s::columns * bytes);
      return load_cast<in_element, out_element>(from);
    });
  });
  if (is_cast) return;
  index const in_bytes = r.function == nullptr ? Bytes : r.function->in_bytes;
  index const steps_at_once =
      r.function == nullptr
          ? steps.end - steps.first
          : std::max<index>(1, function_piece_bytes / (rows * s::columns * Bytes));
  bool const prefetches =
      Mode == store_mode::streamed && r.function == nullptr && r.in_pitch <= max_prefetched_pitch;
  for (index begin = steps.first; begin < steps.end; begin += steps_at_once) {
    index const end = std::min(begin + steps_at_once, steps.end);
    index const i = step_start<Bytes>(begin, r.width);
    index const width = step_start<Bytes>(end - 1, r.width) + s::columns - i;
    if (r.function != nullptr)
      for (index k = 0; k < rows; ++k)
        prefetch_next(r.in + i * in_bytes + (first_row + k) * r.in_pitch, width * in_bytes);
    pitched_rows const p = input_at(Bytes, r, i, first_row, width, rows, workspace);
    for (index n = begin; n < end; ++n) {
      if (prefetches)
        for (index k = rows; k < 2 * rows; ++k)
          __builtin_prefetch(p.first + k * p.pitch + n * s::vector_bytes);
      char const* const from = p.first + (step_start<Bytes>(n, r_width) - i) * Bytes;
      if (r.function == nullptr)
        for (index k = 0; k < rows; ++k) prefetch_next(from + k * p.pitch, s::vector_bytes);
      typename s::quarter_lines z[Group];
#pragma GCC unroll 4
      for (int q = 0; q < Group; ++q)
        load_quarter<Bytes>(from + q * s::rows_in_block * p.pitch, p.pitch, z[q]);
      visit(n, z);
    }
  }
}

/// Scratch for cache lines that lack some quarters: 64 bytes of each column.
template <int Bytes>
struct partial_lines {
  using s = vector_shape<Bytes>;
  char* base;

  HWY_INLINE char* at(index step, int quarter, int c) const {
    return base + ((step * 4 + quarter) * s::rows_in_block + c) * s::vector_bytes;
  }
  template <int Group>
  HWY_INLINE void save(index step, int first, typename s::quarter_lines const* z) const {
#pragma GCC unroll 4
    for (int q = 0; q < Group; ++q)
#pragma GCC unroll 16
      for (int c = 0; c < s::rows_in_block; ++c)
        store<Bytes, store_mode::cached>(z[q][c], at(step, first + q, c));
  }
};

/// Transposes vector_shape::rows rows from row j on: one cache line of every column of some steps.
/// sink_of(first column, the first that no step before stored) gives the sink of a step.
template <int Bytes, store_mode Mode, class Steps, class Fusion, class SinkOf>
HWY_INLINE void transpose_line(rectangle const& r, index j, Steps steps, char* workspace,
                               Fusion const& fusion, SinkOf const& sink_of) {
  using s = vector_shape<Bytes>;
  if constexpr (!Fusion::loads) {
    if (r.width < s::columns) {
      pitched_rows const p = input_at(Bytes, r, 0, j, r.width, s::rows, workspace);
      return transpose_narrow_line<Bytes>(p, r.width, sink_of(0, 0));
    }
  }
  constexpr int group = s::quarters_at_once;
  constexpr int last = 4 - group;
  index const width = r.width;
  partial_lines<Bytes> const partial{workspace + tile_function_bytes};
  for (int first = 0; first < last; first += group)
    load_quarters<Bytes, Mode, group>(r, j + first * s::rows_in_block, steps, workspace, fusion,
                                      [&](index n, typename s::quarter_lines const* z)
                                          HWY_ATTR { partial.template save<group>(n, first, z); });
  load_quarters<Bytes, Mode, group>(
      r, j + last * s::rows_in_block, steps, workspace, fusion,
      [&](index n, typename s::quarter_lines const* z) HWY_ATTR {
        assemble_lines<Bytes>(
            [&](int q, int c)
                HWY_ATTR { return q < last ? load<Bytes>(partial.at(n, q, c)) : z[q - last][c]; },
            sink_of(step_start<Bytes>(n, width), n * s::columns));
      });
}

/// All steps with an element function, by single lines: with vectors of 64 bytes, what follows in
/// each row is prefetched, of short rows the next ones. us of one thread without and with it, from
/// memory (Zen 5; operands in its caches take as long):
///   f32 to bfloat16 300x500 75, 50; 1152x900 486, 310; 2000x3001 1470, 1190; 4000x4000 4460, 3090;
///   f64 to f32 300x500 76, 60; 4000x4000 4990, 4510; 8840x272 1620, 1030
/// Results of one byte lose within the caches: f32 to int8 300x500 11.6, 13.5. With vectors of 32
/// bytes it has not been measured on a processor that has no longer ones.
template <int Bytes, store_mode Mode>
HWY_INLINE auto function_steps(rectangle const& r) {
  constexpr bool pays = Bytes > 1 || Mode == store_mode::streamed;
  if constexpr (pays && vector_shape<Bytes>::vector_bytes == cache_line) {
    index const further = input_bytes<Bytes>(r, Mode == store_mode::streamed ? 128 : 64);
    index const below = vector_shape<Bytes>::rows * r.in_pitch;
    return prefetching_steps{all_steps<Bytes>(r),
                             r.in_pitch > max_prefetched_pitch ? further : below};
  } else {
    return all_steps<Bytes>(r);
  }
}

/// Whether casts to elements of so many bytes take transpose_lines_pipelined. Others lose by it, of
/// memcpy: float to bytes 0.49 (without 0.64), bfloat16 to float 0.72 (0.77), and so do 2 bytes
/// without a cast: 0.78 (0.81).
template <int Bytes>
inline constexpr bool pipelines_casts = Bytes == 2;

/// Software-pipelined over cache lines, two at least: loads the rows of one, a quarter at a time,
/// and stores a few columns of the one before at every step. Memory then reads and writes all the
/// time. Float to bfloat16, 4096x4096: 0.90 to 0.94 of memcpy; 0.86 with half a cache line read at
/// a time and written in its last pass, 0.83 with quarters. Returns the input rows transposed.
template <int Bytes, class Fusion, class SinkAt>
index transpose_lines_pipelined(rectangle const& r, char* workspace, Fusion const& fusion,
                                SinkAt const& sink_at) {
  using s = vector_shape<Bytes>;
  constexpr int passes = 4;  // one quarter each
  constexpr int columns_at_once = s::rows_in_block / passes;
  auto const all = function_steps<Bytes, store_mode::streamed>(r);
  index const steps = all.end;
  partial_lines<Bytes> read{workspace + tile_function_bytes};
  partial_lines<Bytes> written{read.base + steps * s::columns * cache_line};
  index j = 0;
  for (;; j += s::rows) {
    bool const reads = j + s::rows <= r.height;
    auto const sink_of = sink_at(j - s::rows);
    index written_parts = 0;
    auto const write_part = [&]() HWY_ATTR {
      index const n = written_parts / passes;
      auto const at = [&](int q, int c) HWY_ATTR { return load<Bytes>(written.at(n, q, c)); };
      auto const sink = sink_of(step_start<Bytes>(n, r.width), n * s::columns);
      int const part = static_cast<int>(written_parts++ % passes);
      assemble_lines<Bytes, columns_at_once>(at, sink, part * columns_at_once);
    };
    if (!reads) {
      while (written_parts < passes * steps) write_part();
      return j;
    }
    for (int q = 0; q < passes; ++q) {
      auto const save = [&](index n, typename s::quarter_lines const* z) HWY_ATTR {
        read.template save<1>(n, q, z);
        if (j > 0) write_part();
      };
      load_quarters<Bytes, store_mode::streamed, 1>(r, j + q * s::rows_in_block, all, workspace,
                                                    fusion, save);
    }
    std::swap(read, written);
  }
}

/// Transposes all full cache lines of the height; returns the input rows that they consist of.
/// sink_at(j) gives transpose_line's sink_of for the cache lines from row j on.
template <int Bytes, store_mode Mode, class Fusion, class SinkAt>
index transpose_all_lines(rectangle const& r, char* workspace, Fusion const& fusion,
                          SinkAt const& sink_at) {
  using s = vector_shape<Bytes>;
  if constexpr (Mode == store_mode::streamed && !Fusion::loads && pipelines_casts<Bytes>) {
    if (loaded_casts::has<Bytes>(r.function) && r.width >= s::columns && r.height >= 2 * s::rows)
      return transpose_lines_pipelined<Bytes>(r, workspace, fusion, sink_at);
  }
  auto const lines = [&](auto steps) HWY_ATTR {
    index j = 0;
    for (; j + s::rows <= r.height; j += s::rows)
      transpose_line<Bytes, Mode>(r, j, steps, workspace, fusion, sink_at(j));
    return j;
  };
  if constexpr (!Fusion::loads)
    if (r.function != nullptr) return lines(function_steps<Bytes, Mode>(r));
  return lines(all_steps<Bytes>(r));
}

/// Sinks that store the cache lines from row j on directly to the output rows.
template <int Bytes, store_mode Mode, class Fusion>
HWY_INLINE auto row_sinks(rectangle const& r, index j, Fusion const& fusion) {
  // Rather than asked for each column.
  constexpr bool stores_twice = Mode == store_mode::cached && std::is_same_v<Fusion, no_fusion>;
  char* const out = r.out + j * Bytes;
  index const out_pitch = r.out_pitch;
  return [fusion, out, out_pitch, j](index i, index unstored) HWY_ATTR {
    index const repeated = unstored - i;
    char* const to = out + i * out_pitch;
    return [fusion, to, out_pitch, i, j, repeated](int column, auto const* v) HWY_ATTR {
      if (!stores_twice && column < repeated) return;
      fusion.finish(v, i + column, j, [&](auto const* finished) HWY_ATTR {
        store_line<Bytes, Mode>(finished, to + column * out_pitch);
      });
    };
  };
}
template <int Bytes, store_mode Mode, class Fusion>
void transpose_line_to_rows(rectangle const& r, index j, char* workspace, Fusion const& fusion) {
  transpose_line<Bytes, Mode>(r, j, all_steps<Bytes>(r), workspace, fusion,
                              row_sinks<Bytes, Mode>(r, j, fusion));
}

/// Cache lines of an output row that are written one after the other, and bytes of each input row
/// that are read for all of them. Meanwhile the next bytes of these rows are prefetched.
///
///   input rows   [ bytes | bytes | ..      output rows   [ line | line | ..   ] lines of the group
///    0 .. 15     1st       (lines + 1)th    0 .. 15       1st    2nd
///   16 .. 31     2nd       ..              16 .. 31       (lines + 1)th ..
struct line_group {
  index lines;
  index bytes;
};

/// Microseconds of single lines, of the group, and of the group without prefetches; Zen 5, one
/// thread, operands from memory:
///   AVX-512  streamed  f32 1024x1024 339, 264, 310; 4000x4000 3501, 3194, 5046; 4096x4096 6423,
///                      4005, 5043; f64 4000x4000 7048, 5948, 6597; 4096x4096 12474, 7724, 8717
///                      bytes 3008x3008 665, 488, 916; 6016x6016 2502, 1540, 3649
///            cached    f32 512x512 90, 80, 97; f64 512x512 221, 163, 170; 1000x1000 581, 485, 653
///   AVX2     streamed  f32 4000x4000 2958, 3124, 4295 (pairs); 4096x4096 6240, 4202, 5705
/// Where the pitch is a multiple of 512 bytes, the same operands again: f32 512x512 cached 81, 28,
/// 36; 1280x1280 streamed 481, 161, 181. There {8, 64} leads {4, 128} by a third (1024x1024 190,
/// 300). Prefetching lines of the output too: from memory 324 to 284, again 80 to 92.
template <int Bytes, store_mode Mode>
constexpr line_group group_of() {
  if (Bytes >= 8) return Mode == store_mode::streamed ? line_group{2, 128} : line_group{8, 64};
  if (vector_shape<Bytes>::vector_bytes == 32) return {4, 128};
  return Mode == store_mode::streamed ? line_group{4, 64} : line_group{8, 64};
}

/// Not by_single_lines: tiles in place (2000x2000 of f64 0.88 ms, 1.44 in groups;
/// 4096x4096 9.2, 7.6) and those of wide_tile, unless rows share sets of a cache. For cached stores
/// of AVX-512 and up to 4 bytes, single lines are ahead in the L3 cache of Zen 5 (900x900 of f32 73
/// us, 78 in groups) and behind from memory (295, 240), and behind in both on Sapphire Rapids:
/// 1000x1003 of f32 878, 742 and 3150, 1830; 1500x2000 3650, 2040 and 7630, 4510. Nor for vectors
/// of 32 bytes, but for streamed elements of 1 and 2 bytes. Zen 3, AVX2, us of one thread in groups
/// and by single lines: streamed f32 4000x4000 13.8, 9.8 ms, f64 28.6, 18.1, bytes
/// 6016x6016 8.0, 9.0; cached, the same operands again and from memory, f32 300x500 37, 28 and 187,
/// 161, f64 1000x1000 1750, 1120 and 2170, 1620, 16 bytes 104x104 8.1, 6.0 and 47, 38; but f64
/// 512x512 141, 167.
/// Nor for small matrices of 4 to 16 bytes whose output rows are whole cache lines, again and from
/// memory: 16 bytes 100x100 5.5, 3.9 and 31, 30; f64 200x150 8.3, 6.3 and 49, 46; f32 208x208 5.6,
/// 4.5 and 39, 30; bytes 192x700 5.7, 6.4 and 32, 32. Larger ones lose from memory
/// (240x120 16.7, 12.8 and 100, 132), others in both (f64 300x90 9.2, 10.4 and 47, 59; Xeon with
/// AVX-512, one thread, 2026-11-28).
template <int Bytes, store_mode Mode>
HWY_INLINE bool takes_groups(rectangle const& r) {
  constexpr bool avoids =
      vector_shape<Bytes>::vector_bytes == 32 && (Mode == store_mode::cached || Bytes > 2);
  constexpr index small_bytes = index{256} << 10;
  bool const is_small = Bytes >= 4 && Mode == store_mode::cached && line_offset(r.out) == 0 &&
                        r.out_pitch % cache_line == 0 && r.width * r.height * Bytes <= small_bytes;
  return r.out_pitch % 512 == 0 || (!avoids && !r.by_single_lines && !is_small);
}

/// The same with an element function. us of one thread by single lines and in groups, from memory
/// and in the caches (Zen 5):
///   cached    bfloat16 to f32 300x500 44, 36 and 9.1, 9.7; 512x512 82, 56 and 72, 26; but f32 to
///             bfloat16 300x500 50, 52 and 10.9, 12.5; through scratch, 2 x + 1 of f32 300x500
///             124, 95 and 51, 59; 1152x900 735, 559 and 364, 403
///   streamed  bfloat16 to f32 4000x4000 1510, 2430; 2048x2048 1260, 640; f64 to f32 4000x4000
///             4510, 4870; 2048x2048 1480, 1970; 8840x272 1030, 761
template <int Bytes, store_mode Mode>
HWY_INLINE bool function_takes_groups(rectangle const& r) {
  constexpr index short_pitch = 2048;
  bool const widens = r.function->in_bytes < Bytes;
  if (vector_shape<Bytes>::vector_bytes < cache_line) return false;
  if (Mode == store_mode::cached) return widens && loaded_casts::has<Bytes>(r.function);
  return widens ? r.out_pitch % 512 == 0 : r.in_pitch <= short_pitch;
}

/// With fewer cache lines groups lose: 16x1000000 of 8 bytes 1.71, 1.48 (Zen 3). They also lose
/// where software prefetches the next rows: 100000x64 0.93, 0.78.
constexpr index min_grouped_lines = 4;

/// transpose_all_lines in groups of cache lines; the last may have fewer.
template <int Bytes, store_mode Mode, class Fusion, class SinkAt>
index transpose_line_groups(rectangle const& r, char* workspace, Fusion const& fusion,
                            SinkAt const& sink_at) {
  using s = vector_shape<Bytes>;
  constexpr line_group group = group_of<Bytes, Mode>();
  constexpr index steps_at_once = group.bytes / s::vector_bytes;
  constexpr index rows_at_once = group.lines * s::rows;
  index const height = r.height / s::rows * s::rows;
  step_range const all = all_steps<Bytes>(r);
  index const ahead = input_bytes<Bytes>(r, group.bytes);
  for (index j = 0; j < height; j += rows_at_once)
    for (prefetching_steps some{{0, 0}, ahead}; some.end < all.end;) {
      some.first = some.end;
      some.end = std::min(all.end, some.end + steps_at_once);
      for (index k = j; k < std::min(height, j + rows_at_once); k += s::rows)
        transpose_line<Bytes, Mode>(r, k, some, workspace, fusion, sink_at(k));
    }
  return height;
}

/// By few steps or groups where they pay, else transpose_all_lines.
template <int Bytes, store_mode Mode, class Fusion, class SinkAt>
index transpose_grouped_lines(rectangle const& r, char* workspace, Fusion const& fusion,
                              SinkAt const& sink_at) {
  using s = vector_shape<Bytes>;
  if constexpr (std::is_same_v<Fusion, no_fusion>) {
    constexpr index few = Mode == store_mode::cached ? few_steps<Bytes>() : 0;
    if constexpr (few > 0)
      if (has_vectors<Bytes>(r) && r.width <= few * s::columns)
        return transpose_few_steps<Bytes>(r);
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    if (has_vectors<Bytes>(r)) {
      register_group const group = register_group_of<Bytes>(r, Mode);
      if (group.lines > 0) return transpose_register_lines<Bytes>(r, group, sink_at);
    }
#endif
    if (r.width >= s::columns && r.in_pitch > max_prefetched_pitch &&
        (r.function == nullptr ? takes_groups<Bytes, Mode>(r)
                               : function_takes_groups<Bytes, Mode>(r)) &&
        r.height >= min_grouped_lines * s::rows)
      return transpose_line_groups<Bytes, Mode>(r, workspace, fusion, sink_at);
  }
  return transpose_all_lines<Bytes, Mode>(r, workspace, fusion, sink_at);
}

/// Stores full cache lines directly to the output.
template <int Bytes, store_mode Mode, class Fusion>
index transpose_lines(rectangle const& r, char* workspace, Fusion const& fusion) {
  return transpose_grouped_lines<Bytes, Mode>(
      r, workspace, fusion, [&](index j) HWY_ATTR { return row_sinks<Bytes, Mode>(r, j, fusion); });
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
