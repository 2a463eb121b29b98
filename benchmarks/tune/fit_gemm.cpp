// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Fits the cost model of gemm on CUDA devices to measured times: the constants of config/costs.hpp,
// and the rates, latencies and slowdowns by stream-K of config/table.hpp.
//   fit_gemm [--seconds S] [--rates TYPE]... [--only NAME]... FILES [--held FILES]
// The files are what `tune_gemm times`, or warm-times, printed. Those after --held take no part:
// their regret says what the fit is worth. Rates are fitted for the types named; "all" are all.
// Prints the regret and the error of each type before and after, and the constants. --only: what is
// fitted of these, by the beginnings of the names that it prints.
//
// What is made small: for each product, how far the model is off the choices that are near the
// fastest, and what its choice loses. That is a step function of the constants; hence the mean time
// of all choices, weighted by how close the model has each to its own fastest.

#include "tune/choice_name.hpp"

#include <xpose/backends/cuda/gemm/config/costs.hpp>
#include <xpose/backends/cuda/gemm/config/table.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace xpose::detail;
using xpose::index;

struct tuned_type {
  char const* name;
  std::vector<gemm_config> configs;
  int bytes_of_a, bytes_of_c, bytes_of_accumulator;
};

template <class Table>
std::vector<gemm_config> configs_of() {
  return {std::begin(Table::configs), std::end(Table::configs)};
}

std::vector<tuned_type> all_types() {
  return {{"f32", configs_of<f32_configs>(), 4, 4, 4},
          {"f64", configs_of<f64_configs>(), 8, 8, 8},
          {"c64", configs_of<c64_configs>(), 8, 8, 8},
          {"c128", configs_of<c128_configs>(), 16, 16, 16},
          {"f16", configs_of<half_configs>(), 2, 2, 4},
          {"tf32", configs_of<tf32_configs>(), 4, 4, 4},
          {"e4m3", configs_of<float8_configs>(), 1, 4, 4},
          {"i8", configs_of<byte_configs>(), 1, 4, 4}};
}

struct product {
  int type;
  bool is_held;
  bool is_warm;  // its operands were in the L2
  std::string shape;
  gemm_extents extents;
  gemm_gpu gpu;
  /// Cycles measured of each config's choices, in the order of gemm_choices_by(); 0: not timed.
  std::vector<std::vector<double>> measured;
  double least;
};

struct model {
  gemm_costs costs;
  std::vector<tuned_type> types;
};

/// visit(measured cycles, the model's cycles, config, choice) for each choice that was timed.
template <class Visit>
void for_each_timed(model const& m, product const& p, Visit const& visit) {
  static gemm_choice choices[most_gemm_choices];
  auto const& configs = m.types[static_cast<std::size_t>(p.type)].configs;
  for (std::size_t r = 0; r < configs.size(); ++r) {
    if (p.measured[r].empty()) continue;
    int const count =
        gemm_choices_by(m.costs, configs[r], static_cast<int>(r), p.extents, p.gpu, choices);
    for (int c = 0; c < count; ++c) {
      double const cycles = p.measured[r][static_cast<std::size_t>(c)];
      if (cycles > 0) visit(cycles, choices[c].cycles, configs[r], choices[c]);
    }
  }
}

/// What a fit makes small.
double loss_of(model const& m, product const& p) {
  constexpr double sharpness = 25;  // of the weights: e times less for 4 % more time
  double expected = 1e300;
  for_each_timed(
      m, p, [&](double, double cycles, auto&, auto&) { expected = std::min(expected, cycles); });
  double weights = 0;
  double lost = 0;
  double near = 0;
  double errors = 0;
  for_each_timed(m, p, [&](double measured, double cycles, auto&, auto&) {
    double const slower = measured / p.least - 1;
    double const weight = std::exp(-sharpness * (cycles / expected - 1));
    weights += weight;
    lost += weight * std::min(slower, 1.);
    double const nearness = std::exp(-4 * slower);
    double const error = std::clamp(std::log(cycles / measured), -.4, .4);  // some times are off
    near += nearness;
    errors += nearness * error * error;
  });
  // The model is of operands in memory, so it may be off those in the L2 by any factor.
  return lost / weights + (p.is_warm ? 0 : errors / near);
}

