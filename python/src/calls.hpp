// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The operations on arrays of any number of dimensions, made of the calls of xpose.h, which take
// matrices, batches and tensors of up to 8 dimensions. Each checks everything before it writes, and
// runs without Python's lock.
#pragma once

#include "array.hpp"

#include <optional>

namespace xpose::python {

/// A number on its way to alpha or beta: the bytes of the type that the call computes in.
struct scalar {
  alignas(16) unsigned char bytes[16];
};

/// Of a Python number. Raises TypeError for one that the type cannot hold: a fraction for integers,
/// a complex number for reals; OverflowError for an integer out of range.
scalar scalar_of(nb::handle number, xpose_dtype type, char const* operation, char const* name);

/// out(i) is the element of in whose dimension axes[k] has the index i[k], through the function.
/// axes: None for the reversed order, or a sequence of integers that may count from the end.
void permute(xpose_policy const& policy, array const& in, array const& out, nb::handle axes,
             xpose_function function, xpose_explanation* answer);

/// view(.., i, j) to (.., j, i) in its memory; returns the strides of the last two dimensions, with
/// their extents exchanged.
std::pair<std::int64_t, std::int64_t> transpose_inplace(xpose_policy const& policy,
                                                        array const& view,
                                                        xpose_explanation* answer);

/// out = alpha a + beta b, by NumPy's rules of broadcasting.
void add(xpose_policy const& policy, nb::handle alpha, array const& a, nb::handle beta,
         array const& b, array const& out, xpose_explanation* answer);

/// What matmul does with a product before it stores it; null operands are left out.
struct layer {
  array const* scale;
  array const* bias;
  xpose_activation activation;
};

/// out = alpha a b + beta out by the rules of `@`: vectors, matrices, and stacks of them that
/// broadcast. alpha, beta: None, or numbers. The operands of `then`, which may be null, broadcast
/// to the last two dimensions of out.
void matmul(xpose_policy const& policy, nb::handle alpha, array const& a, array const& b,
            nb::handle beta, array const& out, xpose_gemm_options options, layer const* then,
            xpose_explanation* answer);

/// Raises the exception of _errors.py that belongs to a status, unless it is XPOSE_OK.
void require_ok(xpose_status status);

}  // namespace xpose::python
