// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A distributed call as this process runs it: on its processor, or on a device.
#pragma once

#include "agreement.hpp"

#include <xpose/detail/current_device.hpp>

#include <optional>

namespace xpose {
inline namespace v0 {
namespace detail {

class resolved_call {
 public:
  resolved_call(dist_execution const& given, dist_operation op) : where(given), op_(op) {}

  /// Which of the two, and the device becomes current. xpose::cuda on a machine without one is the
  /// context's own local policy. Before operands are looked at. Throws backend_error, cuda_error,
  /// std::bad_alloc.
  void resolve();

  dist_execution where;

 private:
  dist_operation op_;
  std::optional<current_device> there_;
};

/// Behind work on devices, of which `any` process has one: an error of one is everybody's. The
/// processes are done then.
void settle_devices(dist_execution const& where, dist_operation op, bool any);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
