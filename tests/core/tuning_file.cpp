// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The text of a tuning file, right and wrong, and the decisions that times lead to.

#include "support/refusal.hpp"
#include "support/verbose_lines.hpp"

#include <xpose/backends/core/tuning/measure.hpp>
#include <xpose/backends/core/tuning/tuning_file.hpp>
#include <xpose/error.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

TEST_SUITE_BEGIN("tuning");

namespace {

using xpose::detail::best_of;
using xpose::detail::fit_threshold;
using xpose::detail::number_of;
using xpose::detail::parse_tuning;
using xpose::detail::tuned_threshold;
using xpose::detail::tuning_clock;
using xpose::detail::tuning_file;
using xpose::detail::two_ways;

tuning_file example() {
  return {1,
          "0.1.0",
          "omp",
          "A \"B\" \\ C, 2 processors",
          {{"move_team_bytes", "180224", "65536", 1.25}, {"kernel", "tile<4> 64x64", "any", 1}}};
}

bool is_refused(std::string const& text) {
  try {
    static_cast<void>(parse_tuning(text));
    return false;
  } catch (xpose::backend_error const&) {
    return true;
  }
}

}  // namespace

TEST_CASE("a tuning file reads as it was written") {
  tuning_file const read = parse_tuning(text_of(example()));
  CHECK(text_of(read) == text_of(example()));
  CHECK(read.device == example().device);
  REQUIRE(read.settings.size() == 2);
  CHECK(read.settings[0].gain == 1.25);
  CHECK(read.settings[1].value == "tile<4> 64x64");
  CHECK(number_of(read.settings[0], 0, 1e9) == 180224);
}

TEST_CASE("a tuning file of another format is read no further than its number") {
  CHECK(parse_tuning("{\"xpose_tuning\": 2, \"what\": \"ever\"}").format == 2);
}

TEST_CASE("a tuning file that is wrong is refused with its line") {
  std::pair<char const*, char const*> const wrong[] = {
      {"", "line 1: '{' is expected"},
      {"[]", "line 1: '{' is expected"},
      {"{\n\"a\": 1,\n}", "line 3: a string in double quotes is expected"},
      {"{\"a\" 1}", "line 1: ':' is expected"},
      {"{\"a\": 1 \"b\": 2}", "line 1: ',' or '}' is expected"},
      {"{\"a\": 1}\n{", "line 2: something stands behind the object"},
      {"{\"a\": {}}", "a number or a string is expected"},
      {"{\"a\": [1]}", "a number or a string is expected"},
      {"{\"a\": true}", "a number or a string is expected"},
      {"{\"a\": nan}", "a number or a string is expected"},
      {"{\"a\": 01}", "a number or a string is expected"},
      {"{\"a\": +1}", "a number or a string is expected"},
      {"{\"a\": 1.}", "a number or a string is expected"},
      {"{\"a\": 1e}", "a number or a string is expected"},
      {"{\"a\": 0x10}", "',' or '}' is expected"},
      {"{\"a\": \"b\nc\"}", "line 1: a string does not end in its line"},
      {"{\"a\": \"b\\n\"}", "an escape other than"},
      {"{\"a\": \"b", "the file ends within a string"},
      {"{\"a\": 1, \"a\": 2}", "\"a\" is there twice"},
      {"{}", "\"xpose_tuning\" is missing"},
      {"{\"xpose_tuning\": \"one\"}", "\"xpose_tuning\" is one, and must be a number"},
      {"{\"xpose_tuning\": 1}", "\"version\" is missing"},
      {"{\"xpose_tuning\": 1, \"version\": \"\", \"backend\": \"\", \"device\": \"\", \"a\": 1}",
       "\"a.built_in\" is missing"},
      {"{\"xpose_tuning\": 1, \"version\": \"\", \"backend\": \"\", \"device\": \"\", \"a\": 1, "
       "\"a.built_in\": 1, \"a.gain\": -1}",
       "\"a.gain\" is -1, and must be a number from 0"},
  };
  for (auto const& [given, says] : wrong) {
    std::string const text = given;
    CAPTURE(text);
    std::string const said =
        refusal<xpose::backend_error>([&] { static_cast<void>(parse_tuning(text)); });
    CAPTURE(said);
    CHECK(contains(said, says));
  }
}

TEST_CASE(
    "a tuning file is refused wherever it is cut, and read or refused with any byte changed") {
  std::string const whole = text_of(example());
  for (std::size_t end = 0; end + 2 < whole.size(); ++end) {
    CAPTURE(end);
    CHECK(is_refused(whole.substr(0, end)));
  }
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (int const byte : {0, 1, 34, 44, 48, 92, 123, 125, 128, 255}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(byte);
      refused += is_refused(changed) ? 1 : 0;
    }
  CHECK(refused > 0);
}

