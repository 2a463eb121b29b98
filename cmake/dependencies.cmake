# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# What this machine has. Architectures are set here, before any target exists.
set(xpose_own_optimisation OFF)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  elseif(NOT CMAKE_CXX_FLAGS MATCHES "(^| )-O")
    # Without optimisation a gemm takes 50 times as long (512x512 of float), and nobody asked for that.
    set(xpose_own_optimisation ON)
    message(WARNING "CMAKE_BUILD_TYPE is not set, so your targets are compiled without optimisation. The xpose library "
                    "is compiled with -O3 all the same. Set CMAKE_BUILD_TYPE to choose, and to end this warning.")
  endif()
endif()

find_package(OpenMP REQUIRED COMPONENTS CXX)
include(cmake/highway.cmake)

set(XPOSE_HAS_CUDA OFF)
set(xpose_cuda_why "XPOSE_CUDA is OFF")
if(NOT XPOSE_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  find_package(CUDAToolkit QUIET)
  if(NOT CMAKE_CUDA_COMPILER)
    set(xpose_cuda_why "no CUDA compiler found (put nvcc on PATH or set CMAKE_CUDA_COMPILER)")
  elseif(NOT CUDAToolkit_FOUND OR CUDAToolkit_VERSION VERSION_LESS 12.4)
    set(xpose_cuda_why "the CUDA toolkit ${CUDAToolkit_VERSION} is older than 12.4")
  else()
    set(XPOSE_HAS_CUDA ON)
  endif()
endif()

if(XPOSE_HAS_CUDA)
  # Machine code for A100 and H100, and PTX that drivers compile for newer GPUs.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES "80-real;90a-real;90-virtual" CACHE STRING "CUDA architectures")
  endif()
  enable_language(CUDA)
  set(xpose_cuda_why "${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_COMPILER_VERSION}")
elseif(XPOSE_CUDA STREQUAL "ON")
  message(FATAL_ERROR "XPOSE_CUDA is ON, but: ${xpose_cuda_why}. Or configure with -DXPOSE_CUDA=OFF.")
endif()

# Ranges for NVIDIA's profilers; -DXPOSE_NVTX_INCLUDE=OFF builds without them.
find_path(XPOSE_NVTX_INCLUDE nvtx3/nvToolsExt.h HINTS ${CUDAToolkit_INCLUDE_DIRS} /usr/local/cuda/include)

if(XPOSE_TOOLS OR XPOSE_BENCH)
  find_package(CLI11 CONFIG QUIET)
  if(NOT CLI11_FOUND AND DEFINED SKBUILD)
    # pip installs no CLI11, and a Python package is of use without the command.
    set(XPOSE_TOOLS OFF)
  elseif(NOT CLI11_FOUND)
    message(FATAL_ERROR "The xpose command and xpose-bench need CLI11 (Debian and Ubuntu: apt-get install libcli11-dev). "
                        "Without them: -DXPOSE_TOOLS=OFF -DXPOSE_BENCH=OFF.")
  endif()
endif()
if(XPOSE_BENCH)
  find_package(nlohmann_json CONFIG QUIET)
  if(NOT nlohmann_json_FOUND)
    message(FATAL_ERROR "xpose-bench needs nlohmann_json (Debian and Ubuntu: apt-get install nlohmann-json3-dev). "
                        "Without it: -DXPOSE_BENCH=OFF.")
  endif()
endif()
if(XPOSE_DEV)
  find_package(doctest CONFIG QUIET)
  if(NOT doctest_FOUND)
    message(FATAL_ERROR "xpose's tests need doctest (Debian and Ubuntu: apt-get install doctest-dev). "
                        "Without tests and examples: -DXPOSE_DEV=OFF.")
  endif()
  # Thrust: from the CUDA toolkit's CCCL, or Debian's libthrust-dev on a machine without CUDA. The folder of the toolkit's
  # programs is always known; CUDAToolkit_LIBRARY_ROOT is empty where nvcc on PATH is a script that calls the toolkit's.
  find_package(Thrust CONFIG QUIET HINTS "${CUDAToolkit_BIN_DIR}/../lib64/cmake/thrust"
                                         "${CUDAToolkit_BIN_DIR}/../lib/cmake/thrust")
  # cuda::std's mdspan and complex numbers, of a CUDA 13 toolkit; Kokkos's mdspan, of anywhere. Headers alone.
  find_path(XPOSE_CUDA_STD_INCLUDE cuda/std/mdspan HINTS ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES cccl)
  find_path(XPOSE_KOKKOS_MDSPAN_INCLUDE mdspan/mdspan.hpp)
  find_path(XPOSE_EIGEN_INCLUDE Eigen/Core PATH_SUFFIXES eigen3)
endif()

# A Python that has NumPy, to check the command's files and to be a peer; the first one on PATH may lack it.
if(XPOSE_DEV OR XPOSE_BENCH)
  foreach(candidate IN ITEMS python3 /usr/bin/python3)
    execute_process(COMMAND ${candidate} -c "import numpy; print(numpy.__version__)"
                    OUTPUT_VARIABLE XPOSE_NUMPY_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE
                    RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed)
      set(XPOSE_PYTHON ${candidate})
      break()
    endif()
  endforeach()
endif()

# For our own targets only, never exported.
add_library(xpose_warnings INTERFACE)
if(XPOSE_DEV)
  set(xpose_warning_flags -Wall -Wextra -Wshadow -Wconversion -Werror)
  target_compile_options(xpose_warnings INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:${xpose_warning_flags}>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Werror;--Werror=all-warnings>")
endif()
