// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The arithmetic of the microkernels: what one step along k adds to a vector of accumulators, for
// every semiring and type with vectors. One lane of A and of B is a k-group, as the packing makes
// it. Also what all kernels do with vectors: masked edges, interleaves.

#if defined(XPOSE_OMP_GEMM_ARITHMETIC_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_ARITHMETIC_INL
#undef XPOSE_OMP_GEMM_ARITHMETIC_INL
#else
#define XPOSE_OMP_GEMM_ARITHMETIC_INL
#endif

#include <xpose/config.hpp>
#include <xpose/semiring.hpp>

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

// Masked instructions touch no other memory: AVX-512's, and AVX2's for lanes of 4 and 8 bytes.
template <class T>
constexpr bool has_masked_access = HWY_TARGET <= HWY_AVX3 ||
                                   (HWY_TARGET == HWY_AVX2 && sizeof(T) >= 4);

/// Masked loads and stores at the edge of a matrix: of the first `count` lanes of a vector. Nothing
/// beyond the edge is read or written.
template <class D>
struct masked_edge {
  using T = hn::TFromD<D>;
  hn::Mask<D> mask;
  std::size_t count;

  HWY_INLINE explicit masked_edge(index lanes)
      : mask(hn::FirstN(D(), static_cast<std::size_t>(lanes))),
        count(static_cast<std::size_t>(lanes)) {}

  HWY_INLINE hn::Vec<D> load(T const* from) const {
    if constexpr (has_masked_access<T>) {
      return hn::MaskedLoad(mask, D(), from);
    } else {
      HWY_ALIGN T lanes[hn::MaxLanes(D())] = {};
      std::memcpy(lanes, from, count * sizeof(T));
      return hn::Load(D(), lanes);
    }
  }
  HWY_INLINE void store(hn::Vec<D> v, T* to) const {
    if (count == hn::MaxLanes(D())) {
      hn::StoreU(v, D(), to);
    } else if constexpr (HWY_TARGET == HWY_AVX2 && has_masked_access<T>) {
      store_pieces(v, to);
    } else if constexpr (has_masked_access<T>) {
      hn::BlendedStore(v, mask, D(), to);
    } else {
      HWY_ALIGN T lanes[hn::MaxLanes(D())];
      hn::Store(v, D(), lanes);
      std::memcpy(to, lanes, count * sizeof(T));
    }
  }

 private:
  /// AMD's processors take dozens of micro-operations for a masked store of AVX2. With it, packing
  /// six rows of a transposed A made 256x256x256 of f32 0.88 and 128x128x128 0.84 as fast on Zen 3.
  HWY_INLINE void store_pieces(hn::Vec<D> v, T* to) const {
    hn::Half<D> const half;
    constexpr std::size_t in_half = hn::MaxLanes(half);
    auto rest = hn::LowerHalf(half, v);
    if (count >= in_half) {
      hn::StoreU(rest, half, to);
      to += in_half;
      rest = hn::UpperHalf(half, v);
    }
    if constexpr (in_half == 4) {
      if ((count & 2) != 0) {
        hn::Half<decltype(half)> const quarter;
        hn::StoreU(hn::LowerHalf(quarter, rest), quarter, to);
        to += 2;
        rest = hn::ShiftRightLanes<2>(half, rest);
      }
    }
    if ((count & 1) != 0) *to = hn::GetLane(rest);
  }
};

/// `count` bytes, fewer than the four or eight of a vector, completed with zeros. Assembled in a
/// register: a copy through memory would stall on store forwarding.
template <class D>
HWY_INLINE hn::Vec<D> load_few_bytes(D d, hn::TFromD<D> const* from, index count) {
  using word = std::conditional_t<hn::MaxLanes(D()) == 8, std::uint64_t, std::uint32_t>;
  word bits = 0;
  int taken = 0;
  auto const take = [&](auto piece) HWY_ATTR __attribute__((always_inline)) {
    if ((count & index{sizeof(piece)}) == 0) return;
    std::memcpy(&piece, from + taken, sizeof(piece));
    bits |= static_cast<word>(word{piece} << (8 * taken));
    taken += static_cast<int>(sizeof(piece));
  };
  if constexpr (sizeof(word) == 8) take(std::uint32_t());
  take(std::uint16_t());
  take(std::uint8_t());
  return hn::BitCast(d, hn::Set(hn::Repartition<word, D>(), bits));
}

