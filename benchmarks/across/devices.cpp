// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Calls on one device and on several, in the same rounds: products of operands on the host with
// cublasXt on as many devices, transposes and copies from host to host.

#include "cublas_xt.hpp"
#include "rounds.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace across_bench {
namespace {

using xpose::index;
using across = xpose::across_policy<xpose::cuda_policy>;

/// across() on these devices, each of which may take so many bytes; 0: the library's choice.
across policy_on(std::vector<int> const& d, index device_bytes) {
  across const policy = xpose::cuda.across(xpose::across_options().device_bytes(device_bytes));
  switch (d.size()) {
    case 1:
      return policy.devices({d[0]});
    case 2:
      return policy.devices({d[0], d[1]});
    case 3:
      return policy.devices({d[0], d[1], d[2]});
    case 4:
      return policy.devices({d[0], d[1], d[2], d[3]});
    case 8:
      return policy.devices({d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]});
    default:
      throw std::runtime_error("--devices names 1, 2, 3, 4 or 8 devices");
  }
}

std::string count_of(std::vector<int> const& devices) {
  return devices.size() == 1 ? "1 device" : std::to_string(devices.size()) + " devices";
}

template <class T>
void measure(char const* type, kind k, index n, std::vector<int> const& devices, int rounds) {
  std::vector<int> const first{devices.front()};
  cublas_xt const xt_of_one(first), xt_of_all(devices);
  auto const bytes = static_cast<std::size_t>(n * n) * sizeof(T);
  memory const a(k, bytes), b(k, bytes), c(k, bytes);
  auto const view = [n](memory const& m) { return xpose::matrix_view<T>(m.as<T>(), n, n); };
  std::vector<candidate> candidates;
  for (auto const* on : {&first, &devices}) {
    // Out of core: a third of an operand.
    for (index const limit : {index{0}, static_cast<index>(bytes) / 3})
      candidates.push_back(
          {count_of(*on) + (limit == 0 ? "" : ", limit of a third"),
           [&, on, limit] { xpose::gemm(policy_on(*on, limit), view(a), view(b), view(c)); },
           {}});
    cublas_xt const& xt = on == &first ? xt_of_one : xt_of_all;
    if (!xt.is_found()) continue;
    for (int const block : {2048, 4096})
      candidates.push_back({count_of(*on) + ", cublasXt, blocks of " + std::to_string(block),
                            [&, block] {
                              xt.set_block(block);
                              xt.multiply(n, a.as<T>(), b.as<T>(), c.as<T>());
                            },
                            {}});
    if (devices.size() == 1) break;
  }
  std::printf("%s, %s, side %ld\n", type, name_of(k), static_cast<long>(n));
  print_products(candidates, medians(candidates, rounds), n);
}

}  // namespace

void measure_products_on(std::vector<int> const& devices, index side, int rounds) {
  if (!cublas_xt(devices).is_found()) std::printf("cublasXt is not here\n");
  measure<float>("f32", kind::pinned, side, devices, rounds);
  measure<float>("f32", kind::pageable, side, devices, rounds);
  measure<double>("f64", kind::pinned, side / 2, devices, rounds);
}

void measure_moves_on(std::vector<int> const& devices, bus_rates const& bus, std::size_t bytes,
                      int rounds) {
  std::vector<int> const first{devices.front()};
  auto const side = static_cast<index>(std::sqrt(static_cast<double>(bytes) / 4)) + 3;
  auto const moved = static_cast<double>(side * side * 4);
  std::printf("%ldx%ld of f32 from host to host, GB/s each way and share of one bus\n",
              static_cast<long>(side), static_cast<long>(side));
  for (kind const k : {kind::pinned, kind::pageable}) {
    memory const in(k, static_cast<std::size_t>(moved)), out(k, static_cast<std::size_t>(moved));
    xpose::matrix_view<float const> const from(in.as<float>(), side, side);
    xpose::matrix_view<float> const to(out.as<float>(), side, side);
    std::vector<candidate> candidates;
    for (auto const* on : {&first, &devices}) {
      candidates.push_back({count_of(*on) + ", transpose",
                            [&, on] { xpose::transpose(policy_on(*on, 0), from, to); },
                            {}});
      candidates.push_back(
          {count_of(*on) + ", copy", [&, on] { xpose::copy(policy_on(*on, 0), from, to); }, {}});
      if (devices.size() == 1) break;
    }
    auto const seconds = medians(candidates, rounds);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      double const rate = moved / seconds[i] * 1e-9;
      std::printf("  %-10s %-24s %7.1f  %4.2f\n", name_of(k), candidates[i].name.c_str(), rate,
                  rate / (bus.both / 2));
    }
  }
}

}  // namespace across_bench
