// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// One group of instances of copies through conjugate and cast<T>: elementwise/driver.cuh for every
// listed pair of types whose input belongs to the group.
#pragma once

#include <xpose/backends/core/problems/element_functions.hpp>
#include <xpose/backends/cuda/elementwise/driver.cuh>
#include <xpose/backends/cuda/elementwise/instances/functions.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

template <functions_of Group>
void cuda_run_functions(execution const& where, copy_request const& r) {
  run_element_function<compiled_casts::without_stand_in>(
      r, [&]([[maybe_unused]] auto from, [[maybe_unused]] auto to, [[maybe_unused]] auto f) {
        using In = typename decltype(from)::type;
        if constexpr (group_of<In>() == Group)
          cuda_copy<In, typename decltype(to)::type>(where, r.in, r.out, f);
      });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
