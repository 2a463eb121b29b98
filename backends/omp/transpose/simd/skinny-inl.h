// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Turning rectangles that are shorter than a line or narrower than a vector, for the instruction
// set that this is compiled for. Assumes rows, or columns of the output, that lie one behind the
// other.

#if defined(XPOSE_OMP_THIN_LINES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_THIN_LINES_INL
#undef XPOSE_OMP_THIN_LINES_INL
#else
#define XPOSE_OMP_THIN_LINES_INL
#endif

#include <xpose/backends/omp/transpose/simd/registers-inl.h>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

/// A run of bytes that arrives in pieces and is written in whole lines of memory; what does not
/// fill a line waits for the next piece.
struct run_writer {
  char* stage;  // aligned to a line
  char* to;     // where the next piece belongs
  index skipped = static_cast<index>(reinterpret_cast<std::uintptr_t>(to) % line);

  /// Bytes of its line before `to`.
  index before() const { return static_cast<index>(reinterpret_cast<std::uintptr_t>(to) % line); }
  char* next() const { return stage + before(); }
  /// The next piece is in place.
  void write(index bytes) {
    char* const first = to - before();
    index const lines = (before() + bytes) / line * line;
    to += bytes;
    if (lines == 0) return;
    if (skipped > 0) copy_short(stage + skipped, first + skipped, line - skipped);
    for (index b = skipped > 0 ? line : 0; b < lines; b += line) stream_line(stage + b, first + b);
    copy_line(stage + lines, stage);
    skipped = 0;
  }
  void finish() const {
    if (before() > skipped)
      copy_short(stage + skipped, to - before() + skipped, before() - skipped);
  }
};

/// Output rows of height elements, below a line, one behind the other: what all columns write is
/// one run. Rows: a quarter's, or the least power of two that holds a height below that.
template <int Bytes, int Rows>
struct column_packer {
  using s = shape<Bytes>;
  static constexpr bool is_quarter = Rows == s::rows_in_quarter;
  index height;
  index column_bytes = height * Bytes;
  index block_bytes = is_quarter ? 16 : s::rows_in_quarter / Rows * column_bytes;
  int quarters = static_cast<int>((height + s::rows_in_quarter - 1) / s::rows_in_quarter);
  alignas(16) std::uint8_t kept[16] = {};  // the bytes of a block that are elements

  explicit column_packer(index given) : height(given) {
    for (index t = 0; t < std::min<index>(16, block_bytes); ++t)
      kept[t] = static_cast<std::uint8_t>(t / column_bytes * Rows * Bytes + t % column_bytes);
  }

  /// The columns of one step to `run`, and up to 16 bytes more. Blocks of 16 bytes are stored in
  /// rising order, so that each one covers what was too much of the one before.
  HWY_INLINE void pack(char const* in, index pitch, char* run) const {
    hn::CappedTag<std::uint8_t, line> const bytes;
    auto const order = hn::LoadDup128(bytes, kept);
    alignas(64) char blocks[4 * Rows * s::vector_bytes];
    for (int q = 0; q < quarters; ++q) {
      typename s::vector z[Rows];
#pragma GCC unroll 16
      for (int k = 0; k < Rows; ++k)
        z[k] = load<Bytes>(in + std::min<index>(q * s::rows_in_quarter + k, height - 1) * pitch);
      interleave_rows<Bytes>(z);
#pragma GCC unroll 16
      for (int c = 0; c < Rows; ++c) {
        if constexpr (!is_quarter)
          z[c] =
              hn::BitCast(typename s::tag(), hn::TableLookupBytes(hn::BitCast(bytes, z[c]), order));
        store<Bytes, store_mode::cached>(z[c], blocks + (q * Rows + c) * s::vector_bytes);
      }
    }
    for (int b = 0; b < s::blocks; ++b)
#pragma GCC unroll 16
      for (int c = 0; c < Rows; ++c) {
        char const* const from = blocks + c * s::vector_bytes + b * 16;
        if constexpr (is_quarter) {
          for (int q = 0; q < quarters; ++q)
            std::memcpy(run + q * 16, from + q * Rows * s::vector_bytes, 16);
          run += column_bytes;
        } else {
          std::memcpy(run, from, 16);
          run += block_bytes;
        }
      }
  }
};

