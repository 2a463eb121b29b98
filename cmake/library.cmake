# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# xpose::xpose is the library: views, policies, the backends. The CUDA backend is part of it in a build with CUDA,
# because the other backends ask where a pointer lives and because one binary must serve machines with and without CUDA.
# xpose::cuda adds what a .cu file of the user's needs; it exists in every build, so that a user's CMake does not change.
include(GenerateExportHeader)

add_library(xpose ${xpose_library_type}
  backends/c_api.cpp
  backends/check.cpp
  backends/copy_plan.cpp
  backends/dlpack.cpp
  backends/error.cpp
  backends/fallback.cpp
  backends/overlap.cpp
  backends/registry.cpp
  backends/residency.cpp
  backends/view_rules.cpp
  backends/omp/add.cpp
  backends/omp/add_vectors.cpp
  backends/omp/copy.cpp
  backends/omp/gemm.cpp
  backends/omp/gemm_amx.cpp
  backends/omp/gemm_by_vector.cpp
  backends/omp/gemm_driver.cpp
  backends/omp/gemm_kernels.cpp
  backends/omp/gemm_plan.cpp
  backends/omp/gemm_vectors.cpp
  backends/omp/gemm_vectors_integers.cpp
  backends/omp/parallel.cpp
  backends/omp/vector_moves.cpp
  backends/omp/workspace.cpp
  backends/omp/transpose_inplace.cpp
  backends/reference/add.cpp
  backends/reference/copy.cpp
  backends/reference/gemm.cpp
  backends/reference/transpose_inplace.cpp)
# Sums have the same bits with every instruction set.
set_source_files_properties(backends/omp/add_vectors.cpp PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
add_library(xpose::xpose ALIAS xpose)

add_library(xpose_cuda INTERFACE)
add_library(xpose::cuda ALIAS xpose_cuda)
set_target_properties(xpose_cuda PROPERTIES EXPORT_NAME cuda)
target_link_libraries(xpose_cuda INTERFACE xpose)

if(XPOSE_HAS_CUDA)
  target_sources(xpose PRIVATE
    backends/cuda/add.cu
    backends/cuda/copy.cu
    backends/cuda/copy_functions.cpp
    backends/cuda/copy_functions_long_integers.cu
    backends/cuda/copy_functions_others.cu
    backends/cuda/copy_functions_short_integers.cu
    backends/cuda/copy_lines.cu
    backends/cuda/device.cu
    backends/cuda/function_kernel.cpp
    backends/cuda/gemm.cu
    backends/cuda/gemm_bfloat16.cu
    backends/cuda/gemm_bfloat16_to_f32.cu
    backends/cuda/gemm_complex.cu
    backends/cuda/gemm_f32.cu
    backends/cuda/gemm_f64.cu
    backends/cuda/gemm_float16.cu
    backends/cuda/gemm_float16_to_f32.cu
    backends/cuda/gemm_float8.cu
    backends/cuda/gemm_int8.cu
    backends/cuda/gemm_integers.cu
    backends/cuda/gemm_semirings.cu
    backends/cuda/gemm_tropical.cu
    backends/cuda/gemm_uint8.cu
    backends/cuda/gemm_plan.cpp
    backends/cuda/stream_workspace.cpp
    backends/cuda/tensor_map.cpp
    backends/cuda/transpose_inplace.cu
    backends/cuda/transpose_pieces.cpp
    backends/cuda/transpose_table.cpp
    backends/cuda/transpose_words_1.cu
    backends/cuda/transpose_words_2.cu
    backends/cuda/transpose_words_4.cu
    backends/cuda/transpose_words_8.cu
    backends/cuda/transpose_words_16.cu)
  set_target_properties(xpose PROPERTIES CUDA_STANDARD 17 CUDA_RUNTIME_LIBRARY Static)
  if(XPOSE_DEV)
    set(xpose_cuda_launcher ${CMAKE_CUDA_COMPILER_LAUNCHER} ${PROJECT_SOURCE_DIR}/cmake/refuse-serialised-products)
    set_target_properties(xpose PROPERTIES CUDA_COMPILER_LAUNCHER "${xpose_cuda_launcher}")
  endif()
  # The runtime is linked static and its symbols stay inside.
  target_link_libraries(xpose PRIVATE CUDA::cudart_static)
  target_link_options(xpose PRIVATE LINKER:--exclude-libs,ALL)
  # A consumer without a CUDA toolkit links the installed library all the same.
  target_link_libraries(xpose_cuda INTERFACE $<$<TARGET_EXISTS:CUDA::cudart_static>:CUDA::cudart_static>)
else()
  target_sources(xpose PRIVATE backends/cuda/absent.cpp)
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
if(NOT XPOSE_SHARED)
  target_compile_definitions(xpose PUBLIC XPOSE_STATIC_DEFINE)
endif()
