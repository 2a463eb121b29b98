// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// FFTW: a plan of rank 0 is a copy between any two strided layouts.

#include <fftw3.h>

#include "peers/host/host_cases.hpp"

#include <algorithm>
#include <vector>

namespace xpose::bench {
namespace {

constexpr double planning_seconds = 2;
constexpr std::size_t most_bytes_measured = std::size_t{256} << 20;

/// What the single and the double library call by other names.
struct single_names {
  using real = float;
  using complex = fftwf_complex;
  using plan = fftwf_plan;
  static constexpr auto init_threads = fftwf_init_threads;
  static constexpr auto plan_with_threads = fftwf_plan_with_nthreads;
  static constexpr auto set_timelimit = fftwf_set_timelimit;
  static constexpr auto plan_real = fftwf_plan_guru64_r2r;
  static constexpr auto plan_complex = fftwf_plan_guru64_dft;
  static constexpr auto execute_real = fftwf_execute_r2r;
  static constexpr auto execute_complex = fftwf_execute_dft;
  static constexpr auto destroy = fftwf_destroy_plan;
};
struct double_names {
  using real = double;
  using complex = fftw_complex;
  using plan = fftw_plan;
  static constexpr auto init_threads = fftw_init_threads;
  static constexpr auto plan_with_threads = fftw_plan_with_nthreads;
  static constexpr auto set_timelimit = fftw_set_timelimit;
  static constexpr auto plan_real = fftw_plan_guru64_r2r;
  static constexpr auto plan_complex = fftw_plan_guru64_dft;
  static constexpr auto execute_real = fftw_execute_r2r;
  static constexpr auto execute_complex = fftw_execute_dft;
  static constexpr auto destroy = fftw_destroy_plan;
};

template <class Names>
class rank_0_runner : public copy_runner {
 public:
  using real = typename Names::real;
  using complex = typename Names::complex;

  rank_0_runner(std::vector<copied_dimension> const& what, bool is_complex, bool in_place,
                int threads, void const* in, void* out)
      : is_complex_(is_complex) {
    static int const are_threads_ready = Names::init_threads();
    if (are_threads_ready != 0) Names::plan_with_threads(threads);
    Names::set_timelimit(planning_seconds);
    std::vector<fftw_iodim64> dims;
    for (auto const& d : what) dims.push_back({d.extent, d.in_stride, d.out_stride});
    auto const rank = static_cast<int>(dims.size());
    // Measuring overwrites both operands, so it is done elsewhere, where that memory can be spared.
    std::size_t const bytes =
        static_cast<std::size_t>(reach_of(what)) * (is_complex ? sizeof(complex) : sizeof(real));
    bool const measures = bytes <= most_bytes_measured;
    std::vector<char> scratch(measures ? (in_place ? 1 : 2) * bytes : 0, 1);
    unsigned const flags = FFTW_UNALIGNED | (measures ? FFTW_MEASURE : FFTW_ESTIMATE);
    void* const from = measures ? scratch.data() : const_cast<void*>(in);
    if (measures) out = scratch.data() + (in_place ? 0 : bytes);
    plan_ = is_complex
                ? Names::plan_complex(0, nullptr, rank, dims.data(), static_cast<complex*>(from),
                                      static_cast<complex*>(out), FFTW_FORWARD, flags)
                : Names::plan_real(0, nullptr, rank, dims.data(), static_cast<real*>(from),
                                   static_cast<real*>(out), nullptr, flags);
  }
  rank_0_runner(rank_0_runner const&) = delete;
  rank_0_runner& operator=(rank_0_runner const&) = delete;
  ~rank_0_runner() override {
    if (plan_ != nullptr) Names::destroy(plan_);
  }

  bool is_planned() const { return plan_ != nullptr; }

  void run(void const* in, void* out) override {
    auto* const from = const_cast<void*>(in);
    if (is_complex_)
      Names::execute_complex(plan_, static_cast<complex*>(from), static_cast<complex*>(out));
    else Names::execute_real(plan_, static_cast<real*>(from), static_cast<real*>(out));
  }
  std::string kernel() const override { return "rank-0 plan"; }

 private:
  bool is_complex_;
  typename Names::plan plan_ = nullptr;
};

class fftw_peer : public peer {
 public:
  std::string version() const override { return fftw_version; }

  std::unique_ptr<copy_runner> prepare(transpose_case const& what, peer_context const& where,
                                       void const* in, void* out) override {
    return plan(what.type.kind, dimensions_of(what), what.in_place, where.threads, in, out);
  }
  std::unique_ptr<copy_runner> prepare(permute_case const& what, peer_context const& where,
                                       void const* in, void* out) override {
    return plan(what.type.kind, dimensions_of(what), false, where.threads, in, out);
  }

 private:
  static std::unique_ptr<copy_runner> plan(element_kind kind,
                                           std::vector<copied_dimension> const& dimensions,
                                           bool in_place, int threads, void const* in, void* out) {
    if (!is_blas_kind(kind)) return nullptr;
    bool const is_single = kind == element_kind::f32 || kind == element_kind::c64;
    bool const is_complex = kind == element_kind::c64 || kind == element_kind::c128;
    auto const plan_with = [&](auto names) -> std::unique_ptr<copy_runner> {
      auto runner = std::make_unique<rank_0_runner<decltype(names)>>(dimensions, is_complex,
                                                                     in_place, threads, in, out);
      if (!runner->is_planned()) return nullptr;
      return runner;
    };
    return is_single ? plan_with(single_names{}) : plan_with(double_names{});
  }
};

}  // namespace
}  // namespace xpose::bench

extern "C" __attribute__((visibility("default"))) xpose::bench::peer* xpose_bench_peer() {
  static xpose::bench::fftw_peer the_peer;
  return &the_peer;
}