struct taken_choice {
  double regret;
  std::string shape, taken, fastest;
};

/// Of each type: how its choices fare, and the worst five of them.
void print_reports(model const& m, std::vector<product> const& products) {
  for (int const kind : {0, 1, 2, 3})
    for (std::size_t t = 0; t < m.types.size(); ++t) {
      bool const is_held = kind / 2 != 0;
      bool const is_warm = kind % 2 != 0;
      std::vector<taken_choice> all;
      double regrets = 0;
      double errors = 0;
      for (product const& p : products) {
        if (p.type != static_cast<int>(t) || p.is_held != is_held || p.is_warm != is_warm) continue;
        double expected = 1e300;
        double measured_of_taken = 0;
        taken_choice taken{0, p.shape, "", ""};
        for_each_timed(m, p, [&](double measured, double cycles, auto& config, auto& choice) {
          if (measured == p.least) taken.fastest = xpose::bench::name_of(config, choice);
          if (cycles >= expected) return;
          expected = cycles;
          measured_of_taken = measured;
          taken.taken = xpose::bench::name_of(config, choice);
        });
        taken.regret = measured_of_taken / p.least;
        regrets += taken.regret;
        errors += std::pow(std::log(expected / measured_of_taken), 2);
        all.push_back(std::move(taken));
      }
      if (all.empty()) continue;
      std::sort(all.begin(), all.end(),
                [](taken_choice const& x, taken_choice const& y) { return x.regret > y.regret; });
      auto const count = static_cast<double>(all.size());
      std::printf(
          "%-5s%s%s %3zu products: regret %.3f, 95th percentile %.3f; error of the choice "
          "%.3f; worst:\n",
          m.types[t].name, is_warm ? ", in the L2" : "", is_held ? ", held out," : "", all.size(),
          regrets / count, all[all.size() / 20].regret, std::sqrt(errors / count));
      for (std::size_t n = 0; n < std::min<std::size_t>(5, all.size()); ++n)
        std::printf("  %.3f  %s: %s, fastest %s\n", all[n].regret, all[n].shape.c_str(),
                    all[n].taken.c_str(), all[n].fastest.c_str());
    }
}

/// A time so many times of the expected one is not the kernel's.
constexpr double most_over_expected = 4;

