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

/// What a call tells of itself, for explain() and XPOSE_VERBOSE: before the driver starts, where it
/// runs and why; the kernel by the driver itself.
struct explanation_text {
  char backend[32];
  char kernel[64];
  char reason[416];
};
struct launch_report : explanation_text {
  bool explain_only;                                 // explain(): nothing is launched
  void (*on_complete)(launch_report const& report);  // once it is complete; or null
};

struct execution {
  backend_id backend;
  int threads;   // omp: 0 = OpenMP's own choice
  void* stream;  // cuda: a cudaStream_t
  bool nosync;
  bool strict;  // cuda: never fall back
  memory_source memory = {};
  launch_report* report = nullptr;  // null: nobody asks
};

/// Writes the name down and completes the report, unless a name is there already.
XPOSE_EXPORT void report_kernel(launch_report& report, char const* kernel);

/// Every driver says here what it is about to launch, once it has chosen and before it takes memory
/// or launches anything: explain() goes the way of the call itself, so that the two cannot differ.
/// Whether that is all the caller asks for: the driver then returns. Of a call that makes others,
/// as a product that copies its operands first, the first word counts.
inline bool explain_only(execution const& where, char const* kernel) {
  if (where.report == nullptr) return false;
  report_kernel(*where.report, kernel);
  return where.report->explain_only;
}

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
