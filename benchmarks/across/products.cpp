// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm of operands on the host, and cublasXt, which is loaded where it is.

#include "rounds.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

namespace across_bench {
namespace {

using xpose::index;

/// C = A B of row-major matrices, as the product of their transposes.
class cublas_xt {
 public:
  cublas_xt() {
    char const* const given = std::getenv("XPOSE_CUBLAS_LIBRARY");
    for (char const* name :
         {given, "libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"})
      if (library_ == nullptr && name != nullptr) library_ = dlopen(name, RTLD_NOW);
    if (library_ == nullptr) return;
    auto const create = function<int(void**)>("cublasXtCreate");
    auto const select = function<int(void*, int, int*)>("cublasXtDeviceSelect");
    int device = 0;
    if (create == nullptr || select == nullptr || create(&handle_) != 0 ||
        select(handle_, 1, &device) != 0)
      handle_ = nullptr;
  }
  bool is_found() const { return handle_ != nullptr; }
  void set_block(int block) const {
    require_xt(function<int(void*, int)>("cublasXtSetBlockDim")(handle_, block));
  }
  template <class T>
  void multiply(index n, T const* a, T const* b, T* c) const {
    using gemm = int(void*, int, int, std::size_t, std::size_t, std::size_t, T const*, T const*,
                     std::size_t, T const*, std::size_t, T const*, T*, std::size_t);
    auto const run = function<gemm>(std::is_same_v<T, float> ? "cublasXtSgemm" : "cublasXtDgemm");
    T const one = 1, zero = 0;
    auto const side = static_cast<std::size_t>(n);
    require_xt(run(handle_, 0, 0, side, side, side, &one, b, side, a, side, &zero, c, side));
  }

 private:
  template <class Function>
  Function* function(char const* name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }
  static void require_xt(int status) {
    if (status != 0) std::printf("cublasXt: status %d\n", status);
  }

  void* library_ = nullptr;
  void* handle_ = nullptr;
};

template <class T>
void measure(char const* type, kind k, index n, cublas_xt const& xt, int rounds) {
  auto const bytes = static_cast<std::size_t>(n * n) * sizeof(T);
  memory const a(k, bytes), b(k, bytes), c(k, bytes);
  memory const da(kind::device, bytes), db(kind::device, bytes), dc(kind::device, bytes);
  auto const view = [n](memory const& m) { return xpose::matrix_view<T>(m.as<T>(), n, n); };
  auto const limited = [](index limit) {
    return xpose::cuda.across(xpose::across_options().device_bytes(limit));
  };
  index const third = static_cast<index>(bytes) / 3;
  std::vector<candidate> candidates = {
      {"across()", [&] { xpose::gemm(limited(0), view(a), view(b), view(c)); }, {}},
      {"across(), limit of one operand",
       [&] { xpose::gemm(limited(3 * third), view(a), view(b), view(c)); },
       {}},
      {"across(), limit of a third",
       [&] { xpose::gemm(limited(third), view(a), view(b), view(c)); },
       {}},
      {"cuda, operands on the device",
       [&] { xpose::gemm(xpose::cuda, view(da), view(db), view(dc)); },
       {}}};
  if (xt.is_found())
    for (int const block : {2048, 4096})
      candidates.push_back({"cublasXt, blocks of " + std::to_string(block),
                            [&, block] {
                              xt.set_block(block);
                              xt.multiply(n, a.as<T>(), b.as<T>(), c.as<T>());
                            },
                            {}});
  std::printf("%s, %s, side %ld\n", type, name_of(k), static_cast<long>(n));
  auto const seconds = medians(candidates, rounds);
  double const flops =
      2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    std::printf("  %-32s %9.2f ms  %7.1f Tflop/s\n", candidates[i].name.c_str(), seconds[i] * 1e3,
                flops / seconds[i] * 1e-12);
}

}  // namespace

void measure_products(bus_rates const& bus, index side, int rounds) {
  cublas_xt const xt;
  if (!xt.is_found()) std::printf("cublasXt is not here\n");
  std::printf("three operands cross in %.1f ms (f32)\n",
              static_cast<double>(side * side * 4) * (2 / bus.in + 1 / bus.out) * 1e-6);
  measure<float>("f32", kind::pinned, side, xt, rounds);
  measure<float>("f32", kind::pageable, side, xt, rounds);
  measure<double>("f64", kind::pinned, side / 2, xt, rounds);
}

}  // namespace across_bench
