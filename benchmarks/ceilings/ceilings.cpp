// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "ceilings/ceilings.hpp"

#include "core/words.hpp"

namespace xpose::bench {

std::vector<copy_ceiling> copy_ceilings(machine& where, int threads) {
  return where.is_device() ? device::copy_ceilings(where.stream()) : host::copy_ceilings(threads);
}

std::vector<sum_ceiling> sum_ceilings(machine& where, int threads) {
  return where.is_device() ? device::sum_ceilings(where.stream()) : host::sum_ceilings(threads);
}

std::vector<arithmetic_ceiling> arithmetic_ceilings(machine& where, int threads,
                                                    gemm_type const& type) {
  return where.is_device() ? device::arithmetic_ceilings(where.stream(), type)
                           : host::arithmetic_ceilings(threads, type);
}

void read_operands(machine& where, int threads, std::array<read_only_memory, 3> const& operands) {
  if (where.is_device()) return device::read_operands(where.stream(), operands);
  for (auto const& operand : operands) read_words(operand.data, operand.bytes, threads);
}

}  // namespace xpose::bench
