// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// wgmma of capability 90a: m64nNkK, K being 32 bytes of elements. B, and A unless it comes from
// registers, lie in shared memory as TMA leaves them (tma.cuh); f32 or int32 accumulators in
// registers. Also setmaxnreg. For code of capability 90a alone.
//
// Each accumulator is an operand of the instruction, and asm takes no arrays: hence the macros.
#pragma once

#include <xpose/backends/cuda/ptx/tf32.cuh>
#include <xpose/float8.hpp>

#include <cstdint>
#include <type_traits>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Whether wgmma takes MN-major tiles of T in shared memory; K-major ones it always takes.
template <class T>
constexpr bool can_be_mn_major = sizeof(T) == 2;
/// The same of A, which may also go through registers (wgmma_rs).
template <class T>
constexpr bool a_can_be_mn_major =
    can_be_mn_major<T> || std::is_same_v<T, tf32_element> || std::is_same_v<T, std::int8_t> ||
    std::is_same_v<T, std::uint8_t>;

/// Matrix descriptor of an operand's tile at an address of shared memory, of rows of `SwizzleBytes`
/// with that swizzle (128B or 64B), in atoms of eight rows. A row of a K-major tile has one m or n;
/// that of an MN-major tile one k, and the next SwizzleBytes of m or n lie `leading_bytes` behind.
template <int SwizzleBytes>
__device__ inline std::uint64_t smem_descriptor(unsigned tile, unsigned leading_bytes) {
  static_assert(SwizzleBytes == 128 || SwizzleBytes == 64);
  constexpr std::uint64_t atom_bytes = SwizzleBytes * 8;
  constexpr std::uint64_t swizzle = std::uint64_t{SwizzleBytes == 128 ? 1 : 2} << 62;
  return (tile & 0x3FFFFu) >> 4 | std::uint64_t{leading_bytes >> 4} << 16 |
         (atom_bytes >> 4) << 32 | swizzle;
}

/// Before the first wgmma of a group, and after other instructions wrote its registers.
__device__ inline void warpgroup_arrive() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void warpgroup_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Waits until at most the last `Left` committed groups are under way.
template <int Left>
__device__ inline void warpgroup_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
}
/// After the wait: keeps the compiler from reading accumulators before it, and from reusing the
/// registers of A before it.
template <class K, int Count>
__device__ inline void fence_operands(K (&registers)[Count]) {
#pragma unroll
  for (K& r : registers)
    if constexpr (std::is_same_v<K, float>) asm volatile("" : "+f"(r)::"memory");
    else asm volatile("" : "+r"(r)::"memory");
}

/// Registers of a thread from here on; all warps of a warpgroup call it.
template <int Count>
__device__ inline void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}
template <int Count>
__device__ inline void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}
/// blockIdx.x and threadIdx.x, read again, so that what follows from them is not kept from the
/// start of a kernel. What is must lie in a register that all have before setmaxnreg_inc(), and of
/// these 256 columns of accumulators leave 40: the index of the tile and a row of C were spilled.
__device__ inline unsigned reread_block_index() {
  unsigned x;
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(x));
  return x;
}
__device__ inline unsigned reread_thread_index() {
  unsigned x;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(x));
  return x;
}

// The accumulators from `at` on as asm operands, and their names.
#define XPOSE_ACCUMULATORS_8(kind, at)                                                    \
  kind(accumulators[at]), kind(accumulators[at + 1]), kind(accumulators[at + 2]),         \
      kind(accumulators[at + 3]), kind(accumulators[at + 4]), kind(accumulators[at + 5]), \
      kind(accumulators[at + 6]), kind(accumulators[at + 7])
#define XPOSE_ACCUMULATORS_16(kind, at) \
  XPOSE_ACCUMULATORS_8(kind, at), XPOSE_ACCUMULATORS_8(kind, at + 8)
#define XPOSE_ACCUMULATORS_24(kind, at) \
  XPOSE_ACCUMULATORS_16(kind, at), XPOSE_ACCUMULATORS_8(kind, at + 16)
#define XPOSE_ACCUMULATORS_32(kind, at) \
  XPOSE_ACCUMULATORS_24(kind, at), XPOSE_ACCUMULATORS_8(kind, at + 24)
#define XPOSE_ACCUMULATORS_40(kind, at) \
  XPOSE_ACCUMULATORS_32(kind, at), XPOSE_ACCUMULATORS_8(kind, at + 32)
