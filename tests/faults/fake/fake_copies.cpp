// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The calls of the runtime that only xpose::cuda.across() and xpose::mpi make: pinned memory,
// copies, waits of streams for each other. And kernels of copy, add and gemm that do their work,
// where streams run late.

#include "fake_state.hpp"
#include "fake_streams.hpp"

#include <xpose/backends/across/parts.hpp>
#include <xpose/backends/core/backend.hpp>
#include <xpose/layer_epilogue.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace fake;
using namespace xpose::detail;

namespace {

std::map<char const*, known_memory> own_memory;  // of pools, and pinned by xpose
std::string all_wrongs;
fake::traffic moved{};
std::size_t device_bytes_now = 0;
std::size_t device_bytes_allowed = ~std::size_t{0};

void expect(bool is_right, std::string const& rule) {
  if (!is_right && all_wrongs.find(rule) == std::string::npos) all_wrongs += rule + "; ";
}

void expect_in_reach(tensor_operand const& o) {
  if (o.data == nullptr || is_empty(o)) return;
  byte_span const span = span_of(o);
  for (char const* const byte : {span.first, span.last}) {
    known_memory const r = memory_of_byte(byte);
    expect(r.device >= 0, "a kernel takes pageable memory");
    expect(r.where != residency::device || r.device == device_in_use(),
           "a kernel takes memory of another device");
  }
}

void expect_known(char const* first, std::size_t bytes) {
  expect(memory_of_byte(first).device >= 0 && memory_of_byte(first + bytes - 1).device >= 0,
         "a copy engine takes pageable memory");
}

cudaError_t copy_rows(char* to, std::size_t to_pitch, char const* from, std::size_t from_pitch,
                      std::size_t width, std::size_t rows, cudaStream_t stream) {
  if (to_pitch < width || from_pitch < width) return cudaErrorInvalidPitchValue;
  expect_known(from, (rows - 1) * from_pitch + width);
  expect_known(to, (rows - 1) * to_pitch + width);
  moved.bytes += width * rows;
  ++moved.copies;
  on_stream(stream, [=] {
    for (std::size_t r = 0; r < rows; ++r)
      std::memcpy(to + r * to_pitch, from + r * from_pitch, width);
  });
  return not_of_this_device(stream);
}

/// alpha and beta may be gone when the kernel runs.
struct kept_scalars {
  template <class Request>
  explicit kept_scalars(Request& r) {
    std::memcpy(alpha, r.alpha, sizeof alpha);
    std::memcpy(beta, r.beta, sizeof beta);
  }
  template <class Request>
  void put_in(Request& r) const {
    r.alpha = alpha;
    r.beta = beta;
  }
  alignas(16) char alpha[16];
  alignas(16) char beta[16];
};

template <class Request>
using driver = void (*)(execution const&, Request const&);

template <class Request>
void run_on_host(driver<Request> by_reference, driver<Request> by_omp, Request const& r) {
  bool const is_omp = kernels_of_late_streams() == backend_id::omp;
  execution const where{is_omp ? backend_id::omp : backend_id::reference, is_omp ? 0 : 1, nullptr,
                        false, true};
  (is_omp ? by_omp : by_reference)(where, r);
}

void note_kernel(execution const& where) {
  now.launches.push_back({static_cast<cudaStream_t>(where.stream), device_in_use(), nullptr, 0});
}

}  // namespace

namespace fake {

std::string wrongs() {
  guard const lock;
  return all_wrongs;
}
void allow_device_bytes(std::size_t bytes) { device_bytes_allowed = bytes; }
fake::traffic traffic_so_far() {
  guard const lock;
  return moved;
}

known_memory memory_of_byte(char const* byte) {
  auto const own = own_memory.upper_bound(byte);
  if (own != own_memory.begin()) {
    auto const [begin, r] = *std::prev(own);
    if (byte < begin + r.bytes) return r;
  }
  auto const known = now.memory.upper_bound(const_cast<char*>(byte));
  if (known != now.memory.begin()) {
    auto const& [begin, a] = *std::prev(known);
    if (byte < begin + a.bytes) return {a.bytes, a.where, a.device};
  }
  return {0, residency::unknown_to_cuda, -1};
}

void add_memory(void const* data, std::size_t bytes, residency where) {
  own_memory[static_cast<char const*>(data)] = {bytes, where, device_in_use()};
  if (where != residency::device) return;
  device_bytes_now += bytes;
  moved.most_device_bytes = std::max(moved.most_device_bytes, device_bytes_now);
  expect(device_bytes_now <= device_bytes_allowed, "more device memory than was allowed");
}
void remove_memory(void const* data) {
  auto const found = own_memory.find(static_cast<char const*>(data));
  if (found == own_memory.end()) return;
  if (found->second.where == residency::device) device_bytes_now -= found->second.bytes;
  own_memory.erase(found);
}

}  // namespace fake

