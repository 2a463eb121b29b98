// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The arithmetic of the microkernels: what one step along k adds to a vector of accumulators, for
// every semiring and type with vectors. One lane of A and of B is a k-group, as the packing makes
// it.

#if defined(XPOSE_OMP_GEMM_ARITHMETIC_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_ARITHMETIC_INL
#undef XPOSE_OMP_GEMM_ARITHMETIC_INL
#else
#define XPOSE_OMP_GEMM_ARITHMETIC_INL
#endif

#include <xpose/semiring.hpp>

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace xpose::detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

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

/// k-groups of two 16-bit integers (pmaddwd).
struct dot_int16_pairs : vector_lanes<std::int32_t> {
  static HWY_INLINE vector accumulate(vector acc, vector x, vector y) {
    hn::Repartition<std::int16_t, tag> const pairs;
    vector rest = hn::Zero(tag());  // stays zero on x86, where pmaddwd adds both products
    auto const add_products = [&](vector to) HWY_ATTR {
      return hn::ReorderWidenMulAccumulate(tag(), hn::BitCast(pairs, x), hn::BitCast(pairs, y), to,
                                           rest);
    };
    if constexpr (HWY_TARGET <= HWY_SSSE3) return add_in_place(acc, add_products(hn::Zero(tag())));
    acc = add_products(acc);
    return hn::Add(acc, rest);
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
}  // namespace xpose::detail
HWY_AFTER_NAMESPACE();

#endif
