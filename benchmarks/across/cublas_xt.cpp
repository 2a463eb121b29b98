// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "cublas_xt.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace across_bench {

cublas_xt::cublas_xt(std::vector<int> devices) {
  char const* const given = std::getenv("XPOSE_CUBLAS_LIBRARY");
  for (char const* name :
       {given, "libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"})
    if (library_ == nullptr && name != nullptr) library_ = dlopen(name, RTLD_NOW);
  if (library_ == nullptr) return;
  auto const create = reinterpret_cast<int (*)(void**)>(function("cublasXtCreate"));
  auto const select = reinterpret_cast<int (*)(void*, int, int*)>(function("cublasXtDeviceSelect"));
  if (create == nullptr || select == nullptr || create(&handle_) != 0 ||
      select(handle_, static_cast<int>(devices.size()), devices.data()) != 0)
    handle_ = nullptr;
}

void cublas_xt::set_block(int block) const {
  report(reinterpret_cast<int (*)(void*, int)>(function("cublasXtSetBlockDim"))(handle_, block));
}

void* cublas_xt::function(char const* name) const { return dlsym(library_, name); }

void cublas_xt::report(int status) {
  if (status != 0) std::printf("cublasXt: status %d\n", status);
}

}  // namespace across_bench
