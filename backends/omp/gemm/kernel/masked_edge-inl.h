// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Masked loads and stores at the edge of a matrix, for one Highway target. Nothing beyond the edge
// is read or written.

#if defined(XPOSE_OMP_GEMM_MASKED_EDGE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_MASKED_EDGE_INL
#undef XPOSE_OMP_GEMM_MASKED_EDGE_INL
#else
#define XPOSE_OMP_GEMM_MASKED_EDGE_INL
#endif

#include <xpose/config.hpp>

#include <hwy/highway.h>

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace xpose::detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

// Masked instructions touch no other memory: AVX-512's, and AVX2's for lanes of 4 and 8 bytes.
template <class T>
constexpr bool has_masked_access = HWY_TARGET <= HWY_AVX3 ||
                                   (HWY_TARGET == HWY_AVX2 && sizeof(T) >= 4);

/// The first `count` lanes of a vector; the other lanes lie beyond the matrix.
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

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace xpose::detail
HWY_AFTER_NAMESPACE();

#endif
