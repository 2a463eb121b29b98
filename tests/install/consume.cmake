# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# cmake -DCONSUMER=folder -DBUILD=folder -DPROGRAMS="a;b" [-DOPTIONS="-D...;..."] [-DPATH=...]
#       [-DINSTALL_FROM=build -DPREFIX=folder] -P consume.cmake
# Installs xpose from a build if asked to, then configures, builds and runs a user's project.
cmake_minimum_required(VERSION 3.25)

function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${what} failed (${status}):\n  ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

if(DEFINED PATH)
  set(ENV{PATH} ${PATH})
endif()
file(REMOVE_RECURSE ${BUILD})
if(DEFINED INSTALL_FROM)
  file(REMOVE_RECURSE ${PREFIX})
  step("Installing xpose" ${CMAKE_COMMAND} --install ${INSTALL_FROM} --prefix ${PREFIX})
  list(APPEND OPTIONS -DCMAKE_PREFIX_PATH=${PREFIX})
endif()
step("Configuring the user's project" ${CMAKE_COMMAND} -S ${CONSUMER} -B ${BUILD} ${OPTIONS})
step("Building the user's project" ${CMAKE_COMMAND} --build ${BUILD})
foreach(program IN LISTS PROGRAMS)
  step("Running ${program}" ${BUILD}/${program})
  message(STATUS "${program}: ${output}")
endforeach()
