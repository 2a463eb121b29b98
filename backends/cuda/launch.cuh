// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The one door to the device: every kernel launch, synchronisation and runtime call of the backend
// is checked here.
#pragma once

#include <xpose/detail/execution.hpp>
#include <xpose/error.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <type_traits>

namespace xpose {
inline namespace v0 {
namespace detail {

inline void check_cuda(cudaError_t status, char const* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // it is reported by the exception; the next call of the user starts clean
  throw cuda_error(static_cast<int>(status), call);
}

inline cudaStream_t stream_of(execution const& where) {
  return static_cast<cudaStream_t>(where.stream);
}

/// After the last launch: waits unless the policy says nosync.
inline void finish(execution const& where) {
  if (!where.nosync) check_cuda(cudaStreamSynchronize(stream_of(where)), "cudaStreamSynchronize");
}

/// kernel(first_block, args...) on `blocks` blocks of `threads`. Blocks go on grid.x alone (y and z
/// stop at 65535), in as many launches as its limit asks for; a kernel numbers its block
/// first_block + blockIdx.x.
template <class... Params>
void launch(execution const& where, index blocks, int threads, char const* name,
            void (*kernel)(index, Params...), std::common_type_t<Params>... args) {
  constexpr index most_blocks = 2147483647;
  for (index first_block = 0; first_block < blocks; first_block += most_blocks) {
    auto const count = static_cast<unsigned>(std::min(most_blocks, blocks - first_block));
    void* arguments[] = {&first_block, &args...};
    check_cuda(
        cudaLaunchKernel(reinterpret_cast<void const*>(kernel), dim3(count),
                         dim3(static_cast<unsigned>(threads)), arguments, 0, stream_of(where)),
        name);
  }
}

/// Uninitialised shared memory for T, which need not have a trivial constructor.
template <class T, int Rows, int Cols>
struct shared_tile {
  alignas(T) unsigned char bytes[Rows][Cols][sizeof(T)];
  __device__ T& operator()(int row, int col) { return *reinterpret_cast<T*>(bytes[row][col]); }
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
