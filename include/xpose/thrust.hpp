// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Every Thrust policy as an xpose policy, and view() of Thrust's containers and pointers.
// Which backend runs follows from the policy's type, so THRUST_DEVICE_SYSTEM is honoured:
//   thrust::seq, thrust::host, thrust::cpp::par               omp, as xpose::seq: this thread alone
//   thrust::omp::par                                          omp
//   thrust::cuda::par, par_nosync, .on(stream), thrust::device   cuda, on the policy's stream
//   thrust::tbb::par                                          refused when compiled
// Temporary memory comes from the policy's allocator, or from get_temporary_buffer where a user's
// own policy has one, as with .with(pool) (policy.hpp); of policies without, it is xpose's own. As
// with xpose::cuda, a machine without a device runs cuda policies on omp.
#pragma once

#include <xpose/detail/complex_value.hpp>
#include <xpose/error.hpp>
#include <xpose/iterator_view.hpp>
#include <xpose/matrix_view.hpp>
#include <xpose/policy.hpp>
#include <xpose/view.hpp>

// The bases that policies derive from. The public header of Thrust's OpenMP system would bring all
// its algorithms: 9.5 s of nvcc time in place of 1.7 (CCCL 3.0.1).
#include <thrust/complex.h>
#include <thrust/execution_policy.h>  // thrust::device and its like: 0.1 to 0.5 s
#include <thrust/memory.h>
#include <thrust/system/omp/detail/execution_policy.h>
#include <thrust/type_traits/is_contiguous_iterator.h>
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

// What answers when a policy is asked for temporary memory. Thrust's own answer, unless there is an
// allocator or a user's function, is its malloc, a pointer of Thrust's; on cuda that stalls the
// device.
namespace thrust_memory {
using thrust::detail::get_temporary_buffer;  // of policies with an allocator
using thrust::system::detail::generic::get_temporary_buffer;

template <class Policy>
using pointer =
    decltype(get_temporary_buffer<char>(std::declval<Policy&>(), std::ptrdiff_t{}).first);

template <class Policy>
inline constexpr bool is_given = !std::is_same_v<pointer<Policy>, thrust::pointer<char, Policy>>;
}  // namespace thrust_memory

/// Asks, and gives back to, the very policy object that the call was given.
template <class Policy>
memory_source memory_of_thrust(Policy const& policy) {
  if constexpr (!thrust_memory::is_given<Policy>) return {};
  else
    return {const_cast<Policy*>(&policy),
            [](void* context, std::size_t bytes, void*) -> void* {
              Policy const& from = *static_cast<Policy const*>(context);
              auto const wanted = static_cast<std::ptrdiff_t>(bytes);
              auto const given = thrust::get_temporary_buffer<char>(from, wanted);
              void* const memory = thrust::raw_pointer_cast(given.first);
              if (given.second >= wanted) return memory;
              if (memory != nullptr)
                thrust::return_temporary_buffer(from, given.first, given.second);
              return nullptr;
            },
            [](void* context, void* data, std::size_t bytes, void*) {
              thrust::return_temporary_buffer(
                  *static_cast<Policy const*>(context),
                  thrust::pointer<char, Policy>(static_cast<char*>(data)),
                  static_cast<std::ptrdiff_t>(bytes));
            }};
}

#if XPOSE_HAS_THRUST_CUDA
// Thrust allocates for these two itself, in the order of the stream, as xpose does.
template <>
inline constexpr bool
    thrust_memory::is_given<std::remove_cv_t<decltype(thrust::cuda::par_nosync)>> = false;
template <>
inline constexpr bool
    thrust_memory::is_given<std::decay_t<decltype(thrust::cuda::par_nosync.on(nullptr))>> = false;

template <class Derived>
thrust_system_constant<thrust_system::cuda> system_of(thrust::cuda::execution_policy<Derived>&);

/// Thrust resolves a policy without a stream, and stream 0, in the translation unit that calls.
template <class Derived>
execution cuda_execution(thrust::cuda::execution_policy<Derived>& policy) {
  void* const stream = thrust::cuda_cub::stream(policy);
  return {backend_id::cuda,
          0,
          stream != nullptr ? stream : stream_of(default_stream_here),
          !thrust::cuda_cub::must_perform_optional_synchronization(policy),
          false,
          memory_of_thrust(static_cast<Derived const&>(policy))};
}
#endif

template <class Policy>
struct policy_traits<
    Policy, std::enable_if_t<std::is_base_of_v<thrust::detail::execution_policy_marker, Policy>>> {
  static constexpr thrust_system system = decltype(system_of(std::declval<Policy&>()))::value;
  static constexpr device_use uses_device =
      system == thrust_system::cuda ? device_use::intended : device_use::never;
  static constexpr bool lends_itself = thrust_memory::is_given<Policy>;

  static execution make(Policy const& policy) {
    static_assert(system != thrust_system::tbb,
                  "xpose: thrust::tbb is not supported; use thrust::omp::par or xpose::omp");
    static_assert(system != thrust_system::none,
                  "xpose: this Thrust policy names no system that xpose knows (any_system_tag?); "
                  "use thrust::host or thrust::device");
    if constexpr (system == thrust_system::sequential) {
      return {backend_id::seq, 1, nullptr, false, true, memory_of_thrust(policy)};
    } else if constexpr (system == thrust_system::omp) {
      return {backend_id::omp, 0, nullptr, false, true, memory_of_thrust(policy)};
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

template <class Pointer>
using pointee = std::remove_pointer_t<decltype(thrust::raw_pointer_cast(std::declval<Pointer>()))>;

template <class Pointer, class = void>
struct is_thrust_pointer : std::false_type {};
template <class Pointer>
struct is_thrust_pointer<Pointer, std::void_t<decltype(raw_type(std::declval<Pointer const&>()))>>
    : std::true_type {};

template <class Iterator>
struct walks_memory<Iterator, std::enable_if_t<!std::is_pointer_v<Iterator> &&
                                               thrust::is_contiguous_iterator<Iterator>::value>>
    : std::true_type {};

}  // namespace detail

/// The memory behind a thrust::device_ptr (or another thrust::pointer). Throws as matrix_view does.
template <
    class Pointer, class... Layout,
    class T = std::remove_pointer_t<decltype(detail::raw_type(std::declval<Pointer const&>()))>,
    class = std::enable_if_t<std::is_constructible_v<matrix_view<T>, T*, index, index, Layout...>>>
matrix_view<T> view(Pointer const& pointer, index rows, index cols, Layout... layout) {
  return {thrust::raw_pointer_cast(pointer), rows, cols, layout...};
}

/// The memory from an iterator of a vector on. Throws as matrix_view does. What walks no memory is
/// an iterator_view.
template <class Iterator, class... Layout,
          class = std::enable_if_t<std::conjunction_v<
              detail::walks_memory<Iterator>, std::negation<std::is_pointer<Iterator>>,
              std::negation<detail::is_thrust_pointer<Iterator>>,
              std::is_constructible<matrix_view<char>, char*, index, index, Layout...>>>,
          class T = detail::pointee<decltype(&*std::declval<Iterator const&>())>>
matrix_view<T> view(Iterator first, index rows, index cols, Layout... layout) {
  bool const has_elements = rows != 0 && cols != 0;  // else the first may be past the end
  return {has_elements ? thrust::raw_pointer_cast(&*first) : nullptr, rows, cols, layout...};
}

}  // namespace v0
}  // namespace xpose
