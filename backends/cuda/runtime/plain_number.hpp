// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Types of the library's own arithmetic.
#pragma once

#include <xpose/backends/core/problems/gemm_problem.hpp>

#include <type_traits>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Whether K is a number, real or complex, and no user's type.
template <class K>
constexpr bool is_plain_number = std::is_arithmetic_v<K>;
template <class R>
constexpr bool is_plain_number<complex_value<R>> = true;

}  // namespace detail
}  // namespace v0
}  // namespace xpose
