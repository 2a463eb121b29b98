// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes batches of small matrices, a few KB each. Compiled once per instruction set.
// Each 16-byte block of a vector takes another matrix:
//   vector  [ matrix m | matrix m + 1 | matrix m + 2 | matrix m + 3 ]
// Where a row or column is shorter than a block, a program of byte shuffles, made once per batch,
// transposes each matrix. Results are write-combined in scratch where output matrices are packed.

#if defined(XPOSE_OMP_SMALL_BATCHED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_SMALL_BATCHED_INL
#undef XPOSE_OMP_SMALL_BATCHED_INL
#else
#define XPOSE_OMP_SMALL_BATCHED_INL
#endif

#include <xpose/backends/omp/transpose/simd/direct-inl.h>
#include <xpose/backends/omp/transpose/simd/registers-inl.h>
#include <xpose/backends/omp/transpose/simd/skinny-inl.h>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

/// The transpose of packed matrices as byte shuffles: 16 bytes of the output are the OR of some
/// terms, each a shuffle of 16 bytes of the input. A unit is one matrix, or as many as have 16
/// bytes, so that nothing outside it is read or written.
struct shuffle_program {
  static constexpr index max_matrix_bytes = 1024;  // of a matrix
  // Making a program costs as much as transposing some dozens of matrices one by one.
  static constexpr index min_matrices = 64;
  struct term {
    index from;                          // offset of its 16 bytes in the unit
    alignas(16) std::uint8_t order[16];  // above 127: zero
  };
  struct block {
    index to;  // offset in the unit
    int terms;
  };

  index matrices;  // per unit
  index unit_bytes;
  int blocks = 0;
  block* block_at;
  term* term_at;

  static index matrices_in_unit(index matrix_bytes) { return (15 + matrix_bytes) / matrix_bytes; }

  /// Offset in the input unit of byte p of the output unit.
  static index source(index p, index bytes, index width, index height) {
    index const matrix_bytes = width * height * bytes;
    index const in_matrix = p % matrix_bytes;
    index const i = in_matrix / (height * bytes);
    index const j = in_matrix / bytes % height;
    return p - in_matrix + (j * width + i) * bytes + in_matrix % bytes;
  }

  shuffle_program(index bytes, index width, index height, char* memory)
      : matrices(matrices_in_unit(width * height * bytes)),
        unit_bytes(matrices * width * height * bytes),
        block_at(reinterpret_cast<block*>(memory)),
        term_at(reinterpret_cast<term*>(memory + 4096)) {
    term* next = term_at;
    for (index wanted = 0; wanted < unit_bytes; wanted += 16) {
      block& b = block_at[blocks++];
      b = {std::min(wanted, unit_bytes - 16), 0};
      index sources[16];
      for (index t = 0; t < 16; ++t) sources[t] = source(b.to + t, bytes, width, height);
      bool is_done[16] = {};
      for (;;) {
        index least = unit_bytes;
        for (index t = 0; t < 16; ++t)
          if (!is_done[t]) least = std::min(least, sources[t]);
        if (least == unit_bytes) break;
        term& made = *next++;
        ++b.terms;
        made.from = std::min(least, unit_bytes - 16);
        for (index t = 0; t < 16; ++t) {
          bool const is_here =
              !is_done[t] && sources[t] >= made.from && sources[t] < made.from + 16;
          made.order[t] = is_here ? static_cast<std::uint8_t>(sources[t] - made.from) : 0x80;
          is_done[t] |= is_here;
        }
      }
    }
  }
  /// A block has 16 terms at most.
  static constexpr index memory_bytes = 4096 + max_matrix_bytes / 16 * 16 * index{sizeof(term)};

  HWY_INLINE void transpose_unit(char const* in, char* out) const {
    hn::FixedTag<std::uint8_t, 16> const d;
    auto const shuffled = [&](term const& t) HWY_ATTR {
      auto const v = hn::LoadU(d, reinterpret_cast<std::uint8_t const*>(in + t.from));
      return hn::TableLookupBytesOr0(v, hn::Load(d, t.order));
    };
    term const* t = term_at;
    for (int b = 0; b < blocks; ++b) {
      auto v = shuffled(*t++);
      for (int n = 1; n < block_at[b].terms; ++n) v = hn::Or(v, shuffled(*t++));
      hn::StoreU(v, d, reinterpret_cast<std::uint8_t*>(out + block_at[b].to));
    }
  }
};

/// Transposes as many matrices as a vector has blocks, in_step and out_step apart. Rows and columns
/// have a block at least; the last blocks overlap those before.
template <int Bytes>
HWY_INLINE void transpose_in_blocks(rectangle const& r, index in_step, index out_step) {
  using s = vector_shape<Bytes>;
  constexpr index side = s::rows_in_block;
  for (index j = 0; j < r.height; j += side)
    for (index i = 0; i < r.width; i += side) {
      index const first_row = std::min(j, r.height - side);
      index const first_col = std::min(i, r.width - side);
      char const* const from = r.in + first_col * Bytes + first_row * r.in_pitch;
      char* const to = r.out + first_col * r.out_pitch + first_row * Bytes;
      typename s::quarter_lines z;
#pragma GCC unroll 16
      for (int k = 0; k < side; ++k)
        z[k] = load_blocks<Bytes>(from + k * r.in_pitch, in_step, 2 * in_step);
      interleave_rows<Bytes>(z);
#pragma GCC unroll 16
      for (int c = 0; c < side; ++c) store_blocks<Bytes>(z[c], to + c * r.out_pitch, out_step);
    }
}