/// The lines of a file of `tune_gemm times`.
void read(std::string const& path, bool is_held, model const& m, std::vector<product>& to) {
  std::ifstream file(path);
  if (!file) {
    std::fprintf(stderr, "fit_gemm: %s cannot be read\n", path.c_str());
    std::exit(2);
  }
  gemm_gpu gpu{132, 90, 227 << 10, {132, 66, 39, 30, 22, 17, 15, 15}};
  double gigahertz = 1.98;
  int type = -1;
  bool is_warm = false;
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("# gpu ", 0) == 0) {
      std::istringstream words(line.substr(6));
      words >> gigahertz >> gpu.multiprocessors >> gpu.capability >> gpu.shared_bytes;
      for (int& count : gpu.clusters) words >> count;
      continue;
    }
    is_warm = is_warm || line == "# warm";
    for (std::size_t t = 0; t < m.types.size(); ++t)
      if (line == std::string("# ") + m.types[t].name) type = static_cast<int>(t);
    auto const colon = line.find(": ");
    auto const copied = line.find(" copied ");
    if (type < 0 || colon == std::string::npos || copied == std::string::npos) continue;
    tuned_type const& of = m.types[static_cast<std::size_t>(type)];
    product p{type, is_held, is_warm, line.substr(0, line.find(": ", 0)), {}, gpu, {}, 1e300};
    long long batch, rows, cols, k, bytes, bytes_for_tma;
    int transposes, transposes_for_tma, a_wide, b_wide, c_by_tma, a_from_registers, a_mn_major,
        b_mn_major;
    auto const start = line.rfind(": ", copied) + 2;
    if (std::sscanf(line.c_str() + start,
                    "%lld %lld %lld %lld copied %lld %d for TMA %lld %d wide %d %d %d %d mn %d %d",
                    &batch, &rows, &cols, &k, &bytes, &transposes, &bytes_for_tma,
                    &transposes_for_tma, &a_wide, &b_wide, &c_by_tma, &a_from_registers,
                    &a_mn_major, &b_mn_major) != 14) {
      std::fprintf(stderr, "fit_gemm: %s has a line of another tune_gemm: %.60s\n", path.c_str(),
                   line.c_str());
      std::exit(2);
    }
    p.extents = {batch,
                 rows,
                 cols,
                 k,
                 of.bytes_of_a,
                 of.bytes_of_a,
                 of.bytes_of_c,
                 of.bytes_of_accumulator,
                 true,
                 true,
                 {bytes, transposes != 0},
                 {bytes_for_tma, transposes_for_tma != 0},
                 a_wide != 0,
                 b_wide != 0,
                 c_by_tma != 0,
                 a_from_registers != 0,
                 a_mn_major != 0,
                 b_mn_major != 0};
    std::map<std::string, double> times;
    std::istringstream words(line.substr(line.find(':', copied) + 1));
    std::string name;
    double us, cycles;
    while (words >> name >> us >> cycles) times[name[0] == '*' ? name.substr(1) : name] = us;
    static gemm_choice choices[most_gemm_choices];
    for (std::size_t r = 0; r < of.configs.size(); ++r) {
      int const count =
          gemm_choices_by(m.costs, of.configs[r], static_cast<int>(r), p.extents, gpu, choices);
      p.measured.emplace_back(static_cast<std::size_t>(count), 0.);
      for (int c = 0; c < count; ++c) {
        auto const found = times.find(xpose::bench::name_of(of.configs[r], choices[c]));
        if (found == times.end()) continue;
        double const measured = 1e3 * found->second * gigahertz;
        if (measured > most_over_expected * choices[c].cycles) continue;
        p.measured[r][static_cast<std::size_t>(c)] = measured;
        p.least = std::min(p.least, measured);
      }
    }
    if (p.least < 1e300) to.push_back(std::move(p));
  }
}

