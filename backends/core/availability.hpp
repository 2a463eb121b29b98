// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Which backends this build and this machine can run, and where memory resides.
#pragma once

#include <xpose/detail/execution.hpp>

#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {

struct availability {
  bool is_available;
  std::string reason;  // a sentence without a full stop; empty for a machine that has devices
  int devices;         // of the machine
};

/// Whether the machine has CUDA devices; asks the runtime once. Defined in cuda/runtime/device.cu,
/// or in cuda/runtime/not_built.cpp in a build without CUDA. Throws std::bad_alloc or device_lost
/// where the answer may change; the next call then asks again.
availability const& cuda_availability();

/// Whether the machine has devices and this one can run this build's kernels; a negative number
/// means the current device. Asks once for each device that a call would run on, and for no other,
/// since asking creates a context there. Throws as cuda_availability().
availability const& cuda_availability(int device);

/// The device of the policy's stream; for a default stream the current device. Negative while the
/// stream is captured: asking would end the capture.
int device_of_stream(execution const& where);

/// Whether the policy's stream is being captured in a graph. Makes no call that a capture forbids.
bool is_captured(execution const& where);

/// Throws backend_error if a blocking call would synchronise a stream that is being captured: CUDA
/// would invalidate the capture.
void check_capture(char const* op, execution const& where);

/// "cudaErrorInvalidValue (1): invalid argument"
std::string cuda_error_text(int code);

/// Whether every later CUDA call of the process fails after this error.
bool means_device_lost(int code);

/// Where a pointer's memory resides. `unknown_to_cuda` is pageable host memory. `not_told` is any
/// memory after a device is lost, when the driver no longer answers.
enum class residency { unknown_to_cuda, pinned_host, managed, device, not_told };

/// Whether this process has loaded a CUDA driver; without one all memory is host memory. Costs 0.1
/// us where there is none.
bool has_driver();

/// Asks the driver, if this process has loaded and initialised one. Initialises nothing and leaves
/// the CUDA runtime's last error alone. Works in a build without CUDA too.
residency residency_of(void const* data);

/// The device that owns the memory; for pinned and managed memory the one it was allocated on.
/// Needs a driver.
int device_of(void const* data);

/// Whether kernels on the current device can access it; for memory of another device, whether peer
/// access is enabled. Needs a driver.
bool is_in_reach(void const* data);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