#define XPOSE_ACCUMULATORS_48(kind, at) \
  XPOSE_ACCUMULATORS_40(kind, at), XPOSE_ACCUMULATORS_8(kind, at + 40)
#define XPOSE_ACCUMULATORS_56(kind, at) \
  XPOSE_ACCUMULATORS_48(kind, at), XPOSE_ACCUMULATORS_8(kind, at + 48)
#define XPOSE_ACCUMULATORS_64(kind, at) \
  XPOSE_ACCUMULATORS_56(kind, at), XPOSE_ACCUMULATORS_8(kind, at + 56)
#define XPOSE_ACCUMULATORS_72(kind, at) \
  XPOSE_ACCUMULATORS_64(kind, at), XPOSE_ACCUMULATORS_8(kind, at + 64)
#define XPOSE_ACCUMULATORS_80(kind, at) \
  XPOSE_ACCUMULATORS_72(kind, at), XPOSE_ACCUMULATORS_8(kind, at + 72)
#define XPOSE_ACCUMULATORS_88(kind, at) \
  XPOSE_ACCUMULATORS_80(kind, at), XPOSE_ACCUMULATORS_8(kind, at + 80)
#define XPOSE_ACCUMULATORS_96(kind, at) \
  XPOSE_ACCUMULATORS_88(kind, at), XPOSE_ACCUMULATORS_8(kind, at + 88)
#define XPOSE_ACCUMULATORS_104(kind, at) \
  XPOSE_ACCUMULATORS_96(kind, at), XPOSE_ACCUMULATORS_8(kind, at + 96)
#define XPOSE_ACCUMULATORS_112(kind, at) \
  XPOSE_ACCUMULATORS_104(kind, at), XPOSE_ACCUMULATORS_8(kind, at + 104)
#define XPOSE_ACCUMULATORS_120(kind, at) \
  XPOSE_ACCUMULATORS_112(kind, at), XPOSE_ACCUMULATORS_8(kind, at + 112)
#define XPOSE_ACCUMULATORS_128(kind, at) \
  XPOSE_ACCUMULATORS_120(kind, at), XPOSE_ACCUMULATORS_8(kind, at + 120)
#define XPOSE_NAMES_8 "%0,%1,%2,%3,%4,%5,%6,%7"
#define XPOSE_NAMES_16 XPOSE_NAMES_8 ",%8,%9,%10,%11,%12,%13,%14,%15"
#define XPOSE_NAMES_24 XPOSE_NAMES_16 ",%16,%17,%18,%19,%20,%21,%22,%23"
#define XPOSE_NAMES_32 XPOSE_NAMES_24 ",%24,%25,%26,%27,%28,%29,%30,%31"
#define XPOSE_NAMES_40 XPOSE_NAMES_32 ",%32,%33,%34,%35,%36,%37,%38,%39"
#define XPOSE_NAMES_48 XPOSE_NAMES_40 ",%40,%41,%42,%43,%44,%45,%46,%47"
#define XPOSE_NAMES_56 XPOSE_NAMES_48 ",%48,%49,%50,%51,%52,%53,%54,%55"
#define XPOSE_NAMES_64 XPOSE_NAMES_56 ",%56,%57,%58,%59,%60,%61,%62,%63"
#define XPOSE_NAMES_72 XPOSE_NAMES_64 ",%64,%65,%66,%67,%68,%69,%70,%71"
#define XPOSE_NAMES_80 XPOSE_NAMES_72 ",%72,%73,%74,%75,%76,%77,%78,%79"
#define XPOSE_NAMES_88 XPOSE_NAMES_80 ",%80,%81,%82,%83,%84,%85,%86,%87"
#define XPOSE_NAMES_96 XPOSE_NAMES_88 ",%88,%89,%90,%91,%92,%93,%94,%95"
#define XPOSE_NAMES_104 XPOSE_NAMES_96 ",%96,%97,%98,%99,%100,%101,%102,%103"
#define XPOSE_NAMES_112 XPOSE_NAMES_104 ",%104,%105,%106,%107,%108,%109,%110,%111"
#define XPOSE_NAMES_120 XPOSE_NAMES_112 ",%112,%113,%114,%115,%116,%117,%118,%119"
#define XPOSE_NAMES_128 XPOSE_NAMES_120 ",%120,%121,%122,%123,%124,%125,%126,%127"
#define XPOSE_WGMMA_SS(product, names, scale_d_name, after, operands)                \
  asm volatile("{\n.reg .pred scale_d;\nsetp.ne.b32 scale_d, " scale_d_name          \
               ", 0;\n"                                                              \
               "wgmma.mma_async.sync.aligned." product " {" names "}, " after ";\n}" \
               : operands                                                            \
               : "l"(a), "l"(b), "r"(int{scale_d}), "n"(int{AMnMajor}), "n"(int{BMnMajor}))
