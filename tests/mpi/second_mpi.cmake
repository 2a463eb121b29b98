# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# The tests of xpose::mpi once more on the other one of Open MPI and MPICH, where Debian's package of it is installed:
# programs that compile the library's own sources for it.
if(MPI_CXX_LIBRARIES MATCHES "openmpi")
  set(second mpich)
else()
  set(second openmpi)
endif()
find_program(XPOSE_SECOND_MPI_COMPILER mpicxx.${second} DOC "Compiler of the other MPI, for which tests are built too")
find_program(XPOSE_SECOND_MPIEXEC mpiexec.${second} DOC "Starts processes of the other MPI")
if(NOT XPOSE_SECOND_MPI_COMPILER OR NOT XPOSE_SECOND_MPIEXEC)
  message(STATUS "tests of xpose::mpi on ${second} are left out: mpicxx.${second} or mpiexec.${second} is not here")
  return()
endif()
execute_process(COMMAND ${XPOSE_SECOND_MPI_COMPILER} -show OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " -I[^ \n]+" folders "${flags}")
string(REGEX MATCHALL " -[lL][^ \n]+" libraries "${flags}")
list(TRANSFORM folders REPLACE " -I" "")
list(TRANSFORM libraries STRIP)

get_target_property(library_sources xpose_mpi SOURCES)
list(TRANSFORM library_sources PREPEND ${PROJECT_SOURCE_DIR}/mpi/ REGEX "^[^/$]")
get_target_property(test_sources xpose_mpi_tests SOURCES)
list(FILTER test_sources EXCLUDE REGEX "^\\.\\./\\.\\./mpi/")  # in the library's

function(xpose_second_mpi_program name)
  add_executable(${name} ${ARGN} ${library_sources})
  target_include_directories(${name} SYSTEM BEFORE PRIVATE ${folders})
  target_compile_definitions(${name} PRIVATE XPOSE_MPI_STATIC_DEFINE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_link_libraries(${name} PRIVATE xpose doctest::doctest xpose_warnings ${libraries} ${CMAKE_DL_LIBS})
  if(XPOSE_HAS_CUDA)
    target_link_libraries(${name} PRIVATE CUDA::cudart_static)
  endif()
endfunction()

xpose_second_mpi_program(xpose_mpi_tests_of_${second} ${test_sources})
xpose_second_mpi_program(lost_process_of_${second} lost_process.cpp)
xpose_tests_with_processes(mpi.${second} "${XPOSE_SECOND_MPIEXEC};-n" xpose_mpi_tests_of_${second} lost_process_of_${second}
  1 2 3 4 6)
