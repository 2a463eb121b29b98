// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// NVML's clock, power and driver version of a GPU. NVML is loaded at run time and declared here,
// because a machine may lack both the library and its header.
#pragma once

#include <string>

namespace xpose::bench {

class gpu_clock {
 public:
  /// The GPU at that PCI address, as CUDA writes it.
  explicit gpu_clock(char const* pci_bus_id);
  /// 0 if NVML is missing.
  int multiprocessor_mhz() const;
  double watts() const;
  std::string driver_version() const;

 private:
  void* library_;
  void* gpu_ = nullptr;
};

}  // namespace xpose::bench
