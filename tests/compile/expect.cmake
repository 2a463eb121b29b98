# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# cmake -DCOMMAND="compiler;flags" -DSOURCE=file.cpp [-DREFUSED=ON -DMOST_LINES=n] -P expect.cmake
# Compiles SOURCE, with the flags of its line "// flags: ..." if it has one. REFUSED: it must fail and say what its line
# "// message: ..." announces. A message of xpose comes in at most MOST_LINES lines of diagnostics, or in as many as the
# line "// lines: ..." says.
set(ENV{LC_ALL} C)

# What the line "// name: ..." says; nothing if there is none.
function(announced name out)
  file(STRINGS ${SOURCE} line REGEX "^// ${name}: ")
  string(REPLACE "// ${name}: " "" line "${line}")
  string(REPLACE "\\;" ";" line "${line}")  # file(STRINGS) escapes what would part a list
  set(${out} "${line}" PARENT_SCOPE)
endfunction()

announced(flags flags)
execute_process(COMMAND ${COMMAND} ${flags} ${SOURCE} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)

if(NOT REFUSED)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${SOURCE} should compile, but:\n${output}")
  endif()
  return()
endif()

announced(message expected)
if(NOT expected)
  message(FATAL_ERROR "${SOURCE} has no line that starts with '// message: '")
endif()
if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, but should be refused with:\n  ${expected}")
endif()
string(FIND "${output}" "${expected}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "${SOURCE} is refused, but without:\n  ${expected}\nThe compiler says:\n${output}")
endif()

if(expected MATCHES "^xpose")
  announced(lines announced_lines)
  if(announced_lines)
    set(MOST_LINES ${announced_lines})
  endif()
  string(REGEX MATCHALL "\n" lines "${output}")
  list(LENGTH lines count)
  if(count GREATER MOST_LINES)
    message(FATAL_ERROR "${SOURCE} is refused in ${count} lines, above ${MOST_LINES}:\n${output}")
  endif()
endif()
