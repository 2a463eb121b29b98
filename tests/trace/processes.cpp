// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// XPOSE_LOG and the processes that it is set for: exit(), threads, fork().

#include "traced_program.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>

namespace {

using strings = std::vector<std::string>;

constexpr char const* transpose_5x7 =
    "xpose-bench transpose --policy omp --threads 2 --types f32 --shapes 5x7";

/// Calls of that line; 0 where there is none or more than one.
long long calls_of(strings const& log, std::string const& line) {
  long long calls = 0;
  int lines = 0;
  for (auto const& logged : log)
    if (logged.rfind(line + "  # calls ", 0) == 0)
      lines += std::sscanf(logged.c_str() + line.size(), "  # calls %lld", &calls);
  return lines == 1 ? calls : 0;
}

TEST_CASE("a log holds equal calls as one line, and is written where the program calls exit()") {
  temporary_folder const folder;
  std::string const file = folder.file("log");
  REQUIRE(run_program("XPOSE_LOG=bench:" + file, "exit") == 0);
  strings const log = lines_of(file);
  REQUIRE(log.size() == 4);  // with the heading
  CHECK(log[0].rfind("# xpose ", 0) == 0);
  CHECK(calls_of(log, transpose_5x7) == 3);
  CHECK(calls_of(log, "# not replayable: transpose f32 5x7 on omp with threads 2: user function") ==
        1);
  CHECK(calls_of(log,
                 "xpose-bench transpose --policy omp --threads 2 --types f32 --shapes 11x12") == 1);
}

TEST_CASE("the lines are in the order of their time") {
  temporary_folder const folder;
  std::string const file = folder.file("log");
  REQUIRE(run_program("XPOSE_LOG=bench:" + file, "threads") == 0);
  std::vector<double> seconds;
  for (auto const& line : lines_of(file)) {
    auto const at = line.find("seconds ");
    if (at != std::string::npos) seconds.push_back(std::stod(line.substr(at + 8)));
  }
  CHECK(seconds.size() == 5);
  CHECK(seconds.back() > 0);
  CHECK(std::is_sorted(seconds.rbegin(), seconds.rend()));
}

TEST_CASE("calls of several threads are all counted") {
  temporary_folder const folder;
  std::string const file = folder.file("log");
  REQUIRE(run_program("XPOSE_LOG=bench:" + file, "threads") == 0);
  std::string const transposes =
      "xpose-bench transpose --policy omp --threads 2 --types f32 --shapes ";
  for (char const* const shape : {"2x8", "3x8", "4x8", "5x8"})
    CHECK(calls_of(lines_of(file), transposes + shape) == 100);
  CHECK(calls_of(lines_of(file), transposes + "6x9") == 12000);  // in all of them
}

TEST_CASE("each call is a line at once under XPOSE_LOG=calls, on standard error without a file") {
  temporary_folder const folder;
  std::string const file = folder.file("log");
  REQUIRE(run_program("XPOSE_LOG=calls", "exit 2>" + file) == 0);
  strings const log = lines_of(file);
  REQUIRE(log.size() == 6);
  for (std::size_t call = 1; call < 4; ++call) CHECK(calls_of({log[call]}, transpose_5x7) == 1);
}

TEST_CASE("a child of fork() does not write the log of its parent again") {
  temporary_folder const folder;
  std::string const file = folder.file("log");
  REQUIRE(run_program("XPOSE_LOG=bench:" + file, "fork") == 0);
  strings const log = lines_of(file);
  CHECK(log.size() == 2);
  CHECK(calls_of(log, transpose_5x7) == 2);
}

TEST_CASE("a child of fork() has a log of its own where the file's name has the process") {
  temporary_folder const folder;
  REQUIRE(run_program("XPOSE_LOG=bench:" + folder.file("log.%p"), "fork") == 0);
  strings const files = folder.files();
  REQUIRE(files.size() == 2);
  bool const is_child = calls_of(lines_of(files[0]), transpose_5x7) == 0;
  CHECK(calls_of(lines_of(files[is_child ? 1 : 0]), transpose_5x7) == 2);
  strings const of_child = lines_of(files[is_child ? 0 : 1]);
  CHECK(of_child.size() == 2);
  CHECK(of_child.back().find("--shapes 3x9  # calls 1,") != std::string::npos);
}

TEST_CASE("a program without XPOSE_LOG writes nothing") {
  temporary_folder const folder;
  REQUIRE(run_program("", "exit >" + folder.file("out") + " 2>&1") == 0);
  CHECK(lines_of(folder.file("out")).empty());
}

}  // namespace
