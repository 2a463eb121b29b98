// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The work that the candidates of a combine comparison do: C from A and B, a gemm or an add.
#pragma once

#include "candidates/xpose_calls.hpp"
#include "core/result.hpp"
#include "peers/peers.hpp"
#include "verify/verify.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace xpose::bench {

struct combine_sizes {
  element_type type;    ///< of A and B
  element_type c_type;  ///< of C
  index a;              ///< memory in elements, with what lies between the rows
  index b;
  index c;
};

/// A call at the speed that the hardware allows, on memory of the same sizes, aligned.
struct combine_ceiling {
  std::string name;
  std::string kernel;
  std::function<void(void const* a, void const* b, void* c)> run;
  /// Looks at slot 0 after a run; may be empty.
  std::function<verdict(void const* a, void const* b, void const* c)> verify;
  bound bounds = bound::rate;
};

class combine_task {
 public:
  virtual ~combine_task() = default;

  virtual combine_sizes sizes() const = 0;
  /// Floating-point operations of a call if is_arithmetic, else bytes.
  virtual double work() const = 0;
  virtual bool is_arithmetic() const = 0;
  virtual std::vector<combine_ceiling> ceilings(machine& where, int threads) const = 0;
  virtual bool has_peers() const { return true; }

  /// xpose's call and, in kernel, the name of the kernel that runs for operands at these addresses.
  virtual combine_call xpose(policy_choice const& policy, void const* a, void const* b, void* c,
                             std::string& kernel) const = 0;
  /// As peer::prepare.
  virtual std::unique_ptr<combine_runner> prepare(peer& library, peer_context const& where,
                                                  void const* a, void const* b, void* c) const = 0;
  /// What a script is told of the case (peers/protocol.py).
  virtual nlohmann::json script_request() const = 0;
  virtual verdict verify(machine& where, void const* a, void const* b, void const* c) const = 0;
};

}  // namespace xpose::bench
