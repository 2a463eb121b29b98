// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>

namespace xpose::bench {
namespace {

/// What two runs of the same program differ by on a quiet machine: up to 3 % on an H100, up to 13 %
/// on two cores of a virtual machine, where the pages of operands lie elsewhere in each run.
double least_change(json const& result) {
  bool const is_device = result.value("threads", 0) == 0;
  return is_device ? 0.03 : 0.15;
}

std::string case_of(json const& result) {
  std::string key;
  for (auto const* const member :
       {"operation", "policy", "device", "type", "shape", "layout", "table", "state"})
    if (result.contains(member) && result[member].is_string())
      key += result[member].get<std::string>() + " ";
  if (!result.contains("state")) key += result.value("cache", "") == "beyond" ? "cold " : "warm ";
  return key + std::to_string(result.value("threads", 0)) + " threads";
}

double number(json const& result, char const* member) {
  return result.contains(member) && result[member].is_number() ? result[member].get<double>() : 0;
}

/// Of the median, as a fraction. One slow outlier blows up the standard deviation, so the distance
/// from the fastest sample is looked at too.
double noise_of(json const& result) {
  double const median = number(result, "median_s");
  return std::min(number(result, "stddev_s"), median - number(result, "min_s")) / median;
}

/// How much time the case takes now for each second that it took before.
double slowdown(json const& before, json const& after) {
  double const old_ratio = number(before, "ratio_to_ceiling");
  double const new_ratio = number(after, "ratio_to_ceiling");
  if (old_ratio > 0 && new_ratio > 0 && before["ceiling_name"] == after["ceiling_name"])
    return old_ratio / new_ratio;
  return number(after, "median_s") / number(before, "median_s");
}

/// The results of each case by implementation.
using case_results = std::map<std::string, std::map<std::string, json const*>>;

case_results by_case(std::vector<json> const& results) {
  case_results cases;
  for (auto const& result : results)
    if (number(result, "median_s") > 0)
      cases[case_of(result)][result.value("implementation", "")] = &result;
  return cases;
}

/// How far peers and ceilings moved. Their code did not change, so the machine did it.
double unrest(std::map<std::string, json const*> const& before,
              std::map<std::string, json const*> const& after) {
  double most = 0;
  for (auto const& [name, result] : after) {
    auto const found = before.find(name);
    std::string const part = result->value("role", "");
    bool const is_other = part == "ceiling" || (part == "peer" && name != "self");
    if (is_other && found != before.end())
      most = std::max(most, std::abs(std::log(slowdown(*found->second, *result))));
  }
  return std::exp(most) - 1;
}

}  // namespace

std::vector<json> read_results(std::string const& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(file + ": cannot be read");
  std::vector<json> results;
  int number_of_line = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number_of_line;
    if (line.empty()) continue;
    json result = json::parse(line, nullptr, false);
    if (!result.is_object())
      throw std::runtime_error(file + ":" + std::to_string(number_of_line) + ": not a JSON object");
    if (result.contains("implementation")) results.push_back(std::move(result));
  }
  if (results.empty()) throw std::runtime_error(file + ": holds no row of a run");
  return results;
}

int compare_runs(std::vector<json> const& before, std::vector<json> const& after) {
  case_results const old_cases = by_case(before);
  int compared = 0;
  int slower = 0;
  int faster = 0;
  for (auto const& [name, results] : by_case(after)) {
    auto const old_results = old_cases.find(name);
    auto const mine = results.find("xpose");
    if (old_results == old_cases.end() || mine == results.end()) continue;
    auto const old_mine = old_results->second.find("xpose");
    if (old_mine == old_results->second.end()) continue;
    ++compared;
    double const change = slowdown(*old_mine->second, *mine->second);
    double const noise =
        std::max(2 * std::hypot(noise_of(*old_mine->second), noise_of(*mine->second)),
                 unrest(old_results->second, results));
    double const gate = std::max(least_change(*mine->second), noise);
    bool const is_slower = change > 1 + gate;
    if (!is_slower && change > 1 / (1 + gate)) continue;
    (is_slower ? slower : faster) += 1;
    std::printf("%s  %s: %.3f times its time, noise %.1f %%\n", is_slower ? "SLOWER" : "faster",
                name.c_str(), change, 100 * noise);
  }
  std::printf("%d cases of xpose in both runs: %d slower, %d faster, %d within the noise\n",
              compared, slower, faster, compared - slower - faster);
  return slower;
}

}  // namespace xpose::bench
