// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Products of a matrix and a vector, for the instruction set that this is compiled for: each
// element of the matrix is read once, where it is, so that memory alone bounds them. Assumes that
// the vector and the sums are contiguous, and the matrix is along its rows or along its columns.

#if defined(XPOSE_OMP_GEMM_VECTOR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_VECTOR_INL
#undef XPOSE_OMP_GEMM_VECTOR_INL
#else
#define XPOSE_OMP_GEMM_VECTOR_INL
#endif

#include <xpose/backends/omp/gemm_micro-inl.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

/// Rows whose k is contiguous. A sum is that of two vectors' lanes, every second vector along k
/// going to the same one.
template <class T, int Rows>
HWY_INLINE void multiply_some_rows(char const* matrix, index pitch, T const* x, index depth,
                                   T* sums) {
  hn::ScalableTag<T> const d;
  using V = hn::Vec<decltype(d)>;
  constexpr index lanes = hn::MaxLanes(d);
  T const* rows[Rows];
  V even[Rows];
  V odd[Rows];
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
    rows[r] = reinterpret_cast<T const*>(matrix + r * pitch);
    even[r] = odd[r] = hn::Zero(d);
  }
  index p = 0;
  for (; p + 2 * lanes <= depth; p += 2 * lanes) {
    V const x_even = hn::LoadU(d, x + p);
    V const x_odd = hn::LoadU(d, x + p + lanes);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      even[r] = hn::MulAdd(hn::LoadU(d, rows[r] + p), x_even, even[r]);
      odd[r] = hn::MulAdd(hn::LoadU(d, rows[r] + p + lanes), x_odd, odd[r]);
    }
  }
  for (; p < depth; p += lanes) {
    edge<decltype(d)> const rest(std::min(lanes, depth - p));
    V const x_rest = rest.load(x + p);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) even[r] = hn::MulAdd(rest.load(rows[r] + p), x_rest, even[r]);
  }
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) sums[r] = hn::GetLane(hn::SumOfLanes(d, hn::Add(even[r], odd[r])));
}

template <class T>
void multiply_rows_by_vector(char const* matrix, index pitch, index rows, char const* vector,
                             index depth, char* to) {
  T const* const x = reinterpret_cast<T const*>(vector);
  T* const sums = reinterpret_cast<T*>(to);
  index i = 0;
  for (; i + 4 <= rows; i += 4)
    multiply_some_rows<T, 4>(matrix + i * pitch, pitch, x, depth, sums + i);
  for (; i < rows; ++i) multiply_some_rows<T, 1>(matrix + i * pitch, pitch, x, depth, sums + i);
}

/// Columns one behind the other at each k: sums over ascending k, four k at a time, so that sums
/// are loaded and stored a quarter as often as the matrix.
template <class T>
void multiply_columns_by_vector(char const* matrix, index pitch, index rows, char const* vector,
                                index depth, char* to) {
  hn::ScalableTag<T> const d;
  using V = hn::Vec<decltype(d)>;
  constexpr index lanes = hn::MaxLanes(d);
  T const* const x = reinterpret_cast<T const*>(vector);
  T* const sums = reinterpret_cast<T*>(to);
  std::fill_n(sums, rows, T(0));
  for (index p = 0; p < depth; p += 4) {
    index const steps = std::min<index>(4, depth - p);
    T const* column[4];
    V factor[4];
    // Behind the last k the last column stands in, and is not used.
    for (index s = 0; s < 4; ++s) {
      index const at = std::min(p + s, depth - 1);
      column[s] = reinterpret_cast<T const*>(matrix + at * pitch);
      factor[s] = hn::Set(d, x[at]);
    }
    index i = 0;
    if (steps == 4)
      for (; i + lanes <= rows; i += lanes) {
        V sum = hn::LoadU(d, sums + i);
#pragma GCC unroll 4
        for (int s = 0; s < 4; ++s) sum = hn::MulAdd(hn::LoadU(d, column[s] + i), factor[s], sum);
        hn::StoreU(sum, d, sums + i);
      }
    for (; i < rows; i += lanes) {
      edge<decltype(d)> const rest(std::min(lanes, rows - i));
      V sum = rest.load(sums + i);
      for (index s = 0; s < steps; ++s) sum = hn::MulAdd(rest.load(column[s] + i), factor[s], sum);
      rest.store(sum, sums + i);
    }
  }
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
