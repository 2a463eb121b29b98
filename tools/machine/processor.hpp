// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What xpose info says of the machine: processor, caches, memory, operating system, and the
// instruction sets that the kernels have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xpose::tools {

struct processor_facts {
  std::string model;
  int sockets;                                // 0: the system does not tell
  int cores;                                  // without hyperthreads; 0: the system does not tell
  int threads;                                // that this process may use
  std::int64_t l1_bytes, l2_bytes, l3_bytes;  // of a core, of a core, shared; 0: not told
  std::int64_t memory_bytes;
  std::string system;  // "Debian GNU/Linux 12 (bookworm), Linux 6.1.0 x86_64"
};

processor_facts this_processor();

struct instruction_set {
  std::string name;       // "AVX-512 (Ice Lake)"
  std::string xpose_isa;  // as the variable XPOSE_ISA names it: "AVX3_DL"
};

struct instruction_sets {
  instruction_set in_use;
  std::vector<instruction_set> usable;  // by this machine and build, best first
  std::vector<instruction_set> built;   // best first
  bool uses_amx;                        // for products of bytes or bfloat16
};

/// Throws backend_error if XPOSE_ISA names one that is not usable.
instruction_sets these_instruction_sets();

}  // namespace xpose::tools
