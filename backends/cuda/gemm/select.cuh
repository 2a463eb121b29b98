// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Selection on a CUDA device: which table of configs a product has, whether the product or its
// transposed runs, and which config gemm/cost_model.cpp expects to end first.
#pragma once

#include <xpose/backends/cuda/gemm/config/table.hpp>
#include <xpose/backends/cuda/gemm/gemv.cuh>
#include <xpose/backends/cuda/gemm/pad_operands.cuh>
#include <xpose/backends/cuda/gemm/sm80/dmma.cuh>
#include <xpose/backends/cuda/gemm/sm80/unaligned_tiles.cuh>
#include <xpose/backends/cuda/gemm/sm90/kernel.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// What precision() has faster kernels for (gemm/f32_on_tensor_cores).
using f32_problem = gemm_problem<float, float, float, float, plus_times, deferred_layer<float>>;

/// The configs of two tables.
template <class First, class Second>
struct joined_configs {
  static constexpr int of_first = sizeof First::configs / sizeof First::configs[0];
  static constexpr int of_second = sizeof Second::configs / sizeof Second::configs[0];
  struct list {
    gemm_config configs[of_first + of_second];
  };
  static constexpr list all = [] {
    list joined{};
    for (int c = 0; c < of_first; ++c) joined.configs[c] = First::configs[c];
    for (int c = 0; c < of_second; ++c) joined.configs[of_first + c] = Second::configs[c];
    return joined;
  }();
  static constexpr auto const& configs = all.configs;
};

/// Products that mma.sync and wgmma have.
template <class Problem>
constexpr bool has_mma_sync = [] {
  using T = typename Problem::a_type;
  using K = typename Problem::accumulate_type;
  bool const is_half = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;
  bool const is_byte = std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t>;
  return std::is_same_v<T, typename Problem::b_type> &&
         std::is_same_v<typename Problem::semiring_type, plus_times> &&
         ((is_half && std::is_same_v<K, float>) || (is_byte && std::is_same_v<K, std::int32_t>));
}();

/// Products that wgmma alone has.
template <class Problem>
constexpr bool has_float8_wgmma =
    is_float8<typename Problem::a_type>&& is_float8<typename Problem::b_type>&&
        std::is_same_v<typename Problem::semiring_type, plus_times>&&
            std::is_same_v<typename Problem::accumulate_type, float>;

template <class Problem>
struct gemm_configs_of {
  using K = typename Problem::accumulate_type;
  static constexpr bool is_plus_times = std::is_same_v<typename Problem::semiring_type, plus_times>;

  static constexpr auto find() {
    constexpr int bytes = sizeof(K);
    if constexpr (bytes > 16) return large_accumulator_configs<bytes>{};
    else if constexpr (std::is_same_v<typename Problem::a_type, tf32_element>)
      return tf32_configs{};
    else if constexpr (has_float8_wgmma<Problem>) return float8_configs{};
    else if constexpr (has_mma_sync<Problem>)
      return std::conditional_t<sizeof(typename Problem::a_type) == 2, half_configs,
                                byte_configs>{};
    else if constexpr (!can_cp_async<Problem>) return converting_configs{};
    else if constexpr (is_plus_times && std::is_same_v<K, float>) return f32_configs{};
    else if constexpr (is_plus_times && std::is_same_v<K, double>) return f64_configs{};
    else if constexpr (is_plus_times && std::is_same_v<K, complex_value<float>>)
      return c64_configs{};
    else if constexpr (is_plus_times && std::is_same_v<K, complex_value<double>>)
      return c128_configs{};
    else {
      using by_size =
          std::conditional_t<bytes == 4, configs_4_bytes,
                             std::conditional_t<bytes == 8, configs_8_bytes, configs_16_bytes>>;
      using or_converting = joined_configs<by_size, converting_configs>;
      return std::conditional_t<(alignof(K) < bytes), or_converting, by_size>{};
    }
  }
  using type = decltype(find());
  static constexpr int count = sizeof type::configs / sizeof type::configs[0];
  static constexpr bool has_wgmma = type::configs[0].kind == gemm_kernel_kind::wgmma;
};

/// Whether C^T = B^T A^T is a product of the same types.
template <class Problem>
constexpr bool can_be_transposed =
    std::is_same_v<typename Problem::a_type, typename Problem::b_type>&& stores_plain<Problem>&&
        is_plain_number<typename Problem::accumulate_type>&&
        semiring_id_of<typename Problem::semiring_type>() != semiring_id::user;

// Functions that ask a kernel for its attributes, choose by them or launch are static, here and in
// all files of gemm/ that launch. Two files of a program may instantiate the same product for
// different architectures. The linker would merge functions that are not static, one by one: the
// choice could come from one file and the kernels from the other, as nvcc makes their host stubs
// static since CUDA 13. Before, both files have the stub that the linker kept, and its attributes
// are those of the kernel that runs.

