// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A transpose, in place or not, or a copy, as a comparison's task.
#pragma once

#include "candidates/copy_task.hpp"

namespace xpose::bench {

class transpose_task : public copy_task {
 public:
  transpose_task(transpose_case const& what, bool is_copy) : what_(what), is_copy_(is_copy) {}

  element_type const& in_type() const override { return what_.type; }
  copy_sizes sizes() const override;
  bool is_in_place() const override { return what_.in_place; }
  bool has_peers() const override { return !is_copy_; }
  copy_call xpose(policy_choice const& policy, void const* in, void* out,
                  std::string& kernel) const override;
  /// In place: the transpose to other memory, and back with a copy.
  copy_alternative alternative(policy_choice const& policy, void* in, void* out) const override;
  std::unique_ptr<copy_runner> prepare(peer& library, peer_context const& where, void const* in,
                                       void* out) const override;
  nlohmann::json script_request() const override;
  verdict verify(machine& where, void const* in, void const* out) const override;

 private:
  transpose_case what_;
  bool is_copy_;
};

}  // namespace xpose::bench
