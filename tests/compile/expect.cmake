# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# cmake -DCOMMAND="compiler;flags" -DSOURCE=file.cpp [-DREFUSED=ON] -P expect.cmake
# Compiles SOURCE. REFUSED: it must fail and say what its line "// message: ..." announces.
set(ENV{LC_ALL} C)
execute_process(COMMAND ${COMMAND} ${SOURCE} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)

if(NOT REFUSED)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${SOURCE} should compile, but:\n${output}")
  endif()
  return()
endif()

file(STRINGS ${SOURCE} expected REGEX "^// message: ")
if(NOT expected)
  message(FATAL_ERROR "${SOURCE} has no line that starts with '// message: '")
endif()
string(REPLACE "// message: " "" expected "${expected}")
string(REPLACE "\\;" ";" expected "${expected}")  # file(STRINGS) escapes what would part a list
if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, but should be refused with:\n  ${expected}")
endif()
string(FIND "${output}" "${expected}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "${SOURCE} is refused, but without:\n  ${expected}\nThe compiler says:\n${output}")
endif()
