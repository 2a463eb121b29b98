// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Intel MKL on the threads of libgomp: gemm (strided batches in one call, small products with code
// made for them), omatcopy, imatcopy, omatadd.

#include <link.h>
#include <mkl.h>

#include "peers/host/cblas_gemm_batch.hpp"

namespace xpose::bench {
namespace {

void transpose_out(transpose_case const& what, void const* in, void* out) {
  auto const rows = static_cast<std::size_t>(what.rows);
  auto const cols = static_cast<std::size_t>(what.cols);
  auto const in_ld = static_cast<std::size_t>(what.in_ld);
  auto const out_ld = static_cast<std::size_t>(what.out_ld);
  switch (what.type.kind) {
    case element_kind::f32:
      return mkl_somatcopy('R', 'T', rows, cols, 1.0f, static_cast<float const*>(in), in_ld,
                           static_cast<float*>(out), out_ld);
    case element_kind::f64:
      return mkl_domatcopy('R', 'T', rows, cols, 1.0, static_cast<double const*>(in), in_ld,
                           static_cast<double*>(out), out_ld);
    case element_kind::c64:
      return mkl_comatcopy('R', 'T', rows, cols, {1, 0}, static_cast<MKL_Complex8 const*>(in),
                           in_ld, static_cast<MKL_Complex8*>(out), out_ld);
    default:
      return mkl_zomatcopy('R', 'T', rows, cols, {1, 0}, static_cast<MKL_Complex16 const*>(in),
                           in_ld, static_cast<MKL_Complex16*>(out), out_ld);
  }
}

void transpose_in_place(transpose_case const& what, void* matrix) {
  auto const rows = static_cast<std::size_t>(what.rows);
  auto const cols = static_cast<std::size_t>(what.cols);
  switch (what.type.kind) {
    case element_kind::f32:
      return mkl_simatcopy('R', 'T', rows, cols, 1.0f, static_cast<float*>(matrix), cols, rows);
    case element_kind::f64:
      return mkl_dimatcopy('R', 'T', rows, cols, 1.0, static_cast<double*>(matrix), cols, rows);
    case element_kind::c64:
      return mkl_cimatcopy('R', 'T', rows, cols, {1, 0}, static_cast<MKL_Complex8*>(matrix), cols,
                           rows);
    default:
      return mkl_zimatcopy('R', 'T', rows, cols, {1, 0}, static_cast<MKL_Complex16*>(matrix), cols,
                           rows);
  }
}

/// The batch in one call: a loop leaves small matrices to one thread (60000 of 8x8 take 8.2 ms
/// there, 3.4 here, on two threads).
class batched_transpose : public copy_runner {
 public:
  explicit batched_transpose(transpose_case const& what) : what_(what) {}

  void run(void const* in, void* out) override {
    switch (what_.type.kind) {
      case element_kind::f32:
        return call(mkl_somatcopy_batch_strided, mkl_simatcopy_batch_strided, 1.0f, in, out);
      case element_kind::f64:
        return call(mkl_domatcopy_batch_strided, mkl_dimatcopy_batch_strided, 1.0, in, out);
      case element_kind::c64:
        return call(mkl_comatcopy_batch_strided, mkl_cimatcopy_batch_strided, MKL_Complex8{1, 0},
                    in, out);
      default:
        return call(mkl_zomatcopy_batch_strided, mkl_zimatcopy_batch_strided, MKL_Complex16{1, 0},
                    in, out);
    }
  }
  std::string kernel() const override {
    return what_.in_place ? "mkl imatcopy_batch_strided" : "mkl omatcopy_batch_strided";
  }

 private:
  template <class Copy, class Exchange, class T>
  void call(Copy const& copy, Exchange const& exchange, T one, void const* in, void* out) {
    auto const size = [](index value) { return static_cast<std::size_t>(value); };
    auto* const to = static_cast<T*>(out);
    if (what_.in_place)
      exchange('R', 'T', size(what_.rows), size(what_.cols), one, to, size(what_.cols),
               size(what_.rows), size(what_.in_batch_stride), size(what_.batch));
    else
      copy('R', 'T', size(what_.rows), size(what_.cols), one, static_cast<T const*>(in),
           size(what_.in_ld), size(what_.in_batch_stride), to, size(what_.out_ld),
           size(what_.out_batch_stride), size(what_.batch));
  }

