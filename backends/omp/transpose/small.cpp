// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/transpose/small.hpp>

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/omp/runtime/workspace.hpp>
#include <xpose/backends/omp/transpose/simd/moves.hpp>

#include <algorithm>

namespace xpose::detail {

bool transpose_small(execution const& where, copy_request const& r) {
  index const bytes = r.in.bytes_per_element;
  if (r.in.count != 3 || r.in.dimensions[0].extent != 1 || bytes > max_simd_element_bytes)
    return false;
  bool const is_by_rows = r.out.dimensions[2].stride == 1;
  int const inner = is_by_rows ? 2 : 1;  // of the output
  int const outer = 3 - inner;
  index const height = r.out.dimensions[inner].extent;
  index const width = r.out.dimensions[outer].extent;
  bool const is_small = std::max(width, height) <= tuning.single_tile_bytes &&
                        width * height * bytes <= tuning.single_tile_bytes;
  if (!is_small || std::min(width, height) < 2 || r.out.dimensions[inner].stride != 1 ||
      r.in.dimensions[outer].stride != 1)
    return false;
  if (explain_only(where, first_that_takes(cpu_tile_table, bytes).kernel)) return true;
  workspace const memory(transpose_workspace_bytes, 1);
  active_simd_kernels().transposes_for(bytes).transpose(
      {static_cast<char const*>(r.in.data), r.in.dimensions[inner].stride * bytes,
       static_cast<char*>(const_cast<void*>(r.out.data)), r.out.dimensions[outer].stride * bytes,
       width, height, nullptr, bytes},
      store_mode::cached, memory.data());
  return true;
}

}  // namespace xpose::detail
