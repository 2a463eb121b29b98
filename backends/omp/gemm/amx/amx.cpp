// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/gemm/amx/amx.hpp>

#include <xpose/backends/omp/gemm/blocking.hpp>

#ifdef XPOSE_HAS_AMX

#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

// Inline assembly throughout: GCC's tile intrinsics do not declare that they read and write memory.
#define XPOSE_FOR_AMX __attribute__((target("avx512f,amx-tile,amx-int8,amx-bf16")))

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

static_assert(gemm_tuning.k_groups_side_by_side % amx_k_groups == 0, "A is packed by whole blocks");

constexpr index row_bytes = 64;                      // of a tile register, which has 16
constexpr index tile_rows = 16;                      // of a tile register
constexpr index block_bytes = amx_side * row_bytes;  // of either panel

struct alignas(64) tile_configuration {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(tile_configuration) == 64);

/// cpuid's leaf 7, edx, after the system has let this process use tiles; 0 if it does not.
unsigned amx_features() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned has_osxsave = 1u << 27;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & has_osxsave) == 0) return 0;
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  constexpr unsigned tile_states = 3u << 17;
  if ((low & tile_states) != tile_states) return 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return 0;
  constexpr unsigned has_avx512f = 1u << 16;
  constexpr long request_permission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long tile_data = 18;
  if ((b & has_avx512f) == 0 || syscall(SYS_arch_prctl, request_permission, tile_data) != 0)
    return 0;
  return d;
}

bool has_amx(unsigned kind) {
  static unsigned const known = amx_features();
  constexpr unsigned tiles = 1u << 24;
  return (known & (tiles | kind)) == (tiles | kind);
}

template <int Tile>
XPOSE_FOR_AMX inline void load_tile(char const* from, index pitch) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(pitch), "n"(Tile) : "memory");
}
template <int Tile>
XPOSE_FOR_AMX inline void store_tile(char* to, index pitch) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(pitch), "n"(Tile) : "memory");
}
template <int Tile>
XPOSE_FOR_AMX inline void zero_tile() {
  asm volatile("tilezero %%tmm%c0" ::"n"(Tile));
}
template <amx_instruction Product, int C, int A, int B>
XPOSE_FOR_AMX inline void tile_dot_product() {
  if constexpr (Product == amx_instruction::i8)
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"n"(C), "n"(A), "n"(B));
  else if constexpr (Product == amx_instruction::u8)
    asm volatile("tdpbuud %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"n"(C), "n"(A), "n"(B));
  else asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"n"(C), "n"(A), "n"(B));
}

/// visit(tile register, its row, its column) for the registers of C in use (the drawing in
/// amx.hpp).
template <bool HasTwoRows, bool HasTwoCols, class Visit>
XPOSE_FOR_AMX inline void for_each_accumulator(Visit const& visit) {
  visit(std::integral_constant<int, 0>(), 0, 0);
  if constexpr (HasTwoCols) visit(std::integral_constant<int, 1>(), 0, 1);
  if constexpr (HasTwoRows) visit(std::integral_constant<int, 2>(), 1, 0);
  if constexpr (HasTwoRows && HasTwoCols) visit(std::integral_constant<int, 3>(), 1, 1);
}

/// Stores accumulators where C or the workspace has only a part of a tile, or adds them to it.
template <class Sum>
XPOSE_FOR_AMX void merge_into_c(microkernel_args const& args, Sum const* accumulators) {
  constexpr index lanes = 16;
  for (index i = 0; i < args.rows; ++i, accumulators += amx_side) {
    auto* const to = reinterpret_cast<Sum*>(args.accumulators + i * args.accumulators_pitch);
    for (index j = 0; j < args.cols; j += lanes) {
      auto const mask = static_cast<__mmask16>((1u << std::min(lanes, args.cols - j)) - 1);
      if constexpr (std::is_same_v<Sum, float>) {
        __m512 v = _mm512_load_ps(accumulators + j);
        if (args.continues) v = _mm512_add_ps(_mm512_maskz_loadu_ps(mask, to + j), v);
        _mm512_mask_storeu_ps(to + j, mask, v);
      } else {
        __m512i v = _mm512_load_si512(accumulators + j);
        if (args.continues) v = _mm512_add_epi32(_mm512_maskz_loadu_epi32(mask, to + j), v);
        _mm512_mask_storeu_epi32(to + j, mask, v);
      }
    }
  }
}

