// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm's kernel for any type, semiring and conversion, instantiated where they are known. The sums
// of a tile are a local array of fixed size, whose columns the compiler's own vectors take.
// Assumes a checked problem.
#pragma once

#include <xpose/backends/core/problems/gemm_problem.hpp>
#include <xpose/backends/omp/gemm/kernel/kernel.hpp>

#include <new>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class Problem>
struct scalar_kernel {
  using K = typename Problem::accumulate_type;
  static_assert(alignof(K) <= 64, "xpose: gemm on omp accumulates in types aligned to at most 64");
  // Four rows of 256 bytes stay in the first-level cache. Min-plus of f32 as a user's own semiring,
  // 512x512x512 with -O2, -O3 and -O3 -march=native: 44, 36 and 15 ms; with sums of 64 bytes and
  // loops unrolled, for registers: 85, 288 and 221.
  static constexpr int mr = 4;
  static constexpr int nr = sizeof(K) >= 64 ? 4 : static_cast<int>(256 / sizeof(K));
  static constexpr index kc = 256;

  static Problem const& problem_of(void const* context) {
    return *static_cast<Problem const*>(context);
  }

  template <int Width, class Read>
  static void pack(panel_source const& s, char* panel, Read const& read) {
    Problem const& problem = problem_of(s.context);
    K* const out = reinterpret_cast<K*>(panel);
    for (index p = 0; p < s.k_extent; ++p)
      for (index i = 0; i < Width; ++i)
        out[p * Width + i] =
            i < s.width ? read(problem, s.first + i * s.step + p * s.k_step) : problem.zero();
  }
  static void pack_a(panel_source const& s, char* panel) {
    pack<mr>(s, panel, [](Problem const& problem, char const* element) {
      return problem.read_a(*reinterpret_cast<typename Problem::a_type const*>(element));
    });
  }
  static void pack_b(panel_source const& s, char* panel) {
    pack<nr>(s, panel, [](Problem const& problem, char const* element) {
      return problem.read_b(*reinterpret_cast<typename Problem::b_type const*>(element));
    });
  }

  /// One step of one row. Not unrolled: unrolled, GCC 12 takes no vectors.
  XPOSE_CALLS_USER_CODE
  static void add_products(Problem const& problem, K* __restrict accumulators, K const& x,
                           K const* __restrict b) {
    K const factor = x;
    Problem const& p = problem;
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#pragma GCC unroll 1
#endif
    for (int j = 0; j < nr; ++j) accumulators[j] = p.accumulate(accumulators[j], factor, b[j]);
  }

  static void microkernel(microkernel_args const& args) {
    Problem const& problem = problem_of(args.context);
    auto const row_of_sums = [&](index i) {
      return reinterpret_cast<K*>(args.accumulators + i * args.accumulators_pitch);
    };
    K accumulators[mr][nr];
    for (int i = 0; i < mr; ++i)
      for (int j = 0; j < nr; ++j) accumulators[i][j] = problem.zero();
    K const* a = reinterpret_cast<K const*>(args.a);
    K const* b = reinterpret_cast<K const*>(args.b);
    if (args.rows == mr && args.cols == nr) {
      for (index p = 0; p < args.k_groups; ++p, a += mr, b += nr)
        for (int i = 0; i < mr; ++i) add_products(problem, accumulators[i], a[i], b);
    } else {
      for (index p = 0; p < args.k_groups; ++p, a += mr, b += nr)
        for (index i = 0; i < args.rows; ++i)
          for (index j = 0; j < args.cols; ++j)
            accumulators[i][j] = problem.accumulate(accumulators[i][j], a[i], b[j]);
    }
    for (index i = 0; i < args.rows; ++i)
      for (index j = 0; j < args.cols; ++j) {
        K& target = row_of_sums(i)[j];
        target =
            args.continues ? problem.semiring.add(target, accumulators[i][j]) : accumulators[i][j];
      }
  }

  static void split_k_reduce(split_k_partials const& args) {
    Problem const& problem = problem_of(args.context);
    for (index i = 0; i < args.rows; ++i) {
      K* const accumulators = reinterpret_cast<K*>(args.accumulators + i * args.pitch);
      K const* const partials = reinterpret_cast<K const*>(args.partials + i * args.pitch);
      for (index j = 0; j < args.cols; ++j)
        accumulators[j] = problem.semiring.add(accumulators[j], partials[j]);
    }
  }

  static void construct(char* memory, index count) {
    ::new (static_cast<void*>(memory)) K[static_cast<std::size_t>(count)];
  }
  static void destroy(char* memory, index count) {
    K* const objects = std::launder(reinterpret_cast<K*>(memory));
    for (index i = 0; i < count; ++i) objects[i].~K();
  }

  static constexpr gemm_kernel make() {
    constexpr bool is_plain =
        std::is_trivially_default_constructible_v<K> && std::is_trivially_copyable_v<K>;
    gemm_kernel k{};
    k.name = "gemm_any_type";
    k.mr = mr;
    k.nr = nr;
    k.vector_cols = nr;
    k.kc = kc;
    k.k_group_size = 1;
    k.k_groups_per_block = 1;
    k.a_step = mr * sizeof(K);
    k.b_step = nr * sizeof(K);
    k.accumulator_bytes = sizeof(K);
    k.pack_a = pack_a;
    k.pack_b = pack_b;
    k.microkernel = microkernel;
    k.split_k_reduce = split_k_reduce;
    k.construct = is_plain ? nullptr : construct;
    k.destroy = is_plain ? nullptr : destroy;
    return k;
  }
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
