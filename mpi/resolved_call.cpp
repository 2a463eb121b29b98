// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "resolved_call.hpp"

#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

#include <cstring>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Whether calls of the policy run on a device: as one without elements says.
bool runs_on_device(execution where) {
  launch_report report{};
  report.explain_only = true;
  where.report = &report;
  tensor_operand nothing{};
  nothing.count = 1;
  nothing.dimensions[0] = {0, 1};
  nothing.bytes_per_element = nothing.alignment = 1;
  nothing.type = element_type::other;
  run_copy(where, {operation::copy, nothing, nothing, element_function::copy_bits});
  return std::strcmp(report.backend, "cuda") == 0;
}

}  // namespace

void resolved_call::resolve() {
  if (where.local.backend != backend_id::cuda) return;
  where.local.nosync = false;
  bool is_on_device = false;
  try {
    is_on_device = runs_on_device(where.local);
  } catch (backend_error const& e) {
    refuse<backend_error>(name_of(op_), ": the local policy: ", e.what());
  }
  if (!is_on_device) {
    where.local = where.state->local;
    return;
  }
  there_.emplace(device_of_call(where.local));
  where.state->device.begin(where.local);
  where.device = &where.state->device;
}

void settle_devices(dist_execution const& where, dist_operation op, bool any) {
  if (where.device != nullptr) where.device->finish();
  if (!any) return;
  agreement agreed(where, op);
  agreed.settle(where.device != nullptr ? where.device->take_fault() : refusal{});
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
