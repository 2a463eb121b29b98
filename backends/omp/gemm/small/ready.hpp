// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A small product, checked and with its kernel chosen: what is left are addresses and scalars.
#pragma once

#include <xpose/backends/core/checks/overlap.hpp>
#include <xpose/backends/omp/gemm/kernel/kernel.hpp>
#include <xpose/backends/omp/gemm/small/small.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace xpose {
inline namespace v0 {
namespace detail {

inline std::atomic<index> limit_of_small_products{no_limit_of_small_products};

/// A matrix of the batch after the other, as C = A B or as C' = B' A'.
struct small_batch {
  small_product first;
  index a_batch_step;
  index b_batch_step;
  index c_batch_step;
  bool is_exchanged;  // C' = B' A'
  bool
      transposes_b;  // its columns are contiguous: `multiply` reads them, or else rows from scratch
  bool transposes_c;  // likewise, and writes them
  void (*multiply)(small_product const& product, bool b_by_columns, bool c_by_columns);  // or null

  bool needs_scratch() const { return multiply == nullptr && (transposes_b || transposes_c); }
};

/// A matrix of a batch that needs no scratch.
inline void multiply_directly(small_batch const& s, small_kernel const& kernel,
                              small_product const& p) {
  if (s.multiply == nullptr) kernel.multiply(p);
  else s.multiply(p, s.transposes_b, s.transposes_c);
}

/// The tile that is all of a matrix of the batch, whatever its scalars. Null: there are several, or
/// some of it is transposed.
inline small_tile_function only_tile_of(small_batch const& s, small_kernel const& kernel) {
  return s.multiply == nullptr && !s.needs_scratch() ? kernel.only_tile(s.first) : nullptr;
}

/// Small matrices times vectors, straight into C, by the kernel that run_gemv() has for them.
struct small_gemv {
  gemv_args first;
  void (*multiply)(gemv_args const& args);
  index matrix_batch_step;
  index vector_batch_step;
  index c_batch_step;
  bool is_exchanged;  // the matrix is B
};

/// Of checked operands of one matrix each, whose strides are positive: what is asked of the
/// addresses of the next ones.
struct operand_bounds {
  std::uintptr_t bits_below_alignment;
  index a_bytes, b_bytes, c_bytes;  // from the first element of an operand to behind its last

  static operand_bounds of(gemm_request const& r) {
    int const alignment = std::max({r.a.alignment, r.b.alignment, r.c.alignment});
    return {static_cast<std::uintptr_t>(alignment) - 1, bytes_of_plain(r.a), bytes_of_plain(r.b),
            bytes_of_plain(r.c)};
  }

  bool are_known() const { return a_bytes > 0 && b_bytes > 0 && c_bytes > 0; }
  bool are_plainly_right(void const* a_data, void const* b_data, void const* c_data) const {
    auto const at = [](void const* data) { return reinterpret_cast<std::uintptr_t>(data); };
    auto const a = at(a_data), b = at(b_data), c = at(c_data);
    auto const is_apart = [&](std::uintptr_t in, index bytes) {
      return c + static_cast<std::uintptr_t>(c_bytes) <= in ||
             in + static_cast<std::uintptr_t>(bytes) <= c;
    };
    return ((a | b | c) & bits_below_alignment) == 0 && is_apart(a, a_bytes) &&
           is_apart(b, b_bytes);
  }

 private:
  /// 0: others are not repeated.
  static index bytes_of_plain(operand const& o) {
    bool const is_plain = o.batch == 1 && o.row_stride > 0 && o.col_stride > 0;
    return is_plain && !is_empty(o) ? range_of(as_tensor(o)).bytes : 0;
  }
};

/// A product that needs no scratch, without its addresses and scalars.
struct ready_product {
  small_batch batch;
  small_kernel const* kernel;
  operand_bounds bounds;
  /// Of a product without scalars: neither is the product copied for its addresses, nor the tile
  /// looked for. Plans of f32 of 4 and 8 cubed take 12 and 20 ns, without 18 and 27; 3x16x2 9, 19;
  /// f64 of 4 cubed 9, 17; of several tiles level (Zen 3, 2026-11-30).
  small_tile_function only_tile;

  static ready_product of(small_batch const& batch, small_kernel const& kernel,
                          operand_bounds const& bounds) {
    small_product const& p = batch.first;
    bool const has_scalars = p.alpha != nullptr || p.beta != nullptr;
    return {batch, &kernel, bounds, has_scalars ? nullptr : only_tile_of(batch, kernel)};
  }

  /// alpha and beta are not read where the product has none.
  void multiply(void const* a, void const* b, void const* c, void const* alpha,
                void const* beta) const {
    auto const* const first = static_cast<char const*>(batch.is_exchanged ? b : a);
    auto const* const second = static_cast<char const*>(batch.is_exchanged ? a : b);
    auto* const result = static_cast<char*>(const_cast<void*>(c));
    if (only_tile != nullptr) return multiply_tile(first, second, result);
    small_product p = batch.first;
    p.a = first;
    p.b = second;
    p.c = result;
    if (p.alpha != nullptr) p.alpha = alpha;
    if (p.beta != nullptr) p.beta = beta;
    multiply_directly(batch, *kernel, p);
  }

 private:
  /// Apart: inlined, it costs products of several tiles 5 to 9 ns (9x13x8 of f32 49, 58).
  [[gnu::noinline]] void multiply_tile(char const* a, char const* b, char* c) const {
    small_product const& p = batch.first;
    only_tile(p, {a, b, c, p.cols, p.b_k_step, p.c_step});
  }
};

/// A small matrix times a vector.
struct ready_gemv {
  gemv_args args;
  void (*multiply_gemv)(gemv_args const& args);
  bool is_exchanged;
  operand_bounds bounds;

  void multiply(void const* a, void const* b, void const* c, void const*, void const*) const {
    gemv_args now = args;
    now.matrix = static_cast<char const*>(is_exchanged ? b : a);
    now.vector = static_cast<char const*>(is_exchanged ? a : b);
    now.accumulators = static_cast<char*>(const_cast<void*>(c));
    multiply_gemv(now);
  }
};

/// Null: some are not small, or of no types or strides that a small kernel takes.
small_kernel const* choose_small_kernel(execution const& where, gemm_request const& r,
                                        small_batch& batch);
/// False: C has several rows and columns, or they are not small, plain or contiguous.
bool choose_small_gemv(execution const& where, gemm_request const& r, small_gemv& chosen);

/// A product that was checked, and multiplied without scratch, for repeat_small_gemm().
void remember_small_gemm(execution const& where, gemm_request const& r, small_batch const& batch,
                         small_kernel const& kernel);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
