// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// HPTT: a plan that it measured, for permutations and packed transposes.

#include <hptt.h>

#include "peers/host/host_cases.hpp"

#include <complex>

namespace xpose::bench {
namespace {

#ifdef XPOSE_HPTT_HAS_OPENMP  // CMake looks into the library
constexpr bool has_threads = true;
#else
constexpr bool has_threads = false;
#endif

/// Column-major there: dimensions are counted from the fastest one.
template <class T>
class plan_runner : public copy_runner {
 public:
  plan_runner(permute_case const& what, int threads, void const* in, void* out) {
    auto const rank = static_cast<int>(what.extents.size());
    std::vector<int> permutation;
    std::vector<int> extents;
    for (std::size_t d = what.extents.size(); d-- > 0;) {
      permutation.push_back(rank - 1 - what.permutation[d]);
      extents.push_back(static_cast<int>(what.extents[d]));
    }
    plan_ =
        hptt::create_plan(permutation.data(), rank, T(1), static_cast<T const*>(in), extents.data(),
                          nullptr, T(0), static_cast<T*>(out), nullptr, hptt::MEASURE, threads);
  }

  void run(void const* in, void* out) override {
    plan_->setInputPtr(static_cast<T const*>(in));
    plan_->setOutputPtr(static_cast<T*>(out));
    plan_->execute();
  }
  std::string kernel() const override { return "measured plan"; }

 private:
  std::shared_ptr<hptt::Transpose<T>> plan_;
};

class hptt_peer : public peer {
 public:
  std::string version() const override {
    return has_threads ? "unnumbered, with OpenMP" : "unnumbered, without OpenMP";
  }

  std::unique_ptr<copy_runner> prepare(transpose_case const& what, peer_context const& where,
                                       void const* in, void* out) override {
    bool const is_packed = what.in_ld == what.cols && what.out_ld == what.rows;
    if (what.in_place || !is_packed) return nullptr;
    return prepare(permute_case{what.type, {what.batch, what.rows, what.cols}, {0, 2, 1}}, where,
                   in, out);
  }

  std::unique_ptr<copy_runner> prepare(permute_case const& what, peer_context const& where,
                                       void const* in, void* out) override {
    if (!has_threads && !has_one_thread(where)) return nullptr;
    for (index const extent : what.extents)
      if (!fit_int({extent})) return nullptr;
    auto const plan = [&](auto one) -> std::unique_ptr<copy_runner> {
      return std::make_unique<plan_runner<decltype(one)>>(what, where.threads, in, out);
    };
    switch (what.type.kind) {
      case element_kind::f32:
        return plan(float{});
      case element_kind::f64:
        return plan(double{});
      case element_kind::c64:
        return plan(std::complex<float>{});
      case element_kind::c128:
        return plan(std::complex<double>{});
      default:
        return nullptr;
    }
  }
};

}  // namespace
}  // namespace xpose::bench

extern "C" __attribute__((visibility("default"))) xpose::bench::peer* xpose_bench_peer() {
  static xpose::bench::hptt_peer the_peer;
  return &the_peer;
}
