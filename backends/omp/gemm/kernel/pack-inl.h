// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Packing of panels, for one Highway target. If the panel's width is contiguous in memory, runs of
// it are converted straight into the panel. Otherwise runs along k are converted into the rows of a
// scratch, which is then transposed into the panel. So rows at a pitch of 4 KB, which conflict in
// the first-level cache, are read once and in full cache lines. Writes up to a vector behind the
// panel.
//
//   operand, k contiguous      scratch: Width x 16        panel: k x Width
//   row 0: k0 k1 k2 ...   -->  r0: k0 k1 ... k15    -->   k0: r0 r1 ... | k1: r0 r1 ... | ...
//   row 1: k0 k1 k2 ...        r1: k0 k1 ... k15          one k-group of every row for each step

#if defined(XPOSE_OMP_GEMM_PACK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_PACK_INL
#undef XPOSE_OMP_GEMM_PACK_INL
#else
#define XPOSE_OMP_GEMM_PACK_INL
#endif

#include <xpose/backends/omp/gemm/kernel/k_groups-inl.h>
#include <xpose/backends/omp/gemm/amx/amx.hpp>
#include <xpose/backends/omp/gemm/kernel/kernel.hpp>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

constexpr index k_groups_in_scratch = 16;

template <class KGroup>
using lane_of = std::conditional_t<sizeof(KGroup) == 8, std::uint64_t, std::uint32_t>;

/// Rows of the scratch for a panel of that width: full vectors.
template <class KGroup, int Width>
constexpr int scratch_rows() {
  constexpr int lanes = hn::MaxLanes(hn::ScalableTag<lane_of<KGroup>>());
  return Width < lanes && sizeof(KGroup) != 16 ? lanes : Width;
}

/// A vector of 16-byte blocks, one from each of several rows that lie `pitch` lanes apart.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_blocks(D d, T const* from, index pitch) {
  if constexpr (hn::MaxLanes(d) * sizeof(T) == 16) {
    return hn::Load(d, from);
  } else {
    hn::Half<D> const half;
    return hn::Combine(d,
                       load_blocks(half, from + hn::MaxLanes(half) * sizeof(T) / 16 * pitch, pitch),
                       load_blocks(half, from, pitch));
  }
}

/// panel[p * Width + i] = scratch[i][p]. Stores of one step go from its first row on. Where they
/// overlap they agree; what one writes behind its step, the next step overwrites.
template <int Width, class KGroup>
HWY_INLINE void transpose_scratch(KGroup const* scratch, index steps, KGroup* panel) {
  if constexpr (sizeof(KGroup) == 16) {
    for (index p = 0; p < steps; ++p)
      for (int i = 0; i < Width; ++i) panel[p * Width + i] = scratch[i * k_groups_in_scratch + p];
  } else {
    using T = lane_of<KGroup>;
    hn::ScalableTag<T> const d;
    constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
    constexpr int in_block = 16 / sizeof(T);
    T const* const from = reinterpret_cast<T const*>(scratch);
    T* const to = reinterpret_cast<T*>(panel);
    for (index p = 0; p < steps; p += in_block)
      for (int i = 0;; i = std::min(i + lanes, Width - lanes)) {
        hn::Vec<decltype(d)> z[in_block];
#pragma GCC unroll 4
        for (int c = 0; c < in_block; ++c)
          z[c] = load_blocks(d, from + (i + c) * k_groups_in_scratch + p,
                             in_block * k_groups_in_scratch);
        hn::Vec<decltype(d)> w[in_block];
        if constexpr (in_block == 2) {
          w[0] = hn::InterleaveLower(d, z[0], z[1]);
          w[1] = hn::InterleaveUpper(d, z[0], z[1]);
        } else {
          interleave_4(d, z, w);
        }
#pragma GCC unroll 4
        for (int c = 0; c < in_block; ++c)
          if (p + c < steps) hn::StoreU(w[c], d, to + (p + c) * Width + i);
        if (i + lanes >= Width) break;
      }
  }
}

