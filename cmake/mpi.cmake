# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# XPOSE_HAS_MPI: whether xpose::mpi is built, for the MPI that CMake finds (MPI_CXX_COMPILER chooses another).
set(XPOSE_HAS_MPI OFF)
set(xpose_mpi_why "XPOSE_MPI is OFF")
if(NOT XPOSE_MPI STREQUAL "OFF")
  # The C++ bindings that MPI-2 had: Open MPI's header would declare them, and programs need their library.
  set(MPI_CXX_SKIP_MPICXX ON CACHE BOOL "Leave MPI-2's C++ bindings out")
  find_package(MPI 3.1 QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    set(XPOSE_HAS_MPI ON)
    set(xpose_mpi_why "MPI ${MPI_CXX_VERSION} of ${MPI_CXX_COMPILER}")
  elseif(XPOSE_MPI STREQUAL "ON")
    message(FATAL_ERROR "XPOSE_MPI is ON, but no MPI 3.1 was found (Debian and Ubuntu: apt-get install libopenmpi-dev).")
  else()
    set(xpose_mpi_why "no MPI 3.1 found (Debian: libopenmpi-dev or libmpich-dev)")
  endif()
endif()

# Of tests that start processes. Open MPI asks for leave to run as root, and for more processes than cores; an MPI keeps
# memory to its end, of which AddressSanitizer need not tell.
set(xpose_mpi_environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=passive
    ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1)
