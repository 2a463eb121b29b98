// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// oneDNN 2 or 3 on OpenMP's threads: the reorder primitive as a transpose, dnnl_sgemm and the
// matmul primitive. Operands stay in the user's layout: no prepacking.

#include <omp.h>
#include <oneapi/dnnl/dnnl.hpp>

#include "peers/host/host_cases.hpp"

#include <optional>

namespace xpose::bench {
namespace {

using dnnl::memory;

memory::desc describe(memory::data_type type, index batch, index rows, index cols,
                      index batch_stride, index row_stride, index col_stride) {
  return {{batch, rows, cols}, type, memory::dims{batch_stride, row_stride, col_stride}};
}

memory::desc describe(memory::data_type type, std::vector<copied_dimension> const& dimensions,
                      index copied_dimension::*stride) {
  memory::dims extents;
  memory::dims strides;
  for (auto const& d : dimensions) {
    extents.push_back(d.extent);
    strides.push_back(d.*stride);
  }
  return {extents, type, strides};
}

std::optional<memory::data_type> type_of(element_kind kind) {
  switch (kind) {
    case element_kind::f32:
      return memory::data_type::f32;
    case element_kind::bf16:
      return memory::data_type::bf16;
    case element_kind::f16:
      return memory::data_type::f16;
    case element_kind::i8:
      return memory::data_type::s8;
    case element_kind::u8:
      return memory::data_type::u8;
    case element_kind::i32:
      return memory::data_type::s32;
    default:
      return std::nullopt;
  }
}

std::string name_of(dnnl::cpu_isa isa) {
  switch (isa) {
    case dnnl::cpu_isa::sse41:
      return "sse41";
    case dnnl::cpu_isa::avx:
      return "avx";
    case dnnl::cpu_isa::avx2:
      return "avx2";
    case dnnl::cpu_isa::avx2_vnni:
      return "avx2_vnni";
    case dnnl::cpu_isa::avx512_core:
      return "avx512_core";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "avx512_core_vnni";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "avx512_core_bf16";
    case dnnl::cpu_isa::avx512_core_amx:
      return "avx512_core_amx";
#if DNNL_VERSION_MAJOR >= 3
    case dnnl::cpu_isa::avx2_vnni_2:
      return "avx2_vnni_2";
    case dnnl::cpu_isa::avx512_core_fp16:
      return "avx512_core_fp16";
    case dnnl::cpu_isa::avx512_core_amx_fp16:
      return "avx512_core_amx_fp16";
#endif
    default:
      return "isa " + std::to_string(static_cast<unsigned>(isa));
  }
}

bool has(dnnl::cpu_isa wanted) {
  auto const bits = static_cast<unsigned>(wanted);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & bits) == bits;
}

/// A type of that size whose reorder to itself moves bits. Without AVX-512, bfloat16 goes through
/// f32, which changes NaNs, and no other type has two bytes and does better.
std::optional<memory::data_type> type_of_size(std::size_t bytes) {
  switch (bytes) {
    case 1:
      return memory::data_type::s8;
    case 2:
      if (!has(dnnl::cpu_isa::avx512_core)) return std::nullopt;
      return memory::data_type::bf16;
    case 4:
      return memory::data_type::f32;
    default:
      return std::nullopt;
  }
}

void* writable(void const* data) {
  return const_cast<void*>(data);  // dnnl::memory has no const
}

class reorder_runner : public copy_runner {
 public:
  reorder_runner(dnnl::engine const& engine, std::vector<copied_dimension> const& what,
                 memory::data_type type)
      : stream_(engine),
        in_(describe(type, what, &copied_dimension::in_stride), engine, nullptr),
        out_(describe(type, what, &copied_dimension::out_stride), engine, nullptr),
        reorder_(in_, out_) {}

  void run(void const* in, void* out) override {
    in_.set_data_handle(writable(in));
    out_.set_data_handle(out);
    reorder_.execute(stream_, in_, out_);
    stream_.wait();
  }
  std::string kernel() const override { return "reorder"; }

 private:
  dnnl::stream stream_;
  memory in_;
  memory out_;
  dnnl::reorder reorder_;
};

class sgemm_runner : public combine_runner {
 public:
  explicit sgemm_runner(gemm_case const& what) : what_(what) {}

  void run(void const* a, void const* b, void* c) override {
    auto const op = [](bool transposed) { return transposed ? 'T' : 'N'; };
    auto const status =
        dnnl_sgemm(op(what_.transposed_a), op(what_.transposed_b), what_.m, what_.n, what_.k, 1.0f,
                   static_cast<float const*>(a), what_.lda, static_cast<float const*>(b), what_.ldb,
                   0.0f, static_cast<float*>(c), what_.ldc);
    if (status != dnnl_success) throw std::runtime_error("dnnl_sgemm failed");
  }
  std::string kernel() const override { return "dnnl_sgemm"; }

