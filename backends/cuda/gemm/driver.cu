// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on a CUDA device for the compiled types: finds the instance that has a request's types.

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/problems/compiled_gemm.hpp>
#include <xpose/backends/cuda/gemm/instances/instance.hpp>
#include <xpose/backends/cuda/gemm/three_products.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

template <class Types, class... All>
constexpr bool is_listed_once(gemm_type_list<All...>) {
  return (std::is_same_v<Types, All> + ...) == 1;
}
template <class... All>
constexpr bool are_listed_once(gemm_type_list<All...> all) {
  return (is_listed_once<All>(all) && ...);
}
static_assert(are_listed_once(compiled_gemms{}), "a compiled gemm type belongs to one group");

template <class... Types>
bool has_types(gemm_request const& r, gemm_type_list<Types...>) {
  return (is_asked(r, Types{}) || ...);
}

template <class... Groups>
gemm_instance instance_for(gemm_request const& r, gemm_group_list<Groups...>) {
  gemm_instance (*instance)() = nullptr;
  (void)((has_types(r, Groups{}) && (instance = instance_of<Groups>, true)) || ...);
  if (instance == nullptr) refuse_types(operation::gemm);
  return instance();
}

}  // namespace

/// The kernels of int32 sums store them as a layer's f32 (deferred_layer.cuh).
static gemm_request as_kernels_know_it(gemm_request r) {
  if (r.layer != nullptr && r.accumulate == element_type_of<std::int32_t>())
    r.c.type = r.accumulate;
  return r;
}

static void run_as_given(execution const& where, gemm_request const& r) {
  instance_for(r, compiled_gemm_groups{}).run(where, r);
}

void cuda_run_gemm(execution const& where, gemm_request const& given) {
  gemm_request const r = as_kernels_know_it(given);
  if (pays_three_products(r)) cuda_three_products(where, r, run_as_given);
  else run_as_given(where, r);
}

void cuda_run_gemm_config(execution const& where, gemm_request const& given,
                          gemm_choice const& choice) {
  gemm_request const r = as_kernels_know_it(given);
  instance_for(r, compiled_gemm_groups{}).run_config(where, r, choice);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
