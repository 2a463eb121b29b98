// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The spellings of Thrust's policies that run on a device, with the stream and the
// synchronisation that each one asks for.
#pragma once

#include "matrices.hpp"

#include <thrust/execution_policy.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/system/cuda/execution_policy.h>

#include <sstream>

struct user_cuda_policy : thrust::cuda::execution_policy<user_cuda_policy> {};
struct user_device_policy : thrust::device_execution_policy<user_device_policy> {};

/// A user's policy that brings its own stream, through the function that Thrust looks up.
struct user_stream_policy : thrust::cuda::execution_policy<user_stream_policy> {
  cudaStream_t own_stream;
  explicit user_stream_policy(cudaStream_t stream) : own_stream(stream) {}
  friend cudaStream_t get_stream(user_stream_policy const& policy) { return policy.own_stream; }
};

/// visit(spelling, policy, stream, nosync) for each; `default_stream` is that of the caller's
/// translation unit.
template <class Visit>
void for_each_cuda_policy(cudaStream_t default_stream, cudaStream_t s, Visit const& visit) {
  using thrust::cuda::par;
  using thrust::cuda::par_nosync;
  constexpr bool nosync = true;
  constexpr bool sync = false;
  refusing_allocator allocator;
  visit("thrust::device", thrust::device, default_stream, sync);
  visit("thrust::device_system_tag", thrust::device_system_tag{}, default_stream, sync);
  visit("thrust::cuda::tag", thrust::cuda::tag{}, default_stream, sync);
  visit("par", par, default_stream, sync);
  visit("par.on(stream)", par.on(s), s, sync);
  visit("par.on(0)", par.on(nullptr), default_stream, sync);
  visit("par(allocator)", par(allocator), default_stream, sync);
  visit("par(allocator by value)", par(refusing_allocator{}), default_stream, sync);
  visit("par(allocator).on(stream)", par(allocator).on(s), s, sync);
  visit("thrust::device(allocator).on(stream)", thrust::device(allocator).on(s), s, sync);
  visit("par_nosync", par_nosync, default_stream, nosync);
  visit("par_nosync.on(stream)", par_nosync.on(s), s, nosync);
  visit("par_nosync(allocator)", par_nosync(allocator), default_stream, nosync);
  visit("par_nosync(allocator).on(stream)", par_nosync(allocator).on(s), s, nosync);
  visit("derived from cuda::execution_policy", user_cuda_policy{}, default_stream, sync);
  visit("derived from device_execution_policy", user_device_policy{}, default_stream, sync);
  visit("derived, with a stream of its own", user_stream_policy{s}, s, sync);
}

/// What xpose says of a call that ran on a stream: "stream 0x1, sync".
inline std::string stream_report(cudaStream_t stream, bool nosync) {
  std::ostringstream text;
  text << "stream " << static_cast<void*>(stream) << (nosync ? ", nosync" : ", sync");
  return text.str();
}
