// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The one interface to another library. Each peer is a small module of its own (benchmarks/peers/),
// loaded with dlopen: several of them export the same BLAS names, and a machine may lack any.
#pragma once

#include "core/case.hpp"

#include <memory>
#include <string>

namespace xpose::bench {

/// Where a peer runs.
struct peer_context {
  bool is_device;  ///< operands are device memory, and work is enqueued on the stream
  void* stream;    ///< a cudaStream_t
  int threads;     ///< host: as many threads as xpose gets
};

/// A case made ready: plans, descriptors, handles and workspace exist, so that run() is what a user
/// pays for each call.
class copy_runner {
 public:
  virtual ~copy_runner() = default;
  /// in == out if the case is in place.
  virtual void run(void const* in, void* out) = 0;
  /// The routine that runs, for the result: "cblas_somatcopy".
  virtual std::string kernel() const = 0;
};

/// C from A and B.
class combine_runner {
 public:
  virtual ~combine_runner() = default;
  virtual void run(void const* a, void const* b, void* c) = 0;
  virtual std::string kernel() const = 0;
};

class peer {
 public:
  virtual ~peer() = default;
  virtual std::string version() const = 0;
  /// Null if the library lacks the case: it then has no result. A failure is an exception, and
  /// becomes a result that says so. in and out (a, b, c) are memory of the case's size that the
  /// timed calls will use, for planners that look at addresses or measure. The contents of out (c)
  /// may be overwritten, those of in, a and b may not.
  virtual std::unique_ptr<copy_runner> prepare(transpose_case const&, peer_context const&,
                                               void const* /*in*/, void* /*out*/) {
    return nullptr;
  }
  virtual std::unique_ptr<copy_runner> prepare(cast_case const&, peer_context const&,
                                               void const* /*in*/, void* /*out*/) {
    return nullptr;
  }
  virtual std::unique_ptr<copy_runner> prepare(permute_case const&, peer_context const&,
                                               void const* /*in*/, void* /*out*/) {
    return nullptr;
  }
  virtual std::unique_ptr<combine_runner> prepare(add_case const&, peer_context const&,
                                                  void const* /*a*/, void const* /*b*/,
                                                  void* /*c*/) {
    return nullptr;
  }
  virtual std::unique_ptr<combine_runner> prepare(gemm_case const&, peer_context const&,
                                                  void const* /*a*/, void const* /*b*/,
                                                  void* /*c*/) {
    return nullptr;
  }
};

}  // namespace xpose::bench

/// What a module exports. The peer lives as long as the process.
extern "C" xpose::bench::peer* xpose_bench_peer();
