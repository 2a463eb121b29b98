// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Small products that are not checked and chosen again: those that a thread repeats, and those of
// plans.

#include <xpose/backends/core/availability.hpp>
#include <xpose/backends/core/environment.hpp>
#include <xpose/backends/core/trace/watchers.hpp>
#include <xpose/backends/omp/gemm/small/ready.hpp>
#include <xpose/detail/planned_product.hpp>

#include <new>
#include <type_traits>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// A small product of a thread, for its next ones. Of 740 instructions of a call of 4x4x4, 490
/// check and choose what a loop has checked and chosen before; finding that it has takes 310. f32
/// of 4, 8, 12 cubed 49, 63, 86 ns, so 44, 57, 80; 2x7x34 NT 80, 54; 33x3x7 NT 119, 107; NN and TN
/// in turn 53, 44 (Emerald Rapids, 2026-11-30). The driver is looked for every time: 8 ns.
struct known_product {
  /// Of more, the call is some percent.
  static constexpr index most_products = 32 * 32 * 32;

  unsigned generation;  // of the environment; 0: none is known
  backend_id backend;
  gemm_request request;
  ready_product ready;

  bool is_of(execution const& where, gemm_request const& r) const {
    return backend == where.backend && r.layer == nullptr && has_same_layout(request.a, r.a) &&
           has_same_layout(request.b, r.b) && has_same_layout(request.c, r.c) &&
           request.accumulate == r.accumulate && request.semiring == r.semiring &&
           request.alpha_is_one == r.alpha_is_one && request.alpha_is_zero == r.alpha_is_zero &&
           request.beta_is_zero == r.beta_is_zero;
  }

  static bool has_same_layout(operand const& x, operand const& y) {
    // One comparison for all: they are equal in nearly every call. Complex numbers of one element
    // type have other alignments in other libraries.
    auto const differs = (x.batch ^ y.batch) | (x.rows ^ y.rows) | (x.cols ^ y.cols) |
                         (x.batch_stride ^ y.batch_stride) | (x.row_stride ^ y.row_stride) |
                         (x.col_stride ^ y.col_stride) | (x.alignment ^ y.alignment);
    return differs == 0 && x.type == y.type && x.conjugated == y.conjugated;
  }
};

/// Up to eight products of a thread, each in the slot that a hash of its extents, its type and
/// which of its strides are 1 decides.
struct known_products {
  static constexpr std::size_t count = 8;

  static std::uint64_t hash(gemm_request const& r) {
    auto const strides = (r.a.col_stride == 1 ? 1u : 0u) + (r.b.col_stride == 1 ? 2u : 0u) +
                         (r.c.col_stride == 1 ? 4u : 0u);
    auto const of = [](index x) { return static_cast<std::uint64_t>(x); };
    std::uint64_t const mixed = of(r.c.rows) + (of(r.c.cols) << 16) + (of(r.a.cols) << 32) +
                                (of(static_cast<index>(r.c.type)) << 48) +
                                (std::uint64_t{strides} << 56);
    return mixed * 0x9E3779B97F4A7C15u;
  }
  static std::size_t slot_of(std::uint64_t hash) { return hash >> 61; }

  known_product products[count] = {};
  unsigned generation = 0;         // before the last call that was not repeated read anything
  std::uint64_t seen[count] = {};  // the hash of the last one in each slot
};
static_assert(std::is_trivially_destructible_v<known_products>);
thread_local known_products products_of_thread;
/// Apart, so that a call asks for its thread's memory once.
[[gnu::noinline]] known_products& known_to_thread() { return products_of_thread; }

/// Whether products of this call are remembered, and repeated: of cuda none, also where it falls
/// back to the processor, and none that a report is asked of.
bool may_be_known(execution const& where) {
  return where.backend != backend_id::cuda && where.report == nullptr &&
         limit_of_small_products.load(std::memory_order_relaxed) == no_limit_of_small_products;
}

template <class Ready>
planned_product keep(unsigned generation, Ready const& ready) {
  static_assert(sizeof(Ready) <= sizeof(planned_product::state));
  static_assert(std::is_trivially_copyable_v<Ready> && alignof(Ready) <= alignof(std::max_align_t));
  planned_product plan{};
  plan.generation = generation;
  plan.multiply = [](planned_product const& kept, void const* a, void const* b, void const* c,
                     void const* alpha, void const* beta) {
    auto const& product = *std::launder(reinterpret_cast<Ready const*>(kept.state));
    if (kept.generation != environment_generation.load(std::memory_order_acquire) ||
        !product.bounds.are_plainly_right(a, b, c))
      return false;
    product.multiply(a, b, c, alpha, beta);
    return true;
  };
  new (plan.state) Ready(ready);
  return plan;
}

}  // namespace

void remember_small_gemm(execution const& where, gemm_request const& r, small_batch const& batch,
                         small_kernel const& kernel) {
  if (r.c.rows * r.c.cols * r.a.cols > known_product::most_products || !may_be_known(where)) return;
  known_products& all = known_to_thread();
  // A copy takes as long as 4x4x4: none of products that alternate in a slot.
  std::uint64_t const hash = known_products::hash(r);
  std::size_t const slot = known_products::slot_of(hash);
  bool const comes_again = all.seen[slot] == hash;
  all.seen[slot] = hash;
  if (!comes_again || has_driver()) return;
  operand_bounds const bounds = operand_bounds::of(r);
  if (bounds.are_known())
    all.products[slot] = {all.generation, where.backend, r,
                          ready_product::of(batch, kernel, bounds)};
}

bool repeat_small_gemm(execution const& where, gemm_request const& r) {
  if (!may_be_known(where)) return false;
  known_products& all = known_to_thread();
  known_product const& known = all.products[known_products::slot_of(known_products::hash(r))];
  unsigned const now = environment_generation.load(std::memory_order_acquire);
  if (known.generation != now || !known.is_of(where, r) ||
      !known.ready.bounds.are_plainly_right(r.a.data, r.b.data, r.c.data) || has_driver()) {
    all.generation = now;
    return false;
  }
  known.ready.multiply(r.a.data, r.b.data, r.c.data, r.alpha, r.beta);
  return true;
}

planned_product plan_small_gemm(execution const& where, chosen_backend const& chosen,
                                gemm_request const& r) {
  unsigned const generation = environment_generation.load(std::memory_order_acquire);
  bool const is_watched = watchers.value() != 0;
  operand_bounds const bounds = operand_bounds::of(r);
  if (chosen.id != backend_id::omp || is_watched || !may_be_known(where) || !bounds.are_known())
    return {};
  small_batch batch;
  if (small_kernel const* const kernel = choose_small_kernel(where, r, batch))
    return batch.needs_scratch() || r.c.rows * r.c.cols * r.a.cols > most_small_products
               ? planned_product{}  // how many threads multiply more is asked at each call
               : keep(generation, ready_product::of(batch, *kernel, bounds));
  small_gemv gemv;
  if (!choose_small_gemv(where, r, gemv)) return {};
  return keep(generation, ready_gemv{gemv.first, gemv.multiply, gemv.is_exchanged, bounds});
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