 private:
  gemm_case what_;
};

dnnl::matmul::primitive_desc describe_product(dnnl::engine const& engine, memory const& a,
                                              memory const& b, memory const& c) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, a.get_desc(), b.get_desc(), c.get_desc()};
#else
  return {dnnl::matmul::desc(a.get_desc(), b.get_desc(), c.get_desc()), engine};
#endif
}

class matmul_runner : public combine_runner {
 public:
  matmul_runner(dnnl::engine const& engine, gemm_case const& what, memory::data_type type,
                memory::data_type c_type)
      : stream_(engine),
        a_(describe(type, what.batch, what.m, what.k, what.a_batch_stride,
                    what.transposed_a ? 1 : what.lda, what.transposed_a ? what.lda : 1),
           engine, nullptr),
        b_(describe(type, what.batch, what.k, what.n, what.b_batch_stride,
                    what.transposed_b ? 1 : what.ldb, what.transposed_b ? what.ldb : 1),
           engine, nullptr),
        c_(describe(c_type, what.batch, what.m, what.n, what.c_batch_stride, what.ldc, 1), engine,
           nullptr),
        description_(describe_product(engine, a_, b_, c_)),
        matmul_(description_) {}

  void run(void const* a, void const* b, void* c) override {
    a_.set_data_handle(writable(a));
    b_.set_data_handle(writable(b));
    c_.set_data_handle(c);
    matmul_.execute(stream_, {{DNNL_ARG_SRC, a_}, {DNNL_ARG_WEIGHTS, b_}, {DNNL_ARG_DST, c_}});
    stream_.wait();
  }
  std::string kernel() const override {
    return std::string("matmul ") + description_.impl_info_str();
  }

 private:
  dnnl::stream stream_;
  memory a_;
  memory b_;
  memory c_;
  dnnl::matmul::primitive_desc description_;
  dnnl::matmul matmul_;
};

class onednn_peer : public peer {
 public:
  onednn_peer() : engine_(dnnl::engine::kind::cpu, 0) {}

  std::string version() const override {
    auto const* const v = dnnl_version();
    return std::to_string(v->major) + "." + std::to_string(v->minor) + "." +
           std::to_string(v->patch) + ", " + name_of(dnnl::get_effective_cpu_isa());
  }

  std::unique_ptr<copy_runner> prepare(transpose_case const& what, peer_context const& where,
                                       void const*, void*) override {
    return what.in_place ? nullptr : make_reorder(what, where);
  }
  std::unique_ptr<copy_runner> prepare(permute_case const& what, peer_context const& where,
                                       void const*, void*) override {
    return make_reorder(what, where);
  }

  std::unique_ptr<combine_runner> prepare(gemm_case const& what, peer_context const& where,
                                          void const* a, void const* b, void* c) override {
    omp_set_num_threads(where.threads);  // a primitive divides its work when it is made
    auto matmul = make_matmul(what);
    if (what.type.kind != element_kind::f32 || what.batch != 1) return matmul;
    return faster_of(what, std::make_unique<sgemm_runner>(what), std::move(matmul), a, b, c);
  }

 private:
  std::unique_ptr<combine_runner> make_matmul(gemm_case const& what) {
    if (what.type.kind == element_kind::u8) return nullptr;  // weights are signed
    // Elsewhere pairs of products saturate at 16 bits: wrong for bytes of all values.
    if (what.type.kind == element_kind::i8 && !has(dnnl::cpu_isa::avx512_core_vnni) &&
        !has(dnnl::cpu_isa::avx2_vnni))
      return nullptr;
    auto const type = type_of(what.type.kind);
    auto const c_type = type_of(what.c_type.kind);
    if (!type || !c_type || what.type.kind == element_kind::i32) return nullptr;
    return or_absent(
        [&] { return std::make_unique<matmul_runner>(engine_, what, *type, *c_type); });
  }

  template <class Case>
  std::unique_ptr<copy_runner> make_reorder(Case const& what, peer_context const& where) {
    omp_set_num_threads(where.threads);
    auto const type = type_of_size(what.type.bytes);
    if (!type) return nullptr;
    return or_absent(
        [&] { return std::make_unique<reorder_runner>(engine_, dimensions_of(what), *type); });
  }

  /// A combination that it does not implement is an exception there and a missing case here.
  template <class Make>
  static auto or_absent(Make const& make) -> decltype(make()) {
    try {
      return make();
    } catch (dnnl::error const& error) {
      if (error.status == dnnl_unimplemented) return nullptr;
      throw;
    }
  }

  dnnl::engine engine_;
};

}  // namespace
}  // namespace xpose::bench

extern "C" __attribute__((visibility("default"))) xpose::bench::peer* xpose_bench_peer() {
  static xpose::bench::onednn_peer the_peer;
  return &the_peer;
}
