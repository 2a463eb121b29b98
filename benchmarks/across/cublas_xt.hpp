// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// cublasXt on one device or several, loaded where it is.
#pragma once

#include <xpose/config.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace across_bench {

/// C = A B of row-major matrices, as the product of their transposes.
class cublas_xt {
 public:
  explicit cublas_xt(std::vector<int> devices = {0});
  bool is_found() const { return handle_ != nullptr; }
  void set_block(int block) const;
  template <class T>
  void multiply(xpose::index n, T const* a, T const* b, T* c) const {
    using gemm = int(void*, int, int, std::size_t, std::size_t, std::size_t, T const*, T const*,
                     std::size_t, T const*, std::size_t, T const*, T*, std::size_t);
    auto const run = reinterpret_cast<gemm*>(
        function(std::is_same_v<T, float> ? "cublasXtSgemm" : "cublasXtDgemm"));
    T const one = 1, zero = 0;
    auto const side = static_cast<std::size_t>(n);
    report(run(handle_, 0, 0, side, side, side, &one, b, side, a, side, &zero, c, side));
  }

 private:
  void* function(char const* name) const;
  static void report(int status);

  void* library_ = nullptr;
  void* handle_ = nullptr;
};

}  // namespace across_bench
