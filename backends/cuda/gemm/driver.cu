// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on a CUDA device for the compiled types: finds the part that has a request's types.

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/cuda/gemm/instances/groups.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

template <int... Groups>
gemm_instance instance_number(int number, std::integer_sequence<int, Groups...>) {
  constexpr gemm_instance (*parts[])() = {
      instance_of_group<static_cast<gemm_type_group>(Groups)>...};
  return parts[number]();
}

/// The part that has a request's types; `none` if no row of the list has them.
template <class... Rows>
gemm_type_group group_asked(gemm_request const& r, gemm_type_list<Rows...>) {
  gemm_type_group group = gemm_type_group::none;
  (void)((is_asked(r, Rows{}) && (group = group_of(Rows{}), true)) || ...);
  return group;
}

gemm_instance instance_asked(gemm_request const& r) {
  gemm_type_group const group = group_asked(r, compiled_gemms{});
  if (group == gemm_type_group::none) refuse_types(operation::gemm);
  constexpr int groups = static_cast<int>(gemm_type_group::none);
  return instance_number(static_cast<int>(group), std::make_integer_sequence<int, groups>{});
}

}  // namespace

void cuda_run_gemm(execution const& where, gemm_request const& r) {
  instance_asked(r).run(where, r);
}

void cuda_run_gemm_config(execution const& where, gemm_request const& r,
                          gemm_choice const& choice) {
  instance_asked(r).run_config(where, r, choice);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
