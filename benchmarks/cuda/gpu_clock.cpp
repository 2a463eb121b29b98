// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "cuda/gpu_clock.hpp"

#include <dlfcn.h>

namespace xpose::bench {
namespace {

constexpr int nvml_success = 0;
constexpr int nvml_clock_sm = 1;

template <class Function>
Function* find(void* library, char const* name) {
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

gpu_clock::gpu_clock(char const* pci_bus_id)
    : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
  auto* const init = find<int()>(library_, "nvmlInit_v2");
  auto* const by_bus = find<int(char const*, void**)>(library_, "nvmlDeviceGetHandleByPciBusId_v2");
  void* gpu = nullptr;
  if (init != nullptr && by_bus != nullptr && init() == nvml_success &&
      by_bus(pci_bus_id, &gpu) == nvml_success)
    gpu_ = gpu;
}

int gpu_clock::multiprocessor_mhz() const {
  auto* const clock = find<int(void*, int, unsigned*)>(library_, "nvmlDeviceGetClockInfo");
  unsigned mhz = 0;
  if (gpu_ == nullptr || clock == nullptr || clock(gpu_, nvml_clock_sm, &mhz) != nvml_success)
    return 0;
  return static_cast<int>(mhz);
}

double gpu_clock::watts() const {
  auto* const power = find<int(void*, unsigned*)>(library_, "nvmlDeviceGetPowerUsage");
  unsigned milliwatts = 0;
  if (gpu_ == nullptr || power == nullptr || power(gpu_, &milliwatts) != nvml_success) return 0;
  return 1e-3 * milliwatts;
}

std::string gpu_clock::driver_version() const {
  auto* const version = find<int(char*, unsigned)>(library_, "nvmlSystemGetDriverVersion");
  char text[80] = "unknown";
  if (gpu_ != nullptr && version != nullptr) version(text, sizeof text);
  return text;
}

}  // namespace xpose::bench
