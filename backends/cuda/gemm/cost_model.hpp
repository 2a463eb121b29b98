// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the cost model says of a choice (choices.cpp lists those that a product has).
#pragma once

#include <xpose/backends/cuda/gemm/config/costs.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Of memory and of L2, for all of a product: what is read and written at least once, and what
/// blocks, or clusters of them, read again and again.
struct traffic {
  double memory, l2;
};
traffic traffic_of(gemm_costs const& costs, gemm_config const& config, int block_cols,
                   gemm_extents const& e, multicast_cluster const& cluster);

/// What a config has copied first; less than 0 bytes: it cannot run.
operand_copies copies_for(gemm_config const& config, gemm_extents const& e);

/// Multiprocessors that clusters of so many blocks can fill: a cluster's are of one GPC, of 16 or
/// so.
index usable_multiprocessors(gemm_gpu const& gpu, gemm_config const& config, index cluster);

/// `moved` is traffic_of(), the same for all splits of k.
double cycles_of_choice(gemm_costs const& costs, gemm_config const& config,
                        gemm_choice const& choice, gemm_extents const& e, gemm_gpu const& gpu,
                        traffic const& moved);

/// The constants of a GPU with other rates.
gemm_costs costs_with(gemm_rates const& rates);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
