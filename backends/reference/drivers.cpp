// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The oracle for the compiled types: its templates, called with the types of a request.

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/problems/compiled_add.hpp>
#include <xpose/backends/core/problems/compiled_gemm.hpp>
#include <xpose/backends/core/problems/element_functions.hpp>
#include <xpose/backends/reference/add.hpp>
#include <xpose/backends/reference/copy.hpp>
#include <xpose/backends/reference/gemm.hpp>

#include <cstring>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

void copy_bits(tensor_operand const& in, tensor_operand const& out) {
  auto const* from = static_cast<char const*>(in.data);
  auto* to = static_cast<char*>(const_cast<void*>(out.data));
  index const bytes = out.bytes_per_element;
  for_each_in_blocks(in, out, [&](index in_offset, index out_offset) {
    std::memcpy(to + out_offset * bytes, from + in_offset * bytes, static_cast<std::size_t>(bytes));
  });
}

}  // namespace

void reference_run_copy(execution const& where, copy_request const& r) {
  if (explain_only(where, reference_copy_name)) return;
  if (r.function == element_function::copy_bits) copy_bits(r.in, r.out);
  else
    run_element_function<compiled_casts::all>(r, [&](auto from, auto to, auto f) {
      reference_copy<typename decltype(from)::type, typename decltype(to)::type>(where, r.in, r.out,
                                                                                 f);
    });
}

void reference_run_gemm(execution const& where, gemm_request const& r) {
  run_compiled(r, compiled_gemms{}, compiled_layers{},
               [&](auto const& problem) { reference_gemm(where, problem); });
}

void reference_run_add(execution const& where, add_request const& r) {
  run_compiled_add(r, [&](auto const& problem) { reference_add(where, problem); });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
