// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What one process has against a call, before the others know of it.
#pragma once

#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {

enum class error_kind : int {
  none,
  shape,
  layout,
  alias,
  overflow,
  residency,
  memory,
  backend,
  cuda
};

struct refusal {
  error_kind kind = error_kind::none;
  std::string text;
  int code = 0;  // of cuda: a cudaError_t
};

/// Of the exception that is being handled.
refusal refusal_in_flight();

/// What check() throws.
template <class Check>
refusal refusal_of(Check const& check) {
  try {
    check();
    return {};
  } catch (...) {
    return refusal_in_flight();
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
