// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the hardware allows, measured in the same rounds as everything else.
#pragma once

#include "core/machine.hpp"
#include "types/gemm_type.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace xpose::bench {

struct copy_ceiling {
  std::string name;
  std::string kernel;
  std::function<void(void const* in, void* out, std::size_t bytes)> copy;
};

/// Copies on the machine, with that many threads on the host.
std::vector<copy_ceiling> copy_ceilings(machine& where, int threads);

/// Multiplies and adds in registers (a wgmma's operands in shared memory), with nothing to load.
struct arithmetic_ceiling {
  std::string name;
  std::string kernel;
  /// Does that many operations or a few more, on all cores: as many as the product beside it, so
  /// that both begin, end and draw power alike.
  std::function<void(double operations)> compute;
};

/// The fastest instruction of this machine that a product of that type can use; for semirings an
/// addition and a minimum. None for types without one.
std::vector<arithmetic_ceiling> arithmetic_ceilings(machine& where, int threads,
                                                    gemm_type const& type);

struct read_only_memory {
  void const* data;
  std::size_t bytes;
};
/// Reads all of it: what a product of these operands takes at least. On a device a kernel on the
/// machine's stream, which reads whole 16-byte words.
void read_operands(machine& where, int threads, std::array<read_only_memory, 3> const& operands);

/// c = a + b of packed 32-bit words: the memory traffic of an add, two reads and a write, with
/// negligible arithmetic.
struct sum_ceiling {
  std::string name;
  std::string kernel;
  std::function<void(void const* a, void const* b, void* c, std::size_t bytes_of_each)> add;
};

std::vector<sum_ceiling> sum_ceilings(machine& where, int threads);

namespace host {
std::vector<copy_ceiling> copy_ceilings(int threads);
std::vector<arithmetic_ceiling> arithmetic_ceilings(int threads, gemm_type const& type);
std::vector<sum_ceiling> sum_ceilings(int threads);
}  // namespace host
namespace device {
std::vector<copy_ceiling> copy_ceilings(void* stream);
std::vector<arithmetic_ceiling> arithmetic_ceilings(void* stream, gemm_type const& type);
std::vector<sum_ceiling> sum_ceilings(void* stream);
void read_operands(void* stream, std::array<read_only_memory, 3> const& operands);
}  // namespace device

}  // namespace xpose::bench
