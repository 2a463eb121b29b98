// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose-bench add.

#include "candidates/combine.hpp"
#include "ceilings/ceilings.hpp"
#include "operations/operations.hpp"

#include <cstring>

namespace xpose::bench {
namespace {

/// Finds the first word of C that is not the sum of A's and B's.
std::vector<std::uint32_t> words_of(machine& where, void const* memory, std::size_t words) {
  std::vector<std::uint32_t> copy(words);
  where.copy_to_host(copy.data(), memory, words * sizeof(std::uint32_t));
  return copy;
}

verdict verify_words(machine& where, std::size_t words, void const* a, void const* b,
                     void const* c) {
  auto const x = words_of(where, a, words);
  auto const y = words_of(where, b, words);
  auto const sum = words_of(where, c, words);
  for (std::size_t w = 0; w < words; ++w)
    if (sum[w] != x[w] + y[w]) return {"word " + std::to_string(w) + " is no sum", "definition"};
  return {"", "definition"};
}

class add_task : public combine_task {
 public:
  explicit add_task(add_case const& what) : what_(what) {}

  combine_sizes sizes() const override {
    return {what_.type, what_.type, (what_.transposed_a ? what_.cols : what_.rows) * what_.lda,
            (what_.transposed_b ? what_.cols : what_.rows) * what_.ldb, what_.rows * what_.ldc};
  }
  double work() const override { return 3 * static_cast<double>(bytes_of_each()); }
  bool is_arithmetic() const override { return false; }
  std::vector<combine_ceiling> ceilings(machine& where, int threads) const override {
    std::vector<combine_ceiling> found;
    for (auto const& s : sum_ceilings(where, threads))
      found.push_back(
          {s.name, s.kernel,
           [add = s.add, bytes = bytes_of_each()](void const* a, void const* b, void* c) {
             add(a, b, c, bytes);
           },
           [&where, bytes = bytes_of_each()](void const* a, void const* b, void const* c) {
             return verify_words(where, bytes / sizeof(std::uint32_t), a, b, c);
           }});
    return found;
  }
  combine_call xpose(policy_choice const& policy, void const* a, void const* b, void* c,
                     std::string& kernel) const override {
    return xpose_add(policy, what_, a, b, c, kernel);
  }
  std::unique_ptr<combine_runner> prepare(peer& library, peer_context const& where, void const* a,
                                          void const* b, void* c) const override {
    return library.prepare(what_, where, a, b, c);
  }
  nlohmann::json script_request() const override {
    return {{"operation", "add"},
            {"type", what_.type.name},
            {"rows", what_.rows},
            {"cols", what_.cols},
            {"transposed_a", what_.transposed_a},
            {"transposed_b", what_.transposed_b},
            {"lda", what_.lda},
            {"ldb", what_.ldb},
            {"ldc", what_.ldc},
            {"alpha", add_alpha},
            {"beta", add_beta}};
  }
  verdict verify(machine& where, void const* a, void const* b, void const* c) const override {
    return verify_add(where, what_, a, b, c);
  }

 private:
  std::size_t bytes_of_each() const {
    return static_cast<std::size_t>(what_.rows * what_.cols) * what_.type.bytes;
  }

  add_case what_;
};

}  // namespace

void time_add(work_site const& site, job const& j) {
  shape const s = parse_sum_shape(j.shape);
  add_task const task(make_add_case(s, element_type_named(j.type)));
  combine_comparison comparison(site, result_of(site, "add", s, j.type), task, s.offset);
  comparison.enter_all();
  comparison.run();
}

}  // namespace xpose::bench
