// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The arithmetic peak of the cores: independent chains of one instruction on registers, on every
// thread. Each kind runs the fastest instruction that gemm of that kind could use here.

#include "ceilings/ceilings.hpp"

#include <omp.h>

#include <cmath>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace xpose::bench::host {
namespace {

// Enough chains to cover a latency of 4 or 5 cycles on two ports (10 for integer products), and few
// enough for 32 registers, or for 16: with 20, AVX2 reached 0.7 of what its kernels of gemm do.
constexpr int wide_chains = 20;
constexpr int narrow_chains = 12;

constexpr int chains_of(int vector_bytes) {
  return vector_bytes == 64 ? wide_chains : narrow_chains;
}

template <class Value>
[[gnu::always_inline]] inline void keep(Value const& value) {
  asm volatile("" : : "m"(value) : "memory");
}

struct multiply_add {
  template <class V>
  [[gnu::always_inline]] static void step(V& sum, V const& x, V const& y) {
    sum = sum * x + y;
  }
};
/// Two instructions: an addition and a minimum, what (min, +) needs for each product.
struct add_minimum {
  template <class V>
  [[gnu::always_inline]] static void step(V& sum, V const& x, V const& y) {
    V const candidate = sum + x;
    sum = candidate < y ? candidate : y;
  }
};

template <class Step, class T, int VectorBytes>
[[gnu::always_inline]] inline void run_chains(long steps) {
  typedef T vector __attribute__((vector_size(VectorBytes)));
  constexpr int chains = chains_of(VectorBytes);
  vector accumulators[chains];
  vector x;
  vector y;
  for (int lane = 0; lane < static_cast<int>(VectorBytes / sizeof(T)); ++lane) {
    x[lane] = static_cast<T>(1);
    y[lane] = static_cast<T>(lane + 2);
    for (auto& sum : accumulators) sum[lane] = static_cast<T>(lane);
  }
  asm volatile("" : "+m"(x), "+m"(y));  // unknown to the compiler
  vector const factor = x;
  vector const term = y;
  for (long s = 0; s < steps; ++s)
#pragma GCC unroll 20
    for (int c = 0; c < chains; ++c) Step::step(accumulators[c], factor, term);
  keep(accumulators);
}

template <class T>
constexpr double operations_of(int vector_bytes) {
  return 2.0 * chains_of(vector_bytes) * (vector_bytes / static_cast<int>(sizeof(T)));
}

#if defined(__x86_64__)
template <class Step, class T>
__attribute__((target("avx512f,avx512dq"))) void run_wide(long steps) {
  run_chains<Step, T, 64>(steps);
}
template <class Step, class T>
__attribute__((target("avx2,fma"))) void run_medium(long steps) {
  run_chains<Step, T, 32>(steps);
}

// The dot products in assembly: with intrinsics, GCC 12 spills every accumulator to the stack.

/// 64 multiply-adds of bytes an instruction.
__attribute__((target("avx512f"))) void run_byte_dot_products(long steps) {
  __m512i accumulators[wide_chains] = {};
  __m512i const a = _mm512_set1_epi8(3);
  __m512i const b = _mm512_set1_epi8(5);
  for (long s = 0; s < steps; ++s)
#pragma GCC unroll 20
    for (int c = 0; c < wide_chains; ++c)
      asm volatile("vpdpbusd %2, %1, %0" : "+v"(accumulators[c]) : "v"(a), "v"(b));
}
/// 16 multiply-adds of bytes widened to 16 bits, by two instructions.
__attribute__((target("avx2"))) void run_byte_pair_products(long steps) {
  __m256i accumulators[narrow_chains] = {};
  __m256i const a = _mm256_set1_epi16(3);
  __m256i const b = _mm256_set1_epi16(5);
  for (long s = 0; s < steps; ++s)
#pragma GCC unroll 20
    for (int c = 0; c < narrow_chains; ++c) {
      __m256i products;
      asm volatile("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0"
                   : "+x"(accumulators[c]), "=&x"(products)
                   : "x"(a), "x"(b));
    }
}
/// 32 multiply-adds of bfloat16 an instruction.
__attribute__((target("avx512f"))) void run_bfloat16_dot_products(long steps) {
  __m512 accumulators[wide_chains] = {};
  __m512i const a = _mm512_set1_epi16(0x4040);  // 3 in every half
  __m512i const b = _mm512_set1_epi16(0x40a0);  // 5
  for (long s = 0; s < steps; ++s)
#pragma GCC unroll 20
    for (int c = 0; c < wide_chains; ++c)
      asm volatile("vdpbf16ps %2, %1, %0" : "+v"(accumulators[c]) : "v"(a), "v"(b));
}

/// Whether the system lets this process use AMX tiles.
bool may_use_amx() {
  constexpr long request_permission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long tile_data = 18;
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}
constexpr int accumulator_tiles = 4;
/// 16 x 16 accumulators; k is the number of elements in 64 bytes.
constexpr double operations_of_amx(int bytes) {
  return 2.0 * accumulator_tiles * 16 * 16 * (64 / bytes);
}
/// Two tiles of A and two of B, which hold 3 as bfloat16.
template <bool IsByte>
__attribute__((target("amx-tile,amx-int8,amx-bf16"))) void run_amx(long steps) {
  struct alignas(64) {
    std::uint8_t palette = 1;
    std::uint8_t reserved[15] = {};
    std::uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } const shapes;
  alignas(64) std::uint16_t tile[512];
  for (auto& element : tile) element = 0x4040;
  asm volatile(
      "ldtilecfg %0\n"
      "tilezero %%tmm0\ntilezero %%tmm1\ntilezero %%tmm2\ntilezero %%tmm3\n"
      "tileloadd (%1,%2,1), %%tmm4\ntileloadd (%1,%2,1), %%tmm5\n"
      "tileloadd (%1,%2,1), %%tmm6\ntileloadd (%1,%2,1), %%tmm7\n" ::"m"(shapes),
      "r"(tile), "r"(64L)
      : "memory");
  for (long s = 0; s < steps; ++s) {
    if constexpr (IsByte)
      asm volatile(
          "tdpbssd %tmm6, %tmm4, %tmm0\ntdpbssd %tmm7, %tmm4, %tmm1\n"
          "tdpbssd %tmm6, %tmm5, %tmm2\ntdpbssd %tmm7, %tmm5, %tmm3\n");
    else
      asm volatile(
          "tdpbf16ps %tmm6, %tmm4, %tmm0\ntdpbf16ps %tmm7, %tmm4, %tmm1\n"
          "tdpbf16ps %tmm6, %tmm5, %tmm2\ntdpbf16ps %tmm7, %tmm5, %tmm3\n");
  }
  asm volatile("tilerelease");
}
#endif

struct peak {
  char const* instruction;
  void (*run)(long steps);
  double operations;  ///< of a step
};

template <class Step, class T>
peak plain_peak(char const* wide, char const* medium, char const* narrow) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    return {wide, run_wide<Step, T>, operations_of<T>(64)};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {medium, run_medium<Step, T>, operations_of<T>(32)};
#else
  static_cast<void>(wide);
  static_cast<void>(medium);
#endif
  return {narrow, run_chains<Step, T, 16>, operations_of<T>(16)};
}