#define XPOSE_WGMMA_RS(product, names, a_names, b_name, scale_d_name, after, operands)        \
  asm volatile("{\n.reg .pred scale_d;\nsetp.ne.b32 scale_d, " scale_d_name                   \
               ", 0;\n"                                                                       \
               "wgmma.mma_async.sync.aligned." product " {" names "}, {" a_names "}, " b_name \
               ", scale_d" after ";\n}"                                                       \
               : operands                                                                     \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(int{scale_d}))
// What follows the descriptors: scale-a and scale-b of floats; of 2-byte ones, which operand is
// MN-major.
#define XPOSE_AFTER_INTEGERS(a_mn_major, b_mn_major) ""
#define XPOSE_AFTER_FLOATS(a_mn_major, b_mn_major) ", 1, 1"
#define XPOSE_AFTER_HALVES(a_mn_major, b_mn_major) ", 1, 1, " a_mn_major ", " b_mn_major
// For every N; `k_and_types` names K and the types.
#define XPOSE_WGMMA_SS_OF_ALL_N(k_and_types, after, kind)                                         \
  if constexpr (Count == 8)                                                                       \
    XPOSE_WGMMA_SS("m64n16" k_and_types, XPOSE_NAMES_8, "%10",                                    \
                   "%8, %9, scale_d" after("%11", "%12"), XPOSE_ACCUMULATORS_8(kind, 0));         \
  else if constexpr (Count == 16)                                                                 \
    XPOSE_WGMMA_SS("m64n32" k_and_types, XPOSE_NAMES_16, "%18",                                   \
                   "%16, %17, scale_d" after("%19", "%20"), XPOSE_ACCUMULATORS_16(kind, 0));      \
  else if constexpr (Count == 24)                                                                 \
    XPOSE_WGMMA_SS("m64n48" k_and_types, XPOSE_NAMES_24, "%26",                                   \
                   "%24, %25, scale_d" after("%27", "%28"), XPOSE_ACCUMULATORS_24(kind, 0));      \
  else if constexpr (Count == 32)                                                                 \
    XPOSE_WGMMA_SS("m64n64" k_and_types, XPOSE_NAMES_32, "%34",                                   \
                   "%32, %33, scale_d" after("%35", "%36"), XPOSE_ACCUMULATORS_32(kind, 0));      \
  else if constexpr (Count == 40)                                                                 \
    XPOSE_WGMMA_SS("m64n80" k_and_types, XPOSE_NAMES_40, "%42",                                   \
                   "%40, %41, scale_d" after("%43", "%44"), XPOSE_ACCUMULATORS_40(kind, 0));      \
  else if constexpr (Count == 48)                                                                 \
    XPOSE_WGMMA_SS("m64n96" k_and_types, XPOSE_NAMES_48, "%50",                                   \
                   "%48, %49, scale_d" after("%51", "%52"), XPOSE_ACCUMULATORS_48(kind, 0));      \
  else if constexpr (Count == 56)                                                                 \
    XPOSE_WGMMA_SS("m64n112" k_and_types, XPOSE_NAMES_56, "%58",                                  \
                   "%56, %57, scale_d" after("%59", "%60"), XPOSE_ACCUMULATORS_56(kind, 0));      \
  else if constexpr (Count == 64)                                                                 \
    XPOSE_WGMMA_SS("m64n128" k_and_types, XPOSE_NAMES_64, "%66",                                  \
                   "%64, %65, scale_d" after("%67", "%68"), XPOSE_ACCUMULATORS_64(kind, 0));      \
  else if constexpr (Count == 72)                                                                 \
    XPOSE_WGMMA_SS("m64n144" k_and_types, XPOSE_NAMES_72, "%74",                                  \
                   "%72, %73, scale_d" after("%75", "%76"), XPOSE_ACCUMULATORS_72(kind, 0));      \
  else if constexpr (Count == 80)                                                                 \
    XPOSE_WGMMA_SS("m64n160" k_and_types, XPOSE_NAMES_80, "%82",                                  \
                   "%80, %81, scale_d" after("%83", "%84"), XPOSE_ACCUMULATORS_80(kind, 0));      \
  else if constexpr (Count == 88)                                                                 \
    XPOSE_WGMMA_SS("m64n176" k_and_types, XPOSE_NAMES_88, "%90",                                  \
                   "%88, %89, scale_d" after("%91", "%92"), XPOSE_ACCUMULATORS_88(kind, 0));      \
  else if constexpr (Count == 96)                                                                 \
    XPOSE_WGMMA_SS("m64n192" k_and_types, XPOSE_NAMES_96, "%98",                                  \
                   "%96, %97, scale_d" after("%99", "%100"), XPOSE_ACCUMULATORS_96(kind, 0));     \
  else if constexpr (Count == 104)                                                                \
    XPOSE_WGMMA_SS("m64n208" k_and_types, XPOSE_NAMES_104, "%106",                                \
                   "%104, %105, scale_d" after("%107", "%108"), XPOSE_ACCUMULATORS_104(kind, 0)); \
  else if constexpr (Count == 112)                                                                \
    XPOSE_WGMMA_SS("m64n224" k_and_types, XPOSE_NAMES_112, "%114",                                \
                   "%112, %113, scale_d" after("%115", "%116"), XPOSE_ACCUMULATORS_112(kind, 0)); \
  else if constexpr (Count == 120)                                                                \
    XPOSE_WGMMA_SS("m64n240" k_and_types, XPOSE_NAMES_120, "%122",                                \
                   "%120, %121, scale_d" after("%123", "%124"), XPOSE_ACCUMULATORS_120(kind, 0)); \
  else                                                                                            \
    XPOSE_WGMMA_SS("m64n256" k_and_types, XPOSE_NAMES_128, "%130",                                \
                   "%128, %129, scale_d" after("%131", "%132"), XPOSE_ACCUMULATORS_128(kind, 0))

