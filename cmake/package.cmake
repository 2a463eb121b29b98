# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# `cpack -G DEB` in a build folder with XPOSE_DEB makes Debian packages: libxpose0 (the library, by its soname), libxpose-dev
# and xpose (the command). Their dependencies on other packages are found in the binaries by dpkg-shlibdeps. The test
# install.deb holds them against lintian.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME xpose)
# example.invalid is reserved for what does not exist (RFC 2606): who distributes the packages names themselves here.
set(CPACK_PACKAGE_CONTACT "The xpose authors <xpose@example.invalid>" CACHE STRING "Maintainer that the packages name")
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "https://example.invalid/xpose" CACHE STRING "Homepage that the packages name")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/compress-man-pages.cmake)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)

set(xpose_about "xpose transposes, permutes, adds and multiplies matrices of any strides,
as the policy of a call says: on CUDA devices, on the cores by OpenMP, or on
one thread.\n.\n")
set(CPACK_COMPONENTS_ALL development)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libxpose-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "${xpose_about}Headers, a CMake package and a pkg-config file, to build programs with it.")
if(XPOSE_SHARED)
  list(APPEND CPACK_COMPONENTS_ALL runtime)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libxpose${PROJECT_VERSION_MAJOR})
  set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "${xpose_about}The library, for programs that were built with it.")
  set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS runtime)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/package/triggers "activate-noawait ldconfig\n")
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/package/triggers)
  set(overrides ${CMAKE_CURRENT_BINARY_DIR}/package/${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME})
  file(WRITE ${overrides} "# CPack gives each package with a shared library scripts that call ldconfig, beside our trigger.
${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME}: maintscript-calls-ldconfig\n")
  install(FILES ${overrides} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/lintian/overrides COMPONENT runtime)
endif()
if(XPOSE_TOOLS)
  list(APPEND CPACK_COMPONENTS_ALL tools)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME xpose)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
  set(CPACK_COMPONENT_TOOLS_DESCRIPTION "${xpose_about}The xpose command does so with matrices in NumPy's .npy files.")
  if(XPOSE_SHARED)
    set(CPACK_COMPONENT_TOOLS_DEPENDS runtime)
  endif()
endif()

# What Debian's policy wants beside the files.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(changelog ${CMAKE_CURRENT_BINARY_DIR}/package/changelog)
file(WRITE ${changelog} "xpose (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * Version ${PROJECT_VERSION}.\n\n"
                        " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
execute_process(COMMAND gzip -9 --no-name --keep --force ${changelog} COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} component_upper)
  set(folder ${CMAKE_INSTALL_DATAROOTDIR}/doc/${CPACK_DEBIAN_${component_upper}_PACKAGE_NAME})
  install(FILES cmake/copyright DESTINATION ${folder} COMPONENT ${component})
  install(FILES ${changelog}.gz DESTINATION ${folder} COMPONENT ${component})
endforeach()
include(CPack)
