// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What one result of the bench computes, as plain data: no memory, no library. All matrices are
// row-major; strides and leading dimensions are in elements.
#pragma once

#include "types/element_kind.hpp"

#include <cstdint>
#include <vector>

namespace xpose::bench {

using index = std::int64_t;

/// out(j, i) = in(i, j): in is rows x cols with leading dimension in_ld, out is cols x rows with
/// out_ld; matrix b of a batch starts b * batch_stride elements on. in_place: in and out are the
/// same memory, and out_ld is rows.
struct transpose_case {
  element_type type;
  index rows;
  index cols;
  index in_ld;
  index out_ld;
  index batch;
  index in_batch_stride;
  index out_batch_stride;
  bool in_place;
};

/// The transpose, or copy, of type's elements to those of out_type: by value, as xpose::cast does
/// it.
struct cast_case {
  transpose_case moved;
  element_type out_type;
  bool is_copy;
};

/// Element (i0, i1, ..) of out is the one of in whose index in dimension permutation[k] is ik, as
/// in xpose::permute and numpy.transpose. in and out are packed tensors in C order; extents are
/// those of in.
struct permute_case {
  element_type type;
  std::vector<index> extents;
  std::vector<int> permutation;
};

/// C = add_alpha op(A) + add_beta op(B): op(A), op(B) and C are rows x cols. A is stored cols x
/// rows if transposed_a, and so is B.
struct add_case {
  element_type type;
  index rows;
  index cols;
  bool transposed_a;
  bool transposed_b;
  index lda;
  index ldb;
  index ldc;
};

/// Exact in every type; neither 0 nor 1, which a library may treat specially.
constexpr double add_alpha = 1.5;
constexpr double add_beta = -0.5;

/// C = op(A) op(B), C never read: op(A) is m x k, op(B) is k x n, C is m x n. A is stored m x k, or
/// k x m if transposed_a; B is stored k x n, or n x k if transposed_b.
/// Accumulates in f32 for f16 and bf16, in i32 for i8 and u8, in the type itself otherwise.
struct gemm_case {
  element_type type;    ///< of A and B
  element_type c_type;  ///< of C: i32 for i8 and u8; the type itself or f32 for f16 and bf16
  index m;
  index n;
  index k;
  bool transposed_a;
  bool transposed_b;
  index lda;
  index ldb;
  index ldc;
  index batch;
  index a_batch_stride;
  index b_batch_stride;
  index c_batch_stride;
  bool may_round_to_tf32 = false;        ///< operands of f32
  bool may_take_three_products = false;  ///< of complex numbers
};

}  // namespace xpose::bench
