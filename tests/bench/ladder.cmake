# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

# The ladder of xpose-bench; its device cases count as skipped without a GPU.
if(TARGET xpose_bench_ladder)
  add_executable(xpose_bench_ladder_tests ${CMAKE_CURRENT_LIST_DIR}/ladder.cpp)
  target_include_directories(xpose_bench_ladder_tests PRIVATE ${PROJECT_SOURCE_DIR}/benchmarks)
  target_link_libraries(xpose_bench_ladder_tests PRIVATE xpose_test_main xpose_bench_ladder xpose_warnings)
  add_test(NAME xpose_bench_ladder_tests COMMAND xpose_bench_ladder_tests)
endif()
