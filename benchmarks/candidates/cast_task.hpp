// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A transpose or copy that casts its elements, as a comparison's task.
#pragma once

#include "candidates/transpose_task.hpp"

namespace xpose::bench {

class cast_task : public transpose_task {
 public:
  explicit cast_task(cast_case const& what)
      : transpose_task(what.moved, what.is_copy), what_(what) {}

  element_type const& out_type() const override { return what_.out_type; }
  bool has_peers() const override { return true; }
  bool is_measured_by_copy() const override { return true; }
  copy_call xpose(policy_choice const& policy, void const* in, void* out,
                  std::string& kernel) const override {
    return xpose_cast(policy, what_, in, out, kernel);
  }
  std::unique_ptr<copy_runner> prepare(peer& library, peer_context const& where, void const* in,
                                       void* out) const override {
    return library.prepare(what_, where, in, out);
  }
  nlohmann::json script_request() const override {
    auto request = transpose_task::script_request();
    request.update(
        {{"operation", "cast"}, {"out_type", what_.out_type.name}, {"is_copy", what_.is_copy}});
    return request;
  }
  verdict verify(machine& where, void const* in, void const* out) const override {
    return verify_cast(where, what_, in, out);
  }

 private:
  cast_case what_;
};

}  // namespace xpose::bench
