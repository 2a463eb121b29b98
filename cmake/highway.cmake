# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# Google Highway, hwy::hwy: what is installed, or with XPOSE_FETCH_HIGHWAY a pinned release, built into the library.
find_package(hwy 1.0.3 CONFIG QUIET)
if(NOT hwy_FOUND)
  # XPOSE_SHARED: whoever links a static xpose needs an hwy::hwy of their own, and the downloaded one is not installed.
  if(NOT XPOSE_FETCH_HIGHWAY OR (XPOSE_INSTALL AND NOT XPOSE_SHARED))
    set(found "none is installed")
    if(hwy_CONSIDERED_VERSIONS)
      set(found "found ${hwy_CONSIDERED_VERSIONS}")
    endif()
    message(FATAL_ERROR "The omp backend needs Google Highway, 1.0.3 or newer; ${found}. Debian and Ubuntu: apt-get install "
      "libhwy-dev. Or let CMake download it: -DXPOSE_FETCH_HIGHWAY=ON (not for a static library that will be installed).")
  endif()
  include(FetchContent)
  FetchContent_Declare(highway
    URL https://github.com/google/highway/archive/refs/tags/1.2.0.tar.gz
    URL_HASH SHA256=7e0be78b8318e8bdbf6fa545d2ecb4c90f947df03f7aadc42c1967f019e63343
    DOWNLOAD_EXTRACT_TIMESTAMP OFF)
  message(STATUS "Downloading Google Highway 1.2.0")
  block(SCOPE_FOR VARIABLES)
    set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)  # so that the options of Highway may be variables of ours
    set(BUILD_SHARED_LIBS OFF)
    set(BUILD_TESTING OFF)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
    set(CMAKE_CXX_VISIBILITY_PRESET hidden)
    foreach(part IN ITEMS TESTS EXAMPLES CONTRIB INSTALL)
      set(HWY_ENABLE_${part} OFF)
    endforeach()
    FetchContent_MakeAvailable(highway)
  endblock()
  if(NOT TARGET hwy::hwy)
    add_library(hwy::hwy ALIAS hwy)
  endif()
endif()

# Instruction sets that get no kernels. SVE's vectors have no size at compile time, so there are no arrays of them, which
# most kernels are made of: plain loops would run. Processors with SVE have NEON.
set(xpose_left_out_isas)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(xpose_left_out_isas HWY_SVE HWY_SVE2 HWY_SVE_256 HWY_SVE2_128)
endif()

# Highway compiles a kernel file once for each instruction set, five to seven times on x86-64. With XPOSE_NATIVE it is two:
# the best of this machine, and the one that the compiler assumes anyway, without which Highway does not build.
if(XPOSE_NATIVE AND NOT hwy_FOUND)
  message(STATUS "XPOSE_NATIVE has no effect: only an installed Highway can be asked what this machine runs")
elseif(XPOSE_NATIVE)
  string(JOIN "|" isas 0 ${xpose_left_out_isas})
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/native.cpp "#define HWY_DISABLED_TARGETS ${isas}
#include <hwy/highway.h>
#include <cstdio>
int main() {
  long long const targets = hwy::SupportedTargets() & HWY_TARGETS, best = targets & -targets;
  std::printf(\"%lld\", static_cast<long long>(HWY_TARGETS) & ~(best | HWY_STATIC_TARGET));
}\n")
  try_run(ran compiled ${CMAKE_CURRENT_BINARY_DIR}/native ${CMAKE_CURRENT_BINARY_DIR}/native.cpp
    LINK_LIBRARIES hwy::hwy CXX_STANDARD 17 RUN_OUTPUT_VARIABLE xpose_unused_isas)
  if(NOT compiled OR NOT ran EQUAL 0 OR NOT xpose_unused_isas MATCHES "^[0-9]+$")
    message(FATAL_ERROR "XPOSE_NATIVE: Highway does not tell what this machine runs (${ran}, '${xpose_unused_isas}').")
  endif()
  list(APPEND xpose_left_out_isas ${xpose_unused_isas}LL)
endif()