/// gemm_costs in the order of its members: all are doubles.
constexpr char const* cost_names[] = {"memory_bytes",
                                      "stored_bytes",
                                      "of_product",
                                      "narrow_boxes",
                                      "straddling_rows",
                                      "narrow_panels",
                                      "unaligned_epilogue",
                                      "of_wgmma_start",
                                      "of_second_warpgroup",
                                      "of_byte_operands",
                                      "of_a_from_registers",
                                      "of_rows_from_registers",
                                      "of_cluster[0]",
                                      "of_cluster[1]",
                                      "of_cluster[2]",
                                      "of_cluster[3]",
                                      "share_of_cluster[0]",
                                      "share_of_cluster[1]",
                                      "share_of_cluster[2]",
                                      "share_of_cluster[3]",
                                      "of_stage",
                                      "of_lone_stage",
                                      "of_sharer_of_a",
                                      "of_sharer_of_b",
                                      "of_shared_request",
                                      "of_shared_straddling_request",
                                      "of_later_epilogues",
                                      "of_gemv",
                                      "of_scalar_gemv",
                                      "of_k_slice",
                                      "of_reduce_launch",
                                      "of_split",
                                      "of_reduced_element",
                                      "reduced_bytes",
                                      "of_cluster_reduction",
                                      "of_split_in_cluster",
                                      "cluster_bytes",
                                      "of_stream_k",
                                      "partial_bytes",
                                      "of_crowded_clusters",
                                      "copied_bytes",
                                      "of_padding_copy",
                                      "of_copy_for_tma",
                                      "of_transposing_copy",
                                      "of_gathering_copy",
                                      "simt.l2_bytes",
                                      "simt.of_wave",
                                      "simt.of_block",
                                      "simt.of_accumulator",
                                      "simt.exposed_stores",
                                      "simt.of_scalar_loads",
                                      "simt.of_lone_scalar_load",
                                      "wide_simt.l2_bytes",
                                      "wide_simt.of_wave",
                                      "wide_simt.of_block",
                                      "wide_simt.of_accumulator",
                                      "wide_simt.exposed_stores",
                                      "wide_simt.of_scalar_loads",
                                      "wide_simt.of_lone_scalar_load",
                                      "dmma.l2_bytes",
                                      "dmma.of_wave",
                                      "dmma.of_block",
                                      "dmma.of_accumulator",
                                      "dmma.exposed_stores",
                                      "dmma.of_scalar_loads",
                                      "dmma.of_lone_scalar_load",
                                      "complex_dmma.l2_bytes",
                                      "complex_dmma.of_wave",
                                      "complex_dmma.of_block",
                                      "complex_dmma.of_accumulator",
                                      "complex_dmma.exposed_stores",
                                      "complex_dmma.of_scalar_loads",
                                      "complex_dmma.of_lone_scalar_load",
                                      "wgmma.l2_bytes",
                                      "wgmma.of_wave",
                                      "wgmma.of_block",
                                      "wgmma.of_accumulator",
                                      "wgmma.exposed_stores",
                                      "wgmma.of_scalar_loads",
                                      "wgmma.of_lone_scalar_load",
                                      "mma_sync.l2_bytes",
                                      "mma_sync.of_wave",
                                      "mma_sync.of_block",
                                      "mma_sync.of_accumulator",
                                      "mma_sync.exposed_stores",
                                      "mma_sync.of_scalar_loads",
                                      "mma_sync.of_lone_scalar_load"};
constexpr std::size_t cost_count = std::size(cost_names);
static_assert(sizeof(gemm_costs) == cost_count * sizeof(double));

/// A number that the fit multiplies by factors: a constant, a rate or a latency.
struct knob {
  std::string name;
  double (*get)(model&, std::size_t, std::size_t);
  void (*set)(model&, std::size_t, std::size_t, double);
  std::size_t first, second;  // which one
  double initial = 0;
  double step = 0.08;
};

double* costs_in(model& m) { return reinterpret_cast<double*>(&m.costs); }

std::vector<knob> knobs_of(model& m, std::vector<std::string> const& rates) {
  std::vector<knob> knobs;
  for (std::size_t n = 0; n < cost_count; ++n)
    if (costs_in(m)[n] != 0)
      knobs.push_back(
          {cost_names[n], [](model& of, std::size_t c, std::size_t) { return costs_in(of)[c]; },
           [](model& of, std::size_t c, std::size_t, double x) { costs_in(of)[c] = x; }, n, 0});
  for (std::size_t t = 0; t < m.types.size(); ++t) {
    auto const is_named = [&](std::string const& r) { return r == "all" || r == m.types[t].name; };
    if (std::none_of(rates.begin(), rates.end(), is_named)) continue;
    for (std::size_t r = 0; r < m.types[t].configs.size(); ++r) {
      std::string const name = std::string(m.types[t].name) + " " + m.types[t].configs[r].name;
      knobs.push_back({name + " rate",
                       [](model& of, std::size_t type, std::size_t config) {
                         return static_cast<double>(of.types[type].configs[config].rate);
                       },
                       [](model& of, std::size_t type, std::size_t config, double x) {
                         of.types[type].configs[config].rate = static_cast<float>(x);
                       },
                       t, r});
      knobs.push_back({name + " latency",
                       [](model& of, std::size_t type, std::size_t config) {
                         return static_cast<double>(of.types[type].configs[config].latency);
                       },
                       [](model& of, std::size_t type, std::size_t config, double x) {
                         of.types[type].configs[config].latency = static_cast<int>(std::lround(x));
                       },
                       t, r});
      if (!can_stream_k(m.types[t].configs[r])) continue;
      knobs.push_back({name + " stream_k",
                       [](model& of, std::size_t type, std::size_t config) {
                         return static_cast<double>(
                             of.types[type].configs[config].stream_k_slowdown);
                       },
                       [](model& of, std::size_t type, std::size_t config, double x) {
                         of.types[type].configs[config].stream_k_slowdown = static_cast<float>(x);
                       },
                       t, r});
    }
  }
  return knobs;
}

