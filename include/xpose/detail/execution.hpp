// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A policy as plain data, as it crosses into the compiled library.
#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// The backends, and behind them what policies ask for that is no backend of its own: seq is omp on
/// one thread.
enum class backend_id : int { reference, omp, cuda, automatic, seq };

/// The allocator of a policy's temporary memory; without functions xpose's own.
struct memory_source {
  void* context = nullptr;
  void* (*allocate)(void* context, std::size_t bytes, void* stream) = nullptr;
  void (*deallocate)(void* context, void* data, std::size_t bytes, void* stream) = nullptr;
};

/// What a call reports of itself, for explain() and XPOSE_VERBOSE. Backend and reason are filled in
/// before the driver starts, the kernel by the driver.
struct explanation_text {
  char backend[32];
  char kernel[64];
  char reason[416];
};
struct launch_report : explanation_text {
  bool explain_only;                                 // explain(): nothing is launched
  void (*on_complete)(launch_report const& report);  // called when complete; may be null
};

struct execution {
  backend_id backend;
  int threads;   // omp: 0 = OpenMP's choice; seq: 1, with which omp never calls OpenMP
  void* stream;  // cuda: a cudaStream_t
  bool nosync;
  bool strict;  // cuda: never fall back
  memory_source memory = {};
  launch_report* report = nullptr;  // null: nobody asks
};

/// Writes the kernel's name and completes the report, unless it has a name already.
XPOSE_EXPORT void report_kernel(launch_report& report, char const* kernel);

/// Every driver reports its kernel here, once it is selected and before anything is allocated or
/// launched; if the result is true the driver returns, since the call only explains. explain() thus
/// runs the code of the call itself and cannot differ from it. If a call makes others, as a gemm
/// that packs its operands by copies, the first report counts.
inline bool explain_only(execution const& where, char const* kernel) {
  if (where.report == nullptr) return false;
  report_kernel(*where.report, kernel);
  return where.report->explain_only;
}

/// CUDA's two default streams, with their handles of cuda_runtime_api.h.
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
