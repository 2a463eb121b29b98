# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# cmake -DABIDIFF=abidiff -DSTORED=xpose.abi -DMODULE=file -P compare.cmake
# Fails if a program compiled with the stored xpose.h could meet something else in MODULE than it expects. New functions
# and enumerators pass. No suppression lets fields at the end of a struct pass: abidiff 2.2's also hides those that changed.
execute_process(COMMAND ${ABIDIFF} --no-architecture --no-added-syms ${STORED} ${MODULE}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${output}"
    "xpose.h is no longer the interface in tests/abi/xpose.abi (abidiff ${status}).\n"
    "A new field at the end of xpose_policy or xpose_gemm_options is how they grow: run scripts/abi-baseline and commit "
    "what it writes.\n"
    "Any other change breaks programs that were compiled before. Add a function or a struct instead, as the head of "
    "xpose.h says; or, with a new major version, run scripts/abi-baseline.")
endif()
