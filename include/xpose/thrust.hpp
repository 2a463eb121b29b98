// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Every Thrust policy as an xpose policy, and view() of Thrust's containers and pointers.
// Which backend runs follows from the policy's type, so THRUST_DEVICE_SYSTEM is honoured:
//   thrust::seq, thrust::host, thrust::cpp::par               reference
//   thrust::omp::par                                          omp
//   thrust::cuda::par, par_nosync, .on(stream), thrust::device   cuda, on the policy's stream
//   thrust::tbb::par                                          refused when compiled
// A policy with an allocator is accepted; xpose's operations need no temporary memory, so nothing
// is ever taken from it. As with xpose::cuda, a machine without a device runs cuda policies on omp.
#pragma once

#include <xpose/detail/complex_value.hpp>
#include <xpose/error.hpp>
#include <xpose/matrix_view.hpp>
#include <xpose/policy.hpp>
#include <xpose/view.hpp>

// The bases that policies derive from. The public header of Thrust's OpenMP system would bring all
// its algorithms: 9.5 s of nvcc time in place of 1.7 (CCCL 3.0.1).
#include <thrust/complex.h>
#include <thrust/detail/execution_policy.h>
#include <thrust/memory.h>
#include <thrust/system/omp/detail/execution_policy.h>
#if defined(__CUDACC__) || THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#define XPOSE_HAS_THRUST_CUDA 1
#include <thrust/system/cuda/execution_policy.h>
#else
#define XPOSE_HAS_THRUST_CUDA 0
#endif

namespace xpose {
inline namespace v0 {
namespace detail {

// Thrust's own rule: the closest base of the policy decides. omp and tbb derive from cpp, cpp from
// sequential; without an overload of its own, tbb would run serially and say nothing.
enum class thrust_system { none, sequential, omp, tbb, cuda };

template <thrust_system System>
using thrust_system_constant = std::integral_constant<thrust_system, System>;

thrust_system_constant<thrust_system::none> system_of(thrust::detail::execution_policy_marker&);
template <class Derived>
thrust_system_constant<thrust_system::sequential> system_of(
    thrust::system::detail::sequential::execution_policy<Derived>&);
template <class Derived>
thrust_system_constant<thrust_system::omp> system_of(thrust::omp::execution_policy<Derived>&);
template <class Derived>
thrust_system_constant<thrust_system::tbb> system_of(thrust::tbb::execution_policy<Derived>&);
#if XPOSE_HAS_THRUST_CUDA
template <class Derived>
thrust_system_constant<thrust_system::cuda> system_of(thrust::cuda::execution_policy<Derived>&);

/// Thrust resolves a policy without a stream, and stream 0, in the translation unit that calls.
template <class Derived>
execution cuda_execution(thrust::cuda::execution_policy<Derived>& policy) {
  void* const stream = thrust::cuda_cub::stream(policy);
  return {backend_id::cuda, 0, stream != nullptr ? stream : stream_of(default_stream_here),
          !thrust::cuda_cub::must_perform_optional_synchronization(policy), false};
}
#endif

template <class Policy>
struct policy_traits<
    Policy, std::enable_if_t<std::is_base_of_v<thrust::detail::execution_policy_marker, Policy>>> {
  static constexpr thrust_system system = decltype(system_of(std::declval<Policy&>()))::value;
  static constexpr device_use uses_device =
      system == thrust_system::cuda ? device_use::intended : device_use::never;

  static execution make(Policy const& policy) {
    static_assert(system != thrust_system::tbb,
                  "xpose: thrust::tbb is not supported; use thrust::omp::par or xpose::omp");
    static_assert(system != thrust_system::none,
                  "xpose: this Thrust policy names no system that xpose knows (any_system_tag?); "
                  "use thrust::host or thrust::device");
    if constexpr (system == thrust_system::sequential) {
      return {backend_id::reference, 1, nullptr, false, true};
    } else if constexpr (system == thrust_system::omp) {
      return {backend_id::omp, 0, nullptr, false, true};
    } else if constexpr (system == thrust_system::cuda) {
      // Thrust asks a policy for its stream through a non-const reference, as its algorithms do.
      return cuda_execution(const_cast<Policy&>(policy));
    } else {
      return {};
    }
  }
};

template <class Real>
struct kernel_type<thrust::complex<Real>> {
  using type = complex_value<Real>;
};

// Recognises thrust::pointer and what derives from it: device_ptr, universal_ptr.
template <class Element, class Tag, class Reference, class Derived>
Element* raw_type(thrust::pointer<Element, Tag, Reference, Derived> const&);

}  // namespace detail

/// The memory behind a thrust::device_ptr (or another thrust::pointer). Throws as matrix_view does.
template <
    class Pointer, class... Layout,
    class T = std::remove_pointer_t<decltype(detail::raw_type(std::declval<Pointer const&>()))>,
    class = std::enable_if_t<std::is_constructible_v<matrix_view<T>, T*, index, index, Layout...>>>
matrix_view<T> view(Pointer const& pointer, index rows, index cols, Layout... layout) {
  return {thrust::raw_pointer_cast(pointer), rows, cols, layout...};
}

}  // namespace v0
}  // namespace xpose
