// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Eigen: products and assignments of Maps, compiled for the machine that builds the bench. Only
// products and Tensor.shuffle have threads.

#include <Eigen/Core>

#include "peers/host/eigen_shuffle.hpp"
#include "peers/host/host_cases.hpp"

#include <complex>

namespace xpose::bench {
namespace {

template <class T>
using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using stored = Eigen::Map<matrix<T>, Eigen::Unaligned, Eigen::OuterStride<>>;
template <class T>
using stored_const = Eigen::Map<matrix<T> const, Eigen::Unaligned, Eigen::OuterStride<>>;

template <class T>
void transpose_out(transpose_case const& what, void const* in, void* out) {
  stored_const<T> const from(static_cast<T const*>(in), what.rows, what.cols,
                             Eigen::OuterStride<>(what.in_ld));
  stored<T> to(static_cast<T*>(out), what.cols, what.rows, Eigen::OuterStride<>(what.out_ld));
  to = from.transpose();
}

template <class From, class To>
void cast_out(cast_case const& what, void const* in, void* out) {
  transpose_case const& moved = what.moved;
  stored_const<From> const from(static_cast<From const*>(in), moved.rows, moved.cols,
                                Eigen::OuterStride<>(moved.in_ld));
  index const rows = what.is_copy ? moved.rows : moved.cols;
  index const cols = what.is_copy ? moved.cols : moved.rows;
  stored<To> to(static_cast<To*>(out), rows, cols, Eigen::OuterStride<>(moved.out_ld));
  if (what.is_copy) to = from.template cast<To>();
  else to = from.transpose().template cast<To>();
}

using cast_function = void (*)(cast_case const&, void const*, void*);

template <class From>
cast_function cast_from(element_kind to) {
  switch (to) {
    case element_kind::f16:
      return cast_out<From, Eigen::half>;
    case element_kind::bf16:
      return cast_out<From, Eigen::bfloat16>;
    case element_kind::f64:
      return cast_out<From, double>;
    default:
      return cast_out<From, float>;
  }
}

cast_function find_cast(element_kind from, element_kind to) {
  switch (from) {
    case element_kind::f16:
      return cast_from<Eigen::half>(to);
    case element_kind::bf16:
      return cast_from<Eigen::bfloat16>(to);
    case element_kind::f64:
      return cast_from<double>(to);
    default:
      return cast_from<float>(to);
  }
}

template <class T>
void transpose_square(transpose_case const& what, void const*, void* memory) {
  stored<T> all(static_cast<T*>(memory), what.rows, what.cols, Eigen::OuterStride<>(what.cols));
  all.transposeInPlace();
}

using transpose_function = void (*)(transpose_case const&, void const*, void*);

template <class T>
transpose_function transpose_of(bool in_place) {
  return in_place ? transpose_square<T> : transpose_out<T>;
}

/// Elements must be numbers to Eigen, so there are none of 3 or 12 bytes.
transpose_function find_transpose(transpose_case const& what) {
  switch (what.type.bytes) {
    case 1:
      return transpose_of<std::uint8_t>(what.in_place);
    case 2:
      return transpose_of<std::uint16_t>(what.in_place);
    case 4:
      return transpose_of<float>(what.in_place);
    case 8:
      return transpose_of<double>(what.in_place);
    case 16:
      return transpose_of<std::complex<double>>(what.in_place);
    default:
      return nullptr;
  }
}

template <class T>
class product_runner : public combine_runner {
 public:
  explicit product_runner(gemm_case const& what) : what_(what) {}

  void run(void const* a, void const* b, void* c) override {
    for (index batch = 0; batch < what_.batch; ++batch) {
      auto const map = [](T const* data, bool transposed, index rows, index cols, index ld) {
        return stored_const<T>(data, transposed ? cols : rows, transposed ? rows : cols,
                               Eigen::OuterStride<>(ld));
      };
      auto const a_map = map(static_cast<T const*>(a) + batch * what_.a_batch_stride,
                             what_.transposed_a, what_.m, what_.k, what_.lda);
      auto const b_map = map(static_cast<T const*>(b) + batch * what_.b_batch_stride,
                             what_.transposed_b, what_.k, what_.n, what_.ldb);
      stored<T> c_map(static_cast<T*>(c) + batch * what_.c_batch_stride, what_.m, what_.n,
                      Eigen::OuterStride<>(what_.ldc));
      if (what_.transposed_a && what_.transposed_b)
        c_map.noalias() = a_map.transpose() * b_map.transpose();
      else if (what_.transposed_a) c_map.noalias() = a_map.transpose() * b_map;
      else if (what_.transposed_b) c_map.noalias() = a_map * b_map.transpose();
      else c_map.noalias() = a_map * b_map;
    }
  }
  std::string kernel() const override { return "Map = Map * Map"; }