/// One packed matrix whose columns are two blocks, half a cache line; its width is a multiple of
/// two blocks. Registers of 64 bytes then hold full cache lines of two output rows.
template <int Bytes, store_mode Mode>
HWY_INLINE void transpose_half_lines(rectangle const& r) {
  using s = vector_shape<Bytes>;
  constexpr index side = s::rows_in_block;
  constexpr index half = cache_line / 2;
  typename s::tag const d;
  constexpr int pairs = std::max(1, s::blocks / 2);
  char const* from = r.in;
  char* to = r.out;
  for (index i = 0; i < r.width; i += pairs * side, from += pairs * 16, to += pairs * side * half) {
    typename s::quarter_lines z;
#pragma GCC unroll 16
    for (int k = 0; k < side; ++k)
      z[k] = load_blocks<Bytes>(from + k * r.in_pitch, side * r.in_pitch, 16);
    interleave_rows<Bytes>(z);
#pragma GCC unroll 16
    for (int c = 0; c < side; c += pairs) {
      if constexpr (pairs == 1) {
        store<Bytes, Mode>(z[c], to + c * half);
      } else {
        store<Bytes, Mode>(hn::ConcatLowerLower(d, z[c + 1], z[c]), to + c * half);
        store<Bytes, Mode>(hn::ConcatUpperUpper(d, z[c + 1], z[c]), to + (side + c) * half);
      }
    }
  }
}

/// Transposes a batch; Transpose takes the matrices that suit neither blocks nor programs.
template <int Bytes, simd_transpose Transpose>
struct small_batch {
  matrix_batch const& batch;
  char* workspace;
  rectangle const& r = batch.first;
  index bytes = element_bytes<Bytes>(r);
  index matrix_bytes = r.width * r.height * bytes;
  bool has_packed_output = r.out_pitch == r.height * bytes && batch.out_step == matrix_bytes;

  static constexpr bool has_tiles = Bytes != 0 && Bytes <= 16 && (Bytes & (Bytes - 1)) == 0;
  static constexpr bool has_blocks = Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8;
  using s = vector_shape<has_blocks ? Bytes : 1>;
  bool fits_blocks() const {
    bool const has_full_lines = r.width >= s::columns && r.height >= s::rows;
    return std::min(r.width, r.height) >= s::rows_in_block && !has_full_lines;
  }
  /// Matrices of so many bytes go one by one into the caches, by direct-inl.h, if elements have 4
  /// or
  /// 8. ns a matrix in blocks and so: f32 4x64 115, 94, 9x37 142, 88, 12x40 232, 210, 8x20 59, 57,
  /// but 8x16 24, 35; f64 5x37 117, 60, 7x33 233, 168, but 4x20 21, 37; 2 bytes 31x40 166, 186;
  /// bytes 40x80 225, 249 (Emerald Rapids, AVX-512).
  static constexpr index min_single_bytes = 1024;
  bool goes_one_by_one(store_mode mode) const {
    return Bytes >= 4 && mode == store_mode::cached && matrix_bytes >= min_single_bytes &&
           fits_parts<Bytes>(r);
  }
  /// Whether cache lines can be stored directly to the output.
  bool has_aligned_lines() const {
    bool const has_full_lines = has_tiles && r.height * bytes % cache_line == 0 &&
                                r.width * bytes >= vector_shape<1>::vector_bytes;
    auto const bits = reinterpret_cast<std::uintptr_t>(r.out) |
                      static_cast<std::uintptr_t>(r.out_pitch | batch.out_step);
    return has_full_lines && bits % cache_line == 0;
  }
  /// Whether columns are half a cache line.
  bool fits_half_lines() const {
    return s::blocks > 1 && has_packed_output && r.height == 2 * s::rows_in_block &&
           r.width % (2 * s::rows_in_block) == 0;
  }
  /// Not into the caches where direct-inl.h takes each matrix. 1000 matrices, us by a program and
  /// so: 4 bytes 16x16 180, 66; 30x8 305, 65; 8 bytes 8x8 77, 38; 16 bytes 5x4 52, 28; 2 bytes
  /// 32x16 688, 80. Through scratch, 50000 of 8 bytes 8x4 2.7, 5.4 ms; of 16 bytes 7x7 7.6, 9.3
  /// (Zen 3).
  bool fits_program(store_mode mode) const {
    if constexpr (has_tiles)
      if (mode == store_mode::cached && fits_parts<Bytes>(r)) return false;
    bool const is_packed = r.in_pitch == r.width * bytes && r.out_pitch == r.height * bytes;
    bool const is_run = has_packed_output && batch.in_step == matrix_bytes;
    return is_packed && batch.count >= shuffle_program::min_matrices &&
           matrix_bytes <= shuffle_program::max_matrix_bytes && (matrix_bytes >= 16 || is_run);
  }
  rectangle matrix(index m, char* to) const {
    return {
        r.in + m * batch.in_step, r.in_pitch, to, r.out_pitch, r.width, r.height, nullptr, r.bytes};
  }