/// Converts `count` elements of a row along k, from p on, to k-groups.
template <class KGroups>
HWY_INLINE void convert_along_k(panel_source const& s, char const* row, index p, index count,
                                typename KGroups::k_group* out) {
  using element = typename KGroups::element;
  char const* const first = row + p * s.k_step;
  if (s.k_step == index{sizeof(element)}) {
    KGroups::convert(reinterpret_cast<element const*>(first), count, s.conjugated, out);
  } else {
    element run[k_groups_in_scratch * KGroups::k_group_size];
    for (index e = 0; e < count; ++e)
      run[e] = *reinterpret_cast<element const*>(first + e * s.k_step);
    KGroups::convert(run, count, s.conjugated, out);
  }
}

/// Zeros by vector stores: `rep stos`, which GCC makes of std::memset, takes as long as packing 16
/// x 16 bytes.
template <class T, std::size_t Count>
HWY_INLINE void zero_fill(T (&memory)[Count]) {
  hn::ScalableTag<std::uint8_t> const d;
  static_assert(sizeof(memory) % hn::MaxLanes(d) == 0);
  auto zero = hn::Zero(d);
#if HWY_ARCH_X86 && HWY_COMPILER_GCC_ACTUAL
  asm("" : "+x"(zero.raw));  // hides from GCC 12 that this is std::memset
#endif
  auto* const bytes = reinterpret_cast<std::uint8_t*>(memory);
  for (std::size_t b = 0; b < sizeof(memory); b += hn::MaxLanes(d)) hn::Store(zero, d, bytes + b);
}

/// visit(first step, steps, scratch), for every k_groups_in_scratch steps along k.
template <class KGroups, int Width, class Visit>
HWY_INLINE void for_each_scratch(panel_source const& s, Visit const& visit) {
  using k_group = typename KGroups::k_group;
  constexpr int rows = scratch_rows<k_group, Width>();
  alignas(64) k_group scratch[rows * k_groups_in_scratch];
  zero_fill(scratch);
  constexpr index elements = k_groups_in_scratch * KGroups::k_group_size;
  // The hardware's prefetch follows fewer rows than a panel has. us from memory without and with
  // this, Zen 5, 2026-11-29: f32 96x96x5000 NT 614, 474, f64 1232, 1007, complex doubles 4830,
  // 4080; f32 504x1560x1648 NT 12600, 11630, in the caches 12250, 11540.
  constexpr index prefetched_scratches = 4;
  constexpr index bytes = elements * index{sizeof(typename KGroups::element)};
  bool const is_contiguous = s.k_step == index{sizeof(typename KGroups::element)};
  for (index p = 0; p < s.k_extent; p += elements) {
    index const count = std::min(elements, s.k_extent - p);
    bool const prefetches = is_contiguous && p + prefetched_scratches * elements < s.k_extent;
    auto const convert = [&](index known_count) HWY_ATTR __attribute__((always_inline)) {
      for (index i = 0; i < s.width; ++i) {
        char const* const row = s.first + i * s.step;
        if (prefetches)
          for (index byte = 0; byte < bytes; byte += 64)
            hwy::Prefetch(row + p * s.k_step + prefetched_scratches * bytes + byte);
        convert_along_k<KGroups>(s, row, p, known_count, scratch + i * k_groups_in_scratch);
      }
    };
    if (count == elements) convert(elements);
    else convert(count);
    visit(p / KGroups::k_group_size, (count + KGroups::k_group_size - 1) / KGroups::k_group_size,
          scratch);
  }
}

template <class KGroups, int Width>
void pack_transposed(panel_source const& s, char* panel) {
  using k_group = typename KGroups::k_group;
  k_group* const out = reinterpret_cast<k_group*>(panel);
  for_each_scratch<KGroups, Width>(
      s, [&](index step, index steps, k_group const* scratch)
             HWY_ATTR { transpose_scratch<Width>(scratch, steps, out + step * Width); });
}