/// accumulators = A B, or += where `scale_d`; A of T and B of U by their descriptors, MN-major
/// where said so (can_be_mn_major<T>). Thread 32 w + 4 g + t of the warpgroup holds, as in PTX:
///
///                  column 8 j + 2 t    8 j + 2 t + 1
///   row 16 w + g           [4 j]          [4 j + 1]
///   row 16 w + g + 8       [4 j + 2]      [4 j + 3]
template <class T, class U, bool AMnMajor, bool BMnMajor, class K, int Count>
__device__ inline void wgmma_ss(K (&accumulators)[Count], std::uint64_t a, std::uint64_t b,
                                bool scale_d) {
  static_assert(Count % 8 == 0 && Count <= 128, "a multiple of 16 columns, 256 at most");
  static_assert(std::is_same_v<T, U> || (is_float8<T> && is_float8<U>));
  static_assert(!is_float8<T> || Count <= 64, "twice as many accumulators (promotion) do not fit");
  constexpr bool is_b_e4m3 = std::is_same_v<U, float8_e4m3>;
  if constexpr (std::is_same_v<T, float16>) {
    XPOSE_WGMMA_SS_OF_ALL_N("k16.f32.f16.f16", XPOSE_AFTER_HALVES, "+f");
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    XPOSE_WGMMA_SS_OF_ALL_N("k16.f32.bf16.bf16", XPOSE_AFTER_HALVES, "+f");
  } else if constexpr (std::is_same_v<T, tf32_element>) {
    XPOSE_WGMMA_SS_OF_ALL_N("k8.f32.tf32.tf32", XPOSE_AFTER_FLOATS, "+f");
  } else if constexpr (std::is_same_v<T, float8_e4m3> && is_b_e4m3) {
    XPOSE_WGMMA_SS_OF_ALL_N("k32.f32.e4m3.e4m3", XPOSE_AFTER_FLOATS, "+f");
  } else if constexpr (std::is_same_v<T, float8_e4m3>) {
    XPOSE_WGMMA_SS_OF_ALL_N("k32.f32.e4m3.e5m2", XPOSE_AFTER_FLOATS, "+f");
  } else if constexpr (is_float8<T> && is_b_e4m3) {
    XPOSE_WGMMA_SS_OF_ALL_N("k32.f32.e5m2.e4m3", XPOSE_AFTER_FLOATS, "+f");
  } else if constexpr (is_float8<T>) {
    XPOSE_WGMMA_SS_OF_ALL_N("k32.f32.e5m2.e5m2", XPOSE_AFTER_FLOATS, "+f");
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    XPOSE_WGMMA_SS_OF_ALL_N("k32.s32.s8.s8", XPOSE_AFTER_INTEGERS, "+r");
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    XPOSE_WGMMA_SS_OF_ALL_N("k32.s32.u8.u8", XPOSE_AFTER_INTEGERS, "+r");
  }
}

