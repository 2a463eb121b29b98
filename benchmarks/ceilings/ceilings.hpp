// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the hardware allows, measured in the same rounds as everything else.
#pragma once

#include "core/machine.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace xpose::bench {

/// Copies bytes from in to out, or does arithmetic on registers alone.
struct ceiling {
  std::string name;
  std::string kernel;
  std::function<void(void const* in, void* out, std::size_t bytes)> copy;
  std::function<void()> compute;
  double operations = 0;  ///< of one compute()
};

/// Copies on the machine, with that many threads on the host.
std::vector<ceiling> copy_ceilings(machine& where, int threads);

/// The multiply-add rate of elements of that kind with the fastest plain vector instruction of this
/// machine; for semirings, the rate of an addition and a minimum. Empty for kinds without one.
std::vector<ceiling> arithmetic_ceilings(machine& where, int threads, element_kind kind,
                                         bool is_semiring);

/// c = a + b of packed 32-bit words: the memory traffic of an add, two reads and a write, with
/// negligible arithmetic.
struct sum_ceiling {
  std::string name;
  std::string kernel;
  std::function<void(void const* a, void const* b, void* c, std::size_t bytes_of_each)> add;
};

/// None on a device.
std::vector<sum_ceiling> sum_ceilings(machine& where, int threads);

namespace host {
std::vector<sum_ceiling> sum_ceilings(int threads);
std::vector<ceiling> copy_ceilings(int threads);
std::vector<ceiling> arithmetic_ceilings(int threads, element_kind kind, bool is_semiring);
}  // namespace host
namespace device {
std::vector<ceiling> copy_ceilings(void* stream);
std::vector<ceiling> arithmetic_ceilings(void* stream, element_kind kind, bool is_semiring);
}  // namespace device

}  // namespace xpose::bench
