# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# xpose::xpose is the library: views, policies, the backends. The CUDA backend is part of it in a build with CUDA,
# because the other backends ask where a pointer lives and because one binary must serve machines with and without CUDA.
# xpose::cuda adds what a .cu file of the user's needs; it exists in every build, so that a user's CMake does not change.
include(GenerateExportHeader)

add_library(xpose ${xpose_library_type}
  backends/c_api/c_api.cpp
  backends/core/checks/check.cpp
  backends/core/problems/copy_plan.cpp
  backends/core/dlpack.cpp
  backends/core/error.cpp
  backends/core/checks/overlap.cpp
  backends/core/registry.cpp
  backends/core/residency.cpp
  backends/core/trace/bench_line.cpp
  backends/core/trace/call_log.cpp
  backends/core/trace/call_text.cpp
  backends/core/trace/nvtx_range.cpp
  backends/core/trace/watchers.cpp
  backends/core/tuning/measure.cpp
  backends/core/tuning/store.cpp
  backends/core/tuning/tuning.cpp
  backends/core/tuning/tuning_file.cpp
  backends/core/checks/view_rules.cpp
  backends/omp/add/driver.cpp
  backends/omp/add/simd.cpp
  backends/omp/transpose/driver.cpp
  backends/omp/gemm/amx/amx.cpp
  backends/omp/gemm/gemv.cpp
  backends/omp/gemm/driver.cpp
  backends/omp/gemm/loops.cpp
  backends/omp/gemm/macro_kernel.cpp
  backends/omp/gemm/blocking.cpp
  backends/omp/gemm/kernel/reals.cpp
  backends/omp/gemm/kernel/integers.cpp
  backends/omp/gemm/small/driver.cpp
  backends/omp/gemm/small/known.cpp
  backends/omp/gemm/small/kernel.cpp
  backends/omp/runtime/cpu_quota.cpp
  backends/omp/runtime/isa.cpp
  backends/omp/runtime/settings.cpp
  backends/omp/runtime/team.cpp
  backends/omp/transpose/simd/moves.cpp
  backends/omp/runtime/workspace.cpp
  backends/omp/tuning/measure.cpp
  backends/omp/transpose/block_cycles.cpp
  backends/omp/transpose/in_place.cpp
  backends/omp/transpose/in_place_packed.cpp
  backends/omp/transpose/rows.cpp
  backends/omp/transpose/small.cpp
  backends/reference/drivers.cpp
  backends/reference/transpose_inplace.cpp)
if(xpose_own_optimisation)  # dependencies.cmake
  target_compile_options(xpose PRIVATE -O3)
  target_compile_definitions(xpose PRIVATE NDEBUG)
endif()
if(xpose_left_out_isas)  # highway.cmake
  list(JOIN xpose_left_out_isas "|" isas)
  target_compile_definitions(xpose PRIVATE "HWY_DISABLED_TARGETS=${isas}")