#define XPOSE_WGMMA_RS_OF_ALL_N(k_and_types, after, kind)                                         \
  if constexpr (Count == 8)                                                                       \
    XPOSE_WGMMA_RS("m64n16" k_and_types, XPOSE_NAMES_8, "%8,%9,%10,%11", "%12", "%13",            \
                   after("", ""), XPOSE_ACCUMULATORS_8(kind, 0));                                 \
  else if constexpr (Count == 16)                                                                 \
    XPOSE_WGMMA_RS("m64n32" k_and_types, XPOSE_NAMES_16, "%16,%17,%18,%19", "%20", "%21",         \
                   after("", ""), XPOSE_ACCUMULATORS_16(kind, 0));                                \
  else if constexpr (Count == 24)                                                                 \
    XPOSE_WGMMA_RS("m64n48" k_and_types, XPOSE_NAMES_24, "%24,%25,%26,%27", "%28", "%29",         \
                   after("", ""), XPOSE_ACCUMULATORS_24(kind, 0));                                \
  else if constexpr (Count == 32)                                                                 \
    XPOSE_WGMMA_RS("m64n64" k_and_types, XPOSE_NAMES_32, "%32,%33,%34,%35", "%36", "%37",         \
                   after("", ""), XPOSE_ACCUMULATORS_32(kind, 0));                                \
  else if constexpr (Count == 40)                                                                 \
    XPOSE_WGMMA_RS("m64n80" k_and_types, XPOSE_NAMES_40, "%40,%41,%42,%43", "%44", "%45",         \
                   after("", ""), XPOSE_ACCUMULATORS_40(kind, 0));                                \
  else if constexpr (Count == 48)                                                                 \
    XPOSE_WGMMA_RS("m64n96" k_and_types, XPOSE_NAMES_48, "%48,%49,%50,%51", "%52", "%53",         \
                   after("", ""), XPOSE_ACCUMULATORS_48(kind, 0));                                \
  else if constexpr (Count == 56)                                                                 \
    XPOSE_WGMMA_RS("m64n112" k_and_types, XPOSE_NAMES_56, "%56,%57,%58,%59", "%60", "%61",        \
                   after("", ""), XPOSE_ACCUMULATORS_56(kind, 0));                                \
  else if constexpr (Count == 64)                                                                 \
    XPOSE_WGMMA_RS("m64n128" k_and_types, XPOSE_NAMES_64, "%64,%65,%66,%67", "%68", "%69",        \
                   after("", ""), XPOSE_ACCUMULATORS_64(kind, 0));                                \
  else if constexpr (Count == 72)                                                                 \
    XPOSE_WGMMA_RS("m64n144" k_and_types, XPOSE_NAMES_72, "%72,%73,%74,%75", "%76", "%77",        \
                   after("", ""), XPOSE_ACCUMULATORS_72(kind, 0));                                \
  else if constexpr (Count == 80)                                                                 \
    XPOSE_WGMMA_RS("m64n160" k_and_types, XPOSE_NAMES_80, "%80,%81,%82,%83", "%84", "%85",        \
                   after("", ""), XPOSE_ACCUMULATORS_80(kind, 0));                                \
  else if constexpr (Count == 88)                                                                 \
    XPOSE_WGMMA_RS("m64n176" k_and_types, XPOSE_NAMES_88, "%88,%89,%90,%91", "%92", "%93",        \
                   after("", ""), XPOSE_ACCUMULATORS_88(kind, 0));                                \
  else if constexpr (Count == 96)                                                                 \
    XPOSE_WGMMA_RS("m64n192" k_and_types, XPOSE_NAMES_96, "%96,%97,%98,%99", "%100", "%101",      \
                   after("", ""), XPOSE_ACCUMULATORS_96(kind, 0));                                \
  else if constexpr (Count == 104)                                                                \
    XPOSE_WGMMA_RS("m64n208" k_and_types, XPOSE_NAMES_104, "%104,%105,%106,%107", "%108", "%109", \
                   after("", ""), XPOSE_ACCUMULATORS_104(kind, 0));                               \
  else if constexpr (Count == 112)                                                                \
    XPOSE_WGMMA_RS("m64n224" k_and_types, XPOSE_NAMES_112, "%112,%113,%114,%115", "%116", "%117", \
                   after("", ""), XPOSE_ACCUMULATORS_112(kind, 0));                               \
  else if constexpr (Count == 120)                                                                \
    XPOSE_WGMMA_RS("m64n240" k_and_types, XPOSE_NAMES_120, "%120,%121,%122,%123", "%124", "%125", \
                   after("", ""), XPOSE_ACCUMULATORS_120(kind, 0));                               \
  else                                                                                            \
    XPOSE_WGMMA_RS("m64n256" k_and_types, XPOSE_NAMES_128, "%128,%129,%130,%131", "%132", "%133", \
                   after("", ""), XPOSE_ACCUMULATORS_128(kind, 0))

