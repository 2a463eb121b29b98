// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Calls across memories on this machine's GPU:
//   xpose-across-bench [moves|rows|packing|products] [MiB or side] [rounds] [--devices 0,1]
// moves: transposes and copies between each two kinds of memory, as shares of the bus's rate;
// rows: copy engines and kernels by the length of rows; packing: what the cores pack into pinned
// memory by block and threads, and what CUDA makes of pageable memory; products: gemm of pinned and
// pageable operands, with little memory of the device and with all, and cublasXt. With --devices:
// moves from host to host, or products, on the first of these and on all of them.

#include "rounds.hpp"

#include <xpose/explain.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace across_bench {

char const* name_of(kind k) {
  constexpr char const* names[] = {"pageable", "pinned", "registered", "managed", "device"};
  return names[static_cast<int>(k)];
}

void require(int cuda_status) {
  auto const status = static_cast<cudaError_t>(cuda_status);
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorName(status));
}

memory::memory(kind k, std::size_t bytes) : kind_(k), bytes_(bytes) {
  if (k == kind::pinned) require(cudaMallocHost(&data_, bytes));
  else if (k == kind::managed) require(cudaMallocManaged(&data_, bytes));
  else if (k == kind::device) require(cudaMalloc(&data_, bytes));
  else data_ = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (k == kind::device) require(cudaMemset(data_, 1, bytes));
  else std::memset(data_, 1, bytes);
  if (k == kind::registered) require(cudaHostRegister(data_, bytes, cudaHostRegisterDefault));
}

memory::~memory() {
  if (kind_ == kind::registered) cudaHostUnregister(data_);
  if (kind_ == kind::pinned) cudaFreeHost(data_);
  else if (kind_ == kind::managed || kind_ == kind::device) cudaFree(data_);
  else std::free(data_);
}

void memory::go_home() const {
  if (kind_ != kind::managed) return;
  auto* const bytes = static_cast<char*>(data_);
  for (std::size_t at = 0; at < bytes_; at += 4096) ++bytes[at];
}

std::vector<double> medians(std::vector<candidate>& candidates, int rounds) {
  using clock = std::chrono::steady_clock;
  for (int round = 0; round <= rounds; ++round)
    for (candidate& c : candidates) {
      if (c.before) c.before();
      auto const begin = clock::now();
      c.run();
      double const seconds = std::chrono::duration<double>(clock::now() - begin).count();
      if (round > 0) c.seconds.push_back(seconds);
    }
  std::vector<double> all;
  for (candidate& c : candidates) {
    auto const middle = c.seconds.begin() + static_cast<std::ptrdiff_t>(c.seconds.size() / 2);
    std::nth_element(c.seconds.begin(), middle, c.seconds.end());
    all.push_back(*middle);
  }
  return all;
}

bus_rates measure_bus(std::size_t bytes, int rounds) {
  memory const host(kind::pinned, bytes), device(kind::device, bytes);
  memory const other_host(kind::pinned, bytes), other_device(kind::device, bytes);
  cudaStream_t streams[2];
  for (cudaStream_t& s : streams) require(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  auto const in = [&] {
    require(
        cudaMemcpyAsync(device.as<char>(), host.as<char>(), bytes, cudaMemcpyDefault, streams[0]));
  };
  auto const out = [&] {
    require(cudaMemcpyAsync(other_host.as<char>(), other_device.as<char>(), bytes,
                            cudaMemcpyDefault, streams[1]));
  };
  auto const wait = [&] {
    for (cudaStream_t const s : streams) require(cudaStreamSynchronize(s));
  };
  std::vector<candidate> candidates = {{"in", [&] { in(), wait(); }, {}},
                                       {"out", [&] { out(), wait(); }, {}},
                                       {"both", [&] { in(), out(), wait(); }, {}}};
  auto const seconds = medians(candidates, rounds);
  for (cudaStream_t const s : streams) cudaStreamDestroy(s);
  double const gigabytes = static_cast<double>(bytes) * 1e-9;
  return {gigabytes / seconds[0], gigabytes / seconds[1], 2 * gigabytes / seconds[2]};
}

/// Takes "--devices 0,1" out of the arguments.
std::vector<int> take_devices(std::vector<std::string>& arguments) {
  auto const option = std::find(arguments.begin(), arguments.end(), "--devices");
  if (option == arguments.end()) return {};
  if (option + 1 == arguments.end())
    throw std::runtime_error("--devices takes numbers, such as 0,1");
  std::vector<int> devices;
  std::stringstream list(option[1]);
  for (std::string number; std::getline(list, number, ',');) devices.push_back(std::stoi(number));
  arguments.erase(option, option + 2);
  return devices;
}

void measure(std::vector<std::string> arguments) {
  std::vector<int> const devices = take_devices(arguments);
  char reason[256];
  if (!xpose::detail::cuda_is_available(reason, sizeof reason)) {
    std::printf("no GPU: %s\n", reason);
    return;
  }
  std::printf("%s\n", reason);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::string const what = !arguments.empty() ? arguments[0] : "moves";
  long const number = arguments.size() > 1 ? std::stol(arguments[1]) : 0;
  int const rounds = arguments.size() > 2 ? std::stoi(arguments[2]) : 5;
  std::size_t const bytes = static_cast<std::size_t>(number > 0 ? number : 256) << 20;
  bus_rates const bus = measure_bus(std::size_t{256} << 20, rounds);
  std::printf("bus: %.1f GB/s in, %.1f out, %.1f both\n", bus.in, bus.out, bus.both);
  if (!devices.empty() && what == "moves") measure_moves_on(devices, bus, bytes, rounds);
  else if (!devices.empty() && what == "products")
    measure_products_on(devices, number > 0 ? number : 16384, rounds);
  else if (!devices.empty()) std::printf("--devices is for moves and products\n");
  else if (what == "moves") measure_moves(bus, bytes, rounds);
  else if (what == "rows") measure_row_lengths(bytes, rounds);
  else if (what == "packing") measure_packing(bytes, rounds);
  else if (what == "products") measure_products(bus, number > 0 ? number : 8192, rounds);
  else std::printf("%s is none of moves, rows, packing, products\n", what.c_str());
}

}  // namespace across_bench

int main(int count, char** words) {
  try {
    across_bench::measure({words + 1, words + count});
  } catch (std::exception const& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  return 0;
}