 private:
  gemm_case what_;
};

template <class T>
class sum_runner : public combine_runner {
 public:
  explicit sum_runner(add_case const& what) : what_(what) {}

  void run(void const* a, void const* b, void* c) override {
    auto const map = [&](void const* data, bool transposed, index ld) {
      return stored_const<T>(static_cast<T const*>(data), transposed ? what_.cols : what_.rows,
                             transposed ? what_.rows : what_.cols, Eigen::OuterStride<>(ld));
    };
    auto const a_map = map(a, what_.transposed_a, what_.lda);
    auto const b_map = map(b, what_.transposed_b, what_.ldb);
    stored<T> sum(static_cast<T*>(c), what_.rows, what_.cols, Eigen::OuterStride<>(what_.ldc));
    T const alpha(add_alpha);
    T const beta(add_beta);
    if (what_.transposed_a && what_.transposed_b)
      sum = alpha * a_map.transpose() + beta * b_map.transpose();
    else if (what_.transposed_a) sum = alpha * a_map.transpose() + beta * b_map;
    else if (what_.transposed_b) sum = alpha * a_map + beta * b_map.transpose();
    else sum = alpha * a_map + beta * b_map;
  }
  std::string kernel() const override { return "Map = Map + Map"; }

 private:
  add_case what_;
};

class eigen_peer : public peer {
 public:
  std::string version() const override {
    return std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
           std::to_string(EIGEN_MINOR_VERSION) + ", " + Eigen::SimdInstructionSetsInUse();
  }

  std::unique_ptr<copy_runner> prepare(transpose_case const& what, peer_context const& where,
                                       void const*, void*) override {
    if (!has_one_thread(where)) return nullptr;
    auto const transpose = find_transpose(what);
    if (transpose == nullptr || (what.in_place && what.rows != what.cols)) return nullptr;
    return make_looped_transpose(
        what, what.in_place ? "transposeInPlace" : "Map = Map.transpose()",
        [what, transpose](void const* in, void* out) { transpose(what, in, out); });
  }

  std::unique_ptr<copy_runner> prepare(cast_case const& what, peer_context const& where,
                                       void const*, void*) override {
    if (!has_one_thread(where) || what.moved.batch != 1) return nullptr;
    return make_looped_transpose(what.moved, "Map = Map.cast()",
                                 [what, cast = find_cast(what.moved.type.kind, what.out_type.kind)](
                                     void const* in, void* out) { cast(what, in, out); });
  }

  std::unique_ptr<copy_runner> prepare(permute_case const& what, peer_context const& where,
                                       void const*, void*) override {
    return make_shuffle(what, where.threads);
  }

  std::unique_ptr<combine_runner> prepare(add_case const& what, peer_context const& where,
                                          void const*, void const*, void*) override {
    if (!has_one_thread(where)) return nullptr;
    switch (what.type.kind) {
      case element_kind::f32:
        return std::make_unique<sum_runner<float>>(what);
      case element_kind::f64:
        return std::make_unique<sum_runner<double>>(what);
      case element_kind::c64:
        return std::make_unique<sum_runner<std::complex<float>>>(what);
      default:
        return std::make_unique<sum_runner<std::complex<double>>>(what);
    }
  }

  std::unique_ptr<combine_runner> prepare(gemm_case const& what, peer_context const& where,
                                          void const*, void const*, void*) override {
    bool const has_vector = what.m == 1 || what.n == 1;
    if (has_vector && !has_one_thread(where)) return nullptr;  // its gemv has no threads
    Eigen::setNbThreads(where.threads);
    switch (what.type.kind) {
      case element_kind::f32:
        return std::make_unique<product_runner<float>>(what);
      case element_kind::f64:
        return std::make_unique<product_runner<double>>(what);
      case element_kind::c64:
        return std::make_unique<product_runner<std::complex<float>>>(what);
      case element_kind::c128:
        return std::make_unique<product_runner<std::complex<double>>>(what);
      case element_kind::i32:
        return std::make_unique<product_runner<std::int32_t>>(what);
      case element_kind::i64:
        return std::make_unique<product_runner<std::int64_t>>(what);
      default:
        return nullptr;
    }
  }
};

}  // namespace
}  // namespace xpose::bench

extern "C" __attribute__((visibility("default"))) xpose::bench::peer* xpose_bench_peer() {
  static xpose::bench::eigen_peer the_peer;
  return &the_peer;
}
