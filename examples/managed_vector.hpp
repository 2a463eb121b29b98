// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A std::vector whose memory the cores and the GPU both reach, so that one example can run on every
// policy: CUDA's managed memory where there is a GPU, ordinary memory elsewhere.
#pragma once

#include <new>
#include <vector>

#if EXAMPLES_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

template <class T>
struct managed_allocator {
  using value_type = T;
  managed_allocator() = default;
  template <class U>
  managed_allocator(managed_allocator<U>) {}

  T* allocate(std::size_t count) {
#if EXAMPLES_HAVE_CUDA
    void* memory = nullptr;
    if (has_gpu() && cudaMallocManaged(&memory, count * sizeof(T)) == cudaSuccess)
      return static_cast<T*>(memory);
    if (has_gpu()) throw std::bad_alloc();
#endif
    return static_cast<T*>(::operator new(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t) {
#if EXAMPLES_HAVE_CUDA
    if (has_gpu()) {
      cudaFree(memory);
      return;
    }
#endif
    ::operator delete(memory);
  }

  friend bool operator==(managed_allocator, managed_allocator) { return true; }
  friend bool operator!=(managed_allocator, managed_allocator) { return false; }

 private:
#if EXAMPLES_HAVE_CUDA
  static bool has_gpu() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  }
#endif
};

template <class T>
using managed_vector = std::vector<T, managed_allocator<T>>;
