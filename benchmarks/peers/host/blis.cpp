// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// BLIS: gemm through CBLAS, and on one thread copym of its native interface, which takes any
// strides and has no threads.

#include <blis.h>
#include <cblas.h>

#include "peers/host/cblas_gemm.hpp"

namespace xpose::bench {
namespace {

/// in is read through exchanged strides, so nothing needs the name of a transpose.
void transpose_out(transpose_case const& what, void const* in, void* out) {
  auto const call = [&](auto copym, auto* from, auto* to) {
    copym(0, BLIS_NONUNIT_DIAG, BLIS_DENSE, BLIS_NO_TRANSPOSE, what.cols, what.rows, from, 1,
          what.in_ld, to, what.out_ld, 1);
  };
  void* const from = const_cast<void*>(in);  // the interface has no const
  switch (what.type.kind) {
    case element_kind::f32:
      return call(bli_scopym, static_cast<float*>(from), static_cast<float*>(out));
    case element_kind::f64:
      return call(bli_dcopym, static_cast<double*>(from), static_cast<double*>(out));
    case element_kind::c64:
      return call(bli_ccopym, static_cast<scomplex*>(from), static_cast<scomplex*>(out));
    default:
      return call(bli_zcopym, static_cast<dcomplex*>(from), static_cast<dcomplex*>(out));
  }
}

class blis_peer : public peer {
 public:
  std::string version() const override {
    return std::string(bli_info_get_version_str()) + ", kernels " +
           bli_arch_string(bli_arch_query_id());
  }

  std::unique_ptr<copy_runner> prepare(transpose_case const& what, peer_context const& where,
                                       void const*, void*) override {
    if (!has_one_thread(where) || !is_blas_kind(what.type.kind) || what.in_place) return nullptr;
    bli_thread_set_num_threads(where.threads);
    return make_looped_transpose(
        what, "bli copym", [what](void const* in, void* out) { transpose_out(what, in, out); });
  }

  std::unique_ptr<combine_runner> prepare(gemm_case const& what, peer_context const& where,
                                          void const* a, void const* b, void* c) override {
    bool const has_vector =
        what.m == 1 || what.n == 1;  // neither its gemm nor its gemv has threads
    if (!is_cblas_case(what) || (has_vector && !has_one_thread(where))) return nullptr;
    bli_thread_set_num_threads(where.threads);
    return make_cblas_gemm(what, a, b, c);
  }
};

}  // namespace
}  // namespace xpose::bench

extern "C" __attribute__((visibility("default"))) xpose::bench::peer* xpose_bench_peer() {
  static xpose::bench::blis_peer the_peer;
  return &the_peer;
}
