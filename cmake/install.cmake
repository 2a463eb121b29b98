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

install(DIRECTORY include/xpose DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(DIRECTORY backends DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/xpose
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
install(FILES ${xpose_generated}/xpose/export.hpp ${xpose_generated}/xpose/version.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/xpose)

configure_package_config_file(cmake/xposeConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/xposeConfig.cmake
  INSTALL_DESTINATION ${xpose_package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/xposeConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/xposeConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/xposeConfigVersion.cmake
  DESTINATION ${xpose_package_folder})

# For builds without CMake. A static library needs more on the command line than a .pc file can say portably.
if(XPOSE_SHARED)
  file(RELATIVE_PATH xpose_pc_to_prefix
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  configure_file(cmake/xpose.pc.in ${CMAKE_CURRENT_BINARY_DIR}/xpose.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/xpose.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
if(PROJECT_IS_TOP_LEVEL)
  include(cmake/package.cmake)
endif()
