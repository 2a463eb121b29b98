// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// libxsmm: code made at run time for small products, a batch spread over the threads. Where xpose
// has one thread, single products and the transpose, too (libxsmm_otrans_thread of 1.17 dies of
// SIGFPE).

#include <libxsmm.h>

#include "peers/host/host_cases.hpp"

namespace xpose::bench {
namespace {

constexpr double largest_product = 128.0 * 128.0 * 128.0;

/// Column-major, so operands are exchanged.
template <class T, class Function>
class small_runner : public combine_runner {
 public:
  small_runner(gemm_case const& what, Function function, int threads)
      : what_(what), function_(function), threads_(threads) {}

  void run(void const* a, void const* b, void* c) override {
#pragma omp parallel for if (threads_ > 1) num_threads(threads_)
    for (index matrix = 0; matrix < what_.batch; ++matrix)
      function_(static_cast<T const*>(b) + matrix * what_.b_batch_stride,
                static_cast<T const*>(a) + matrix * what_.a_batch_stride,
                static_cast<T*>(c) + matrix * what_.c_batch_stride);
  }
  std::string kernel() const override { return "mmdispatch"; }

 private:
  gemm_case what_;
  Function function_;
  int threads_;
};

template <class T, class Dispatch>
std::unique_ptr<combine_runner> dispatch(gemm_case const& what, int threads, Dispatch const& find) {
  auto const m = static_cast<libxsmm_blasint>(what.n);
  auto const n = static_cast<libxsmm_blasint>(what.m);
  auto const k = static_cast<libxsmm_blasint>(what.k);
  auto const lda = static_cast<libxsmm_blasint>(what.ldb);
  auto const ldb = static_cast<libxsmm_blasint>(what.lda);
  auto const ldc = static_cast<libxsmm_blasint>(what.ldc);
  T const one = 1;
  T const zero = 0;
  int const flags = (what.transposed_b ? LIBXSMM_GEMM_FLAG_TRANS_A : LIBXSMM_GEMM_FLAG_NONE) |
                    (what.transposed_a ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE);
  auto const function = find(m, n, k, &lda, &ldb, &ldc, &one, &zero, &flags, nullptr);
  if (function == nullptr) return nullptr;  // it makes no code for the case
  return std::make_unique<small_runner<T, decltype(function)>>(what, function, threads);
}

class libxsmm_peer : public peer {
 public:
  libxsmm_peer() { libxsmm_init(); }

  std::string version() const override {
    return std::string(LIBXSMM_VERSION) + ", " + libxsmm_get_target_arch();
  }

  std::unique_ptr<copy_runner> prepare(transpose_case const& what, peer_context const& where,
                                       void const*, void*) override {
    if (!has_one_thread(where) || what.in_place || what.type.bytes > 16 ||
        !fit_int({what.rows, what.cols, what.in_ld, what.out_ld}))
      return nullptr;
    return make_looped_transpose(what, "libxsmm_otrans", [what](void const* in, void* out) {
      auto const narrow = [](index value) { return static_cast<libxsmm_blasint>(value); };
      libxsmm_otrans(out, in, static_cast<unsigned>(what.type.bytes), narrow(what.cols),
                     narrow(what.rows), narrow(what.in_ld), narrow(what.out_ld));
    });
  }

  std::unique_ptr<combine_runner> prepare(gemm_case const& what, peer_context const& where,
                                          void const*, void const*, void*) override {
    bool const is_small =
        static_cast<double>(what.m) * static_cast<double>(what.n) * static_cast<double>(what.k) <=
        largest_product;
    if (!is_small || (what.batch == 1 && !has_one_thread(where))) return nullptr;
    if (what.type.kind == element_kind::f32)
      return dispatch<float>(what, where.threads, libxsmm_smmdispatch);
    if (what.type.kind == element_kind::f64)
      return dispatch<double>(what, where.threads, libxsmm_dmmdispatch);
    return nullptr;
  }
};

}  // namespace
}  // namespace xpose::bench

extern "C" __attribute__((visibility("default"))) xpose::bench::peer* xpose_bench_peer() {
  static xpose::bench::libxsmm_peer the_peer;
  return &the_peer;
}