peak peak_of(element_kind kind, bool is_semiring) {
  if (is_semiring)
    return plain_peak<add_minimum, float>("512-bit f32 add, min", "256-bit f32 add, min",
                                          "128-bit f32 add, min");
#if defined(__x86_64__)
  bool const is_byte = kind == element_kind::i8 || kind == element_kind::u8;
  if (is_byte && __builtin_cpu_supports("amx-int8") && may_use_amx())
    return {"tdpbssd", run_amx<true>, operations_of_amx(1)};
  if (kind == element_kind::bf16 && __builtin_cpu_supports("amx-bf16") && may_use_amx())
    return {"tdpbf16ps", run_amx<false>, operations_of_amx(2)};
  if (is_byte && __builtin_cpu_supports("avx512vnni"))
    return {"vpdpbusd", run_byte_dot_products, 2.0 * wide_chains * 64};
  if (is_byte && __builtin_cpu_supports("avx2") && !__builtin_cpu_supports("avx512dq"))
    return {"256-bit vpmaddwd, vpaddd", run_byte_pair_products, 2.0 * narrow_chains * 16};
  if (kind == element_kind::bf16 && __builtin_cpu_supports("avx512bf16"))
    return {"vdpbf16ps", run_bfloat16_dot_products, 2.0 * wide_chains * 32};
#endif
  switch (kind) {
    case element_kind::f64:
    case element_kind::c128:
      return plain_peak<multiply_add, double>("512-bit f64 fma", "256-bit f64 fma",
                                              "128-bit f64 multiply, add");
    case element_kind::i8:
    case element_kind::u8:
    case element_kind::i32:
      return plain_peak<multiply_add, std::uint32_t>(
          "512-bit i32 multiply, add", "256-bit i32 multiply, add", "128-bit i32 multiply, add");
    case element_kind::i64:
      return plain_peak<multiply_add, std::uint64_t>(
          "512-bit i64 multiply, add", "256-bit i64 multiply, add", "128-bit i64 multiply, add");
    default:  // f16 and bf16 without instructions of their own are multiplied as f32
      return plain_peak<multiply_add, float>("512-bit f32 fma", "256-bit f32 fma",
                                             "128-bit f32 multiply, add");
  }
}

}  // namespace

std::vector<arithmetic_ceiling> arithmetic_ceilings(int threads, gemm_type const& type) {
  peak const p = peak_of(type.in.kind, type.semiring != semiring_choice::plus_times);
  auto const compute = [p, threads](double operations) {
    auto const steps = static_cast<long>(std::ceil(operations / threads / p.operations));
#pragma omp parallel num_threads(threads)
    p.run(steps);
  };
  return {{"fma_peak", p.instruction, compute}};
}

}  // namespace xpose::bench::host