TEST_CASE("a setting's number is within its limits") {
  auto const says = [](char const* value) {
    return refusal<xpose::backend_error>([&] { number_of({"n", value, "1"}, 10, 20); });
  };
  CHECK(number_of({"n", "1.5e1", "1"}, 10, 20) == 15);
  for (char const* const value : {"9", "21", "-15", "1e400", "inf", "nan", "", "15 ", "15x"}) {
    CAPTURE(value);
    CHECK(contains(says(value), "and must be a number from 10 to 20"));
  }
}

TEST_CASE("a candidate is chosen if it is clearly faster than the built-in one") {
  double const none = std::numeric_limits<double>::quiet_NaN();
  CHECK(best_of({1, 0.98, 1.1}, 0).number == 0);
  CHECK(best_of({1, 0.98, 1.1}, 2).number == 1);
  CHECK(best_of({1, 0.98, 1.1}, 2).gain == doctest::Approx(1.1 / 0.98));
  CHECK(best_of({none, 0.5}, 0).number == 0);
  CHECK(best_of({1, none, 0}, 0).number == 0);
  CHECK(best_of({1, 0.5}, 7).gain == 1);
  CHECK(best_of({1, 0.1, 0.5}, 0).number == 2);  // no built-in choice is ten times too slow
}

TEST_CASE("a threshold moves to where the other way begins to pay") {
  std::vector<two_ways> const times = {
      {10, 1, 3}, {20, 1, 2}, {40, 1, 0.5}, {80, 1, 0.5}, {160, 1, 0.5}};
  auto const is = [&](double built_in, double size, double gain) {
    CAPTURE(built_in);
    tuned_threshold const found = fit_threshold(times, built_in);
    CHECK(found.size == size);
    CHECK(found.gain == doctest::Approx(gain));
  };
  is(30, 30, 1);    // right as it is
  is(100, 28, 2);   // 40 and 80 by the other way: between 20 and 40
  is(10, 28, 2);    // 20 as before
  is(1000, 28, 2);  // beyond all sizes
  tuned_threshold const low = fit_threshold({{10, 1, 0.5}, {20, 1, 0.5}}, 100);
  CHECK(low.size == 5);
  tuned_threshold const high = fit_threshold({{10, 1, 2}, {20, 1, 2}}, 1);
  CHECK(high.size == 40);
  CHECK(fit_threshold({{10, 1, 0.99}, {20, 1, 0.98}}, 100).size == 100);
  CHECK(fit_threshold({}, 100).size == 100);
}

TEST_CASE("a threshold does not move over a size whose times were disturbed") {
  double const none = std::numeric_limits<double>::quiet_NaN();
  CHECK(fit_threshold({{10, 1, 0.5}, {20, none, 0.5}, {40, 1, 0.5}}, 30).size == 30);
  CHECK(fit_threshold({{10, 1, 0.5}, {20, none, 0.5}, {40, 1, 0.5}}, 100).size == 28);
  CHECK(fit_threshold({{10, 1, 600}, {20, 1, 600}}, 5).size == 5);
  CHECK(fit_threshold({{10, 600, 1}, {20, 600, 1}}, 50).size == 50);
}

TEST_CASE("candidates take turns, and times that differ by half decide nothing") {
  std::vector<std::size_t> order;
  std::vector<double> told;
  tuning_clock clock(0, 2, [&](double done, std::string const& what) {
    told.push_back(done);
    CHECK(what == "these");
  });
  auto const seconds = clock.compare("these", 2, [&](std::size_t k) {
    order.push_back(k);
    return k == 0 ? 2. : static_cast<double>(order.size() * order.size());
  });
  CHECK(order == std::vector<std::size_t>{0, 1, 0, 1, 0, 1, 0, 1});
  CHECK(seconds[0] == 2);
  CHECK(seconds[1] != seconds[1]);
  double const none = std::numeric_limits<double>::quiet_NaN();
  int runs = 0;
  auto const of_some =
      clock.compare("these", 1, [&](std::size_t) { return ++runs > 3 ? none : 1.; });
  CHECK(of_some[0] != of_some[0]);
  for (std::size_t n = 1; n < told.size(); ++n) CHECK(told[n] >= told[n - 1]);
  CHECK(told.back() <= 1);
}

TEST_SUITE_END();
