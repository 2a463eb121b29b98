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
gemm_part part_number(int number, std::integer_sequence<int, Groups...>) {
  constexpr gemm_part (*parts[])() = {part_of<static_cast<gemm_group>(Groups)>...};
  return parts[number]();
}

/// The part that has a request's types; `none` if no row of the list has them.
template <class... Rows>
gemm_group group_asked(gemm_request const& r, gemm_type_list<Rows...>) {
  gemm_group group = gemm_group::none;
  (void)((is_asked(r, Rows{}) && (group = group_of(Rows{}), true)) || ...);
  return group;
}

gemm_part part_asked(gemm_request const& r) {
  gemm_group const group = group_asked(r, compiled_gemms{});
  if (group == gemm_group::none) refuse_types(operation::gemm);
  constexpr int groups = static_cast<int>(gemm_group::none);
  return part_number(static_cast<int>(group), std::make_integer_sequence<int, groups>{});
}

}  // namespace

void cuda_run_gemm(execution const& where, gemm_request const& r) {
  part_asked(r).run(where, r);
}

void cuda_run_gemm_row(execution const& where, gemm_request const& r, gemm_choice const& choice) {
  part_asked(r).run_row(where, r, choice);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
