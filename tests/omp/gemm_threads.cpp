// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The threads of gemm on omp: the same ones call after call.

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <dirent.h>

TEST_SUITE_BEGIN("omp.gemm");

namespace {

using xpose::index;

/// The threads of this process, as the system numbers them.
std::set<std::string> threads_of_process() {
  std::set<std::string> threads;
  DIR* const folder = opendir("/proc/self/task");
  REQUIRE(folder != nullptr);
  while (dirent const* const entry = readdir(folder))
    if (entry->d_name[0] != '.') threads.insert(entry->d_name);
  closedir(folder);
  return threads;
}

TEST_CASE_TEMPLATE("gemm on omp keeps its threads from call to call, whatever the sizes", T, float,
                   double, std::int8_t) {
  using C = std::conditional_t<std::is_same_v<T, std::int8_t>, std::int32_t, T>;
  constexpr int count = 5;
  struct {
    index rows, cols, depth;
  } const shapes[] = {{128, 128, 128}, {300, 90, 700},  {1000, 16, 500},
                      {16, 1000, 500}, {64, 64, 20000}, {1, 2000, 2000}};
  auto const multiply = [&](index rows, index cols, index depth) {
    std::vector<T> const a(static_cast<std::size_t>(rows * depth), T(1));
    std::vector<T> const b(static_cast<std::size_t>(depth * cols), T(2));
    std::vector<C> c(static_cast<std::size_t>(rows * cols));
    xpose::gemm(xpose::omp.with(xpose::threads{count}),
                xpose::matrix_view<T const>(a.data(), rows, depth),
                xpose::matrix_view<T const>(b.data(), depth, cols),
                xpose::matrix_view<C>(c.data(), rows, cols));
    CHECK(c == std::vector<C>(c.size(), static_cast<C>(2 * depth)));
  };
  multiply(512, 512, 512);
  // What a larger team left over may still be ending; none may begin.
  std::set<std::string> const team = threads_of_process();
  CHECK(team.size() >= count);
  for (auto const& shape : shapes) {
    multiply(shape.rows, shape.cols, shape.depth);
    std::set<std::string> const now = threads_of_process();
    CHECK(std::includes(team.begin(), team.end(), now.begin(), now.end()));
  }
}

}  // namespace

TEST_SUITE_END();
