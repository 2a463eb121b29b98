# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# cmake -DCOMMAND="compiler;flags" -DFOLDER=scratch -DOURS="folder;..." -P header_cost.cmake
# What including xpose/xpose.hpp costs: no header of CUDA or Thrust, and at most 41 % more lines of text than the four standard
# headers that it cannot do without (4 % views of arrays, 3 % the sentences for wrong calls). Lines, because seconds depend on
# the machine; docs/design.md has the seconds.
cmake_minimum_required(VERSION 3.25)
set(most_percent 141)

function(preprocess out name text)
  file(WRITE ${FOLDER}/${name}.cpp "${text}")
  execute_process(COMMAND ${COMMAND} ${ARGN} ${FOLDER}/${name}.cpp RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${name}.cpp:\n${errors}")
  endif()
  set(${out} "${output}" PARENT_SCOPE)
endfunction()

function(count_lines out name text)
  preprocess(output ${name} "${text}" -E -P)
  string(REGEX REPLACE "[^\n]+" "" lines "${output}")
  string(LENGTH "${lines}" count)
  set(${out} ${count} PARENT_SCOPE)
endfunction()

set(xpose "#include <xpose/xpose.hpp>\n")
preprocess(headers xpose "${xpose}" -M)
string(REGEX MATCHALL "/[^ \n]+" headers "${headers}")
foreach(folder IN LISTS OURS)
  list(FILTER headers EXCLUDE REGEX "^${folder}/.*hpp$")
endforeach()
list(FILTER headers EXCLUDE REGEX "^${FOLDER}/")
list(FILTER headers INCLUDE REGEX
  "/(thrust|cub|cuda|cccl|nv|crt)/|/(cu|driver_types|host_defines|vector_types)[^/]*[.]h(pp)?$|[.]cuh$")
if(headers)
  message(FATAL_ERROR "xpose/xpose.hpp includes ${headers}")
endif()

count_lines(ours xpose "${xpose}")
count_lines(standard standard "#include <algorithm>\n#include <array>\n#include <string>\n#include <system_error>\n")
math(EXPR percent "100 * ${ours} / ${standard}")
message(STATUS "xpose/xpose.hpp: ${ours} lines, ${percent} % of the ${standard} of the four standard headers")
if(percent GREATER most_percent)
  message(FATAL_ERROR "more than ${most_percent} %: see what was included with ${COMMAND} -H")
endif()