endif()
# Alpha and beta are rounded alike with every instruction set and in every kernel. Where every processor has FMA, on ARM,
# GCC would contract the scaling of sums in one kernel and not in another.
set_source_files_properties(backends/omp/add/simd.cpp backends/omp/gemm/small/kernel.cpp
  PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  target_compile_options(xpose PRIVATE -ffp-contract=off)
endif()
# GCC clears and copies structs of 100 to 300 bytes by `rep stos` and `rep movs`, of some 15 ns each on Zen 4: 5 to 10 %
# of a 4x4x4 gemm. Not for the kernels, whose blocks have a length that varies: packing a transposed A of u8 became 1.4
# times as slow.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  get_target_property(xpose_drivers xpose SOURCES)
  list(FILTER xpose_drivers EXCLUDE REGEX "/kernel|simd")
  set(xpose_short_blocks unrolled_loop:256:noalign,libcall:-1:noalign)
  set_property(SOURCE ${xpose_drivers} APPEND PROPERTY COMPILE_OPTIONS
    -mmemset-strategy=${xpose_short_blocks} -mmemcpy-strategy=${xpose_short_blocks})
endif()
# NVTX is headers, of any CUDA toolkit: a build without CUDA has ranges where it finds them.
if(XPOSE_NVTX_INCLUDE)
  set_source_files_properties(backends/core/trace/nvtx_range.cpp PROPERTIES
    COMPILE_DEFINITIONS XPOSE_HAS_NVTX INCLUDE_DIRECTORIES ${XPOSE_NVTX_INCLUDE})
endif()
add_library(xpose::xpose ALIAS xpose)

add_library(xpose_cuda INTERFACE)
add_library(xpose::cuda ALIAS xpose_cuda)
set_target_properties(xpose_cuda PROPERTIES EXPORT_NAME cuda)
target_link_libraries(xpose_cuda INTERFACE xpose)

if(XPOSE_HAS_CUDA)
  target_sources(xpose PRIVATE
    backends/across/add.cpp
    backends/across/bus.cpp
    backends/across/call.cpp
    backends/across/copy.cpp
    backends/across/gemm.cpp
    backends/across/gemm_tiles.cpp
    backends/across/gemm_workspace.cpp
    backends/across/lanes.cpp
    backends/across/parts.cpp
    backends/across/tiles.cpp
    backends/cuda/add/instances.cu
    backends/cuda/transpose/conditions.cpp
    backends/cuda/transpose/driver.cu
    backends/cuda/gemm/pad_rows.cu
    backends/cuda/runtime/device.cu
    backends/cuda/elementwise/select.cpp
    backends/cuda/gemm/driver.cu
    backends/cuda/gemm/instances/f32.cu
    backends/cuda/gemm/choices.cpp
    backends/cuda/gemm/cost_model.cpp
    backends/cuda/gemm/block/stream_k_share.cpp
    backends/cuda/gemm/three_products.cu
    backends/cuda/runtime/workspace.cpp
    backends/cuda/runtime/tma_descriptor.cpp
    backends/cuda/transpose/in_place/driver.cu
    backends/cuda/transpose/select.cpp
    backends/cuda/transpose/small_batch.cpp
    backends/cuda/transpose/tensor_conditions.cpp
    backends/cuda/transpose/merged_tile.cpp
    backends/cuda/transpose/tensor_tile.cpp
    backends/cuda/tuning/device_tuning.cpp
    backends/cuda/tuning/measure.cpp)
  # Instances, a file for each so that they compile side by side: a template in a folder of backends/cuda/, the name that
  # it is configured with, and the values of that name.
  function(xpose_cuda_instances template name)
    foreach(${name} IN LISTS ARGN)
      string(REGEX REPLACE "/.*" "" folder ${template})
      set(instance ${CMAKE_CURRENT_BINARY_DIR}/instances/${folder}/${${name}}.cu)
      configure_file(backends/cuda/${template} ${instance} @ONLY)
      target_sources(xpose PRIVATE ${instance})
    endforeach()
  endfunction()
  xpose_cuda_instances(transpose/instances/words.cu.in word 1 2 4 8 16)
  xpose_cuda_instances(elementwise/instances/instance.cu.in group short_integers long_integers others)
  # The groups of types that the header lists; f32 has a file of its own.
  set(gemm_types include/xpose/detail/compiled_gemm.hpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${gemm_types})
  file(READ ${gemm_types} gemm_types)
  string(REGEX MATCHALL "gemm_groups::[a-z0-9_]+" gemm_groups "${gemm_types}")
  list(REMOVE_ITEM gemm_groups gemm_groups::f32)
  list(TRANSFORM gemm_groups REPLACE gemm_groups:: "")
  xpose_cuda_instances(gemm/instances/instance.cu.in group ${gemm_groups})
  set_target_properties(xpose PROPERTIES CUDA_STANDARD 17 CUDA_RUNTIME_LIBRARY Static)
  # The kernels' machine code in about a quarter of the bytes: objects for sm_90a of 1647 (gemm of f64), 3915 (casts of
  # long integers) and 469 KB (transpose of 4 bytes) become 365, 1005 and 185 (CUDA 13.0).
  if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
    target_compile_options(xpose PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--compress-mode=size>)
  endif()
  if(XPOSE_DEV)
    # The script first: ccache would take it for the compiler, and nvcc for a second file to compile.
    set(xpose_cuda_launcher ${PROJECT_SOURCE_DIR}/cmake/refuse-serialised-products ${CMAKE_CUDA_COMPILER_LAUNCHER})
    set_target_properties(xpose PROPERTIES CUDA_COMPILER_LAUNCHER "${xpose_cuda_launcher}")
  endif()
  # The runtime is linked static and its symbols stay inside.
  target_link_libraries(xpose PRIVATE CUDA::cudart_static)
  target_link_options(xpose PRIVATE LINKER:--exclude-libs,ALL)
  # A consumer without a CUDA toolkit links the installed library all the same.
  target_link_libraries(xpose_cuda INTERFACE $<$<TARGET_EXISTS:CUDA::cudart_static>:CUDA::cudart_static>)
else()
  target_sources(xpose PRIVATE backends/across/not_built.cpp backends/cuda/runtime/not_built.cpp)
endif()

# Public headers see backends/ as <xpose/backends/...>, in the build tree as after installation.
set(xpose_generated ${CMAKE_CURRENT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${xpose_generated}/xpose)
file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/backends ${xpose_generated}/xpose/backends SYMBOLIC)
generate_export_header(xpose BASE_NAME XPOSE EXPORT_FILE_NAME ${xpose_generated}/xpose/export.hpp)
configure_file(cmake/version.hpp.in ${xpose_generated}/xpose/version.hpp @ONLY)

target_include_directories(xpose PUBLIC
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${xpose_generated}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(xpose PUBLIC cxx_std_17)
target_link_libraries(xpose PRIVATE $<BUILD_INTERFACE:xpose_warnings> OpenMP::OpenMP_CXX hwy::hwy ${CMAKE_DL_LIBS})
set_target_properties(xpose PROPERTIES
  CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
if(DEFINED SKBUILD)
  set_target_properties(xpose PROPERTIES VERSION ${PROJECT_VERSION_MAJOR})  # wheels hold no links
endif()
if(NOT XPOSE_SHARED)
  target_compile_definitions(xpose PUBLIC XPOSE_STATIC_DEFINE)
endif()