/// Transposes 4 x 4 lanes in every 16 bytes of four vectors; of bytes, four rows become their
/// quads.
template <class D, class V>
HWY_INLINE void interleave_4(D d, V const (&z)[4], V (&w)[4]) {
  hn::RepartitionToWide<D> const pairs;
  auto const lower01 = hn::BitCast(pairs, hn::InterleaveLower(d, z[0], z[1]));
  auto const upper01 = hn::BitCast(pairs, hn::InterleaveUpper(d, z[0], z[1]));
  auto const lower23 = hn::BitCast(pairs, hn::InterleaveLower(d, z[2], z[3]));
  auto const upper23 = hn::BitCast(pairs, hn::InterleaveUpper(d, z[2], z[3]));
  w[0] = hn::BitCast(d, hn::InterleaveLower(pairs, lower01, lower23));
  w[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, lower01, lower23));
  w[2] = hn::BitCast(d, hn::InterleaveLower(pairs, upper01, upper23));
  w[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, upper01, upper23));
}

/// acc + x * y, and acc - x * y, in the register that holds acc. GCC 12 moves accumulators of
/// intrinsics from register to register (micro-tile of 12 x 2 vectors of f32: 0.89 of peak instead
/// of 0.95). valgrind 3.19 computes the difference as -(x * y - acc), whose zeros have the wrong
/// sign: tests of complex gemm that compare bits fail under it.
template <class V>
HWY_INLINE V mul_add(V acc, V x, V y) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !HWY_COMPILER_CLANG
  if constexpr (std::is_same_v<hn::TFromV<V>, float>)
    asm("vfmadd231ps %2, %1, %0" : "+v"(acc.raw) : "v"(x.raw), "v"(y.raw));
  else asm("vfmadd231pd %2, %1, %0" : "+v"(acc.raw) : "v"(x.raw), "v"(y.raw));
  return acc;
#else
  return hn::MulAdd(x, y, acc);
#endif
}
template <class V>
HWY_INLINE V neg_mul_add(V acc, V x, V y) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !HWY_COMPILER_CLANG
  if constexpr (std::is_same_v<hn::TFromV<V>, float>)
    asm("vfnmadd231ps %2, %1, %0" : "+v"(acc.raw) : "v"(x.raw), "v"(y.raw));
  else asm("vfnmadd231pd %2, %1, %0" : "+v"(acc.raw) : "v"(x.raw), "v"(y.raw));
  return acc;
#else
  return hn::NegMulAdd(x, y, acc);
#endif
}

/// acc + term of integers, likewise. GCC 12 adds the terms of several steps to each other first and
/// runs out of registers. With AVX2, 1024x1024x1024 of bytes took 1.5 times as long on Zen 3.
template <class V>
HWY_INLINE V add_in_place(V acc, V term) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !HWY_COMPILER_CLANG
  if constexpr (sizeof(hn::TFromV<V>) == 4)
    asm("vpaddd %1, %0, %0" : "+v"(acc.raw) : "v"(term.raw));
  else asm("vpaddq %1, %0, %0" : "+v"(acc.raw) : "v"(term.raw));
  return acc;
#else
  return hn::Add(acc, term);
#endif
}

template <class T>
struct vector_lanes {
  using tag = hn::ScalableTag<T>;
  using vector = hn::Vec<tag>;
  /// B's panel begins with a row of compensation (gemm_kernel::b_header), which accumulators start
  /// from.
  static constexpr bool has_compensation = false;
  static HWY_INLINE vector zero() { return hn::Zero(tag()); }
  static HWY_INLINE vector add(vector a, vector b) { return hn::Add(a, b); }
};

