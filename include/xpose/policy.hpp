// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Policies: values that say where and how a call runs. Immutable, copyable, usable from any thread.
#pragma once

#include <xpose/across.hpp>
#include <xpose/config.hpp>
#include <xpose/detail/execution.hpp>

#include <type_traits>
#include <utility>

struct CUstream_st;  // cudaStream_t is a pointer to this; named here so that no CUDA header is
                     // needed

namespace xpose {
inline namespace v0 {

/// A cudaStream_t.
using stream_handle = CUstream_st*;

namespace detail {

// A pool may take the stream whose order its memory is used in, as RMM's do; the last argument
// ranks that form first.
template <class Pool>
auto take(Pool& pool, std::size_t count, CUstream_st* stream, int)
    -> decltype(pool.allocate(count, stream)) {
  return pool.allocate(count, stream);
}
template <class Pool>
auto take(Pool& pool, std::size_t count, CUstream_st*, long) -> decltype(pool.allocate(count)) {
  return pool.allocate(count);
}
template <class Pool, class Pointer>
auto give_back(Pool& pool, Pointer memory, std::size_t count, CUstream_st* stream, int)
    -> decltype(pool.deallocate(memory, count, stream), void()) {
  pool.deallocate(memory, count, stream);
}
template <class Pool, class Pointer>
auto give_back(Pool& pool, Pointer memory, std::size_t count, CUstream_st*, long)
    -> decltype(pool.deallocate(memory, count), void()) {
  pool.deallocate(memory, count);
}

/// What a pool gives: void*, or a pointer to what its sizes count.
template <class Pool>
using pool_pointer = decltype(detail::take(std::declval<Pool&>(), std::size_t{}, nullptr, 0));

template <class Pool, class = void>
struct is_pool : std::false_type {};
template <class Pool>
struct is_pool<Pool, std::void_t<decltype(detail::give_back(
                         std::declval<Pool&>(), std::declval<pool_pointer<Pool>>(), std::size_t{},
                         nullptr, 0))>> : std::is_pointer<pool_pointer<Pool>> {};

/// How many of what the pool counts.
template <class Pool>
std::size_t counted(std::size_t bytes) {
  using unit = std::remove_pointer_t<pool_pointer<Pool>>;
  if constexpr (std::is_void_v<unit>) return bytes;
  else return (bytes + sizeof(unit) - 1) / sizeof(unit);
}

/// The pool must outlive the source.
template <class Pool>
memory_source memory_of(Pool& pool) {
  return {const_cast<void*>(static_cast<void const*>(&pool)),
          [](void* context, std::size_t bytes, void* stream) -> void* {
            return detail::take(*static_cast<Pool*>(context), counted<Pool>(bytes),
                                static_cast<CUstream_st*>(stream), 0);
          },
          [](void* context, void* data, std::size_t bytes, void* stream) {
            detail::give_back(*static_cast<Pool*>(context), static_cast<pool_pointer<Pool>>(data),
                              counted<Pool>(bytes), static_cast<CUstream_st*>(stream), 0);
          }};
}

template <class Pool>
using enable_if_pool = std::enable_if_t<is_pool<Pool>::value>;

/// What with() does not take: no pool, or one that would not outlive the policy.
template <class Argument>
using enable_if_no_pool =
    std::enable_if_t<!std::is_lvalue_reference_v<Argument> || !is_pool<Argument>::value>;
template <class>
inline constexpr bool is_refused = true;

}  // namespace detail

/// Number of threads for `omp.with(threads{n})`. Zero: what OpenMP would use (OMP_NUM_THREADS, else
/// all cores, within the quota of the process's control groups). More than four for each processor
/// are not started: they would only wait for each other.
struct threads {
  int count;
};

// with(pool), of every policy that names a backend: temporary memory of a call comes from the pool,
// which is any object with `allocate(bytes)` and `deallocate(pointer, bytes)`, such as a
// std::pmr::memory_resource or an allocator (which counts in its value_type), or with the same two
// and a last argument that a cudaStream_t converts to. It is kept by reference. Memory is asked for
// by the calling thread, before any output is written, and given back before the call returns: on
// cuda when the work that uses it is done, or, with nosync(), when it is enqueued; the pool may
// then use it again in the order of the stream only. xpose aligns it itself. docs/policies.md lists
// what is taken from it.

/// Runs on the calling thread: seq_policy or reference_policy.
template <bool IsReference>
class serial_policy {
 public:
  /// The same policy with temporary memory from the pool.
  template <class Pool, class = detail::enable_if_pool<Pool>>
  serial_policy with(Pool& pool) const {
    serial_policy policy = *this;
    policy.memory_ = detail::memory_of(pool);
    return policy;
  }
  /// Anything else does not compile.
  template <class Argument, class = detail::enable_if_no_pool<Argument>>
  constexpr serial_policy with(Argument&&) const {
    static_assert(!detail::is_refused<Argument>,
                  "xpose: seq.with() takes a pool: a variable with allocate and deallocate");
    return *this;
  }
  constexpr detail::memory_source memory() const noexcept { return memory_; }

 private:
  detail::memory_source memory_;
};

/// Takes omp's kernels and gives, bit for bit, omp's results. Never calls the OpenMP runtime, so it
/// runs in a child of fork() too. Takes the memory of omp on one thread.
using seq_policy = serial_policy<false>;

/// Takes plain loops over blocks. The other policies are checked against them, and they share no
/// kernel with those. They take 10 to 100 times as long as seq.
using reference_policy = serial_policy<true>;

/// Runs on the processor's cores.
class omp_policy {
 public:
  /// The same policy on t.count threads. Throws shape_error if the count is negative.
  constexpr omp_policy with(threads t) const {
    if (t.count < 0) detail::refuse_threads(t.count);
    omp_policy policy = *this;
    policy.threads_ = t.count;
    return policy;
  }
  /// The same policy with temporary memory from the pool.
  template <class Pool, class = detail::enable_if_pool<Pool>>
  omp_policy with(Pool& pool) const {
    omp_policy policy = *this;
    policy.memory_ = detail::memory_of(pool);
    return policy;
  }
  /// Anything else does not compile.
  template <class Argument, class = detail::enable_if_no_pool<Argument>,
            class = std::enable_if_t<!std::is_convertible_v<Argument, threads>>>
  constexpr omp_policy with(Argument&&) const {
    static_assert(!detail::is_refused<Argument>,
                  "xpose: omp.with() takes xpose::threads{n}, or a pool: a variable with allocate "
                  "and deallocate");
    return *this;
  }
  constexpr int thread_count() const noexcept { return threads_; }
  constexpr detail::memory_source memory() const noexcept { return memory_; }

 private:
  int threads_ = 0;
  detail::memory_source memory_;
};

/// Runs on a CUDA device. Blocking: a call returns when its output is ready; with nosync() it
/// returns after enqueue. Work is ordered on the stream only. Without a CUDA build, driver or
/// device the call runs on `omp`; strict() (or XPOSE_FALLBACK=error in the environment) makes that
/// a backend_error.
class cuda_policy {
 public:
  explicit constexpr cuda_policy(detail::default_stream stream) noexcept
      : default_stream_(stream) {}

  constexpr cuda_policy on(stream_handle stream) const noexcept {
    cuda_policy policy = *this;
    policy.stream_ = stream;
    return policy;
  }
  constexpr cuda_policy nosync() const noexcept {
    cuda_policy policy = *this;
    policy.nosync_ = true;
    return policy;
  }
  constexpr cuda_policy strict() const noexcept {
    cuda_policy policy = *this;
    policy.strict_ = true;
    return policy;
  }
  /// The same policy for operands in any memory (across.hpp). A call that falls back to `omp` is an
  /// ordinary one.
  constexpr across_policy<cuda_policy> across(across_options const& options = {}) const noexcept {
    return {*this, options};
  }
  /// across() on these devices of the machine.
  across_policy<cuda_policy> devices(std::initializer_list<int> numbers) const {
    return across().devices(numbers);
  }
  /// The same policy with temporary memory from the pool, which the device must reach. A call that
  /// falls back to `omp` does not ask it.
  template <class Pool, class = detail::enable_if_pool<Pool>>
  cuda_policy with(Pool& pool) const {
    cuda_policy policy = *this;
    policy.memory_ = detail::memory_of(pool);
    return policy;
  }
  /// Anything else does not compile.
  template <class Argument, class = detail::enable_if_no_pool<Argument>>
  constexpr cuda_policy with(Argument&&) const {
    static_assert(!detail::is_refused<Argument>,
                  "xpose: cuda.with() takes a pool: a variable with allocate and deallocate");
    return *this;
  }
  /// Null: the default stream of the translation unit that named the policy.
  constexpr stream_handle stream() const noexcept { return stream_; }
  constexpr bool is_nosync() const noexcept { return nosync_; }
  constexpr bool is_strict() const noexcept { return strict_; }
  constexpr detail::default_stream default_stream() const noexcept { return default_stream_; }
  constexpr detail::memory_source memory() const noexcept { return memory_; }

 private:
  stream_handle stream_ = nullptr;
  detail::default_stream default_stream_;
  detail::memory_source memory_;
  bool nosync_ = false;
  bool strict_ = false;
};

/// Runs where the data lives: on the device if an operand is device or managed memory, else on the
/// cores. Throws residency_error if one operand is device or managed memory and another pageable
/// host memory, unless across() says otherwise.
class automatic_policy {
 public:
  explicit constexpr automatic_policy(detail::default_stream stream) noexcept
      : default_stream_(stream) {}
  /// The same policy for operands in several memories (across.hpp). Operands that are all in host
  /// memory still run on the cores.
  constexpr across_policy<automatic_policy> across(
      across_options const& options = {}) const noexcept {
    return {*this, options};
  }
  constexpr detail::default_stream default_stream() const noexcept { return default_stream_; }

 private:
  detail::default_stream default_stream_;
};

// Internal linkage on purpose (constexpr, not inline): the default stream is that of the
// translation unit that includes this, as CUDA itself does it.
constexpr seq_policy seq{};
constexpr reference_policy reference{};
constexpr omp_policy omp{};
constexpr cuda_policy cuda{detail::default_stream_here};
constexpr automatic_policy automatic{detail::default_stream_here};

namespace detail {

/// Whether calls under a policy run on a device: it decides what a user's own function is compiled
/// for.
enum class device_use { never, possible, intended };

/// Turns a policy type into an execution, or one of across.hpp; thrust.hpp specialises it for every
/// Thrust policy. A specialisation has `static execution make(Policy const&)` and `static constexpr
/// device_use uses_device`.
template <class Policy, class = void>
struct policy_traits {};

template <bool IsReference>
struct policy_traits<serial_policy<IsReference>> {
  static constexpr device_use uses_device = device_use::never;
  static constexpr execution make(serial_policy<IsReference> p) noexcept {
    constexpr auto backend = IsReference ? backend_id::reference : backend_id::seq;
    return {backend, 1, nullptr, false, true, p.memory()};
  }
};

template <>
struct policy_traits<omp_policy> {
  static constexpr device_use uses_device = device_use::never;
  static constexpr execution make(omp_policy p) noexcept {
    return {backend_id::omp, p.thread_count(), nullptr, false, true, p.memory()};
  }
};

template <>
struct policy_traits<cuda_policy> {
  static constexpr device_use uses_device = device_use::intended;
  static execution make(cuda_policy p) noexcept {
    return {backend_id::cuda,
            0,
            p.stream() ? p.stream() : stream_of(p.default_stream()),
            p.is_nosync(),
            p.is_strict(),
            p.memory()};
  }
};

template <>
struct policy_traits<automatic_policy> {
  static constexpr device_use uses_device = device_use::possible;
  static execution make(automatic_policy p) noexcept {
    return {backend_id::automatic, 0, stream_of(p.default_stream()), false, false};
  }
};

template <class Policy>
struct policy_traits<across_policy<Policy>> {
  static constexpr device_use uses_device = policy_traits<Policy>::uses_device;
  static across_execution make(across_policy<Policy> const& p) noexcept {
    return {policy_traits<Policy>::make(p.base()), p.terms()};
  }
};

template <class Policy, class = void>
struct has_policy_traits : std::false_type {};
template <class Policy>
struct has_policy_traits<Policy, std::void_t<decltype(policy_traits<Policy>::uses_device)>>
    : std::true_type {};

}  // namespace detail

/// Whether P can be the first argument of transpose, copy, gemm and explain.
template <class P>
inline constexpr bool is_policy = detail::has_policy_traits<P>::value;

/// Later calls read XPOSE_VERBOSE, XPOSE_LOG, XPOSE_FALLBACK, XPOSE_ISA and XPOSE_TUNING anew, and
/// the files that the last one names. Without it each variable is read once, by the first call that
/// it may change. Safe beside calls of other threads, which see the old values or the new ones;
/// setenv() is not safe beside anything that reads the environment.
XPOSE_EXPORT void reload_environment() noexcept;

}  // namespace v0
}  // namespace xpose
