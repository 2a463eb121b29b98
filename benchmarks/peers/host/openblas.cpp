// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// OpenBLAS: gemm; on one thread omatcopy, geadd, and imatcopy for squares, which have no threads
// (0.3.21 and 0.3.34).

#include "peers/host/openblas_names.hpp"
//
#include "peers/host/cblas_gemm.hpp"
#ifdef XPOSE_OPENBLAS_FROM_PYPI
#include "peers/host/cblas_gemm_batch.hpp"
#endif

#include <type_traits>

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

#ifdef XPOSE_OPENBLAS_FROM_PYPI
/// PyPI's build has threads of its own, which spin for a while after a call and would fight with
/// those of xpose over the cores: OpenBLAS's jobs run on OpenMP's threads instead, at the same rate
/// (1024 cubed on two threads 10.7 ms both ways, Zen 4 2026-11-23). Jobs wait for one another, so
/// each needs a thread.
void run_jobs(int, openblas_dojob_callback run_job, int jobs, std::size_t bytes_per_job, void* data,
              int tag) {
#pragma omp parallel for num_threads(jobs) schedule(static, 1)
  for (int job = 0; job < jobs; ++job)
    run_job(job, static_cast<char*>(data) + static_cast<std::size_t>(job) * bytes_per_job, tag);
}

void share_threads() { openblas_set_threads_callback(run_jobs); }

/// gemm_batch_strided loses to a loop where matrices are small: 1000 of 16x16x16 took 266 us, the
/// loop 119, of 64x64x64 3.8 ms and 6.0 (two threads). 0.3.34 computes complex ones wrongly.
std::unique_ptr<combine_runner> make_gemm(gemm_case const& what, void const* a, void const* b,
                                          void* c) {
  std::unique_ptr<combine_runner> batch;
  bool const is_real = what.type.kind == element_kind::f32 || what.type.kind == element_kind::f64;
  if (is_real && is_cblas_batch(what)) batch = std::make_unique<cblas_gemm_batch_runner>(what);
  return faster_of(what, make_cblas_gemm(what, a, b, c), std::move(batch), a, b, c);
}
#else
void share_threads() {}  // Debian's build for OpenMP does

std::unique_ptr<combine_runner> make_gemm(gemm_case const& what, void const* a, void const* b,
                                          void* c) {
  return make_cblas_gemm(what, a, b, c);
}
#endif

/// c += scale * from. Newer ones can transpose both, at a tenth of omatcopy's rate.
template <class T, class Geadd>
void add_to(Geadd* geadd, add_case const& what, double scale, void const* from, index ld, void* c) {
  auto const rows = static_cast<int>(what.rows);
  auto const cols = static_cast<int>(what.cols);
  auto const from_ld = static_cast<int>(ld);
  auto const c_ld = static_cast<int>(what.ldc);
  auto* const data = static_cast<T*>(const_cast<void*>(from));  // older interfaces have no const
  auto* const sum = static_cast<T*>(c);
  T const factor = static_cast<T>(scale);
  if constexpr (std::is_invocable_v<Geadd*, CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int,
                                    T, T*, int, T, T*, int>)
    geadd(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, cols, factor, data, from_ld, T(1), sum,
          c_ld);
  else geadd(CblasRowMajor, rows, cols, factor, data, from_ld, T(1), sum, c_ld);
}

/// Its geadd adds a matrix to C: what comes first is copied, and transposed, to C.
class geadd_runner : public combine_runner {
 public:
  explicit geadd_runner(add_case const& what) : what_(what) {}

  void run(void const* a, void const* b, void* c) override {
    // geadd transposes nothing well, so that an operand as it is goes last.
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
    if (what_.type.kind == element_kind::f32)
      add_to<float>(cblas_sgeadd, what_, scale, from, ld, c);
    else add_to<double>(cblas_dgeadd, what_, scale, from, ld, c);
  }

  add_case what_;
};

class openblas_peer : public peer {
 public:
  openblas_peer() { share_threads(); }

  std::string version() const override {
    std::string const config = openblas_get_config();
    return config + ", core " + openblas_get_corename();
  }

  std::unique_ptr<copy_runner> prepare(transpose_case const& what, peer_context const& where,
                                       void const*, void*) override {
    // It multiplies by one, so the bits of a NaN may change: floating types only.
    if (!has_one_thread(where) || !is_blas_kind(what.type.kind) ||
        !fit_int({what.rows, what.cols, what.in_ld, what.out_ld}))
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
    if (!has_one_thread(where) || !is_real || (what.transposed_a && what.transposed_b) ||
        !fit_int({what.rows, what.cols, what.lda, what.ldb, what.ldc}))
      return nullptr;
    openblas_set_num_threads(where.threads);
    return std::make_unique<geadd_runner>(what);
  }

  std::unique_ptr<combine_runner> prepare(gemm_case const& what, peer_context const& where,
                                          void const* a, void const* b, void* c) override {
    if (!is_cblas_case(what)) return nullptr;
    openblas_set_num_threads(where.threads);
    return make_gemm(what, a, b, c);
  }
};

}  // namespace
}  // namespace xpose::bench

extern "C" __attribute__((visibility("default"))) xpose::bench::peer* xpose_bench_peer() {
  static xpose::bench::openblas_peer the_peer;
  return &the_peer;
}