double loss_of(model const& m, std::vector<product> const& products) {
  double sum = 0;
  int count = 0;
  for (product const& p : products)
    if (!p.is_held) sum += loss_of(m, p), ++count;
  return sum / count;
}

/// What keeps a number near what it was where the times do not say much about it.
double distance_of(model& m, std::vector<knob> const& knobs) {
  double sum = 0;
  for (knob const& k : knobs) {
    double const moved = std::log(k.get(m, k.first, k.second) / k.initial);
    sum += moved * moved;
  }
  return 3e-4 * sum;
}

/// Each knob in turn, up and down, by steps that grow where they help and shrink where they do not.
void fit(model& m, std::vector<knob>& knobs, std::vector<product> const& products, double seconds) {
  auto const start = std::chrono::steady_clock::now();
  for (knob& k : knobs) k.initial = k.get(m, k.first, k.second);
  double least = loss_of(m, products);
  std::printf("loss %.4f", least);
  auto const is_over = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >
           seconds;
  };
  for (bool has_moved = true; has_moved && !is_over();) {
    has_moved = false;
    for (knob& k : knobs) {
      if (k.step < 0.002 || is_over()) continue;
      double const value = k.get(m, k.first, k.second);
      bool is_better = false;
      for (double const sign : {1., -1.}) {
        k.set(m, k.first, k.second, value * std::exp(sign * k.step));
        double const loss = loss_of(m, products) + distance_of(m, knobs);
        if (loss < least) {
          least = loss;
          is_better = true;
          break;
        }
        k.set(m, k.first, k.second, value);
      }
      k.step = std::min(k.step * (is_better ? 1.4 : 0.5), 0.3);
      has_moved = true;
    }
  }
  std::printf(" -> %.4f\n", least);
}

}  // namespace

int main(int argc, char** argv) {
  model m{hopper_gemm_costs, all_types()};
  double seconds = 60;
  std::vector<std::string> rates;
  std::vector<std::string> only;
  std::vector<product> products;
  bool is_held = false;
  for (int a = 1; a < argc; ++a) {
    bool const has_value = a + 1 < argc;
    if (std::strcmp(argv[a], "--seconds") == 0 && has_value) seconds = std::atof(argv[++a]);
    else if (std::strcmp(argv[a], "--rates") == 0 && has_value) rates.emplace_back(argv[++a]);
    else if (std::strcmp(argv[a], "--only") == 0 && has_value) only.emplace_back(argv[++a]);
    else if (std::strcmp(argv[a], "--held") == 0) is_held = true;
    else read(argv[a], is_held, m, products);
  }
  if (products.empty()) {
    std::fprintf(stderr, "fit_gemm: no times of products in the files named\n");
    return 2;
  }
  print_reports(m, products);
  auto knobs = knobs_of(m, rates);
  auto const is_left_out = [&](knob const& k) {
    auto const begins = [&](std::string const& name) { return k.name.rfind(name, 0) == 0; };
    return !only.empty() && std::none_of(only.begin(), only.end(), begins);
  };
  knobs.erase(std::remove_if(knobs.begin(), knobs.end(), is_left_out), knobs.end());
  fit(m, knobs, products, seconds);
  print_reports(m, products);
  for (knob const& k : knobs)
    std::printf("  %-40s %.4g\n", k.name.c_str(), k.get(m, k.first, k.second));
  return 0;
}
