// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/transpose/small.hpp>

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/backends/omp/runtime/workspace.hpp>
#include <xpose/backends/omp/transpose/simd/moves.hpp>

#include <algorithm>
#include <cstring>

namespace xpose {
inline namespace v0 {
namespace detail {

namespace {

/// Whether the batch continues dimension d in both operands, so that a plan makes one matrix of it.
bool is_one_matrix(copy_request const& r, int d) {
  auto const continues = [d](tensor_operand const& o) {
    return o.dimensions[0].stride == o.dimensions[d].extent * o.dimensions[d].stride;
  };
  return continues(r.in) && continues(r.out);
}

}  // namespace

bool transpose_small(execution const& where, copy_request const& r) {
  index const bytes = r.in.bytes_per_element;
  if (r.in.count != 3 || bytes > max_simd_element_bytes) return false;
  index const count = r.out.dimensions[0].extent;
  bool const is_by_rows = r.out.dimensions[2].stride == 1;
  int const inner = is_by_rows ? 2 : 1;  // of the output
  int const outer = 3 - inner;
  index const height = r.out.dimensions[inner].extent;
  index const width = r.out.dimensions[outer].extent;
  // Before the product, which may overflow.
  if (std::max({width, height, count}) > tuning.most_unplanned_bytes) return false;
  index const all = count * width * height * bytes;
  bool const suits = all <= tuning.single_tile_bytes || suits_one_thread(all);
  if (all == 0 || all > tuning.most_unplanned_bytes || !suits) return false;
  auto const stride_of = [](tensor_operand const& o, int d) { return o.dimensions[d].stride; };
  auto const* const in = static_cast<char const*>(r.in.data);
  auto* const out = static_cast<char*>(const_cast<void*>(r.out.data));
  if (std::min(width, height) == 1) {
    int const along = width == 1 ? inner : outer;
    if (count > 1 || stride_of(r.in, along) != 1 || stride_of(r.out, along) != 1) return false;
    if (explain_only(where, "copy_run")) return true;
    std::memcpy(out, in, static_cast<std::size_t>(all));
    return true;
  }
  if (width > max_odd_size_columns || stride_of(r.out, inner) != 1 || stride_of(r.in, outer) != 1)
    return false;
  if (count > 1 && (is_one_matrix(r, inner) || is_one_matrix(r, outer))) return false;
  bool const is_batch = count >= tuning.min_batch_count;
  if (explain_only(where,
                   is_batch ? small_batch_kernel : first_that_takes(cpu_tile_table, bytes).kernel))
    return true;
  workspace const memory(transpose_workspace_bytes, 1);
  simd_transposes const& kernels = active_simd_kernels().transposes_for(bytes);
  rectangle one{in,      stride_of(r.in, inner) * bytes,
                out,     stride_of(r.out, outer) * bytes,
                width,   height,
                nullptr, bytes};
  if (count == 1) {  // its batch stride may be any number
    kernels.transpose(one, store_mode::cached, memory.data());
    return true;
  }
  index const in_step = stride_of(r.in, 0) * bytes;
  index const out_step = stride_of(r.out, 0) * bytes;
  if (is_batch) {
    kernels.transpose_batch({one, count, in_step, out_step}, store_mode::cached, memory.data());
    return true;
  }
  for (index m = 0; m < count; ++m, one.in += in_step, one.out += out_step)
    kernels.transpose(one, store_mode::cached, memory.data());
  return true;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
