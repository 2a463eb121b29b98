// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// OpenBLAS: gemm, omatcopy, and imatcopy for squares.

#include <cblas.h>

#include "peers/host/cblas_gemm.hpp"

namespace xpose::bench {
namespace {

void transpose_out(transpose_case const& what, void const* in, void* out) {
  auto const rows = static_cast<int>(what.rows);
  auto const cols = static_cast<int>(what.cols);
  auto const in_ld = static_cast<int>(what.in_ld);
  auto const out_ld = static_cast<int>(what.out_ld);
  float const one_f32[2] = {1, 0};
  double const one_f64[2] = {1, 0};
  switch (what.type.kind) {
    case element_kind::f32:
      return cblas_somatcopy(CblasRowMajor, CblasTrans, rows, cols, 1.0f,
                             static_cast<float const*>(in), in_ld, static_cast<float*>(out),
                             out_ld);
    case element_kind::f64:
      return cblas_domatcopy(CblasRowMajor, CblasTrans, rows, cols, 1.0,
                             static_cast<double const*>(in), in_ld, static_cast<double*>(out),
                             out_ld);
    case element_kind::c64:
      return cblas_comatcopy(CblasRowMajor, CblasTrans, rows, cols, one_f32,
                             static_cast<float const*>(in), in_ld, static_cast<float*>(out),
                             out_ld);
    default:
      return cblas_zomatcopy(CblasRowMajor, CblasTrans, rows, cols, one_f64,
                             static_cast<double const*>(in), in_ld, static_cast<double*>(out),
                             out_ld);
  }
}

void transpose_square(transpose_case const& what, void* matrix) {
  auto const side = static_cast<int>(what.rows);
  float one_f32[2] = {1, 0};
  double one_f64[2] = {1, 0};
  auto* const f32 = static_cast<float*>(matrix);
  auto* const f64 = static_cast<double*>(matrix);
  switch (what.type.kind) {
    case element_kind::f32:
      return cblas_simatcopy(CblasRowMajor, CblasTrans, side, side, 1.0f, f32, side, side);
    case element_kind::f64:
      return cblas_dimatcopy(CblasRowMajor, CblasTrans, side, side, 1.0, f64, side, side);
    case element_kind::c64:
      return cblas_cimatcopy(CblasRowMajor, CblasTrans, side, side, one_f32, f32, side, side);
    default:
      return cblas_zimatcopy(CblasRowMajor, CblasTrans, side, side, one_f64, f64, side, side);
  }
}

/// Its geadd adds a matrix to C: what comes first is copied, and transposed, to C.
class geadd_runner : public combine_runner {
 public:
  explicit geadd_runner(add_case const& what) : what_(what) {}

  void run(void const* a, void const* b, void* c) override {
    // geadd transposes nothing, so that an operand as it is goes last.
    if (what_.transposed_a) {
      copy(what_.transposed_a, add_alpha, a, what_.lda, c);
      add(add_beta, b, what_.ldb, c);
    } else {
      copy(what_.transposed_b, add_beta, b, what_.ldb, c);
      add(add_alpha, a, what_.lda, c);
    }
  }
  std::string kernel() const override { return "cblas omatcopy, geadd"; }

 private:
  void copy(bool transposed, double scale, void const* from, index ld, void* c) const {
    bool const is_f32 = what_.type.kind == element_kind::f32;
    auto const rows = static_cast<int>(transposed ? what_.cols : what_.rows);
    auto const cols = static_cast<int>(transposed ? what_.rows : what_.cols);
    auto const from_ld = static_cast<int>(ld);
    auto const c_ld = static_cast<int>(what_.ldc);
    auto const op = transposed ? CblasTrans : CblasNoTrans;
    if (is_f32)
      cblas_somatcopy(CblasRowMajor, op, rows, cols, static_cast<float>(scale),
                      static_cast<float const*>(from), from_ld, static_cast<float*>(c), c_ld);
    else
      cblas_domatcopy(CblasRowMajor, op, rows, cols, scale, static_cast<double const*>(from),
                      from_ld, static_cast<double*>(c), c_ld);
  }

  void add(double scale, void const* from, index ld, void* c) const {
    auto const rows = static_cast<int>(what_.rows);
    auto const cols = static_cast<int>(what_.cols);
    auto* const data = const_cast<void*>(from);  // its interface has no const
    if (what_.type.kind == element_kind::f32)
      cblas_sgeadd(CblasRowMajor, rows, cols, static_cast<float>(scale), static_cast<float*>(data),
                   static_cast<int>(ld), 1.0f, static_cast<float*>(c), static_cast<int>(what_.ldc));
    else
      cblas_dgeadd(CblasRowMajor, rows, cols, scale, static_cast<double*>(data),
                   static_cast<int>(ld), 1.0, static_cast<double*>(c), static_cast<int>(what_.ldc));
  }

  add_case what_;
};

class openblas_peer : public peer {
 public:
  std::string version() const override {
    std::string const config = openblas_get_config();
    return config + ", core " + openblas_get_corename();
  }

  std::unique_ptr<copy_runner> prepare(transpose_case const& what, peer_context const& where,
                                       void const*, void*) override {
    // It multiplies by one, so the bits of a NaN may change: floating types only.
    if (!is_blas_kind(what.type.kind) || !fit_int({what.rows, what.cols, what.in_ld, what.out_ld}))
      return nullptr;
    // imatcopy of a rectangle allocates the square of its longer side and calls exit() if it
    // cannot.
    if (what.in_place && what.rows != what.cols) return nullptr;
    openblas_set_num_threads(where.threads);
    if (what.in_place)
      return make_looped_transpose(what, "cblas imatcopy", [what](void const*, void* matrix) {
        transpose_square(what, matrix);
      });
    return make_looped_transpose(what, "cblas omatcopy", [what](void const* in, void* out) {
      transpose_out(what, in, out);
    });
  }

  std::unique_ptr<combine_runner> prepare(add_case const& what, peer_context const& where,
                                          void const*, void const*, void*) override {
    bool const is_real = what.type.kind == element_kind::f32 || what.type.kind == element_kind::f64;
    if (!is_real || (what.transposed_a && what.transposed_b) ||
        !fit_int({what.rows, what.cols, what.lda, what.ldb, what.ldc}))
      return nullptr;
    openblas_set_num_threads(where.threads);
    return std::make_unique<geadd_runner>(what);
  }

  std::unique_ptr<combine_runner> prepare(gemm_case const& what, peer_context const& where,
                                          void const*, void const*, void*) override {
    if (!is_cblas_case(what)) return nullptr;
    openblas_set_num_threads(where.threads);
    return std::make_unique<cblas_gemm_runner>(what);
  }
};

}  // namespace
}  // namespace xpose::bench

extern "C" __attribute__((visibility("default"))) xpose::bench::peer* xpose_bench_peer() {
  static xpose::bench::openblas_peer the_peer;
  return &the_peer;
}
