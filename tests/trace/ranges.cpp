// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// NVTX ranges, as a tool that is attached sees them.

#include "traced_program.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace {

using strings = std::vector<std::string>;

strings ranges_of(char const* what) {
  temporary_folder const folder;
  std::string const ranges = folder.file("ranges");
  CHECK(run_program("XPOSE_TEST_RANGES=" + ranges + " NVTX_INJECTION64_PATH=" XPOSE_TRACE_RECORDER,
                    what) == 0);
  return lines_of(ranges);
}

TEST_CASE("a tool sees a range of the domain xpose around each call, named for it") {
  strings expected;
  for (int call = 0; call < 4; ++call) {
    expected.push_back("push xpose: transpose f32 5x7");
    expected.push_back("pop xpose");
  }
  expected.push_back("push xpose: transpose f32 11x12");  // a static object's destructor calls
  expected.push_back("pop xpose");
  CHECK(ranges_of("exit") == expected);
}

TEST_CASE("ranges of several threads are all pushed and popped") {
  strings const ranges = ranges_of("threads");
  CHECK(ranges.size() == 24800);
  CHECK(std::count(ranges.begin(), ranges.end(), "pop xpose") == 12400);
  CHECK(std::count(ranges.begin(), ranges.end(), "push xpose: transpose f32 4x8") == 100);
}

}  // namespace
