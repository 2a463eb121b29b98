// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/runtime/isa.hpp>

#include <xpose/backends/core/environment.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

#include <hwy/highway.h>

#include <strings.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {

isa_list const& supported_isas() {
  static isa_list const known = [] {
    isa_list isas{};
    // The static target is what the compiler assumes of every processor. Highway 1.0.3 counts AES
    // to NEON, and finds no target on ARM processors without it (Raspberry Pi 4).
    for (isa left = (hwy::SupportedTargets() | HWY_STATIC_TARGET) & HWY_TARGETS; left != 0;
         left &= left - 1) {
      hwy::ChosenTarget chosen;  // one of our own: the global one belongs to every user of Highway
      chosen.Update(left & -left);
      isas.dispatch_indices[isas.count] = chosen.GetIndex();
      isas.targets[isas.count++] = left & -left;
    }
    return isas;
  }();
  return known;
}

isa compiled_isas() { return HWY_TARGETS; }

char const* isa_name(isa target) { return hwy::TargetName(target); }

namespace {

environment_setting<isa> chosen_isa([] {
  char const* const requested = std::getenv("XPOSE_ISA");
  if (requested == nullptr || *requested == 0) return supported_isas().targets[0];
  std::string names;
  for (isa const target : supported_isas()) {
    if (strcasecmp(requested, isa_name(target)) == 0) return target;
    names += message(names.empty() ? "" : ", ", isa_name(target));
  }
  throw backend_error(
      message("XPOSE_ISA is ", requested, ", and this machine and build have ", names).c_str());
});

}  // namespace

isa active_isa() { return chosen_isa.value(); }

std::size_t dispatch_index(isa target) {
  isa_list const& known = supported_isas();
  return known.dispatch_indices[std::find(known.begin(), known.end() - 1, target) - known.begin()];
}

bool is_amd() {
#if HWY_ARCH_X86
  static bool const known = [] {
    __builtin_cpu_init();
    return __builtin_cpu_is("amd") != 0;
  }();
  return known;
#else
  return false;
#endif
}

index l2_cache_bytes() {
  static long const known = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return known > 0 ? known : index{1} << 20;
}

index l3_cache_bytes() {
  static index const known = [] {
    long kilobytes = 0;
    std::ifstream("/sys/devices/system/cpu/cpu0/cache/index3/size") >> kilobytes;
    return index{kilobytes} << 10;
  }();
  return known;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
