// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>

namespace xpose::bench {
namespace {

constexpr std::size_t worst_cells = 10;
/// What noise lets a ratio to a true ceiling reach.
constexpr double most_of_ceiling = 1.02;

double number(json const& result, char const* member) {
  return result.contains(member) && result[member].is_number() ? result[member].get<double>() : 0;
}

std::string words(json const& result, std::initializer_list<char const*> members) {
  std::string text;
  for (auto const* const member : members)
    if (result.contains(member) && result[member].is_string())
      text += (text.empty() ? "" : " ") + result[member].get<std::string>();
  return text;
}

/// Ratios of the cells of a group; more is better.
void print_ratios(char const* to, std::vector<double> ratios) {
  if (ratios.empty()) return;
  std::sort(ratios.begin(), ratios.end());
  double logs = 0;
  for (double const r : ratios) logs += std::log(r);
  auto const count = static_cast<double>(ratios.size());
  // Between the two nearest, as the report's.
  auto const at = [&](double share) {
    double const rank = share * (count - 1);
    auto const below = static_cast<std::size_t>(rank);
    std::size_t const above = std::min(below + 1, ratios.size() - 1);
    return ratios[below] + (rank - std::floor(rank)) * (ratios[above] - ratios[below]);
  };
  auto const good = std::count_if(ratios.begin(), ratios.end(), [](double r) { return r >= 1; });
  std::printf("  %s: mean %.2f median %.2f p10 %.2f, %3.0f %% at 1.0", to, std::exp(logs / count),
              at(0.5), at(0.1), 100 * static_cast<double>(good) / count);
}

bool is_cell(json const& result) {
  return words(result, {"role"}) == "xpose" && result.value("verified", false) &&
         number(result, "median_s") > 0;
}

void print_group(std::string const& name, std::vector<json const*> const& cells) {
  std::vector<double> to_peer;
  std::vector<double> to_ceiling;
  int above = 0;
  for (auto const* const cell : cells) {
    double const peer = number(*cell, "ratio_to_best_peer");
    double const ceiling = number(*cell, "ratio_to_ceiling");
    if (peer > 0) to_peer.push_back(peer);
    if (ceiling > most_of_ceiling) ++above;
    else if (ceiling > 0) to_ceiling.push_back(ceiling);
  }
  std::printf("%-36s %4zu cases", name.c_str(), cells.size());
  print_ratios("best peer", to_peer);
  print_ratios("ceiling", to_ceiling);
  if (above > 0) std::printf("  (%d above what was no ceiling)", above);
  std::printf("\n");
}

void print_worst(std::string const& name, std::vector<json const*> cells) {
  bool const has_peers = std::any_of(cells.begin(), cells.end(), [](json const* cell) {
    return number(*cell, "ratio_to_best_peer") > 0;
  });
  char const* const ratio = has_peers ? "ratio_to_best_peer" : "ratio_to_ceiling";
  auto const has_no_ratio = [&](json const* cell) { return number(*cell, ratio) <= 0; };
  cells.erase(std::remove_if(cells.begin(), cells.end(), has_no_ratio), cells.end());
  std::stable_sort(cells.begin(), cells.end(), [&](json const* a, json const* b) {
    return number(*a, ratio) < number(*b, ratio);
  });
  if (cells.size() > worst_cells) cells.resize(worst_cells);
  if (cells.empty()) return;
  std::printf("worst of %s\n", name.c_str());
  for (auto const* const cell : cells) {
    std::printf("  %.2f of %-16s %-40s %s  [%s]", number(*cell, ratio),
                words(*cell, {has_peers ? "best_peer" : "ceiling_name"}).c_str(),
                words(*cell, {"type", "shape", "layout", "state"}).c_str(),
                words(*cell, {"kernel"}).c_str(), words(*cell, {"class"}).c_str());
    if (cell->contains("seed"))
      std::printf("  --suite %s --seed %.0f --case %.0f", words(*cell, {"suite"}).c_str(),
                  number(*cell, "seed"), number(*cell, "case"));
    std::printf("\n");
  }
}

}  // namespace

void print_summary(std::vector<json> const& results) {
  std::map<std::string, std::vector<json const*>> groups;
  std::map<std::string, std::vector<json const*>> operations;
  for (auto const& result : results) {
    if (!is_cell(result)) continue;
    std::string const operation = words(result, {"operation", "policy"});
    groups[operation + " " + words(result, {"suite", "type", "state"})].push_back(&result);
    operations[operation].push_back(&result);
  }
  for (auto const& [name, cells] : groups) print_group(name, cells);
  for (auto const& [name, cells] : operations) print_worst(name, cells);
}

}  // namespace xpose::bench
