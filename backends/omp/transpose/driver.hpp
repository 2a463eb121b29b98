// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// omp's transpose, copy and permute, of bits or with an element function. Assumes checked operands;
// takes any strides.
#pragma once

#include <xpose/backends/omp/transpose/tile_function.hpp>
#include <xpose/detail/request.hpp>
#include <xpose/iterator_view.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// out(i..) = f(in(i..)) for the element types of in and out. Calls the function on tiles, from the
/// policy's threads. Throws std::bad_alloc before anything is written.
XPOSE_EXPORT void omp_copy_tiles(execution const& where, tensor_operand const& in,
                                 tensor_operand const& out, tile_function const& function);

/// The same without a function: a bit copy. `memory` is workspace of copy_workspace_bytes() for the
/// same threads. If it is null, the call allocates: throws std::bad_alloc before anything is
/// written.
void omp_copy_bits(execution const& where, tensor_operand const& in, tensor_operand const& out,
                   char* memory);
index copy_workspace_bytes(int threads);

template <class In, class Out, class F>
void omp_copy(execution const& where, tensor_operand const& in, tensor_operand const& out,
              F const& f) {
  omp_copy_tiles(where, in, out, tile_function_of<In, Out>(f));
}

/// out(i..) = reader(position of the element), for an iterator's elements. The compiled driver sees
/// positions as addresses of single bytes (iterator_view.hpp); the element function reads the
/// iterator at these.
template <class Out, class Reader>
void omp_copy_iterator(execution const& where, tensor_operand const& positions,
                       tensor_operand const& out, Reader const& reader) {
  auto const read = [&](char const& position) { return reader(element_at(&position)); };
  omp_copy<char, Out>(where, positions, out, read);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
