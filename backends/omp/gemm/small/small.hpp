// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Products too small to plan or to pack: what the general driver does around a microkernel takes
// as long as 16x16x16 of f32, and packing as long as 24x24x24.
#pragma once

#include <xpose/backends/omp/runtime/isa.hpp>
#include <xpose/detail/element_type.hpp>
#include <xpose/detail/request.hpp>

#include <limits>

namespace xpose {
inline namespace v0 {
namespace detail {

/// C = [alpha] A B [+ beta C] of reals or complex numbers, all of them where they are. Rows of B
/// and of C are contiguous, and rows or columns of A. All steps in bytes. No extent is 0.
struct small_product {
  char const* a;
  index a_step;    // from row to row
  index a_k_step;  // one of the two is an element's size
  char const* b;
  index b_k_step;
  char* c;
  index c_step;
  index rows;
  index cols;
  index k_extent;
  void const* alpha;  // null: one
  void const* beta;   // null: zero
  bool conjugate_a;
  bool conjugate_b;
  bool has_chains;  // sums of tiles with few accumulators may be several chains over k
};

/// Where a tile, or several one below the other, begin in A, B and C, and how wide they are. Apart
/// from the product, of which a copy would be loads wider than the stores before them, which wait
/// for these (5 ns of a call; Emerald Rapids, 2026-11-29).
struct small_tile {
  char const* a;
  char const* b;
  char* c;
  index cols;
  index b_k_step;
  index c_step;
};
/// Reads no address of the product but of its scalars.
using small_tile_function = void (*)(small_product const& product, small_tile const& tile);

/// Every sum of `multiply` and of `multiply_by_columns` is one chain over ascending k, with the
/// bits that the general driver gives it, but where the product has_chains. A sum of complex
/// numbers is two: of real, and of imaginary parts of A times B.
struct small_kernel {
  char const* name;  // as explain() shows it
  void (*multiply)(small_product const& product);
  /// What multiplies a product of one tile, to the bit; null: it has several.
  small_tile_function (*only_tile)(small_product const& product);
  index vector_cols;    // columns of a vector
  index most_products;  // of a matrix; beyond most_small_products on one thread alone
  /// B's, and C's, columns may be contiguous, b_k_step and c_step bytes apart; k up to
  /// most_k_by_columns, steps up to most_step_by_columns. Null: there is none.
  void (*multiply_by_columns)(small_product const& product, bool b_by_columns,
                              bool c_by_columns) = nullptr;
  /// Likewise, of contiguous rows of A and up to most_dot_columns columns: vectors lie along k, and
  /// each lane keeps a partial sum.
  void (*multiply_dots)(small_product const& product, bool b_by_columns,
                        bool c_by_columns) = nullptr;
};
/// A strip of B as rows: 24 KB of an L1 cache, and of the stack.
inline constexpr index most_k_by_columns = 128;
inline constexpr index most_step_by_columns = 1 << 26;
inline constexpr int most_dot_columns = 8;

struct small_kernels {
  small_kernel f32;
  small_kernel f64;
  small_kernel c64;
  small_kernel c128;

  /// Null: there is none.
  small_kernel const* of(element_type type) const {
    small_kernel const* const found = type == element_type::f32           ? &f32
                                      : type == element_type::f64         ? &f64
                                      : type == element_type::complex_f32 ? &c64
                                      : type == element_type::complex_f64 ? &c128
                                                                          : nullptr;
    return found == nullptr || found->multiply == nullptr ? nullptr : found;
  }
};

/// Of one of supported_isas().
small_kernels const& small_kernels_of(isa target);

/// Products of a matrix up to which it is small, whatever the instruction set and the threads.
inline constexpr index most_small_products = 64 * 64 * 64;
/// For tests: no more than so many from now on; 0 sends all products to the general driver.
XPOSE_EXPORT void limit_small_products(index most);
inline constexpr index no_limit_of_small_products = std::numeric_limits<index>::max();

/// Multiplies and returns true where the product is small, and of types and strides that a small
/// kernel takes. Assumes a checked request with elements.
bool run_small_gemm(execution const& where, gemm_request const& request);
/// Called before any check. Multiplies and returns true where the request differs from one of the
/// thread's last small products only in addresses and scalars, and its memory is aligned and
/// plainly apart. False: check it as any other.
bool repeat_small_gemm(execution const& where, gemm_request const& request);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
