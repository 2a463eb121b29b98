// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Matrices that are distributed over the processes of an MPI communicator: the policy xpose::mpi,
// with transpose, redistribute, add and gemm on dist_matrix_view. Of the library xpose::mpi, built
// against one MPI; the rest of xpose needs none. Guide: docs/mpi.md.
#pragma once

#include <xpose/add.hpp>
#include <xpose/detail/dist_request.hpp>
#include <xpose/dist_matrix_view.hpp>
#include <xpose/error.hpp>
#include <xpose/explain.hpp>
#include <xpose/gemm.hpp>
#include <xpose/mpi_export.hpp>
#include <xpose/policy.hpp>
#include <xpose/transpose.hpp>

#include <mpi.h>

#include <chrono>
#include <cstring>
#include <utility>

namespace xpose {
inline namespace v0 {

/// MPI refused a call. code() is MPI's error code, what() names the call and has MPI's text for the
/// code. The communicator of the context is of no further use.
class XPOSE_MPI_EXPORT mpi_error : public std::runtime_error, public error {
 public:
  mpi_error(int code, char const* message);
  ~mpi_error() override;
  char const* what() const noexcept override;
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// The processes that calls under xpose::mpi run on. Collective: all processes of the communicator
/// construct it, make the same calls with it in the same order, and destroy it, before
/// MPI_Finalize (after it the destructor gives nothing back). Duplicates the communicator, so that
/// its messages meet no others. One call at a time on a process; needs MPI_THREAD_FUNNELED or more
/// if that is another thread than the one that initialised MPI.
/// Throws backend_error if MPI is not initialised or the communicator is null; mpi_error.
class XPOSE_MPI_EXPORT mpi_context {
 public:
  explicit mpi_context(MPI_Comm communicator = MPI_COMM_WORLD);
  ~mpi_context();
  mpi_context(mpi_context&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  mpi_context& operator=(mpi_context&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }

  int rank() const noexcept;
  int size() const noexcept;
  /// Processes of the communicator that share this one's memory.
  int ranks_on_node() const noexcept;
  /// The duplicate. Its errors return codes.
  MPI_Comm communicator() const noexcept;

 private:
  friend class mpi_policy;
  detail::mpi_state* state_;
};

namespace detail {

/// Whether what a policy becomes asks the very policy object for memory.
template <class Policy, class = void>
inline constexpr bool lends_itself = false;
template <class Policy>
inline constexpr bool lends_itself<Policy, std::enable_if_t<policy_traits<Policy>::lends_itself>> =
    true;

}  // namespace detail

/// How elements that change their process travel. A call that has none of them sends nothing,
/// whatever is asked for.
enum class mpi_engine : int {
  by_cost,        ///< by the cost model of docs/mpi.md; all processes choose alike
  pairwise,       ///< messages from each process to each, in pieces that overlap with their packing
  collective,     ///< one MPI_Alltoallv of all messages, packed before and unpacked behind it
  shared_memory,  ///< through memory that the processes of one node share
  nccl,           ///< NCCL's sends and receives, between devices
};

/// Runs on all processes of a context: every one of them calls, with the same layouts and scalars.
/// Arguments are checked before data moves, and the verdict is shared: what one process refuses
/// throws on every process, with the sentence of the lowest rank that has one ("rank 2:
/// transpose: ..."). Then nothing is written anywhere.
class mpi_policy {
 public:
  explicit mpi_policy(mpi_context const& context) noexcept;

  /// The same policy with a process's own work on the local policy: xpose::omp (the default, with
  /// OMP_NUM_THREADS threads, else this process's share of the node's processors), xpose::seq,
  /// xpose::reference or xpose::cuda, or a Thrust policy of one system. A Thrust policy that has an
  /// allocator is kept by reference, as pools are; a temporary one does not compile.
  /// Under xpose::cuda local matrices are in memory that the device of the policy's stream reaches,
  /// for a default stream the current device. Calls wait for their results, nosync() or not.
  template <class Local>
  mpi_policy with(Local&& local) const noexcept {
    using named = std::remove_cv_t<std::remove_reference_t<Local>>;
    static_assert(is_policy<named>,
                  "xpose: mpi.with() takes xpose::omp, xpose::seq or xpose::cuda");
    static_assert(detail::policy_traits<named>::uses_device != detail::device_use::possible,
                  "xpose: the local policy of xpose::mpi is xpose::omp, xpose::seq or xpose::cuda, "
                  "which say where local matrices lie");
    static_assert(
        std::is_same_v<decltype(detail::policy_traits<named>::make(local)), detail::execution>,
        "xpose: local matrices of xpose::mpi lie in one memory: give mpi.with() the policy "
        "without across()");
    static_assert(std::is_lvalue_reference_v<Local> || !detail::lends_itself<named>,
                  "xpose: this policy has an allocator and is kept by reference: give mpi.with() a "
                  "variable, not a temporary");
    mpi_policy policy = *this;
    policy.execution_.local = detail::policy_traits<named>::make(local);
    return policy;
  }

  /// The same policy, that ends the program by MPI_Abort once a process has waited so long without
  /// progress of any of its messages; what it waits for may be a process that is dead, or that did
  /// not call. Default: half an hour. Zero: waits for ever.
  mpi_policy timeout(std::chrono::duration<double> longest_wait) const noexcept {
    mpi_policy policy = *this;
    policy.execution_.timeout_seconds = longest_wait.count();
    return policy;
  }

  /// The same policy with an engine of the caller's choice.
  mpi_policy engine(mpi_engine engine) const noexcept {
    mpi_policy policy = *this;
    policy.execution_.engine = static_cast<int>(engine);
    return policy;
  }

  /// The same policy with messages of at most so many bytes (an element at least, 2^31 - 1 at
  /// most), that `pairwise` overlaps. Default: 1 MiB.
  mpi_policy piece_bytes(index bytes) const noexcept {
    mpi_policy policy = *this;
    policy.execution_.piece_bytes = bytes;
    return policy;
  }

  constexpr detail::dist_execution execution() const noexcept { return execution_; }

 private:
  detail::dist_execution execution_;
};

/// The policy of a context; the context has to outlive it.
inline mpi_policy mpi(mpi_context const& context) noexcept { return mpi_policy(context); }

namespace detail {

XPOSE_MPI_EXPORT dist_execution default_execution(mpi_state* state) noexcept;
XPOSE_MPI_EXPORT void run_dist_move(dist_execution const& where, dist_move const& move);
XPOSE_MPI_EXPORT void run_dist_sum(dist_execution const& where, dist_sum const& sum);
XPOSE_MPI_EXPORT void run_dist_product(dist_execution const& where, dist_product const& product);

/// Makes an execution of the compiled library the policy of a typed call.
struct given_execution {
  execution where;
};
template <>
struct policy_traits<given_execution> {
  static constexpr device_use uses_device = device_use::never;
  static execution make(given_execution const& p) noexcept { return p.where; }
};

template <class In, class Out>
constexpr void require_move() {
  static_assert(!std::is_const_v<Out>, "xpose: the output view must not be const");
  static_assert(std::is_same_v<std::remove_cv_t<In>, Out>,
                "xpose: input and output of a distributed call have one element type");
}

template <class... Arguments>
inline constexpr bool is_dist_call = false;

/// alpha and beta as a number (FNV-1a of their bytes), which has to be the same on all processes.
inline std::uint64_t digest_of_bytes(unsigned char const* bytes, std::size_t count) {
  std::uint64_t digest = 14695981039346656037U;
  for (std::size_t i = 0; i < count; ++i) digest = (digest ^ bytes[i]) * 1099511628211U;
  return digest;
}
template <class K>
std::uint64_t digest_of(K const& alpha, K const& beta) {
  // Other types, long double among them, may have padding, which is anything.
  if constexpr (element_type_of<K>() == element_type::other)
    return static_cast<std::uint64_t>(kind_of(alpha)) * 4 +
           static_cast<std::uint64_t>(kind_of(beta));
  unsigned char bytes[2 * sizeof(K)];
  std::memcpy(bytes, &alpha, sizeof(K));
  std::memcpy(bytes + sizeof(K), &beta, sizeof(K));
  return digest_of_bytes(bytes, sizeof(bytes));
}

template <class T>
matrix_view<T> local_view(operand const& o) {
  return {static_cast<T*>(const_cast<void*>(o.data)), o.rows, o.cols,
          strided{o.row_stride, o.col_stride}};
}

/// The local part of add(): the typed call that a single process would make.
template <class K, class A, class B, class C>
struct typed_sum {
  K alpha;
  K beta;
  static void run(void const* context, execution const& where, operand const& a, operand const& b,
                  operand const& c) {
    auto const& self = *static_cast<typed_sum const*>(context);
    dispatch_add<matrix_view<A const>, matrix_view<B const>, matrix_view<C>>(
        given_execution{where}, self.alpha, local_view<A const>(a), self.beta,
        local_view<B const>(b), local_view<C>(c), where.report);
  }
};

template <class T>
constexpr bool is_product_type = element_type_of<T>() == element_type::f32
                                 || element_type_of<T>() == element_type::f64
                                 || element_type_of<T>() == element_type::complex_f32
                                 || element_type_of<T>() == element_type::complex_f64;

template <class Run>
explanation dist_explanation(dist_execution where, Run const& run) {
  explanation_text text{};
  where.explained = &text;
  run(where);
  return {text.backend, text.kernel, text.reason};
}

template <class Alpha, class A, class Beta, class B, class C>
void dist_add(dist_execution const& where, Alpha const& alpha, dist_matrix_view<A> const& a,
              Beta const& beta, dist_matrix_view<B> const& b, dist_matrix_view<C> const& c) {
  using Compute = add_compute_t<std::remove_cv_t<A>, std::remove_cv_t<B>>;
  using K = canonical_type_t<Compute>;
  static_assert(!std::is_const_v<C>, "xpose: add's C must not be const");
  static_assert(!std::is_integral_v<Compute> ||
                    (!std::is_floating_point_v<Alpha> && !std::is_floating_point_v<Beta>),
                "xpose: a floating alpha or beta would be cut to the integer element type; pass "
                "integers");
  auto const scalar = [](auto const& x) {
    return static_cast<K>(as_kernel_value(cast<Compute>{}(x)));
  };
  using sum = typed_sum<K, std::remove_cv_t<A>, std::remove_cv_t<B>, C>;
  sum const typed{scalar(alpha), scalar(beta)};
  run_dist_sum(where, {make_dist_operand(a),
                       make_dist_operand(b),
                       make_dist_operand(c),
                       kind_of(typed.alpha) != scalar_kind::zero,
                       kind_of(typed.beta) != scalar_kind::zero,
                       digest_of(typed.alpha, typed.beta),
                       {&typed, &sum::run}});
}

template <class Alpha, class A, class B, class Beta, class C>
void dist_gemm(dist_execution const& where, Alpha const& alpha, dist_matrix_view<A> const& a,
               dist_matrix_view<B> const& b, Beta const& beta, dist_matrix_view<C> const& c) {
  static_assert(!std::is_const_v<C>, "xpose: gemm's C must not be const");
  static_assert(std::is_same_v<std::remove_cv_t<A>, C> && std::is_same_v<std::remove_cv_t<B>, C>,
                "xpose: A, B and C of a distributed gemm have one element type");
  static_assert(is_product_type<C>,
                "xpose: a distributed gemm is ScaLAPACK's p?gemm: of float, double and their "
                "complex numbers");
  using K = canonical_type_t<C>;
  auto const scalar = [](auto const& x) { return static_cast<K>(as_kernel_value(cast<C>{}(x))); };
  K const scalars[2] = {scalar(alpha), scalar(beta)};
  run_dist_product(where, {make_dist_operand(a), make_dist_operand(b), make_dist_operand(c),
                           &scalars[0], &scalars[1]});
}

}  // namespace detail

inline mpi_policy::mpi_policy(mpi_context const& context) noexcept
    : execution_(detail::default_execution(context.state_)) {}

/// out(j, i) = in(i, j), whatever processes hold the two: in is r x c and out c x r by their
/// layouts, which may differ in everything else. Elements are trivially copyable, of any size, and
/// move as bits. Collective. Throws on every process: shape_error (extents that do not fit, a grid
/// larger than the communicator, a local matrix with other extents than the layout's), layout_error
/// (blocks or grid rows below 1, null local data with elements, a leading dimension below its
/// extent, layouts that differ between processes), alias_error (local parts of in and out overlap),
/// residency_error, std::bad_alloc, all before data moves; mpi_error on the process whose MPI call
/// failed. Returns on a process when its part of out is ready, and its part of in may change. If
/// out's layout is in.layout().transposed(), or holds each element where that does, no element
/// travels. Else a process sends each element that it has to give away once, after one allreduce of
/// 768 bytes that every call makes; on devices a second one ends the call, and a cuda_error of one
/// process is thrown on all. Memory: `pairwise` takes 8 pieces, `collective` the bytes sent and
/// received, both of pinned memory kept by the context on devices; `shared_memory` up to 32 MB kept
/// by the context; `nccl` up to 128 pieces of a device's, from its policy.
template <class In, class Out>
void transpose(mpi_policy const& policy, dist_matrix_view<In> const& in,
               dist_matrix_view<Out> const& out) {
  detail::require_move<In, Out>();
  detail::run_dist_move(policy.execution(),
                        {detail::dist_operation::transpose, detail::make_dist_operand(in),
                         detail::make_dist_operand(out)});
}

/// out(i, j) = in(i, j): the same matrix in another layout. Everything else as for transpose, which
/// is redistribute(policy, in.transposed(), out).
template <class In, class Out>
void redistribute(mpi_policy const& policy, dist_matrix_view<In> const& in,
                  dist_matrix_view<Out> const& out) {
  detail::require_move<In, Out>();
  detail::run_dist_move(policy.execution(),
                        {detail::dist_operation::redistribute, detail::make_dist_operand(in),
                         detail::make_dist_operand(out)});
}

/// C(i, j) = alpha * A(i, j) + beta * B(i, j), with the types and values of xpose::add. op() is
/// .transposed() on A and B. An operand that lies on other processes than C is redistributed first,
/// to memory for as many elements as the process has of C. alpha == 0 never reads or moves A,
/// beta == 0 never B. C may be A or B if the views are the same; else its memory must be apart.
/// Errors and collective behaviour as for transpose.
template <class Alpha, class A, class Beta, class B, class C>
void add(mpi_policy const& policy, Alpha const& alpha, dist_matrix_view<A> const& a,
         Beta const& beta, dist_matrix_view<B> const& b, dist_matrix_view<C> const& c) {
  detail::dist_add(policy.execution(), alpha, a, beta, b, c);
}

/// C(i, j) = alpha * sum over k of A(i, k) * B(k, j) + beta * C(i, j). On devices by cuBLASMp where
/// that and NCCL are found, the grid has all processes and blocks fit each other (docs/mpi.md);
/// memory is its workspace then. Else, on devices through memory of the host, by p?gemm: of the
/// program, if it is linked to one (COSMA's and MKL's have the same name), else of the library that
/// XPOSE_SCALAPACK names, else of the system's ScaLAPACK for this MPI. Elements are float, double
/// or their complex numbers, one type for all. op() is .transposed() on A and B. Grids must be the
/// one of C, for a transposed operand its transpose: redistribute what is elsewhere. beta == 0
/// never reads C, alpha == 0 never reads A or B, k == 0 gives beta * C. Throws, on every process
/// and before any work, what transpose does, and backend_error if there is no p?gemm or a size does
/// not fit its 32 bits. Memory: p?gemm's own, and a copy of each local part that is not contiguous
/// along C's contiguous index. Errors and bits are those of p?gemm, or cuBLASMp.
template <class Alpha, class A, class B, class Beta, class C>
void gemm(mpi_policy const& policy, Alpha const& alpha, dist_matrix_view<A> const& a,
          dist_matrix_view<B> const& b, Beta const& beta, dist_matrix_view<C> const& c) {
  detail::dist_gemm(policy.execution(), alpha, a, b, beta, c);
}

/// C(i, j) = sum over k of A(i, k) * B(k, j); C is never read.
template <class A, class B, class C>
void gemm(mpi_policy const& policy, dist_matrix_view<A> const& a, dist_matrix_view<B> const& b,
          dist_matrix_view<C> const& c) {
  detail::dist_gemm(policy.execution(), 1, a, b, 0, c);
}

/// How transpose, or redistribute (operation::copy), of these views would run, and why: kernel is
/// the engine, reason has the bytes and messages of the process that sends most, and what the cost
/// model expects of each engine. Collective; throws as the call itself would, and shape_error for
/// other operations.
template <class In, class Out>
explanation explain(mpi_policy const& policy, operation op, dist_matrix_view<In> const& in,
                    dist_matrix_view<Out> const& out) {
  detail::require(op == operation::transpose || op == operation::copy, op);
  return detail::dist_explanation(policy.execution(), [&](detail::dist_execution const& where) {
    bool const is_transpose = op == operation::transpose;
    detail::run_dist_move(where, {is_transpose ? detail::dist_operation::transpose
                                               : detail::dist_operation::redistribute,
                                  detail::make_dist_operand(in), detail::make_dist_operand(out)});
  });
}

/// How gemm of these views would run: kernel is cublasMpGemm or the p?gemm, reason where it was
/// found, and on devices what is in the way of cuBLASMp.
template <class A, class B, class C>
explanation explain(mpi_policy const& policy, operation op, dist_matrix_view<A> const& a,
                    dist_matrix_view<B> const& b, dist_matrix_view<C> const& c) {
  detail::require(op == operation::gemm, op);
  return detail::dist_explanation(policy.execution(), [&](detail::dist_execution const& where) {
    detail::dist_gemm(where, 1, a, b, 0, c);
  });
}

/// Other operands under xpose::mpi do not compile; the message says what to write.
template <class... Arguments>
void transpose(mpi_policy const&, Arguments const&...) {
  static_assert(detail::is_dist_call<Arguments...>,
                "xpose: write transpose(xpose::mpi(context), in, out) with two dist_matrix_view");
}
template <class... Arguments>
void redistribute(mpi_policy const&, Arguments const&...) {
  static_assert(detail::is_dist_call<Arguments...>,
                "xpose: write redistribute(xpose::mpi(context), in, out) with two "
                "dist_matrix_view");
}
template <class... Arguments>
void add(mpi_policy const&, Arguments const&...) {
  static_assert(detail::is_dist_call<Arguments...>,
                "xpose: write add(xpose::mpi(context), alpha, A, beta, B, C) with three "
                "dist_matrix_view");
}
template <class... Arguments>
void gemm(mpi_policy const&, Arguments const&...) {
  static_assert(detail::is_dist_call<Arguments...>,
                "xpose: write gemm(xpose::mpi(context), A, B, C) or gemm(xpose::mpi(context), "
                "alpha, A, B, beta, C) with three dist_matrix_view");
}

}  // namespace v0
}  // namespace xpose