/// Panels of one element to a k-group.
template <class KGroups, int Width>
void pack_elements(panel_source const& s, char* panel) {
  using element = typename KGroups::element;
  using k_group = typename KGroups::k_group;
  if (s.step != index{sizeof(element)}) return pack_transposed<KGroups, Width>(s, panel);
  k_group* out = reinterpret_cast<k_group*>(panel);
  char const* row = s.first;
  if (s.width == Width) {
    for (index p = 0; p < s.k_extent; ++p, row += s.k_step, out += Width)
      KGroups::convert(reinterpret_cast<element const*>(row), Width, s.conjugated, out);
  } else {
    for (index p = 0; p < s.k_extent; ++p, row += s.k_step, out += Width) {
      KGroups::convert(reinterpret_cast<element const*>(row), s.width, s.conjugated, out);
      std::memset(static_cast<void*>(out + s.width), 0,
                  static_cast<std::size_t>(Width - s.width) * sizeof(k_group));
    }
  }
}

/// B's panels of complex numbers, a vector wide. A step is the real parts of its columns and then
/// the imaginary parts.
template <class Real>
void pack_complex_b(panel_source const& s, char* panel) {
  using KGroups = complex_groups<Real>;
  using k_group = typename KGroups::k_group;
  hn::ScalableTag<Real> const d;
  constexpr int width = static_cast<int>(hn::MaxLanes(d));
  Real* const out = reinterpret_cast<Real*>(panel);
  auto const negate = s.conjugated ? hn::SignBit(d) : hn::Zero(d);
  auto const deinterleave = [&](index step, k_group const* from, bool is_conjugated) HWY_ATTR {
    hn::Vec<decltype(d)> re;
    hn::Vec<decltype(d)> im;
    hn::LoadInterleaved2(d, reinterpret_cast<Real const*>(from), re, im);
    if (!is_conjugated) im = hn::Xor(im, negate);
    hn::StoreU(re, d, out + step * 2 * width);
    hn::StoreU(im, d, out + step * 2 * width + width);
  };
  if (s.step == index{sizeof(k_group)} && s.width == width) {
    for (index p = 0; p < s.k_extent; ++p)
      deinterleave(p, reinterpret_cast<k_group const*>(s.first + p * s.k_step), false);
    return;
  }
  alignas(64) k_group transposed[k_groups_in_scratch * width + width];
  for_each_scratch<KGroups, width>(s,
                                   [&](index step, index steps, k_group const* scratch) HWY_ATTR {
                                     transpose_scratch<width>(scratch, steps, transposed);
                                     for (index p = 0; p < steps; ++p)
                                       deinterleave(step + p, transposed + p * width, true);
                                   });
}

/// Two rows of bytes along the panel's width are interleaved to one step of 16-bit pairs, with
/// zeros behind the width. What a step writes behind itself, the next one overwrites.
template <class Byte, int Width>
void pack_int16_pairs(panel_source const& s, char* panel) {
  if (s.step != 1) return pack_transposed<int16_pair_groups<Byte>, Width>(s, panel);
  hn::ScalableTag<std::int32_t> const d;
  hn::Rebind<Byte, decltype(d)> const d8;
  constexpr index lanes = hn::MaxLanes(d);
  auto* out = reinterpret_cast<std::int32_t*>(panel);
  auto const pack_width = [&](index width) HWY_ATTR __attribute__((always_inline)) {
    auto const load = [&](index p, index i) HWY_ATTR __attribute__((always_inline)) {
      index const left = width - i;
      if (p >= s.k_extent || left <= 0) return hn::Zero(d);
      auto const* const from = reinterpret_cast<Byte const*>(s.first + p * s.k_step) + i;
      if (left >= lanes) return hn::PromoteTo(d, hn::LoadU(d8, from));
      if constexpr (lanes <= 8) return hn::PromoteTo(d, load_few_bytes(d8, from, left));
      else return hn::PromoteTo(d, masked_edge<decltype(d8)>(left).load(from));
    };
    auto const lower_half = hn::Set(d, 0xffff);
    for (index p = 0; p < s.k_extent; p += 2, out += Width)
      for (index i = 0; i < Width; i += lanes)
        hn::StoreU(hn::Or(hn::And(load(p, i), lower_half), hn::ShiftLeft<16>(load(p + 1, i))), d,
                   out + i);
  };
  if (s.width == Width) pack_width(Width);
  else pack_width(s.width);
}

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
/// Four rows of 32 bytes, interleaved to one step of byte quads.
template <class KGroups>
HWY_INLINE void pack_32_byte_quads(char const* row, index pitch, char* step) {
  hn::CappedTag<std::uint8_t, 32> const d;
  static_assert(hn::MaxLanes(d) == 32);
  hn::Vec<decltype(d)> rows[4];
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k)
    rows[k] = hn::Xor(hn::LoadU(d, reinterpret_cast<std::uint8_t const*>(row + k * pitch)),
                      hn::Set(d, KGroups::flips));
  hn::Vec<decltype(d)> q[4];  // each holds four columns and, sixteen columns on, four more
  interleave_4(d, rows, q);
  auto* const to = reinterpret_cast<std::uint8_t*>(step);
  hn::StoreU(hn::ConcatLowerLower(d, q[1], q[0]), d, to);
  hn::StoreU(hn::ConcatLowerLower(d, q[3], q[2]), d, to + 32);
  hn::StoreU(hn::ConcatUpperUpper(d, q[1], q[0]), d, to + 64);
  hn::StoreU(hn::ConcatUpperUpper(d, q[3], q[2]), d, to + 96);
}