/// What a step makes is written at once: reading and writing memory then go on side by side (3 x
/// 10000000 of 4, 8 and 16 bytes, share of memcpy: 0.67, 0.73 and 0.78 with pieces of 8 KB).
template <int Bytes, int Rows>
void turn_to_run(rectangle const& r, store_mode mode, char* workspace) {
  using s = shape<Bytes>;
  column_packer<Bytes, Rows> const packer(r.height);
  index const column_bytes = packer.column_bytes;
  index const calculated = tile_function_bytes / 2 / column_bytes / s::columns * s::columns;
  // A last step that overlaps the one before repeats bytes before the stage.
  run_writer writer{workspace + tile_function_bytes + line * line, r.out};
  for (index i = 0; i < r.width;) {
    // What is left takes no less than a vector.
    index const width =
        r.function == nullptr || r.width - i < calculated + s::columns ? r.width - i : calculated;
    piece const p = input_at(Bytes, r, i, 0, width, r.height, workspace);
    for (index n = 0; n * s::columns < width; ++n) {
      index const first = step_start<Bytes>(n, width);
      index const repeated = (n * s::columns - first) * column_bytes;
      index const bytes = s::columns * column_bytes - repeated;
      packer.pack(p.first + first * Bytes, p.pitch, writer.next() - repeated);
      if (mode == store_mode::streamed) {
        writer.write(bytes);
      } else {
        std::memcpy(writer.to, writer.next(), static_cast<std::size_t>(bytes));
        writer.to += bytes;
      }
    }
    i += width;
  }
  if (mode == store_mode::streamed) writer.finish();
}

template <int Bytes, int Rows = 2>
void turn_to_run_of(rectangle const& r, store_mode mode, char* workspace) {
  if constexpr (Rows < shape<Bytes>::rows_in_quarter) {
    if (r.height > Rows) return turn_to_run_of<Bytes, 2 * Rows>(r, mode, workspace);
    turn_to_run<Bytes, Rows>(r, mode, workspace);
  } else {
    turn_to_run<Bytes, shape<Bytes>::rows_in_quarter>(r, mode, workspace);
  }
}

/// The vector of 16 bytes from each of as many addresses as it has blocks.
template <int Bytes, class... Address>
HWY_INLINE auto combine_blocks(Address const*... from) {
  using s = shape<Bytes>;
  using lane = typename s::lane;
  static_assert(sizeof...(from) == s::blocks, "an address for every block");
  hn::FixedTag<lane, 16 / sizeof(lane)> const block;
  auto const at = [=](char const* address)
                      HWY_ATTR { return hn::LoadU(block, reinterpret_cast<lane const*>(address)); };
  char const* const addresses[] = {from...};
  if constexpr (s::blocks == 1) {
    return at(addresses[0]);
  } else if constexpr (s::blocks == 2) {
    return hn::Combine(typename s::tag(), at(addresses[1]), at(addresses[0]));
  } else {
    hn::FixedTag<lane, 32 / sizeof(lane)> const half;
    return hn::Combine(typename s::tag(), hn::Combine(half, at(addresses[3]), at(addresses[2])),
                       hn::Combine(half, at(addresses[1]), at(addresses[0])));
  }
}

/// Block b of the vector: 16 bytes at from + b * step.
template <int Bytes>
HWY_INLINE auto load_blocks(char const* from, index step) {
  if constexpr (shape<Bytes>::blocks == 1) return combine_blocks<Bytes>(from);
  else if constexpr (shape<Bytes>::blocks == 2) return combine_blocks<Bytes>(from, from + step);
  else return combine_blocks<Bytes>(from, from + step, from + 2 * step, from + 3 * step);
}

/// One line of every column of rows that are shorter than a vector: 16 bytes of each row make a
/// block, so that interleaving alone gives lines. Reads 16 bytes of every row, also where rows have
/// less.
template <int Bytes, class Sink>
HWY_INLINE void turn_narrow_line(piece const& p, index width, Sink const& sink) {
  using s = shape<Bytes>;
  constexpr index group = s::rows_in_quarter;  // columns in a block
  for (index wanted = 0; wanted < width; wanted += group) {
    index const first = std::max<index>(0, std::min(wanted, width - group));
    typename s::quarter z[s::vectors_in_line];
#pragma GCC unroll 4
    for (int h = 0; h < s::vectors_in_line; ++h) {
      char const* const from = p.first + first * Bytes + h * s::blocks * group * p.pitch;
#pragma GCC unroll 16
      for (int k = 0; k < group; ++k)
        z[h][k] = load_blocks<Bytes>(from + k * p.pitch, group * p.pitch);
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
