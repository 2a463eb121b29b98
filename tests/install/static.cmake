# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# cmake -DSOURCE=tree -DBUILD=folder -DOBJECTS=file -DAR=ar -DOPTIONS="..." -DMAIN=main.cpp -DCXX=compiler -P static.cmake
# Installs xpose as a static library, and builds and runs a program by what pkg-config says of it. The library is made of
# objects that are there: those of a static and of a shared library differ in nothing that matters here.
cmake_minimum_required(VERSION 3.25)

function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${BUILD})
step("Configuring" ${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD}/static -DXPOSE_SHARED=OFF -DXPOSE_TOOLS=OFF -DXPOSE_MPI=OFF
  ${OPTIONS})
step("Archiving" ${AR} rcs ${BUILD}/static/libxpose.a @${OBJECTS})
step("Installing" ${CMAKE_COMMAND} --install ${BUILD}/static --prefix ${BUILD}/prefix)
file(GLOB_RECURSE pc_file ${BUILD}/prefix/xpose.pc)
cmake_path(GET pc_file PARENT_PATH pc_folder)
step("Building and running" sh -c "export PKG_CONFIG_PATH=${pc_folder}
  ${CXX} -std=c++17 ${MAIN} -o ${BUILD}/with_static $(pkg-config --cflags --libs xpose) && ${BUILD}/with_static &&
  ! ldd ${BUILD}/with_static | grep libxpose")
message(STATUS "${output}")
