// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The two engines of gemm, for products that are checked, of a C with column-major local matrices.
#pragma once

#include "agreement.hpp"
#include "cublasmp.hpp"
#include "scalapack.hpp"

namespace xpose {
inline namespace v0 {
namespace detail {

/// What differs between the types.
struct product_type {
  element_type type;
  char const* name;  // of p?gemm
  pgemm_function scalapack_functions::*function;
  cublasmp_type cublasmp;
  bool (*is_zero)(void const* scalar);
};
/// Throws backend_error for a type that neither engine has.
product_type const& type_of(dist_operand const& o);

// Collective. Throw on all processes if one has no memory for a copy of an operand, or if a device
// failed; `on_devices` if one process has one.

/// ScaLAPACK's, on the processors: operands in memory of a device go through memory of the host.
void multiply_by_pgemm(dist_execution const& where, dist_product const& p, bool on_devices);

/// cuBLASMp's, behind settle_nccl() that found nothing in the way. Returns false on all processes
/// if NCCL or cuBLASMp cannot start; then nothing was written.
bool multiply_by_cublasmp(dist_execution const& where, dist_product const& p, nccl_use nccl);

/// The end of a sentence about cuBLASMp: the rule that these layouts break; empty if none.
char const* cublasmp_obstacle(dist_product const& p, int processes);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
