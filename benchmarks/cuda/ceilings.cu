// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a device allows: cudaMemcpy, a copy kernel of 16-byte accesses, and chains of multiply-adds
// on registers.

#include "ceilings/ceilings.hpp"
#include "cuda/check.hpp"

#include <cstdint>

namespace xpose::bench::device {
namespace {

constexpr unsigned threads_in_block = 256;
constexpr int loads_in_flight = 4;

/// One block moves 16 KB: each thread has four independent 16-byte loads in flight.
__global__ void copy_vectors(uint4 const* in, uint4* out, std::size_t count) {
  std::size_t const first =
      std::size_t{blockIdx.x} * (threads_in_block * loads_in_flight) + threadIdx.x;
  uint4 held[loads_in_flight];
  for (int i = 0; i < loads_in_flight; ++i)
    if (first + i * threads_in_block < count) held[i] = in[first + i * threads_in_block];
  for (int i = 0; i < loads_in_flight; ++i)
    if (first + i * threads_in_block < count) out[first + i * threads_in_block] = held[i];
}

__global__ void copy_tail(std::uint8_t const* in, std::uint8_t* out, unsigned count) {
  if (threadIdx.x < count) out[threadIdx.x] = in[threadIdx.x];
}

constexpr int chains = 8;
constexpr int steps = 4096;

struct multiply_add {
  template <class T>
  __device__ static T step(T sum, T x, T y) {
    return sum * x + y;
  }
};
struct add_minimum {
  template <class T>
  __device__ static T step(T sum, T x, T y) {
    return min(sum + x, y);
  }
};

template <class Step, class T>
__global__ void compute_chains(T x, T y, T* out) {
  T accumulators[chains];
  for (int c = 0; c < chains; ++c) accumulators[c] = static_cast<T>(threadIdx.x + c);
  for (int s = 0; s < steps; ++s)
#pragma unroll
    for (int c = 0; c < chains; ++c) accumulators[c] = Step::step(accumulators[c], x, y);
  T total = 0;
  for (int c = 0; c < chains; ++c) total += accumulators[c];
  if (total == static_cast<T>(-12345)) *out = total;  // keeps the loop; out is never written
}

template <class Step, class T>
ceiling arithmetic(void* stream, char const* instruction) {
  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0),
        "cudaDeviceGetAttribute");
  unsigned const blocks = static_cast<unsigned>(multiprocessors) * 8;
  auto const compute = [stream, blocks] {
    compute_chains<Step, T><<<blocks, threads_in_block, 0, static_cast<cudaStream_t>(stream)>>>(
        static_cast<T>(1), static_cast<T>(3), nullptr);
    check(cudaGetLastError(), "compute_chains");
  };
  return {"fma_peak", instruction, nullptr, compute,
          2.0 * steps * chains * threads_in_block * blocks};
}

}  // namespace

std::vector<ceiling> copy_ceilings(void* stream) {
  auto const s = static_cast<cudaStream_t>(stream);
  return {{"cudaMemcpy", "cudaMemcpyAsync device to device",
           [s](void const* in, void* out, std::size_t bytes) {
             check(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, s), "cudaMemcpyAsync");
           },
           nullptr},
          {"copy_kernel", "copy_vectors",
           [s](void const* in, void* out, std::size_t bytes) {
             std::size_t const vectors = bytes / sizeof(uint4);
             std::size_t const in_block = threads_in_block * loads_in_flight;
             if (vectors > 0) {
               copy_vectors<<<static_cast<unsigned>((vectors + in_block - 1) / in_block),
                              threads_in_block, 0, s>>>(static_cast<uint4 const*>(in),
                                                        static_cast<uint4*>(out), vectors);
               check(cudaGetLastError(), "copy_vectors");
             }
             std::size_t const moved = vectors * sizeof(uint4);
             if (moved < bytes) {
               copy_tail<<<1, 32, 0, s>>>(static_cast<std::uint8_t const*>(in) + moved,
                                          static_cast<std::uint8_t*>(out) + moved,
                                          static_cast<unsigned>(bytes - moved));
               check(cudaGetLastError(), "copy_tail");
             }
           },
           nullptr}};
}

std::vector<ceiling> arithmetic_ceilings(void* stream, element_kind kind, bool is_semiring) {
  if (is_semiring) return {arithmetic<add_minimum, float>(stream, "f32 add, min")};
  switch (kind) {
    case element_kind::f64:
    case element_kind::c128:
      return {arithmetic<multiply_add, double>(stream, "f64 fma")};
    case element_kind::i32:
      return {arithmetic<multiply_add, std::int32_t>(stream, "i32 imad")};
    case element_kind::i64:
      return {arithmetic<multiply_add, std::int64_t>(stream, "i64 imad")};
    default:
      return {arithmetic<multiply_add, float>(stream, "f32 fma")};
  }
}

}  // namespace xpose::bench::device
