// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The work that the candidates of a copy comparison do: a transpose, a copy or a permutation.
#pragma once

#include "candidates/xpose_calls.hpp"
#include "peers/peers.hpp"
#include "verify/verify.hpp"

#include <memory>
#include <string>

namespace xpose::bench {

/// In elements.
struct copy_sizes {
  index in;     ///< memory of in, with what lies between its rows
  index out;    ///< memory of out
  index moved;  ///< that a call reads, and writes
};

/// Two calls of xpose that do the same work as the one that is timed.
struct copy_alternative {
  std::string name;  ///< empty: there is none
  std::string kernel;
  copy_call call;  ///< in and out are two memories, whatever the task is
};

class copy_task {
 public:
  virtual ~copy_task() = default;

  virtual element_type const& in_type() const = 0;
  virtual element_type const& out_type() const { return in_type(); }
  virtual copy_sizes sizes() const = 0;
  /// in and out are one memory; another of out's size holds nothing yet.
  virtual bool is_in_place() const { return false; }
  /// Whether peers take part, beside xpose and the ceilings.
  virtual bool has_peers() const { return true; }

  /// Whether xpose::copy of as many bytes takes part: what the casting costs.
  virtual bool is_measured_by_copy() const { return false; }

  /// xpose's call and, in kernel, the name of the kernel that runs for operands at these addresses.
  virtual copy_call xpose(policy_choice const& policy, void const* in, void* out,
                          std::string& kernel) const = 0;
  virtual copy_alternative alternative(policy_choice const& /*policy*/, void* /*in*/,
                                       void* /*out*/) const {
    return {};
  }
  /// As peer::prepare.
  virtual std::unique_ptr<copy_runner> prepare(peer& library, peer_context const& where,
                                               void const* in, void* out) const = 0;
  /// What a script is told of the case (peers/protocol.py).
  virtual nlohmann::json script_request() const = 0;
  virtual verdict verify(machine& where, void const* in, void const* out) const = 0;
};

}  // namespace xpose::bench
