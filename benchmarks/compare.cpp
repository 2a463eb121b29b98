// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>

namespace xpose::bench {
namespace {

// Medians of two quiet runs of the same binary differ by up to 3 % on an H100.
constexpr double least_change = 0.03;

std::string key_of(json const& row) {
  std::string key;
  for (auto const* const member :
       {"operation", "policy", "device", "type", "shape", "layout", "implementation", "table"})
    if (row.contains(member) && row[member].is_string())
      key += row[member].get<std::string>() + " ";
  return key + std::to_string(row.value("threads", 0)) + " threads";
}

double number(json const& row, char const* member) {
  return row.contains(member) && row[member].is_number() ? row[member].get<double>() : 0;
}

/// Of the median, as a fraction. One slow outlier blows up the standard deviation, so the distance
/// from the fastest sample is looked at too.
double noise_of(json const& row) {
  double const median = number(row, "median_s");
  return std::min(number(row, "stddev_s"), median - number(row, "min_s")) / median;
}

/// How much time the case takes now for each second that it took before.
double slowdown(json const& before, json const& after) {
  double const old_ratio = number(before, "ratio_to_ceiling");
  double const new_ratio = number(after, "ratio_to_ceiling");
  if (old_ratio > 0 && new_ratio > 0 && before["ceiling_name"] == after["ceiling_name"])
    return old_ratio / new_ratio;
  return number(after, "median_s") / number(before, "median_s");
}

}  // namespace

std::vector<json> read_rows(std::string const& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(file + ": cannot be read");
  std::vector<json> rows;
  int number_of_line = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number_of_line;
    if (line.empty()) continue;
    json row = json::parse(line, nullptr, false);
    if (!row.is_object())
      throw std::runtime_error(file + ":" + std::to_string(number_of_line) + ": not a JSON object");
    if (row.contains("implementation")) rows.push_back(std::move(row));
  }
  if (rows.empty()) throw std::runtime_error(file + ": holds no row of a run");
  return rows;
}

int compare_runs(std::vector<json> const& before, std::vector<json> const& after) {
  std::map<std::string, json const*> old_rows;
  for (auto const& row : before) old_rows[key_of(row)] = &row;
  int compared = 0;
  int slower = 0;
  int faster = 0;
  for (auto const& row : after) {
    auto const found = old_rows.find(key_of(row));
    if (row.value("role", "") != "xpose" || found == old_rows.end()) continue;
    if (number(row, "median_s") <= 0 || number(*found->second, "median_s") <= 0) continue;
    ++compared;
    double const change = slowdown(*found->second, row);
    double const noise = std::hypot(noise_of(*found->second), noise_of(row));
    double const gate = std::max(least_change, 2 * noise);
    bool const is_slower = change > 1 + gate;
    if (!is_slower && change > 1 / (1 + gate)) continue;
    (is_slower ? slower : faster) += 1;
    std::printf("%s  %s: %.3f times its time, noise %.1f %%\n", is_slower ? "SLOWER" : "faster",
                found->first.c_str(), change, 100 * noise);
  }
  std::printf("%d cases of xpose in both runs: %d slower, %d faster, %d within the noise\n",
              compared, slower, faster, compared - slower - faster);
  return slower;
}

}  // namespace xpose::bench