template <amx_instruction Product, bool HasTwoRows, bool HasTwoCols>
XPOSE_FOR_AMX void multiply_blocks(microkernel_args const& args) {
  using sum = std::conditional_t<Product == amx_instruction::bf16, float, std::int32_t>;
  bool const is_full = args.rows == amx_side && args.cols == amx_side;
  bool const merges = !is_full || (args.continues && args.is_split_k);
  auto const at = [&](int row, int col) {
    return args.accumulators + row * tile_rows * args.accumulators_pitch + col * row_bytes;
  };
  for_each_accumulator<HasTwoRows, HasTwoCols>([&](auto tile, int row, int col) XPOSE_FOR_AMX {
    if (args.continues && !merges) load_tile<tile.value>(at(row, col), args.accumulators_pitch);
    else zero_tile<tile.value>();
  });
  char const* a = args.a;
  char const* b = args.b;
  for (index k_groups = 0; k_groups < args.k_groups; k_groups += amx_k_groups) {
    load_tile<6>(b, 2 * row_bytes);
    load_tile<4>(a, row_bytes);
    tile_dot_product<Product, 0, 4, 6>();
    if constexpr (HasTwoCols) {
      load_tile<7>(b + row_bytes, 2 * row_bytes);
      tile_dot_product<Product, 1, 4, 7>();
    }
    if constexpr (HasTwoRows) {
      load_tile<5>(a + tile_rows * row_bytes, row_bytes);
      tile_dot_product<Product, 2, 5, 6>();
    }
    if constexpr (HasTwoRows && HasTwoCols) tile_dot_product<Product, 3, 5, 7>();
    a += block_bytes;
    b += block_bytes;
  }
  if (!merges)
    return for_each_accumulator<HasTwoRows, HasTwoCols>(
        [&](auto tile, int row, int col)
            XPOSE_FOR_AMX { store_tile<tile.value>(at(row, col), args.accumulators_pitch); });
  alignas(64) sum accumulators[amx_side * amx_side];
  constexpr index pitch = amx_side * sizeof(sum);
  for_each_accumulator<HasTwoRows, HasTwoCols>([&](auto tile, int row, int col) XPOSE_FOR_AMX {
    store_tile<tile.value>(
        reinterpret_cast<char*>(accumulators) + row * tile_rows * pitch + col * row_bytes, pitch);
  });
  merge_into_c(args, accumulators);
}

}  // namespace

bool has_amx_bytes() { return has_amx(1u << 25); }
bool has_amx_bfloat16() { return has_amx(1u << 22); }

XPOSE_FOR_AMX void configure_amx_tiles() {
  static constexpr tile_configuration shapes;
  asm volatile("ldtilecfg %0" ::"m"(shapes));
}
XPOSE_FOR_AMX void release_amx_tiles() { asm volatile("tilerelease"); }

template <amx_instruction Product>
XPOSE_FOR_AMX void amx_microkernel(microkernel_args const& args) {
  bool const has_two_cols = args.cols > tile_rows;
  if (args.rows > tile_rows)
    has_two_cols ? multiply_blocks<Product, true, true>(args)
                 : multiply_blocks<Product, true, false>(args);
  else
    has_two_cols ? multiply_blocks<Product, false, true>(args)
                 : multiply_blocks<Product, false, false>(args);
}

template void amx_microkernel<amx_instruction::i8>(microkernel_args const&);
template void amx_microkernel<amx_instruction::u8>(microkernel_args const&);
template void amx_microkernel<amx_instruction::bf16>(microkernel_args const&);

}  // namespace detail
}  // namespace v0
}  // namespace xpose

#endif
