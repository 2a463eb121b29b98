// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the modules for CUDA libraries share: owned handles, alignments, versions.
#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>

namespace xpose::bench {

/// A handle of a C library, made by its owner and destroyed here.
template <class Handle, auto Destroy>
struct owned {
  owned() = default;
  owned(owned const&) = delete;
  owned& operator=(owned const&) = delete;
  ~owned() {
    if (handle != nullptr) Destroy(handle);
  }
  Handle handle = nullptr;
};

/// What cudaMalloc aligns to; no library here asks for more.
constexpr std::uint32_t largest_alignment = 256;

/// The largest power of two that divides the address, at most largest_alignment.
inline std::uint32_t alignment_of(void const* memory) {
  auto const address = reinterpret_cast<std::uintptr_t>(memory) | largest_alignment;
  return static_cast<std::uint32_t>(address & (~address + 1));
}

/// "13.1.0 (libcublas.so.13, built with 13.1.0.3, CUDA runtime 13.0, driver for CUDA 13.0)".
/// number: as the library gives it, 130100. function: one of the library's, to find its file.
/// built: the version of the headers.
template <class Function>
std::string library_version(std::size_t number, Function* function, std::string const& built) {
  std::string text = std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) +
                     "." + std::to_string(number % 100) + " (";
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(function), &info) != 0 && info.dli_fname != nullptr) {
    std::error_code failed;
    auto const file = std::filesystem::canonical(info.dli_fname, failed);
    if (!failed) text += file.filename().string() + ", ";
  }
  auto const dotted = [](int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  };
  // The module's own runtime: the bench is linked with another, statically.
  int runtime = 0;
  int driver = 0;
  cudaRuntimeGetVersion(&runtime);
  cudaDriverGetVersion(&driver);
  text += "built with " + built + ", CUDA runtime " + dotted(runtime);
  text += driver == 0 ? ", no driver)" : ", driver for CUDA " + dotted(driver) + ")";
  return text;
}

}  // namespace xpose::bench
