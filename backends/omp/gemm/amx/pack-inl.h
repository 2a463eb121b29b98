// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Packing for AMX (gemm/amx/amx.hpp), for those of Highway's targets whose processors can have it.

#if defined(XPOSE_OMP_GEMM_PACK_AMX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_PACK_AMX_INL
#undef XPOSE_OMP_GEMM_PACK_AMX_INL
#else
#define XPOSE_OMP_GEMM_PACK_AMX_INL
#endif

#include <xpose/backends/omp/gemm/kernel/pack-inl.h>
#include <xpose/backends/omp/gemm/amx/amx.hpp>

#undef XPOSE_OMP_GEMM_USES_AMX
#if defined(XPOSE_HAS_AMX) && HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
#define XPOSE_OMP_GEMM_USES_AMX

HWY_BEFORE_NAMESPACE();
namespace xpose::detail {
namespace HWY_NAMESPACE {
namespace {

template <class KGroups, int Width>
HWY_INLINE void pack_amx_k_groups(panel_source const& s, char* panel) {
  if constexpr (KGroups::k_group_size == 2) pack_bfloat16_pairs<Width>(s, panel);
  else pack_byte_quads<KGroups, Width>(s, panel);
}

/// B's panels. Zeros complete the last block.
template <class KGroups>
void pack_b_amx(panel_source const& s, char* panel) {
  constexpr index step = amx_side * amx_k_group_bytes;
  pack_amx_k_groups<KGroups, amx_side>(s, panel);
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
        pack_amx_k_groups<KGroups, half>(some, reinterpret_cast<char*>(steps));
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

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace xpose::detail
HWY_AFTER_NAMESPACE();

#endif

#endif
