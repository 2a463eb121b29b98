// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a policy becomes before it crosses into the compiled library: plain data.
#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

enum class backend_id : int { reference, omp, cuda, automatic };

/// Where a policy's temporary memory comes from; without functions it is xpose's own.
struct memory_source {
  void* context = nullptr;
  void* (*allocate)(void* context, std::size_t bytes, void* stream) = nullptr;
  void (*deallocate)(void* context, void* data, std::size_t bytes, void* stream) = nullptr;
};

struct execution {
  backend_id backend;
  int threads;   // omp: 0 = OpenMP's own choice
  void* stream;  // cuda: a cudaStream_t
  bool nosync;
  bool strict;  // cuda: never fall back
  memory_source memory = {};
};

/// CUDA's two default streams, numbered as cuda_runtime_api.h numbers their handles.
enum class default_stream : int { legacy = 1, per_thread = 2 };

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
constexpr default_stream default_stream_here = default_stream::per_thread;
#else
constexpr default_stream default_stream_here = default_stream::legacy;
#endif

inline void* stream_of(default_stream stream) noexcept {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(stream));
}

[[noreturn]] XPOSE_EXPORT void refuse_threads(int count);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
