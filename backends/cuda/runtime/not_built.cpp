// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The CUDA backend of a build without CUDA: never available, so that its functions are never
// called.

#include <xpose/backends/core/availability.hpp>
#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/backends/core/tuning/tuning.hpp>
#include <xpose/detail/current_device.hpp>
#include <xpose/error.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

constexpr char const* reason = "xpose was built without CUDA";

availability const& cuda_availability() {
  // Never destroyed: calls from destructors of static objects read it.
  static availability const& answer = *new availability{false, reason, 0};
  return answer;
}

availability const& cuda_availability(int) { return cuda_availability(); }

bool is_captured(execution const&) { return false; }

void check_capture(char const*, execution const&) {}

int device_of_stream(execution const&) { return -1; }

current_device::current_device(int) {}
current_device::~current_device() = default;

std::string cuda_error_text(int code) { return message("CUDA error ", code); }

void cuda_run_copy(execution const&, copy_request const&) { throw backend_error(reason); }
void cuda_run_gemm(execution const&, gemm_request const&) { throw backend_error(reason); }
void cuda_run_inplace(execution const&, inplace_request const&) { throw backend_error(reason); }
void cuda_run_add(execution const&, add_request const&) { throw backend_error(reason); }

std::string cuda_device() { throw backend_error(reason); }
std::vector<tuned_setting> cuda_measure(double, bool, tuning_clock::progress const&) {
  throw backend_error(reason);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