/// plus_times. Integers wrap around.
template <class T>
struct plus_times_lanes : vector_lanes<T> {
  using V = typename vector_lanes<T>::vector;
  static HWY_INLINE V accumulate(V acc, V x, V y) {
    if constexpr (std::is_floating_point_v<T>) return mul_add(acc, x, y);
    else return add_in_place(acc, hn::Mul(x, y));
  }
};

/// min_plus (Sign > 0) and max_plus. A NaN is never less, as in tropical<Sign>. An integer at the
/// extreme stands for infinity and stays there.
template <class T, int Sign>
struct tropical_lanes : vector_lanes<T> {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static HWY_INLINE V zero() { return hn::Set(D(), extreme<T, Sign>::value); }
  static HWY_INLINE V accumulate(V acc, V x, V y) {
    V candidate = hn::Add(x, y);
    if constexpr (std::is_integral_v<T>)
      candidate = hn::IfThenElse(hn::Or(hn::Eq(x, zero()), hn::Eq(y, zero())), zero(), candidate);
    return add(acc, candidate);
  }
  static HWY_INLINE V add(V acc, V candidate) {
    if constexpr (HWY_TARGET <= HWY_SSSE3 && std::is_floating_point_v<T>)
      // minps and maxps return the second operand unless the first is less (greater).
      return Sign > 0 ? hn::Min(candidate, acc) : hn::Max(candidate, acc);
    else
      return hn::IfThenElse(Sign > 0 ? hn::Lt(candidate, acc) : hn::Lt(acc, candidate), candidate,
                            acc);
  }
};

/// or_and of zeros and ones.
struct or_and_lanes : vector_lanes<std::int32_t> {
  static HWY_INLINE vector accumulate(vector acc, vector x, vector y) {
    return hn::Or(acc, hn::And(x, y));
  }
  static HWY_INLINE vector add(vector a, vector b) { return hn::Or(a, b); }
};

/// k-groups of two 16-bit integers.
struct dot_int16_pairs : vector_lanes<std::int32_t> {
  static HWY_INLINE vector accumulate(vector acc, vector x, vector y) {
#if HWY_ARCH_X86
    hn::Repartition<std::int16_t, tag> const pairs;
    vector rest = hn::Zero(tag());  // stays zero: pmaddwd adds both products of a pair
    auto const add_products = [&](vector to) HWY_ATTR {
      return hn::ReorderWidenMulAccumulate(tag(), hn::BitCast(pairs, x), hn::BitCast(pairs, y), to,
                                           rest);
    };
    if constexpr (HWY_TARGET <= HWY_SSSE3) return add_in_place(acc, add_products(hn::Zero(tag())));
    acc = add_products(acc);
    return hn::Add(acc, rest);
#else
    // NEON's ReorderWidenMulAccumulate adds the products of the lower half to those of the upper
    // half, so its lanes are not those of C.
    auto const first = [](vector v) HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
    acc = hn::Add(acc, hn::Mul(first(x), first(y)));
    return hn::Add(acc, hn::Mul(hn::ShiftRight<16>(x), hn::ShiftRight<16>(y)));
#endif
  }
};

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
/// k-groups of four bytes, unsigned times signed (VNNI). In assembler: Highway ties the instruction
/// to instruction sets that processors with VNNI need not have, and 1.0.3 has no name for it.
template <bool BIsSigned>
struct dot_byte_quads : vector_lanes<std::int32_t> {
  static constexpr bool has_compensation = true;
  static HWY_INLINE vector accumulate(vector acc, vector x, vector y) {
    if constexpr (BIsSigned) asm("vpdpbusd %2, %1, %0" : "+v"(acc.raw) : "v"(x.raw), "v"(y.raw));
    else asm("vpdpbusd %2, %1, %0" : "+v"(acc.raw) : "v"(y.raw), "v"(x.raw));
    return acc;
  }
};

/// k-groups of two bfloat16. The instruction flushes what is below 2^-126 to zero.
struct dot_bfloat16_pairs : vector_lanes<float> {
  static HWY_INLINE vector accumulate(vector acc, vector x, vector y) {
    asm("vdpbf16ps %2, %1, %0" : "+v"(acc.raw) : "v"(x.raw), "v"(y.raw));
    return acc;
  }
};
#endif

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
