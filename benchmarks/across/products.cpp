// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm of operands on the host, and cublasXt.

#include "cublas_xt.hpp"
#include "rounds.hpp"

#include <cstdio>
#include <string>

namespace across_bench {
namespace {

using xpose::index;

template <class T>
void measure(char const* type, kind k, index n, cublas_xt const& xt, int rounds) {
  auto const bytes = static_cast<std::size_t>(n * n) * sizeof(T);
  memory const a(k, bytes), b(k, bytes), c(k, bytes);
  memory const da(kind::device, bytes), db(kind::device, bytes), dc(kind::device, bytes);
  auto const view = [n](memory const& m) { return xpose::matrix_view<T>(m.as<T>(), n, n); };
  auto const limited = [](index limit) {
    return xpose::cuda.across(xpose::across_options().device_bytes(limit));
  };
  index const third = static_cast<index>(bytes) / 3;
  std::vector<candidate> candidates = {
      {"across()", [&] { xpose::gemm(limited(0), view(a), view(b), view(c)); }, {}},
      {"across(), limit of one operand",
       [&] { xpose::gemm(limited(3 * third), view(a), view(b), view(c)); },
       {}},
      {"across(), limit of a third",
       [&] { xpose::gemm(limited(third), view(a), view(b), view(c)); },
       {}},
      {"cuda, operands on the device",
       [&] { xpose::gemm(xpose::cuda, view(da), view(db), view(dc)); },
       {}}};
  if (xt.is_found())
    for (int const block : {2048, 4096})
      candidates.push_back({"cublasXt, blocks of " + std::to_string(block),
                            [&, block] {
                              xt.set_block(block);
                              xt.multiply(n, a.as<T>(), b.as<T>(), c.as<T>());
                            },
                            {}});
  std::printf("%s, %s, side %ld\n", type, name_of(k), static_cast<long>(n));
  auto const seconds = medians(candidates, rounds);
  print_products(candidates, seconds, n);
}

}  // namespace

void print_products(std::vector<candidate> const& candidates, std::vector<double> const& seconds,
                    index n) {
  double const flops =
      2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    std::printf("  %-36s %9.2f ms  %7.1f Tflop/s\n", candidates[i].name.c_str(), seconds[i] * 1e3,
                flops / seconds[i] * 1e-12);
}

void measure_products(bus_rates const& bus, index side, int rounds) {
  cublas_xt const xt;
  if (!xt.is_found()) std::printf("cublasXt is not here\n");
  std::printf("three operands cross in %.1f ms (f32)\n",
              static_cast<double>(side * side * 4) * (2 / bus.in + 1 / bus.out) * 1e-6);
  measure<float>("f32", kind::pinned, side, xt, rounds);
  measure<float>("f32", kind::pageable, side, xt, rounds);
  measure<double>("f64", kind::pinned, side / 2, xt, rounds);
}

}  // namespace across_bench
