// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Driver of transpose, copy and permute through an element function on a GPU: plan, select a
// kernel, launch, synchronise if asked. Assumes checked operands. The library instantiates it for
// conjugate and cast<T>, a user's .cu file for its own functions.
#pragma once

#include <xpose/backends/cuda/elementwise/small_batched.cuh>
#include <xpose/backends/cuda/elementwise/tile_aligned.cuh>
#include <xpose/backends/cuda/transpose/kernels/direct.cuh>
#include <xpose/backends/cuda/transpose/kernels/small_scattered.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

inline transpose_problem problem_of(function_copy const& c) {
  return problem_of(c.plan, 0, c.in, c.out);
}

/// In vectors of ElementsAtOnce, one a thread; leaves the elements at the end that fill no vector.
/// us by four vectors a thread and so: f64 to f32 of 107364 4.44, 2.88, of 4000000 15.6, 14.3; bf16
/// to f32 3.77, 2.53 and 10.3, 8.8; f32 to f16 3.01, 2.61 and 8.9, 8.8 (H200, 2026-12-01).
template <class In, class Out, int ElementsAtOnce = 1, class F>
void launch_in_output_order(execution const& where, function_copy const& c, F const& f) {
  outer_dimensions all{};
  auto run = c.plan.dimensions[0];
  run.extent /= ElementsAtOnce;
  run.in_stride *= ElementsAtOnce;
  run.out_stride *= ElementsAtOnce;
  all.add(run);
  for (int d = 1; d < c.plan.count; ++d) all.add(c.plan.dimensions[d]);
  index const count = c.plan.units / ElementsAtOnce;
  if constexpr (ElementsAtOnce > 1) launch_direct<In, Out, 1>(where, c.in, c.out, all, count, f);
  else launch_direct_elements<In, Out>(where, c.in, c.out, all, count, f);
}

/// In vectors; the remainder of a single run is copied one element at a time. So is a short run
/// that has one: of 119794 bfloat16 to f32 two launches take 6.7 us, where cudaMemcpy takes 3.1
/// (H100, 2026-11-27).
template <class In, class Out, class F>
void launch_vectors(execution const& where, function_copy const& c, F const& f) {
  constexpr int vector = elements_in_vector(sizeof(In), sizeof(Out));
  index const run = c.plan.dimensions[0].extent;
  index const left = run % vector;
  constexpr index short_run = index{1} << 18;
  if (left != 0 && run < short_run) return launch_in_output_order<In, Out>(where, c, f);
  if (run > left)
    launch_in_output_order<element_vector<In, vector>, element_vector<Out, vector>, vector>(
        where, c, on_vectors<In, Out, vector, F>{f});
  if (left == 0) return;
  function_copy rest = c;
  rest.plan.dimensions[0].extent = rest.plan.units = left;
  rest.in += (run - left) * c.in_bytes;
  rest.out += (run - left) * c.out_bytes;
  launch_in_output_order<In, Out>(where, rest, f);
}

/// Launches the kernel that was chosen for a piece of a copy.
template <class In, class Out, class F>
void launch_function(execution const& where, function_kernel kernel, function_copy const& c,
                     F const& f) {
  constexpr int vector = elements_in_vector(sizeof(In), sizeof(Out));
  if constexpr (vector > 1)
    if (kernel == function_kernel::vectors) return launch_vectors<In, Out>(where, c, f);
  if constexpr (has_aligned_tile(sizeof(In), sizeof(Out)))
    if (kernel == function_kernel::aligned) {
      using tile = result_tile<sizeof(Out)>;
      return launch_tiles<tile>(where, "transpose_function", transpose_function<In, Out, F>,
                                problem_of(c), tile::shared_bytes, 0, f);
    }
  if constexpr (has_unaligned_tile(sizeof(In), sizeof(Out))) {
    if (kernel == function_kernel::small_batched)
      return launch_small_batched<In, Out>(where, problem_of(c), f);
    if (kernel == function_kernel::unaligned || kernel == function_kernel::skinny_cols ||
        kernel == function_kernel::skinny_rows)
      return launch_unaligned_or_skinny<In, Out>(where, kernel, problem_of(c), f);
  }
  if constexpr (sizeof(Out) <= max_tile_element_bytes) {
    if (kernel == function_kernel::small_scattered)
      return launch_small_scattered<In, Out>(where, "transpose_small_scattered<function>",
                                             problem_of(c), f);
    if (kernel == function_kernel::strided)
      return launch_tile_strided<In, Out>(where, problem_of(c), f);
  }
  launch_in_output_order<In, Out>(where, c, f);
}

/// out(i..) = f(in(i..)).
template <class In, class Out, class F>
void cuda_copy(execution const& where, tensor_operand const& in, tensor_operand const& out,
               F const& f) {
  for_each_function_piece(plan_function_copy(in, out), [&](function_copy const& piece) {
    function_config const& config = select_function_kernel(piece);
    if (!explain_only(where, config.name)) launch_function<In, Out>(where, config.kernel, piece, f);
  });
  finish(where);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
