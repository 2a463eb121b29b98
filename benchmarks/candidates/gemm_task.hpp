// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A gemm as a comparison's task.
#pragma once

#include "candidates/combine_task.hpp"

namespace xpose::bench {

/// Floating-point operations of a call.
double operations_of(gemm_case const& what, gemm_type const& type);

class gemm_task : public combine_task {
 public:
  gemm_task(gemm_type type, gemm_case const& what) : type_(std::move(type)), what_(what) {}

  combine_sizes sizes() const override;
  double work() const override { return operations_of(what_, type_); }
  bool is_arithmetic() const override { return true; }
  std::vector<combine_ceiling> ceilings(machine& where, int threads) const override;
  bool has_peers() const override { return !is_semiring(); }
  combine_call xpose(policy_choice const& policy, void const* a, void const* b, void* c,
                     std::string& kernel) const override;
  std::unique_ptr<combine_runner> prepare(peer& library, peer_context const& where, void const* a,
                                          void const* b, void* c) const override;
  nlohmann::json script_request() const override;
  verdict verify(machine& where, void const* a, void const* b, void const* c) const override;

 private:
  bool is_semiring() const { return type_.semiring != semiring_choice::plus_times; }

  gemm_type type_;
  gemm_case what_;
};

}  // namespace xpose::bench
