// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A CUDA runtime of this process's own, put in place of the real one by the linker (--wrap): its
// devices have host memory, its kernels do nothing, and each of its calls can be told to fail.
#pragma once

#include <xpose/backends/core/availability.hpp>

#include <cuda_runtime_api.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace fake {

/// What has happened since start().
struct call {
  std::string name;
  cudaError_t result;
};
struct launch {
  cudaStream_t stream;
  int device;
  void const* kernel;
  int shared_bytes;  // dynamic
};
/// Call number `first` fails, or that one and all after it. An error that loses the device stays.
struct fault {
  int first;
  bool for_ever;
  cudaError_t error;
};

/// Anew, with so many devices, nothing allocated, and no faults.
void start(int devices = 1);
/// Numbers calls from here on.
void fail(fault const& f);
inline constexpr fault no_fault{-1, false, cudaSuccess};

std::vector<call> calls();  // since start() or fail(); cudaGetLastError is none
std::vector<launch> launches();
int blocks_not_freed();
int pools();

/// Whether the calling thread is in this runtime, whose own memory is not xpose's.
bool is_running();

/// The error that the calling thread's next cudaGetLastError will tell.
cudaError_t last_error();
void leave_error(cudaError_t error);
int current_device();
/// Ends what a failed cuCtxPopCurrent has left current.
void pop_all();
/// Devices that something made a context on.
std::set<int> devices_with_context();
void allow_peer_access();
/// By which the devices of other processes differ from this one's.
void set_identity(int number);
/// As if the build had no code for the device.
void remove_code(int device);
void remove_memory_pools();
/// What cudaDeviceReset does to the ids of contexts.
void reset_devices();
/// The value that xpose gave an attribute of each of its pools; -1 without one.
std::vector<int> pool_attribute(cudaMemPoolAttr attribute);
/// What limits on shared memory each kernel was given.
std::map<void const*, std::set<int>> limits_set();
/// Whether a thread that sets a kernel's limit on shared memory lets the others run before it goes
/// on.
void yield_at_limits();
/// The devices' capability, 90 unless told, and that of the code of every kernel, which has
/// barriers of warpgroups in shared memory if it is so large.
struct capabilities {
  int device = 90;
  int code = 90;
  std::size_t shared_bytes = 1024;
  int kilohertz = 0, memory_kilohertz = 0, memory_bits = 0;
  int multiprocessors = 132;
};
void set_capabilities(capabilities const& c);
/// After so many blocks of pools the device has no memory left.
void allow_blocks(int count);
/// Whether the driver, asked about pointers after a device was lost, fails too.
void forget_pointers_when_lost();

/// A stream of a device. Under capture it takes what CUDA lets a capture take; all else ends it.
/// The kernels that a capture has taken can be made a graph while their shared memory is within the
/// limits that their functions then have.
class stream {
 public:
  explicit stream(int device = 0);
  ~stream();
  stream(stream const&) = delete;
  stream& operator=(stream const&) = delete;
  cudaStream_t handle() const { return reinterpret_cast<cudaStream_t>(const_cast<stream*>(this)); }
  void begin_capture();
  bool is_captured_still() const;
  cudaError_t instantiate() const;
};

/// Host memory that CUDA calls so.
class memory {
 public:
  memory(xpose::detail::residency where, std::size_t bytes, int device = 0);
  ~memory();
  memory(memory const&) = delete;
  memory& operator=(memory const&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_;
};

}  // namespace fake
