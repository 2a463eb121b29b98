// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The memory and the loops that the API block of docs/ is checked with.
#pragma once

#include "support/gpu.hpp"

#include <xpose/xpose.hpp>

#if XPOSE_BLOCK_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

#include <memory>
#include <vector>

/// Memory that every policy of the block reaches: pinned where there is a GPU, plain elsewhere.
class block_memory {
 public:
  explicit block_memory(std::size_t bytes) {
#if XPOSE_BLOCK_HAS_CUDA
    void* pinned = nullptr;
    if (has_gpu() && cudaMallocHost(&pinned, bytes) == cudaSuccess) {
      memory_ = {static_cast<unsigned char*>(pinned), [](void* p) { cudaFreeHost(p); }};
      return;
    }
#endif
    memory_ = {new unsigned char[bytes], [](void* p) { delete[] static_cast<unsigned char*>(p); }};
  }

  /// The memory as T, counting up from `first`.
  template <class T>
  T* counting(std::size_t count, T first) {
    T* const elements = reinterpret_cast<T*>(memory_.get());
    for (std::size_t i = 0; i < count; ++i)
      elements[i] = static_cast<T>(first + static_cast<T>(i % 97));
    return elements;
  }
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(memory_.get());
  }

 private:
  std::unique_ptr<unsigned char, void (*)(void*)> memory_{nullptr, [](void*) {}};
};

/// Whether out(j, i) == f(in(i, j)) everywhere.
template <class In, class Out, class F = xpose::identity>
bool is_transpose(xpose::matrix_view<In> in, xpose::matrix_view<Out> out, F const& f = {}) {
  for (xpose::index i = 0; i < in.rows(); ++i)
    for (xpose::index j = 0; j < in.cols(); ++j)
      if (!(out(j, i) == f(in(i, j)))) return false;
  return out.rows() == in.cols() && out.cols() == in.rows();
}

struct sum_of_products {
  float zero() const { return 0; }
  float operator()(float sum, float a, float b) const { return sum + a * b; }
};
struct smallest_sum {
  float zero() const { return std::numeric_limits<float>::infinity(); }
  float operator()(float least, float a, float b) const { return a + b < least ? a + b : least; }
};

/// Whether C(i, j) == after(fold of step over k): whole numbers, so that every order of the sum
/// gives the same bits.
template <class Fold = sum_of_products, class F = xpose::identity>
bool is_product(xpose::matrix_view<float const> a, xpose::matrix_view<float const> b,
                xpose::matrix_view<float const> c, Fold const& fold = {}, F const& after = {}) {
  for (xpose::index i = 0; i < c.rows(); ++i)
    for (xpose::index j = 0; j < c.cols(); ++j) {
      float sum = fold.zero();
      for (xpose::index k = 0; k < a.cols(); ++k) sum = fold(sum, a(i, k), b(k, j));
      if (c(i, j) != after(sum)) return false;
    }
  return true;
}

/// A CUDA stream where there is a GPU; without one the calls fall back and ignore it.
class block_stream {
 public:
#if XPOSE_BLOCK_HAS_CUDA
  block_stream() {
    if (has_gpu()) cudaStreamCreate(&stream_);
  }
  ~block_stream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  void wait() const {
    if (stream_ != nullptr) cudaStreamSynchronize(stream_);
  }
#else
  block_stream() = default;
  void wait() const {}
#endif
  block_stream(block_stream const&) = delete;
  block_stream& operator=(block_stream const&) = delete;
  operator xpose::stream_handle() const { return stream_; }

 private:
  xpose::stream_handle stream_ = nullptr;
};
