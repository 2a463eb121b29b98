// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose's own calls, by the types and the policy that the command line names.
#pragma once

#include "core/case.hpp"
#include "core/settings.hpp"
#include "types/gemm_type.hpp"

#include <functional>
#include <string>

namespace xpose::bench {

/// in == out if the case is in place.
using copy_call = std::function<void(void const* in, void* out)>;
using combine_call = std::function<void(void const* a, void const* b, void* c)>;

/// The call and, in kernel, the name of the kernel that runs for operands at these addresses.
copy_call xpose_transpose(policy_choice const& policy, transpose_case const& what, void const* in,
                          void* out, std::string& kernel);
copy_call xpose_copy(policy_choice const& policy, transpose_case const& what, void const* in,
                     void* out, std::string& kernel);
/// Of a case in place.
copy_call xpose_transpose_inplace(policy_choice const& policy, transpose_case const& what,
                                  void* matrix, std::string& kernel);
copy_call xpose_cast(policy_choice const& policy, cast_case const& what, void const* in, void* out,
                     std::string& kernel);
copy_call xpose_permute(policy_choice const& policy, permute_case const& what, void const* in,
                        void* out, std::string& kernel);
combine_call xpose_add(policy_choice const& policy, add_case const& what, void const* a,
                       void const* b, void* c, std::string& kernel);
combine_call xpose_gemm(policy_choice const& policy, gemm_case const& what, gemm_type const& type,
                        void const* a, void const* b, void* c, std::string& kernel);

}  // namespace xpose::bench
