// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "candidates/gemm_task.hpp"

#include "ceilings/ceilings.hpp"

namespace xpose::bench {

double operations_of(gemm_case const& what, gemm_type const& type) {
  // A complex multiply-add is four real multiplies and four real adds.
  return (type.is_complex() ? 8.0 : 2.0) * static_cast<double>(what.batch) *
         static_cast<double>(what.m) * static_cast<double>(what.n) * static_cast<double>(what.k);
}

combine_sizes gemm_task::sizes() const {
  return {what_.type, what_.c_type,
          what_.batch * (what_.transposed_a ? what_.k : what_.m) * what_.lda,
          what_.batch * (what_.transposed_b ? what_.n : what_.k) * what_.ldb,
          what_.batch * what_.m * what_.ldc};
}

std::vector<combine_ceiling> gemm_task::ceilings(machine& where, int threads) const {
  std::vector<combine_ceiling> found;
  for (auto const& c : arithmetic_ceilings(where, threads, type_))
    found.push_back(
        {c.name, c.kernel,
         [compute = c.compute, work = work()](void const*, void const*, void*) { compute(work); },
         nullptr});
  found.push_back(
      {"read_operands", "read_words",
       [this, &where, threads](void const* a, void const* b, void const* c) {
         combine_sizes const s = sizes();
         auto const bytes = [](index elements, element_type const& type) {
           return static_cast<std::size_t>(elements) * type.bytes;
         };
         read_operands(
             where, threads,
             {{{a, bytes(s.a, s.type)}, {b, bytes(s.b, s.type)}, {c, bytes(s.c, s.c_type)}}});
       },
       nullptr, bound::bytes});
  return found;
}

combine_call gemm_task::xpose(policy_choice const& policy, void const* a, void const* b, void* c,
                              std::string& kernel) const {
  return xpose_gemm(policy, what_, type_, a, b, c, kernel);
}

std::unique_ptr<combine_runner> gemm_task::prepare(peer& library, peer_context const& where,
                                                   void const* a, void const* b, void* c) const {
  return library.prepare(what_, where, a, b, c);
}

nlohmann::json gemm_task::script_request() const {
  return {{"operation", "gemm"},
          {"type", what_.type.name},
          {"c_type", what_.c_type.name},
          {"semiring", name_of(type_.semiring)},
          {"precision", name_of(type_.precision)},
          {"m", what_.m},
          {"n", what_.n},
          {"k", what_.k},
          {"transposed_a", what_.transposed_a},
          {"transposed_b", what_.transposed_b},
          {"lda", what_.lda},
          {"ldb", what_.ldb},
          {"ldc", what_.ldc},
          {"batch", what_.batch},
          {"a_batch_stride", what_.a_batch_stride},
          {"b_batch_stride", what_.b_batch_stride},
          {"c_batch_stride", what_.c_batch_stride}};
}

verdict gemm_task::verify(machine& where, void const* a, void const* b, void const* c) const {
  return verify_gemm(where, what_, type_, a, b, c);
}

}  // namespace xpose::bench