  /// Calls move(first matrix, count, where the first goes) for pieces of whole units, through
  /// scratch if they are streamed. Pieces are short, so that memory reads and writes at the same
  /// time. Fraction of memcpy with pieces of 256 bytes, 1024 and 16 KB: 400000 of 4x4, 4 bytes,
  /// 0.87, 0.82, 0.64; 50000 of 16x16, 1 byte, 0.70, 0.80, 0.73.
  template <class Move>
  void in_pieces(index unit, store_mode mode, Move const& move) const {
    constexpr index piece_bytes = 512;
    constexpr index scratch_bytes = 4 * max_small_matrix_bytes;  // units of four matrices
    index const max_count = std::max<index>(1, piece_bytes / (unit * matrix_bytes)) * unit;
    bool const uses_scratch = mode == store_mode::streamed && has_packed_output;
    write_combining_buffer buffer{
        workspace + transpose_workspace_bytes - scratch_bytes - 2 * cache_line, r.out};
    for (index m = 0; m < batch.count; m += max_count) {
      index const count = std::min(max_count, batch.count - m);
      move(m, count, uses_scratch ? buffer.next() : r.out + m * batch.out_step);
      if (uses_scratch) buffer.write(count * matrix_bytes);
    }
    if (uses_scratch) buffer.finish();
  }

  void run(store_mode mode) const {
    bool const streams_lines = mode == store_mode::streamed && has_aligned_lines();
    if constexpr (has_blocks) {
      if (!streams_lines && fits_half_lines()) return transpose_by_half_lines(mode);
      if (!streams_lines && fits_blocks() && !goes_one_by_one(mode))
        return transpose_blockwise(mode);
    }
    if (!streams_lines && fits_program(mode)) return transpose_by_program(mode);
    one_by_one(mode, streams_lines, [&](rectangle const& one, auto known_mode) {
      Transpose(one, known_mode, workspace);
    });
  }
  /// Calls move(matrix, mode) for each: with its place in the output and streaming stores if
  /// `is_direct`, or else in pieces.
  template <class Move>
  void one_by_one(store_mode mode, bool is_direct, Move const& move) const {
    constexpr std::integral_constant<store_mode, store_mode::streamed> streamed{};
    constexpr std::integral_constant<store_mode, store_mode::cached> cached{};
    if (is_direct) {
      for (index m = 0; m < batch.count; ++m) move(matrix(m, r.out + m * batch.out_step), streamed);
      return;
    }
    in_pieces(1, mode, [&](index first, index count, char* to) {
      for (index m = 0; m < count; ++m) move(matrix(first + m, to + m * batch.out_step), cached);
    });
  }
  void transpose_by_half_lines(store_mode mode) const {
    bool const is_direct = mode == store_mode::streamed && line_offset(r.out) == 0;
    auto const move =
        [](rectangle const& one, auto known_mode) HWY_ATTR __attribute__((always_inline)) {
      transpose_half_lines<Bytes, known_mode.value>(one);
    };
    one_by_one(mode, is_direct, move);
  }
  void transpose_blockwise(store_mode mode) const {
    in_pieces(s::blocks, mode, [&](index first, index count, char* to) {
      index m = 0;
      for (; m + s::blocks <= count; m += s::blocks)
        transpose_in_blocks<Bytes>(matrix(first + m, to + m * batch.out_step), batch.in_step,
                                   batch.out_step);
      for (; m < count; ++m) {
        rectangle const one = matrix(first + m, to + m * batch.out_step);
        if (fits_parts<Bytes>(r)) Transpose(one, store_mode::cached, workspace);
        else transpose_in_blocks<Bytes>(one, 0, 0);  // the same matrix in every block
      }
    });
  }
  void transpose_by_program(store_mode mode) const {
    shuffle_program const program(bytes, r.width, r.height, workspace);
    index const unit = program.matrices;
    in_pieces(unit, mode, [&](index first, index count, char* to) {
      index m = 0;
      for (; m + unit <= count; m += unit)
        program.transpose_unit(r.in + (first + m) * batch.in_step, to + m * batch.out_step);
      for (; m < count; ++m)
        move_block<0>(bytes, {r.in + (first + m) * batch.in_step, r.in_pitch}, r.width, r.height,
                      to + m * batch.out_step, r.out_pitch);
    });
  }
};

template <int Bytes, simd_transpose Transpose>
void transpose_batch(matrix_batch const& batch, store_mode mode, char* workspace) {
  small_batch<Bytes, Transpose>{batch, workspace}.run(mode);
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
