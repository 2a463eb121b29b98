// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "ceilings/ceilings.hpp"

namespace xpose::bench {

std::vector<ceiling> copy_ceilings(machine& where, int threads) {
  return where.is_device() ? device::copy_ceilings(where.stream()) : host::copy_ceilings(threads);
}

std::vector<sum_ceiling> sum_ceilings(machine& where, int threads) {
  return where.is_device() ? std::vector<sum_ceiling>() : host::sum_ceilings(threads);
}

std::vector<ceiling> arithmetic_ceilings(machine& where, int threads, element_kind kind,
                                         bool is_semiring) {
  return where.is_device() ? device::arithmetic_ceilings(where.stream(), kind, is_semiring)
                           : host::arithmetic_ceilings(threads, kind, is_semiring);
}

}  // namespace xpose::bench