  transpose_case what_;
};

class omatadd_runner : public combine_runner {
 public:
  explicit omatadd_runner(add_case const& what) : what_(what) {}

  void run(void const* a, void const* b, void* c) override {
    auto const alpha = static_cast<float>(add_alpha);
    auto const beta = static_cast<float>(add_beta);
    switch (what_.type.kind) {
      case element_kind::f32:
        return call<float>(mkl_somatadd, alpha, beta, a, b, c);
      case element_kind::f64:
        return call<double>(mkl_domatadd, add_alpha, add_beta, a, b, c);
      case element_kind::c64:
        return call<MKL_Complex8>(mkl_comatadd, MKL_Complex8{alpha, 0}, MKL_Complex8{beta, 0}, a, b,
                                  c);
      default:
        return call<MKL_Complex16>(mkl_zomatadd, MKL_Complex16{add_alpha, 0},
                                   MKL_Complex16{add_beta, 0}, a, b, c);
    }
  }
  std::string kernel() const override { return "mkl omatadd"; }

 private:
  template <class T, class Add>
  void call(Add const& add, T alpha, T beta, void const* a, void const* b, void* c) {
    auto const size = [](index value) { return static_cast<std::size_t>(value); };
    add('R', what_.transposed_a ? 'T' : 'N', what_.transposed_b ? 'T' : 'N', size(what_.rows),
        size(what_.cols), alpha, static_cast<T const*>(a), size(what_.lda), beta,
        static_cast<T const*>(b), size(what_.ldb), static_cast<T*>(c), size(what_.ldc));
  }

  add_case what_;
};

/// Code that MKL makes for one size of product on Intel's processors; elsewhere it makes none.
template <class T, class Function>
class made_gemm_runner : public combine_runner {
 public:
  made_gemm_runner(void* code, Function function) : code_(code), function_(function) {}
  made_gemm_runner(made_gemm_runner const&) = delete;
  made_gemm_runner& operator=(made_gemm_runner const&) = delete;
  ~made_gemm_runner() override { mkl_jit_destroy(code_); }

  void run(void const* a, void const* b, void* c) override {
    function_(code_, static_cast<T*>(const_cast<void*>(a)), static_cast<T*>(const_cast<void*>(b)),
              static_cast<T*>(c));
  }
  std::string kernel() const override { return "mkl_jit gemm"; }

 private:
  void* code_;
  Function function_;
};

template <class T, class Create, class Find>
std::unique_ptr<combine_runner> make_code(Create const& create, Find const& find,
                                          gemm_case const& what) {
  auto const op = [](bool transposed) { return transposed ? MKL_TRANS : MKL_NOTRANS; };
  auto const narrow = [](index value) { return static_cast<MKL_INT>(value); };
  void* code = nullptr;
  auto const made = create(&code, MKL_ROW_MAJOR, op(what.transposed_a), op(what.transposed_b),
                           narrow(what.m), narrow(what.n), narrow(what.k), T(1), narrow(what.lda),
                           narrow(what.ldb), T(0), narrow(what.ldc));
  if (made == MKL_JIT_ERROR) return nullptr;
  auto const function = find(code);
  auto runner = std::make_unique<made_gemm_runner<T, decltype(function)>>(code, function);
  if (made != MKL_JIT_SUCCESS) return nullptr;
  return runner;
}

std::unique_ptr<combine_runner> make_small_gemm(gemm_case const& what) {
  constexpr index most_products = 128 * 128 * 128;
  if (what.batch != 1 || what.m * what.n > most_products ||
      what.m * what.n * what.k > most_products)
    return nullptr;
  if (what.type.kind == element_kind::f32)
    return make_code<float>(mkl_jit_create_sgemm, mkl_jit_get_sgemm_ptr, what);
  if (what.type.kind == element_kind::f64)
    return make_code<double>(mkl_jit_create_dgemm, mkl_jit_get_dgemm_ptr, what);
  return nullptr;
}

/// The library of kernels that MKL loads for this processor with its first product:
/// "libmkl_avx512", "libmkl_def" (what it has for those of AMD).
std::string loaded_kernels() {
  float const one = 1;
  float product = 0;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 1, 1, 1, 1.0f, &one, 1, &one, 1, 0.0f,
              &product, 1);
  std::string found = "no kernels";
  auto const look = [](dl_phdr_info* library, std::size_t, void* answer) {
    std::string const path = library->dlpi_name;
    for (char const* const kernels : {"libmkl_avx", "libmkl_def", "libmkl_mc"}) {
      auto const at = path.rfind(kernels);
      if (at == std::string::npos) continue;
      *static_cast<std::string*>(answer) = path.substr(at, path.find('.', at) - at);
    }
    return 0;
  };
  dl_iterate_phdr(look, &found);
  return found;
}

class bfloat16_runner : public combine_runner {
 public:
  explicit bfloat16_runner(gemm_case const& what) : what_(what) {}