/// Sixteen columns of four rows, interleaved to quads: words of four columns change blocks, then
/// bytes their word: three inserts, two shuffles and a store, where StoreInterleaved4 of blocks
/// takes eight shuffles and four stores. Bytes, us in the caches without and with this, Emerald
/// Rapids without AMX, 2026-11-29: 272x112x152 TN 21.9, 18.5; 300x300x300 TT 101, 94.4;
/// 500x500x500 TN 424, 413.
template <class V>
HWY_INLINE auto interleave_16_byte_quads(V const (&rows)[4]) {
  hn::ScalableTag<std::uint8_t> const d;
  hn::Repartition<std::uint32_t, decltype(d)> const d32;
  hn::Half<decltype(d)> const half;
  static_assert(hn::MaxLanes(d) == 64);
  alignas(64) static constexpr std::uint32_t words[16] = {0, 4, 8,  12, 1, 5, 9,  13,
                                                          2, 6, 10, 14, 3, 7, 11, 15};
  alignas(16) static constexpr std::uint8_t bytes[16] = {0, 4, 8,  12, 1, 5, 9,  13,
                                                         2, 6, 10, 14, 3, 7, 11, 15};
  auto const together =
      hn::Combine(d, hn::Combine(half, rows[3], rows[2]), hn::Combine(half, rows[1], rows[0]));
  auto const by_column =
      hn::TableLookupLanes(hn::BitCast(d32, together), hn::SetTableIndices(d32, words));
  return hn::TableLookupBytes(hn::BitCast(d, by_column), hn::LoadDup128(d, bytes));
}

/// Panels of byte quads: 16 columns of four rows at a time, or 32 of full panels.
template <class KGroups, int Width>
void pack_byte_quads(panel_source const& s, char* panel) {
  if (s.step != 1) return pack_transposed<KGroups, Width>(s, panel);
  index first = 0;
  if constexpr (Width == 32)
    if (s.width == Width)
      for (; first + 4 <= s.k_extent; first += 4, panel += 4 * Width)
        pack_32_byte_quads<KGroups>(s.first + first * s.k_step, s.k_step, panel);
  hn::CappedTag<std::uint8_t, 16> const d;
  hn::ScalableTag<std::uint8_t> const d_step;
  constexpr index block = 16;
  auto const flips = hn::Set(d_step, KGroups::flips);
  for (index p = first; p < s.k_extent; p += 4, panel += 4 * Width)
    for (index i = 0; i < Width; i += block) {
      index const left = s.width - i;
      masked_edge<decltype(d)> const edge(std::clamp<index>(left, 0, block));
      hn::Vec<decltype(d)> rows[4];
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k)
        rows[k] =
            left > 0 && p + k < s.k_extent
                ? edge.load(reinterpret_cast<std::uint8_t const*>(s.first) + (p + k) * s.k_step + i)
                : hn::Zero(d);
      hn::StoreU(hn::Xor(interleave_16_byte_quads(rows), flips), d_step,
                 reinterpret_cast<std::uint8_t*>(panel + 4 * i));
    }
}

