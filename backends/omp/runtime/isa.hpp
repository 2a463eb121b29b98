// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The instruction set that the vector kernels run with, and the size of the caches. A file of
// kernels is compiled once for each of Highway's targets; it ends with HWY_EXPORT(f), f returning
// its table of functions, and a function that returns table_of(HWY_DISPATCH_TABLE(f), isa).
#pragma once

#include <xpose/config.hpp>

#include <cstddef>
#include <cstdint>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Highway's number of a target: one bit, the lower the better.
using isa = std::int64_t;

/// The best one that this machine runs, or the one that the environment variable XPOSE_ISA names.
/// Throws backend_error if it names one that this machine or build lacks.
XPOSE_EXPORT isa active_isa();

/// All that this machine runs and this build has, best first.
struct isa_list {
  isa targets[16];
  std::size_t dispatch_indices[16];  // in what HWY_EXPORT defines
  int count;

  isa const* begin() const { return targets; }
  isa const* end() const { return targets + count; }
};
XPOSE_EXPORT isa_list const& supported_isas();

/// The bits of all that this build has.
XPOSE_EXPORT isa compiled_isas();

/// As XPOSE_ISA names it.
XPOSE_EXPORT char const* isa_name(isa target);

/// Of one of supported_isas().
std::size_t dispatch_index(isa target);

/// What the function of an instruction set returns: its table of kernels.
template <class Table, std::size_t Count>
Table table_of(Table (*const (&functions)[Count])(), isa target) {
  return functions[Count == 1 ? 0 : dispatch_index(target)]();
}

/// Whether the processor is one of AMD's.
bool is_amd();

/// Of a core; 1 MiB where the system does not tell.
index l2_cache_bytes();

/// Of the cores that share it with the first one, as Linux tells: sysconf() adds up all L3 caches
/// of AMD's processors. 0 where it does not tell.
index l3_cache_bytes();

}  // namespace detail
}  // namespace v0
}  // namespace xpose
