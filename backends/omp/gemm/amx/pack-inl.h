// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Packing of panels for AMX (gemm/amx/amx.hpp), for those of Highway's instruction sets that processors
// with it have.

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
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

template <class Units, int Width>
HWY_INLINE void pack_amx_steps(panel_source const& s, char* panel) {
  if constexpr (Units::elements == 2) pack_bfloat16_pairs<Width>(s, panel);
  else pack_quads<Units, Width>(s, panel);
}

/// B's panels, whose last block is completed by zeros.
template <class Units>
void pack_amx_cols(panel_source const& s, char* panel) {
  constexpr index step = amx_side * amx_unit_bytes;
  pack_amx_steps<Units, amx_side>(s, panel);
  index const units = (s.depth + Units::elements - 1) / Units::elements;
  index const whole = (units + amx_units - 1) / amx_units * amx_units;
  std::memset(panel + units * step, 0, static_cast<std::size_t>((whole - units) * step));
}

/// A's panels: blocks of 32 rows of 16 units. Rows behind its width are left as they are: so are
/// their sums.
template <class Units>
void pack_amx_rows(panel_source const& s, char* panel) {
  constexpr index elements = amx_units * Units::elements;
  constexpr index half = amx_side / 2;
  auto* block = reinterpret_cast<std::int32_t*>(panel);
  bool const is_across = s.step == index{sizeof(typename Units::element)};
  for (index p = 0; p < s.depth; p += elements, block += amx_side * amx_units) {
    index const count = std::min(elements, s.depth - p);
    if (is_across) {
      alignas(64) std::int32_t steps[amx_units * half + half];
      for (index i = 0; i < s.width; i += half) {
        if (count < elements) clear(steps);
        panel_source some = s;
        some.first += i * s.step + p * s.depth_step;
        some.width = std::min(half, s.width - i);
        some.depth = count;
        pack_amx_steps<Units, half>(some, reinterpret_cast<char*>(steps));
        turn_stage<half>(steps, half, block + i * amx_units);
      }
    } else {
      for (index i = 0; i < s.width; ++i) {
        std::int32_t* const row = block + i * amx_units;
        if (count < elements)
          hn::StoreU(hn::Zero(hn::ScalableTag<std::int32_t>()), hn::ScalableTag<std::int32_t>(),
                     row);
        convert_along_k<Units>(s, s.first + i * s.step, p, count, row);
      }
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif

#endif
