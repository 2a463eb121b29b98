// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Memory of each kind, and medians of candidates that take turns in rounds.
#pragma once

#include <xpose/xpose.hpp>

#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

namespace across_bench {

enum class kind { pageable, pinned, registered, managed, device };
char const* name_of(kind k);

/// Written once, so that its pages exist.
class memory {
 public:
  memory(kind k, std::size_t bytes);
  ~memory();
  memory(memory const&) = delete;
  memory& operator=(memory const&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::size_t bytes() const { return bytes_; }
  /// Of managed memory: its pages go back to the host.
  void go_home() const;

 private:
  kind kind_;
  std::size_t bytes_;
  void* data_ = nullptr;
};

void require(int cuda_status);

struct candidate {
  std::string name;
  std::function<void()> run;     // returns when it is done
  std::function<void()> before;  // not timed; may be empty
  std::vector<double> seconds = {};
};

/// Seconds of each, the medians of the rounds; one more round before them is not counted.
std::vector<double> medians(std::vector<candidate>& candidates, int rounds);

/// GB/s of pinned memory by cudaMemcpyAsync.
struct bus_rates {
  double in, out, both;  // `both`: each way while the other goes on, summed
};
bus_rates measure_bus(std::size_t bytes, int rounds);

void measure_moves(bus_rates const& bus, std::size_t bytes, int rounds);
void measure_row_lengths(std::size_t bytes, int rounds);
void measure_packing(std::size_t bytes, int rounds);
void measure_products(bus_rates const& bus, xpose::index side, int rounds);
void print_products(std::vector<candidate> const& candidates, std::vector<double> const& seconds,
                    xpose::index side);
/// On the first of the devices, and on all of them.
void measure_products_on(std::vector<int> const& devices, xpose::index side, int rounds);
void measure_moves_on(std::vector<int> const& devices, bus_rates const& bus, std::size_t bytes,
                      int rounds);

}  // namespace across_bench