/// wgmma_ss() with A in registers, of elements of 4 or 1 bytes: thread 32 w + 4 g + t of the
/// warpgroup holds rows 16 w + g (h = 0) and 16 w + g + 8 (h = 1), words t + 4 q along k, as
/// a[2 q + h].
template <class T, class K, int Count>
__device__ inline void wgmma_rs(K (&accumulators)[Count], unsigned const (&a)[4], std::uint64_t b,
                                bool scale_d) {
  if constexpr (std::is_same_v<T, tf32_element>) {
    XPOSE_WGMMA_RS_OF_ALL_N("k8.f32.tf32.tf32", XPOSE_AFTER_FLOATS, "+f");
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    XPOSE_WGMMA_RS_OF_ALL_N("k32.s32.s8.s8", XPOSE_AFTER_INTEGERS, "+r");
  } else {
    static_assert(std::is_same_v<T, std::uint8_t>);
    XPOSE_WGMMA_RS_OF_ALL_N("k32.s32.u8.u8", XPOSE_AFTER_INTEGERS, "+r");
  }
}

#undef XPOSE_WGMMA_SS_OF_ALL_N
#undef XPOSE_WGMMA_RS_OF_ALL_N
#undef XPOSE_WGMMA_RS
#undef XPOSE_AFTER_HALVES
#undef XPOSE_AFTER_FLOATS
#undef XPOSE_AFTER_INTEGERS
#undef XPOSE_WGMMA_SS
#undef XPOSE_NAMES_128
#undef XPOSE_NAMES_120
#undef XPOSE_NAMES_112
#undef XPOSE_NAMES_104
#undef XPOSE_NAMES_96
#undef XPOSE_NAMES_88
#undef XPOSE_NAMES_80
#undef XPOSE_NAMES_72
#undef XPOSE_NAMES_64
#undef XPOSE_NAMES_56
#undef XPOSE_NAMES_48
#undef XPOSE_NAMES_40
#undef XPOSE_NAMES_32
#undef XPOSE_NAMES_24
#undef XPOSE_NAMES_16
#undef XPOSE_NAMES_8
#undef XPOSE_ACCUMULATORS_128
#undef XPOSE_ACCUMULATORS_120
#undef XPOSE_ACCUMULATORS_112
#undef XPOSE_ACCUMULATORS_104
#undef XPOSE_ACCUMULATORS_96
#undef XPOSE_ACCUMULATORS_88
#undef XPOSE_ACCUMULATORS_80
#undef XPOSE_ACCUMULATORS_72
#undef XPOSE_ACCUMULATORS_64
#undef XPOSE_ACCUMULATORS_56
#undef XPOSE_ACCUMULATORS_48
#undef XPOSE_ACCUMULATORS_40
#undef XPOSE_ACCUMULATORS_32
#undef XPOSE_ACCUMULATORS_24
#undef XPOSE_ACCUMULATORS_16
#undef XPOSE_ACCUMULATORS_8

}  // namespace detail
}  // namespace v0
}  // namespace xpose