  void run(void const* a, void const* b, void* c) override {
    auto const op = [](bool transposed) { return transposed ? CblasTrans : CblasNoTrans; };
    auto const narrow = [](index value) { return static_cast<MKL_INT>(value); };
    for (index matrix = 0; matrix < what_.batch; ++matrix)
      cblas_gemm_bf16bf16f32(
          CblasRowMajor, op(what_.transposed_a), op(what_.transposed_b), narrow(what_.m),
          narrow(what_.n), narrow(what_.k), 1.0f,
          static_cast<MKL_BF16 const*>(a) + matrix * what_.a_batch_stride, narrow(what_.lda),
          static_cast<MKL_BF16 const*>(b) + matrix * what_.b_batch_stride, narrow(what_.ldb), 0.0f,
          static_cast<float*>(c) + matrix * what_.c_batch_stride, narrow(what_.ldc));
  }
  std::string kernel() const override { return "cblas_gemm_bf16bf16f32"; }

 private:
  gemm_case what_;
};

class mkl_peer : public peer {
 public:
  mkl_peer() {
    // One pool of threads for all: two would fight over the cores.
    mkl_set_threading_layer(MKL_THREADING_GNU);
    mkl_set_interface_layer(MKL_INTERFACE_LP64);
  }

  std::string version() const override {
    char text[200] = {};
    mkl_get_version_string(text, sizeof text - 1);
    return std::string(text) + ", " + loaded_kernels();
  }

  std::unique_ptr<copy_runner> prepare(transpose_case const& what, peer_context const& where,
                                       void const*, void*) override {
    if (!is_blas_kind(what.type.kind)) return nullptr;
    bool const is_threaded = !what.in_place || what.rows == what.cols;  // in place: squares only
    if (!is_threaded && !has_one_thread(where)) return nullptr;
    mkl_set_num_threads(where.threads);
    // imatcopy_batch_strided refuses rectangles that lie close together.
    if (what.batch > 1 && is_threaded) return std::make_unique<batched_transpose>(what);
    if (what.in_place)
      return make_looped_transpose(what, "mkl imatcopy", [what](void const*, void* matrix) {
        transpose_in_place(what, matrix);
      });
    return make_looped_transpose(
        what, "mkl omatcopy", [what](void const* in, void* out) { transpose_out(what, in, out); });
  }

  std::unique_ptr<combine_runner> prepare(add_case const& what, peer_context const& where,
                                          void const*, void const*, void*) override {
    mkl_set_num_threads(where.threads);
    return std::make_unique<omatadd_runner>(what);
  }

  std::unique_ptr<combine_runner> prepare(gemm_case const& what, peer_context const& where,
                                          void const* a, void const* b, void* c) override {
    mkl_set_num_threads(where.threads);
    if (what.type.kind == element_kind::bf16 && what.c_type.kind == element_kind::f32 &&
        fit_int({what.m, what.n, what.k, what.lda, what.ldb, what.ldc}))
      return std::make_unique<bfloat16_runner>(what);
    if (!is_cblas_case(what)) return nullptr;
    if (is_cblas_batch(what)) return std::make_unique<cblas_gemm_batch_runner>(what);
    return faster_of(what, make_cblas_gemm(what, a, b, c), make_small_gemm(what), a, b, c);
  }
};

}  // namespace
}  // namespace xpose::bench

extern "C" __attribute__((visibility("default"))) xpose::bench::peer* xpose_bench_peer() {
  static xpose::bench::mkl_peer the_peer;
  return &the_peer;
}
