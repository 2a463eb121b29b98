# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# cmake -DABIDIFF=abidiff -DMODULE=file -DFOLDER=tests/abi -P compare.cmake
# Fails if a program compiled with the stored xpose.h could meet something else in MODULE than it expects.
execute_process(
  COMMAND ${ABIDIFF} --suppressions ${FOLDER}/allowed.abignore --no-added-syms ${FOLDER}/xpose.abi ${MODULE}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${output}"
    "The C interface is no longer the one in tests/abi/xpose.abi (abidiff ${status}). Programs compiled with an earlier "
    "xpose.h break: add a function or struct instead (the head of xpose.h says how it grows). If no release has the "
    "stored interface, or the major version changes: scripts/abi-baseline, and commit what it writes.")
endif()
