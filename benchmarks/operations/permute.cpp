// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose-bench permute.

#include "candidates/copy.hpp"
#include "operations/operations.hpp"

#include <functional>
#include <numeric>

namespace xpose::bench {
namespace {

class permute_task : public copy_task {
 public:
  explicit permute_task(permute_case what) : what_(std::move(what)) {}

  element_type const& in_type() const override { return what_.type; }
  copy_sizes sizes() const override {
    index const all =
        std::accumulate(what_.extents.begin(), what_.extents.end(), index{1}, std::multiplies<>());
    return {all, all, all};
  }
  copy_call xpose(policy_choice const& policy, void const* in, void* out,
                  std::string& kernel) const override {
    return xpose_permute(policy, what_, in, out, kernel);
  }
  std::unique_ptr<copy_runner> prepare(peer& library, peer_context const& where, void const* in,
                                       void* out) const override {
    return library.prepare(what_, where, in, out);
  }
  nlohmann::json script_request() const override {
    return {{"operation", "permute"},
            {"type", what_.type.name},
            {"bytes", what_.type.bytes},
            {"extents", what_.extents},
            {"permutation", what_.permutation}};
  }
  verdict verify(machine& where, void const* in, void const* out) const override {
    return verify_permute(where, what_, in, out);
  }

 private:
  permute_case what_;
};

}  // namespace

void time_permute(work_site const& site, job const& j) {
  shape const s = parse_tensor_shape(j.shape);
  permute_task const task(make_permute_case(s, element_type_named(j.type)));
  copy_comparison comparison(site, result_of(site, "permute", s, j.type), task, s.offset);
  comparison.enter_all();
  comparison.run();
}

}  // namespace xpose::bench
