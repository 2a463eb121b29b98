// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Loads and stores at the edge of a matrix, for the instruction set that this is compiled for:
// nothing beyond it is read or written.

#if defined(XPOSE_OMP_GEMM_EDGE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_EDGE_INL
#undef XPOSE_OMP_GEMM_EDGE_INL
#else
#define XPOSE_OMP_GEMM_EDGE_INL
#endif

#include <xpose/config.hpp>

#include <hwy/highway.h>

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

// Masked accesses touch no other memory with AVX-512, and with AVX2 for lanes of 4 and 8 bytes.
template <class T>
constexpr bool has_masks = HWY_TARGET <= HWY_AVX3 || (HWY_TARGET == HWY_AVX2 && sizeof(T) >= 4);

/// The first lanes of a vector of which the others lie beyond a matrix.
template <class D>
struct edge {
  using T = hn::TFromD<D>;
  hn::Mask<D> mask;
  std::size_t count;

  HWY_INLINE explicit edge(index lanes)
      : mask(hn::FirstN(D(), static_cast<std::size_t>(lanes))),
        count(static_cast<std::size_t>(lanes)) {}

  HWY_INLINE hn::Vec<D> load(T const* from) const {
    if constexpr (has_masks<T>) {
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
    } else if constexpr (has_masks<T>) {
      hn::BlendedStore(v, mask, D(), to);
    } else {
      HWY_ALIGN T lanes[hn::MaxLanes(D())];
      hn::Store(v, D(), lanes);
      std::memcpy(to, lanes, count * sizeof(T));
    }
  }
};

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
