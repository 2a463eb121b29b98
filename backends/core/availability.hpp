// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What this build and this machine can run, and where memory lies.
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

/// Whether the machine has CUDA devices; asked of the runtime once. cuda/device.cu, or
/// cuda/absent.cpp in a build without CUDA. Throws std::bad_alloc or device_lost where the answer
/// would be another at another time; the next call then asks again.
availability const& cuda_availability();

/// Whether XPOSE_FALLBACK forbids xpose::cuda to run on omp. Throws backend_error if its value is
/// not known: a misspelt "error" would let a call run where it must not.
bool is_fallback_refused();

/// Whether the machine has devices, and this one can run this build's kernels; less than 0: the
/// current one. Asked once for each device that a call would run on, and of no other, since to ask
/// makes a context there. Throws as cuda_availability().
availability const& cuda_availability(int device);

/// The device of the policy's stream: of a default stream the current one. Less than 0 while the
/// stream is captured, which ends if it is asked.
int device_of_stream(execution const& where);

/// Whether the policy's stream is being captured in a graph. Asks nothing that a capture forbids.
bool is_captured(execution const& where);

/// Throws backend_error if a blocking call would wait on a stream that is being captured, which
/// CUDA answers by ending the capture.
void check_capture(char const* op, execution const& where);

/// "cudaErrorInvalidValue (1): invalid argument"
std::string cuda_error_text(int code);

/// Whether after this error every CUDA call of the process fails.
bool means_device_lost(int code);

/// Where a pointer's memory lies. `unknown_to_cuda` is ordinary host memory; `not_told` is all
/// memory if the driver, since a device is lost, does not say.
enum class residency { unknown_to_cuda, pinned_host, managed, device, not_told };

/// Whether this process has loaded a driver: without one all memory is the host's. Costs 0.1 us
/// where there is none.
bool has_driver();

/// Asks the driver, if this process has loaded and initialised one; initialises nothing itself and
/// leaves the CUDA runtime's last error alone. Works in a build without CUDA too.
residency residency_of(void const* data);

/// The device whose memory it is; of memory that is not a device's, the one that it was allocated
/// on. Needs a driver.
int device_of(void const* data);

/// Whether kernels on the current device can use it: of another's memory, if that is its peer.
/// Needs a driver.
bool is_in_reach(void const* data);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
