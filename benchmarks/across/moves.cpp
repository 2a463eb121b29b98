// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes and copies between memories, and rows of different lengths.

#include "rounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace across_bench {
namespace {

using xpose::index;

struct pair_of_kinds {
  kind in, out;
};
constexpr pair_of_kinds pairs[] = {
    {kind::pinned, kind::device},     {kind::device, kind::pinned},
    {kind::registered, kind::device}, {kind::device, kind::registered},
    {kind::pageable, kind::device},   {kind::device, kind::pageable},
    {kind::managed, kind::device},    {kind::device, kind::managed},
    {kind::pinned, kind::pinned},     {kind::pageable, kind::pageable}};

double ceiling_of(bus_rates const& bus, pair_of_kinds p) {
  if (p.in == kind::device) return bus.out;
  return p.out == kind::device ? bus.in : bus.both / 2;
}

}  // namespace

void measure_moves(bus_rates const& bus, std::size_t bytes, int rounds) {
  auto const cols = static_cast<index>(std::sqrt(static_cast<double>(bytes) / 4)) + 3;
  index const rows = static_cast<index>(bytes) / 4 / cols;
  auto const moved = static_cast<double>(rows * cols * 4);
  std::printf("%ldx%ld of f32, GB/s and share of the bus\n", static_cast<long>(rows),
              static_cast<long>(cols));
  std::printf("%-24s %-16s %-16s %-16s %-16s\n", "", "transpose", "copy", "copy, pitched",
              "every other");
  for (pair_of_kinds const p : pairs) {
    memory const in(p.in, 2 * bytes + (bytes >> 3)), out(p.out, bytes + (bytes >> 3));
    auto const policy = xpose::cuda.across();
    xpose::matrix_view<float const> const packed(in.as<float>(), rows, cols);
    xpose::matrix_view<float const> const pitched(in.as<float>(), rows, cols, xpose::row_major,
                                                  cols + 29);
    xpose::matrix_view<float const> const every_other(in.as<float>(), rows, cols,
                                                      xpose::strided{2 * cols, 2});
    xpose::matrix_view<float> const target(out.as<float>(), rows, cols);
    xpose::matrix_view<float> const transposed(out.as<float>(), cols, rows);
    auto const home = [&] { in.go_home(), out.go_home(); };
    std::vector<candidate> candidates = {
        {"transpose", [&] { xpose::transpose(policy, packed, transposed); }, home},
        {"copy", [&] { xpose::copy(policy, packed, target); }, home},
        {"pitched", [&] { xpose::copy(policy, pitched, target); }, home},
        {"every other", [&] { xpose::copy(policy, every_other, target); }, home}};
    std::printf("%10s to %-10s", name_of(p.in), name_of(p.out));
    for (double const seconds : medians(candidates, rounds)) {
      double const rate = moved / seconds * 1e-9;
      std::printf("  %6.1f  %4.2f    ", rate, rate / ceiling_of(bus, p));
    }
    std::printf("\n");
  }
}

void measure_row_lengths(std::size_t bytes, int rounds) {
  memory const host(kind::pinned, 2 * bytes), device(kind::device, bytes);
  std::printf("rows of pinned memory, a gap as long behind each: GB/s in and out\n");
  std::printf("%8s  %-18s  %-18s\n", "bytes", "copy engines", "kernels");
  for (std::size_t row = 32; row <= 8192; row *= 2) {
    std::size_t const rows = bytes / row;
    auto const engines = [&](void* to, std::size_t to_pitch, void* from, std::size_t from_pitch) {
      require(
          cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, row, rows, cudaMemcpyDefault, nullptr));
      require(cudaStreamSynchronize(nullptr));
    };
    auto const r = static_cast<index>(rows), c = static_cast<index>(row);
    xpose::matrix_view<char> const there(host.as<char>(), r, c, xpose::row_major, 2 * c);
    xpose::matrix_view<char> const here(device.as<char>(), r, c);
    std::vector<candidate> candidates = {
        {"engines in", [&] { engines(device.as<void>(), row, host.as<void>(), 2 * row); }, {}},
        {"engines out", [&] { engines(host.as<void>(), 2 * row, device.as<void>(), row); }, {}},
        {"kernels in", [&] { xpose::copy(xpose::cuda, there, here); }, {}},
        {"kernels out", [&] { xpose::copy(xpose::cuda, here, there); }, {}}};
    auto const seconds = medians(candidates, rounds);
    double const gigabytes = static_cast<double>(rows * row) * 1e-9;
    std::printf("%8zu  %8.1f %8.1f  %8.1f %8.1f\n", row, gigabytes / seconds[0],
                gigabytes / seconds[1], gigabytes / seconds[2], gigabytes / seconds[3]);
  }
}

void measure_packing(std::size_t bytes, int rounds) {
  memory const host(kind::pageable, bytes), pinned(kind::pinned, bytes);
  memory const device(kind::device, bytes);
  double const gigabytes = static_cast<double>(bytes) * 1e-9;
  std::printf("blocks of pageable memory packed into pinned, and unpacked: GB/s\n%12s", "threads");
  constexpr int thread_counts[] = {1, 2, 4, 8, 16, 0};
  for (int const threads : thread_counts) std::printf("  %12d", threads);
  std::printf("\n");
  for (std::size_t block = std::size_t{1} << 20; block <= bytes && block <= std::size_t{64} << 20;
       block *= 2) {
    std::printf("%8zu MiB", block >> 20);
    for (int const threads : thread_counts) {
      auto const policy = xpose::omp.with(xpose::threads{threads});
      auto const copy_blocks = [&](memory const& from, memory const& to) {
        auto const count = static_cast<index>(block);
        for (std::size_t at = 0; at + block <= bytes; at += block)
          xpose::copy(policy, xpose::matrix_view<char>(from.as<char>() + at, 1, count),
                      xpose::matrix_view<char>(to.as<char>() + at, 1, count));
      };
      std::vector<candidate> candidates = {{"in", [&] { copy_blocks(host, pinned); }, {}},
                                           {"out", [&] { copy_blocks(pinned, host); }, {}}};
      auto const seconds = medians(candidates, rounds);
      std::printf("  %5.1f  %5.1f", gigabytes / seconds[0], gigabytes / seconds[1]);
    }
    std::printf("\n");
  }
  std::vector<candidate> candidates = {
      {"cudaMemcpy in",
       [&] { require(cudaMemcpy(device.as<char>(), host.as<char>(), bytes, cudaMemcpyDefault)); },
       {}},
      {"cudaMemcpy out",
       [&] { require(cudaMemcpy(host.as<char>(), device.as<char>(), bytes, cudaMemcpyDefault)); },
       {}},
      {"register, unregister",
       [&] {
         require(cudaHostRegister(host.as<char>(), bytes, cudaHostRegisterDefault));
         require(cudaHostUnregister(host.as<char>()));
       },
       {}}};
  auto const seconds = medians(candidates, rounds);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    std::printf("%-22s %6.1f GB/s\n", candidates[i].name.c_str(), gigabytes / seconds[i]);
}

}  // namespace across_bench
