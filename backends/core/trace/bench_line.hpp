// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A call as a line of XPOSE_LOG: the case of xpose-bench that does the same, in the grammar of
// benchmarks/core/shape.hpp, or a comment where the bench has none.
#pragma once

#include <xpose/detail/request.hpp>

#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {

/// What ran a call.
struct call_site {
  backend_id policy;  // whose backend ran it: seq, or the backend
  int threads;        // of omp
  bool is_user_code;
};

struct bench_line {
  /// "xpose-bench gemm --policy omp --threads 2 --types f32 --shapes 300x200x64:NT", or
  /// "# not replayable: transpose f32 300x200 on omp: user function".
  std::string text;
  std::string remark;  ///< what the case leaves out
};

/// Of a checked request. Layouts whose columns are contiguous become the case of the transposed
/// matrices, which is the same in memory.
bench_line bench_line_of(copy_request const& request, call_site const& site);
bench_line bench_line_of(gemm_request const& request, call_site const& site);
bench_line bench_line_of(inplace_request const& request, call_site const& site);
bench_line bench_line_of(add_request const& request, call_site const& site);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