/// Two rows of bfloat16 along the panel's width are interleaved to one step of pairs, with zeros
/// behind the width.
template <int Width>
void pack_bfloat16_pairs(panel_source const& s, char* panel) {
  if (s.step != index{sizeof(bfloat16)})
    return pack_transposed<bfloat16_pair_groups, Width>(s, panel);
  hn::ScalableTag<std::uint32_t> const d;
  hn::Rebind<std::uint16_t, decltype(d)> const d16;
  constexpr index lanes = hn::MaxLanes(d);
  auto const load = [&](index p, index i) HWY_ATTR {
    index const left = s.width - i;
    if (p >= s.k_extent || left <= 0) return hn::Zero(d);
    auto const* const from = reinterpret_cast<std::uint16_t const*>(s.first + p * s.k_step) + i;
    return hn::PromoteTo(
        d, left >= lanes ? hn::LoadU(d16, from) : masked_edge<decltype(d16)>(left).load(from));
  };
  auto* out = reinterpret_cast<std::uint32_t*>(panel);
  for (index p = 0; p < s.k_extent; p += 2, out += Width)
    for (index i = 0; i < Width; i += lanes)
      hn::StoreU(hn::Or(load(p, i), hn::ShiftLeft<16>(load(p + 1, i))), d, out + i);
}

#endif

/// What packs a panel of Width rows of A, or of Width columns of B that is not complex.
template <class KGroups, int Width>
constexpr auto packing_of() {
  if constexpr (KGroups::k_group_size == 1) return pack_elements<KGroups, Width>;
  else if constexpr (std::is_same_v<KGroups, int16_pair_groups<typename KGroups::element>>)
    return pack_int16_pairs<typename KGroups::element, Width>;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  else if constexpr (KGroups::k_group_size == 2) return pack_bfloat16_pairs<Width>;
  else return pack_byte_quads<KGroups, Width>;
#endif
}

#undef XPOSE_OMP_GEMM_USES_AMX
#if defined(XPOSE_HAS_AMX) && HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
#define XPOSE_OMP_GEMM_USES_AMX

// For AMX (gemm/amx/amx.hpp), on those of Highway's targets whose processors can have it.
/// B's panels. Zeros complete the last block.
template <class KGroups>
void pack_b_amx(panel_source const& s, char* panel) {
  constexpr index step = amx_side * amx_k_group_bytes;
  packing_of<KGroups, amx_side>()(s, panel);
  index const k_groups = (s.k_extent + KGroups::k_group_size - 1) / KGroups::k_group_size;
  index const whole = (k_groups + amx_k_groups - 1) / amx_k_groups * amx_k_groups;
  std::memset(panel + k_groups * step, 0, static_cast<std::size_t>((whole - k_groups) * step));
}

/// A's panels: blocks of 32 rows of 16 k-groups. Rows beyond the panel's width are not written:
/// their accumulators are not stored.
template <class KGroups>
void pack_a_amx(panel_source const& s, char* panel) {
  constexpr index k_in_block = amx_k_groups * KGroups::k_group_size;
  constexpr index half = amx_side / 2;
  auto* block = reinterpret_cast<std::int32_t*>(panel);
  bool const is_mn_major = s.step == index{sizeof(typename KGroups::element)};
  for (index p = 0; p < s.k_extent; p += k_in_block, block += amx_side * amx_k_groups) {
    index const count = std::min(k_in_block, s.k_extent - p);
    if (is_mn_major) {
      alignas(64) std::int32_t steps[amx_k_groups * half + half];
      for (index i = 0; i < s.width; i += half) {
        if (count < k_in_block) zero_fill(steps);
        panel_source some = s;
        some.first += i * s.step + p * s.k_step;
        some.width = std::min(half, s.width - i);
        some.k_extent = count;
        packing_of<KGroups, half>()(some, reinterpret_cast<char*>(steps));
        transpose_scratch<half>(steps, half, block + i * amx_k_groups);
      }
    } else {
      for (index i = 0; i < s.width; ++i) {
        std::int32_t* const row = block + i * amx_k_groups;
        if (count < k_in_block)
          hn::StoreU(hn::Zero(hn::ScalableTag<std::int32_t>()), hn::ScalableTag<std::int32_t>(),
                     row);
        convert_along_k<KGroups>(s, s.first + i * s.step, p, count, row);
      }
    }
  }
}

#endif

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
