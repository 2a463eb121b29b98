// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What add and gemm do with their operands alike: op() of the options, and one matrix for each of a
// batch.
#pragma once

#include "commands/commands.hpp"
#include "npy/element_types.hpp"
#include "npy/npy.hpp"

namespace xpose::tools {

/// Throws failure unless the file holds a matrix or a batch of them.
void check_matrices(npy_input const& in, char const* operation);

/// op() of an operand.
detail::operand op(detail::operand o, bool is_transposed, bool is_conjugated);

/// The options of add and gemm that decide what is computed.
std::string text_of_options(product_arguments const& arguments);

/// A single matrix stands for each of a batch, as in numpy.matmul.
void broadcast(detail::operand& o, index batch);

/// Of a result with the rows of op(A) and the batch of either operand.
npy_header header_of_result(detail::operand const& a, detail::operand const& b, index cols,
                            bool is_batch, named_type const& type);

}  // namespace xpose::tools