extern "C" {

cudaError_t __wrap_cudaHostAlloc(void** data, std::size_t bytes, unsigned) {
  return perform("cudaHostAlloc", [&] {
    if (posix_memalign(data, 4096, bytes) != 0) return cudaErrorMemoryAllocation;
    add_memory(*data, bytes, residency::pinned_host);
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaFreeHost(void* data) {
  return perform("cudaFreeHost", [&] {
    remove_memory(data);
    std::free(data);
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaHostRegister(void* data, std::size_t bytes, unsigned) {
  return perform("cudaHostRegister", [&] {
    add_memory(data, bytes, residency::pinned_host);
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaHostUnregister(void* data) {
  return perform("cudaHostUnregister", [&] {
    remove_memory(data);
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind,
                                   cudaStream_t stream) {
  return perform("cudaMemcpyAsync", [&] {
    return copy_rows(static_cast<char*>(to), bytes, static_cast<char const*>(from), bytes, bytes, 1,
                     stream);
  });
}

cudaError_t __wrap_cudaMemcpy2DAsync(void* to, std::size_t to_pitch, void const* from,
                                     std::size_t from_pitch, std::size_t width, std::size_t rows,
                                     cudaMemcpyKind, cudaStream_t stream) {
  return perform("cudaMemcpy2DAsync", [&] {
    return copy_rows(static_cast<char*>(to), to_pitch, static_cast<char const*>(from), from_pitch,
                     width, rows, stream);
  });
}

cudaError_t __wrap_cudaMemPrefetchAsync(void const*, std::size_t, cudaMemLocation, unsigned,
                                        cudaStream_t) {
  return perform("cudaMemPrefetchAsync", [] { return cudaSuccess; });
}

cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return perform("cudaStreamWaitEvent", [&] {
    wait_on_stream(stream, event);
    return cudaSuccess;
  });
}

// The drivers of the CUDA backend, as across() and the registry call them.
#define NAME_OF_COPY _ZN5xpose2v06detail13cuda_run_copyERKNS1_9executionERKNS1_12copy_requestE
#define NAME_OF_GEMM _ZN5xpose2v06detail13cuda_run_gemmERKNS1_9executionERKNS1_12gemm_requestE
#define NAME_OF_ADD _ZN5xpose2v06detail12cuda_run_addERKNS1_9executionERKNS1_11add_requestE
#define JOINED_AGAIN(a, b) a##b
#define JOINED(a, b) JOINED_AGAIN(a, b)

void JOINED(__real_, NAME_OF_COPY)(execution const& where, copy_request const& r);
void JOINED(__wrap_, NAME_OF_COPY)(execution const& where, copy_request const& r) {
  if (!streams_run_late()) return JOINED(__real_, NAME_OF_COPY)(where, r);
  if (explain_only(where, "fake")) return;
  {
    guard const lock;
    expect_in_reach(r.in);
    expect_in_reach(r.out);
    note_kernel(where);
    for (void const* const data : {r.in.data, r.out.data})
      if (memory_of_byte(static_cast<char const*>(data)).where == residency::pinned_host)
        moved.bytes += static_cast<std::size_t>(bytes_of(r.out));
    on_stream(static_cast<cudaStream_t>(where.stream),
              [r] { run_on_host(reference_run_copy, omp_run_copy, r); });
  }
  if (!where.nosync) cudaStreamSynchronize(static_cast<cudaStream_t>(where.stream));
}

void JOINED(__real_, NAME_OF_GEMM)(execution const& where, gemm_request const& r);
void JOINED(__wrap_, NAME_OF_GEMM)(execution const& where, gemm_request const& r) {
  if (!streams_run_late()) return JOINED(__real_, NAME_OF_GEMM)(where, r);
  if (explain_only(where, "fake")) return;
  {
    guard const lock;
    for (auto const* o : {&r.a, &r.b, &r.c}) expect_in_reach(as_tensor(*o));
    note_kernel(where);
    auto layer = std::make_shared<layer_request>();
    if (r.layer != nullptr) {
      *layer = *r.layer;
      expect_in_reach(as_tensor(layer->scale));
      expect_in_reach(as_tensor(layer->bias));
    }
    on_stream(static_cast<cudaStream_t>(where.stream), [r, layer, scalars = kept_scalars(r)] {
      gemm_request late = r;
      scalars.put_in(late);
      if (late.layer != nullptr) late.layer = layer.get();
      run_on_host(reference_run_gemm, omp_run_gemm, late);
    });
  }
  if (!where.nosync) cudaStreamSynchronize(static_cast<cudaStream_t>(where.stream));
}

void JOINED(__real_, NAME_OF_ADD)(execution const& where, add_request const& r);
void JOINED(__wrap_, NAME_OF_ADD)(execution const& where, add_request const& r) {
  if (!streams_run_late()) return JOINED(__real_, NAME_OF_ADD)(where, r);
  if (explain_only(where, "fake")) return;
  {
    guard const lock;
    for (auto const* o : {&r.a, &r.b, &r.c}) expect_in_reach(as_tensor(*o));
    note_kernel(where);
    on_stream(static_cast<cudaStream_t>(where.stream), [r, scalars = kept_scalars(r)] {
      add_request late = r;
      scalars.put_in(late);
      run_on_host(reference_run_add, omp_run_add, late);
    });
  }
  if (!where.nosync) cudaStreamSynchronize(static_cast<cudaStream_t>(where.stream));
}
}
