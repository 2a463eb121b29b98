// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// XPOSE_FALLBACK: what xpose::cuda does where it cannot run.

#include <xpose/backends/core/availability.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

#include <strings.h>

#include <cstdlib>

namespace xpose {
inline namespace v0 {
namespace detail {

bool is_fallback_refused() {
  char const* const value = std::getenv("XPOSE_FALLBACK");
  if (value == nullptr || *value == 0 || strcasecmp(value, "omp") == 0) return false;
  if (strcasecmp(value, "error") == 0) return true;
  throw backend_error(
      message(
          "XPOSE_FALLBACK is \"", value,
          "\", and may be \"error\" (xpose::cuda throws where it cannot run) or \"omp\" (it runs "
          "there, as without the variable)")
          .c_str());
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
