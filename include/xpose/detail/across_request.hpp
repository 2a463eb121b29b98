// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Calls whose operands may lie in several memories, as they cross into the compiled library.
#pragma once

#include <xpose/detail/request.hpp>

#include <type_traits>

namespace xpose {
inline namespace v0 {
namespace detail {

struct across_terms {
  static constexpr int most_devices = 16;

  index device_bytes = 0;  // of temporary memory on each device; 0: the library's choice
  void (*progress)(void* context, index done, index total) = nullptr;
  void* context = nullptr;
  int device_count = 0;  // 0: the device of the policy's stream alone
  int devices[most_devices] = {};
};

struct across_execution : execution {
  across_terms across;
};

/// As run_copy, run_gemm and run_add. Code of the caller's runs only if every operand is in reach
/// of the device.
XPOSE_EXPORT void run_copy_across(across_execution const& where, copy_request const& request,
                                  user_code const& code);
XPOSE_EXPORT void run_gemm_across(across_execution const& where, gemm_request const& request,
                                  user_code const& code);
XPOSE_EXPORT void run_add_across(across_execution const& where, add_request const& request,
                                 user_code const& code);

/// For code that has either execution. Templates, so that braces still make a plain execution.
template <class Execution>
using enable_if_across = std::enable_if_t<std::is_same_v<Execution, across_execution>>;

template <class Execution, class = enable_if_across<Execution>>
void run_copy(Execution const& where, copy_request const& request, user_code const& code = {}) {
  run_copy_across(where, request, code);
}
template <class Execution, class = enable_if_across<Execution>>
void run_gemm(Execution const& where, gemm_request const& request, user_code const& code = {}) {
  run_gemm_across(where, request, code);
}
template <class Execution, class = enable_if_across<Execution>>
void run_add(Execution const& where, add_request const& request, user_code const& code = {}) {
  run_add_across(where, request, code);
}

[[noreturn]] XPOSE_EXPORT void refuse_device_bytes(index bytes);
/// Throws shape_error unless these are 1 to most_devices numbers, none negative, none twice.
XPOSE_EXPORT void check_devices(int const* devices, std::size_t count);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
