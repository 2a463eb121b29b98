// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "candidates/transpose_task.hpp"

namespace xpose::bench {

copy_sizes transpose_task::sizes() const {
  index const out_rows = is_copy_ ? what_.rows : what_.cols;
  return {what_.batch * what_.rows * what_.in_ld, what_.batch * out_rows * what_.out_ld,
          what_.batch * what_.rows * what_.cols};
}

copy_call transpose_task::xpose(policy_choice const& policy, void const* in, void* out,
                                std::string& kernel) const {
  if (what_.in_place) return xpose_transpose_inplace(policy, what_, out, kernel);
  return (is_copy_ ? xpose_copy : xpose_transpose)(policy, what_, in, out, kernel);
}

copy_alternative transpose_task::alternative(policy_choice const& policy, void* in,
                                             void* out) const {
  if (!what_.in_place) return {};
  transpose_case there = what_;
  there.in_place = false;
  index const stride = what_.out_batch_stride;
  transpose_case const back{what_.type,  what_.cols, what_.rows, what_.out_ld, what_.out_ld,
                            what_.batch, stride,     stride,     false};
  std::string transpose_kernel;
  std::string copy_kernel;
  auto const transpose_call = xpose_transpose(policy, there, in, out, transpose_kernel);
  auto const copy = xpose_copy(policy, back, out, in, copy_kernel);
  return {"copy_back", transpose_kernel + ", " + copy_kernel,
          [transpose_call, copy](void const* from, void* to) {
            transpose_call(from, to);
            copy(to, const_cast<void*>(from));
          }};
}

std::unique_ptr<copy_runner> transpose_task::prepare(peer& library, peer_context const& where,
                                                     void const* in, void* out) const {
  return library.prepare(what_, where, in, out);
}

nlohmann::json transpose_task::script_request() const {
  return {{"operation", what_.in_place ? "transpose_inplace" : "transpose"},
          {"type", what_.type.name},
          {"bytes", what_.type.bytes},
          {"rows", what_.rows},
          {"cols", what_.cols},
          {"in_ld", what_.in_ld},
          {"out_ld", what_.out_ld},
          {"batch", what_.batch},
          {"in_batch_stride", what_.in_batch_stride},
          {"out_batch_stride", what_.out_batch_stride},
          {"in_place", what_.in_place}};
}

verdict transpose_task::verify(machine& where, void const* in, void const* out) const {
  return verify_transpose(where, what_, is_copy_, in, out);
}

}  // namespace xpose::bench