/// Empty: it has the attributes of the kernels of the same problem, which the same file
/// instantiates.
template <class Problem>
__global__ void gemm_probe() {}

/// Whether a wgmma kernel was compiled for this device: where it was not, it has no barriers in
/// shared memory. Devices after 90 have no wgmma, whatever shared memory a driver says that their
/// kernels have.
template <class... Params>
static bool is_compiled_for_wgmma(void (*kernel)(Params...)) {
  return properties_of_device().capability == 90 && attributes_of_kernel(kernel).shared_bytes > 0;
}

template <class Problem>
static bool has_wgmma() {
  using table = typename gemm_configs_of<Problem>::type;
  using tile = wgmma_tile<table, 0, table::configs[0].least_cols, typename Problem::a_type,
                          typename Problem::b_type, true, true>;
  static_assert(gemm_configs_of<Problem>::has_wgmma);
  return is_compiled_for_wgmma(gemm_wgmma<tile, Problem>);
}

/// The current device; its capability is no more than what the problem's kernels were compiled for.
template <class Problem>
static gemm_gpu gpu_for() {
  constexpr bool asks_capability = [] {
    for (gemm_config const& config : gemm_configs_of<Problem>::type::configs)
      if (config.capability > 0) return true;
    return adds_in_cluster<Problem>;
  }();
  device_properties const device = properties_of_device();
  int capability = device.capability;
  if constexpr (asks_capability)
    capability = std::min(capability, attributes_of_kernel(gemm_probe<Problem>).capability);
  gemm_gpu gpu{device.multiprocessors, capability, device.shared_bytes};
  if constexpr (adds_in_cluster<Problem>)
    if (capability >= 90) clusters_of_device().copy_to(gpu.clusters);
  gpu.rates = gemm_rates_of_device();
  return gpu;
}

template <class Problem>
constexpr bool has_simt_tiles =
    gemm_configs_of<Problem>::type::configs[0].kind == gemm_kernel_kind::simt;

/// Tables whose tiles have several heights and widths, and store either way in whole sectors where
/// C has vectors.
template <class Table>
constexpr bool stores_either_way =
    std::is_same_v<Table, f64_configs> || std::is_same_v<Table, c64_configs> ||
    std::is_same_v<Table, c128_configs>;

/// Whether C has few rows or columns, and more of the others: of such tables up to 256. f64
/// 5144x120x312 NT takes 14.1 us, as C^T 14.6 (H200, 2026-11-29); of c64 145x12095x80 three rows of
/// 64x32 tiles are a quarter empty, five columns of them as C^T a tenth (2026-11-30).
template <class Problem>
bool is_skinny(Problem const& problem) {
  constexpr index few = stores_either_way<typename gemm_configs_of<Problem>::type> ? 256 : 32;
  auto const has_few = [](index these, index others) { return these <= few && these < others; };
  return has_few(problem.rows, problem.cols) || has_few(problem.cols, problem.rows);
}

template <class Problem>
static gemm_extents extents_of(Problem const& problem) {
  auto const is_aligned_to_size = [](auto const& o) {
    return reinterpret_cast<std::uintptr_t>(o.data) % sizeof(*o.data) == 0;
  };
  gemm_extents extents{problem.batch,
                       problem.rows,
                       problem.cols,
                       problem.k_extent,
                       sizeof(typename Problem::a_type),
                       sizeof(typename Problem::b_type),
                       sizeof(typename Problem::c_type),
                       sizeof(typename Problem::accumulate_type),
                       is_aligned_to_size(problem.a) && is_aligned_to_size(problem.b),
                       adds_in_cluster<Problem>,
                       {0, false},
                       {-1, false}};
  extents.has_layer = has_layer(problem);
  if constexpr (has_mma_sync<Problem>) extents.copied = copies_to_align(problem, false);
  if constexpr (gemm_configs_of<Problem>::has_wgmma)
    if (problem.k_extent > 0 && has_wgmma<Problem>()) {
      extents.copied_for_tma = copies_to_align(problem, true);
      extents.a_loads_wide = aligned_a(problem, true).has_sectors();
      extents.b_loads_wide = aligned_b(problem, true).has_sectors();
      extents.a_is_mn_major = !aligned_a(problem, true).is_k_major();
      extents.b_is_mn_major = !aligned_b(problem, true).is_k_major();
      extents.a_from_registers =
          !can_be_mn_major<typename Problem::a_type> && extents.a_is_mn_major;
      if constexpr (has_smem_epilogue<Problem>) {
        bool const by_rows = can_tma_store_c(problem, false);
        bool const by_cols = has_col_epilogue<Problem> &&
                             (!takes_a_from_registers<Problem> || extents.a_from_registers) &&
                             can_tma_store_c(problem, true);
        extents.stores_c_by_tma = by_rows || by_cols;
        extents.may_split =
            !can_be_transposed<Problem> || by_rows || !by_cols || is_skinny(problem);
      }
    }
  if constexpr (!gemm_configs_of<Problem>::has_wgmma) {
    // SIMT's tiles are MN-major, so that it loads K-major operands by elements.
    auto const is_wide = [](operand_access how) {
      return how == operand_access::mn_major_vec16 ||
             (how == operand_access::k_major_vec16 && !has_simt_tiles<Problem>);
    };
    extents.a_loads_wide = is_wide(access_of(operand_a(problem)));
    extents.b_loads_wide = is_wide(access_of(operand_b(problem)));
  }
  return extents;
}

