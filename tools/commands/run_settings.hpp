// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The user's settings of a run, and the backend that it really uses.
#pragma once

#include <xpose/detail/execution.hpp>

#include <string>

namespace xpose::tools {

struct run_settings {
  std::string policy = "automatic";
  int threads = 0;
  bool is_json = false;
};

struct workplace {
  detail::execution where;
  bool is_on_device;         // operands must be brought to the device's memory
  std::string why_not_cuda;  // set when cuda was asked for and cannot run here
};

workplace find_workplace(run_settings const& settings);

}  // namespace xpose::tools
