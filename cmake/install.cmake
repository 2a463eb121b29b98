# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# What a user gets: the library, the public headers with the backends' templates, and a CMake package that finds
# both. Our warnings and options stay here. Components, for packages that are built of them (package.cmake): runtime is
# what programs need that were built with xpose, development what building them needs, and tools the command.
include(CMakePackageConfigHelpers)
set(xpose_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/xpose)

install(TARGETS xpose xpose_cuda EXPORT xposeTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(EXPORT xposeTargets NAMESPACE xpose:: DESTINATION ${xpose_package_folder})

install(DIRECTORY include/xpose DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
  PATTERN "mpi.hpp" EXCLUDE PATTERN "*.hpp" PATTERN "*.h")  # mpi.hpp: with its library, below
install(DIRECTORY backends DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/xpose
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
install(FILES ${xpose_generated}/xpose/export.hpp ${xpose_generated}/xpose/version.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/xpose)

configure_package_config_file(cmake/xposeConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/xposeConfig.cmake
  INSTALL_DESTINATION ${xpose_package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/xposeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)  # at 0.x a minor version may change the interface
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/xposeConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/xposeConfigVersion.cmake
  DESTINATION ${xpose_package_folder})

# xpose::mpi, a component of its own: nothing of the others needs an MPI.
if(XPOSE_HAS_MPI)
  install(TARGETS xpose_mpi EXPORT xposeMpiTargets COMPONENT mpi
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT xposeMpiTargets NAMESPACE xpose:: DESTINATION ${xpose_package_folder} COMPONENT mpi)
  install(FILES include/xpose/mpi.hpp ${xpose_generated}/xpose/mpi_export.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/xpose COMPONENT mpi)
endif()

# For builds without CMake. What a static library needs stands in Libs and not in Libs.private: there is no shared one for
# which pkg-config without --static could be asked.
if(NOT XPOSE_SHARED)
  set(xpose_pc_flags " -DXPOSE_STATIC_DEFINE")
  set(xpose_mpi_pc_flags " -DXPOSE_MPI_STATIC_DEFINE")
  set(xpose_pc_requires "Requires: libhwy\n")
  set(xpose_pc_libs " ${OpenMP_CXX_FLAGS}")
  if(XPOSE_HAS_CUDA)
    string(APPEND xpose_pc_libs " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lpthread -lrt")
  endif()
  foreach(library IN LISTS CMAKE_DL_LIBS ITEMS stdc++ m)
    string(APPEND xpose_pc_libs " -l${library}")
  endforeach()
endif()
file(RELATIVE_PATH xpose_pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/xpose.pc.in ${CMAKE_CURRENT_BINARY_DIR}/xpose.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/xpose.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(XPOSE_HAS_MPI)
  configure_file(cmake/xpose-mpi.pc.in ${CMAKE_CURRENT_BINARY_DIR}/xpose-mpi.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/xpose-mpi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT mpi)
endif()
if(XPOSE_DEB)
  include(cmake/package.cmake)
endif()