template <class Problem>
static gemm_choice choose_config(Problem const& problem) {
  using table = gemm_configs_of<Problem>;
  return choose_gemm_config(table::type::configs, table::count, extents_of(problem),
                            gpu_for<Problem>());
}

/// C^T = B^T A^T.
template <class Problem>
Problem transposed_product(Problem const& problem) {
  Problem other = problem;
  auto const transposed = [](auto operand) {
    std::swap(operand.row_stride, operand.col_stride);
    return operand;
  };
  other.a = transposed(problem.b);
  other.b = transposed(problem.a);
  other.c = transposed(problem.c);
  std::swap(other.rows, other.cols);
  std::swap(other.conjugate_a, other.conjugate_b);
  if constexpr (may_have_layer<typename Problem::epilogue_type>)
    other.epilogue = problem.epilogue.transposed();
  return other;
}

/// Whether a product has a config, and ends so many times before the other or the other has none.
inline bool is_faster(gemm_choice const& choice, gemm_choice const& other, double gain = 1) {
  return choice.cycles >= 0 && (other.cycles < 0 || choice.cycles * gain < other.cycles);
}

/// Batches of products whose time is largely that of storing C, which SIMT does best along its
/// rows.
template <class Problem>
bool is_batch_of_small(Problem const& problem) {
  constexpr index least = 9, most = 64;
  auto const is_small = [](index extent) { return extent >= least && extent <= most; };
  return has_simt_tiles<Problem> && problem.batch > 1 && is_small(problem.rows) &&
         is_small(problem.cols);
}

/// Whether C^T may end earlier where kernels store it by columns. 4-byte C: where an MN-major B, as
/// A of the transposed product, need not be copied. 2-byte C: in any layout, as tiles have any
/// number of columns but of rows 64, 128 or 256; a layer's values are read by rows.
template <class Problem>
bool may_gain_by_cols(Problem const& by_rows) {
  if constexpr (takes_a_from_registers<Problem>) return by_rows.b.col_stride == 1;
  else if constexpr (may_have_layer<typename Problem::epilogue_type>)
    return !by_rows.epilogue.is_given();
  else return true;
}

/// What the model must expect of columns of 2-byte C: it errs by that much (f16 216x6672x680 NT
/// 8.4 us by columns, 8.0 by rows, 7.2 expected; H100, 2026-11-27).
template <class Problem>
constexpr double least_gain = takes_a_from_registers<Problem> ? 1 : 1.07;

/// The product or its transposed, whichever the configs' tiles suit: C is written along its rows,
/// unless kernels store it by columns and the cost model expects C^T to end earlier. Of few rows or
/// columns the cost model decides: c64 6480x32x1048 NT as C^T took 80 us, cuBLAS 48 (H100,
/// 2026-11-27).
template <class Problem>
static Problem oriented_for_tiles(Problem const& problem) {
  if constexpr (can_be_transposed<Problem>) {
    bool const either_way = is_skinny(problem) && !is_batch_of_small(problem);
    bool const is_col_major = problem.c.row_stride == 1 && problem.c.col_stride != 1;
    Problem const by_rows = is_col_major ? transposed_product(problem) : problem;
    if (!either_way) {
      if constexpr (has_col_epilogue<Problem>) {
        Problem const by_cols = transposed_product(by_rows);
        if (may_gain_by_cols(by_rows) && can_tma_store_c(by_cols, true)) {
          gemm_choice const choice = choose_config(by_cols);
          bool const is_by_tma = choice.config >= 0 &&
                                 is_wgmma(gemm_configs_of<Problem>::type::configs[choice.config]) &&
                                 choice.split_k == 1;
          if (is_by_tma && is_faster(choice, choose_config(by_rows), least_gain<Problem>))
            return by_cols;
        }
      }
      return by_rows;
    }
    Problem const by_cols = transposed_product(by_rows);
    return is_faster(choose_config(by_cols), choose_config(by_rows)) ? by_cols : by_rows;
  }
  return problem;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
