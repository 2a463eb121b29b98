// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/cuda/tuning/device_tuning.hpp>

#include <xpose/backends/core/message.hpp>
#include <xpose/backends/core/tuning/tuning.hpp>
#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/backends/cuda/tuning/settings.hpp>
#include <xpose/error.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr char const* size_names[] = {"small", "medium", "large", "huge"};
static_assert(std::size(size_names) == std::size(tuned_bytes_below));

/// The config with that label, for the copies of a class.
transpose_config const* config_of(std::string const& label, tuned_move_class const& of,
                                  int capability) {
  for (auto const* config : tile_configs(tuned_words[of.word], capability)) {
    bool const is_for_aligned = config->suits == transpose_table::is_aligned;
    if (label_of(*config) == label && (of.is_aligned || !is_for_aligned)) return config;
  }
  refuse<backend_error>('"', name_of(of), "\" is \"", label, "\", and there is no such kernel");
}

/// Calls visit(class) for every class, until it says true; whether it did.
template <class Visit>
bool any_class(Visit const& visit) {
  for (std::size_t word = 0; word < std::size(tuned_words); ++word)
    for (bool const is_aligned : {false, true})
      for (std::size_t size = 0; size < std::size(tuned_bytes_below); ++size)
        if (visit(tuned_move_class{word, is_aligned, size})) return true;
  return false;
}

bool set_move(tuned_setting const& s, int capability, tuned_moves& moves) {
  return any_class([&](tuned_move_class const& of) {
    if (name_of(of) != s.name) return false;
    if (s.value != s.built_in)
      moves.configs[of.word][of.is_aligned ? 1 : 0][of.size] = config_of(s.value, of, capability);
    return true;
  });
}

bool set_rate(tuned_setting const& s, gemm_rates& rates) {
  for (named_gemm_rate const& named : named_gemm_rates) {
    if (named.name != s.name) continue;
    rates.*named.rate = static_cast<float>(number_of(s, 10, 1000) / 100);
    return true;
  }
  return false;
}

/// Of the current device, whose file is followed if there is one.
device_tuning read_device_tuning() {
  std::string const device = cuda_device();
  auto const found = tuning_of("cuda", device);
  if (!found) return {};
  try {
    return device_tuning_of(*found, tuned_capability());
  } catch (backend_error const& e) {
    refuse_tuning("cuda", device, e.what());
    return {};
  }
}

/// Bytes that a device's memory can move in a cycle of its multiprocessors, by the clocks and the
/// width that the driver gives, over those of the H200 whose times the cost model was fitted to:
/// 0.68 on an H100 SXM. 1 where the driver gives none, and within 5 %.
float nominal_memory(int device) {
  auto const ask = [device](cudaDeviceAttr attribute) {
    int value = 0;
    check_cuda(cudaDeviceGetAttribute(&value, attribute, device), "cudaDeviceGetAttribute");
    return static_cast<float>(value);
  };
  constexpr float of_h200 = 3201.f * 6144 / 1980;  // MHz, bits, MHz
  float const clock = ask(cudaDevAttrClockRate);
  float const memory = ask(cudaDevAttrMemoryClockRate) * ask(cudaDevAttrGlobalMemoryBusWidth);
  if (clock <= 0 || memory <= 0) return 1;
  float const ratio = memory / clock / of_h200;
  return std::fabs(ratio - 1) <= 0.05f ? 1 : std::clamp(ratio, 0.1f, 10.f);
}
/// Of the current device, which a thread asks once.
float nominal_memory_of_device() {
  thread_local int known = -1;
  thread_local float ratio = 1;
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  if (device == known) return ratio;
  known = -1;
  ratio = nominal_memory(device);
  known = device;
  return ratio;
}

thread_local gemm_rates const* tried_rates = nullptr;

/// What is known of the devices. Nothing is ever taken back: other threads may be choosing by it.
struct known_tunings {
  std::mutex mutex;
  std::deque<device_tuning> all;
  std::map<int, std::pair<unsigned, device_tuning const*>> of_device;
};

}  // namespace

std::string cuda_device() {
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return message(properties.name, ", ", properties_of_device().multiprocessors, " multiprocessors");
}

std::string label_of(transpose_config const& config) {
  kernel_arguments const& k = config.kernel;
  if (k.rows == 0) return config.name;
  return message(config.name, ' ', k.rows, 'x', k.cols, ", ", k.threads, " threads, ",
                 k.resident_blocks, " blocks");
}

std::string name_of(tuned_move_class const& of) {
  return message(of.is_aligned ? "aligned_" : "unaligned_", tuned_words[of.word], '_',
                 size_names[of.size]);
}

device_tuning device_tuning_of(tuning_file const& tuning, int capability) {
  device_tuning result;
  for (tuned_setting const& s : tuning.settings)
    if (!set_move(s, capability, result.moves) && !set_rate(s, result.gemm))
      refuse<backend_error>("cuda has no setting \"", s.name, '"');
  return result;
}

device_tuning const& tuning_of_device() {
  static known_tunings& known = *new known_tunings;
  thread_local int last = -1;
  thread_local unsigned last_generation = 0;
  thread_local device_tuning const* answer = nullptr;
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  unsigned const generation = tuning_generation.load(std::memory_order_acquire);
  if (device == last && generation == last_generation) return *answer;
  std::lock_guard const lock(known.mutex);
  auto& entry = known.of_device[device];
  if (entry.second == nullptr || entry.first != generation)
    entry = {generation, &known.all.emplace_back(read_device_tuning())};
  last = device;
  last_generation = generation;
  answer = entry.second;
  return *answer;
}

void try_gemm_rates(gemm_rates const* rates) { tried_rates = rates; }

gemm_rates gemm_rates_of_device() {
  gemm_rates rates = tried_rates != nullptr ? *tried_rates : tuning_of_device().gemm;
  rates.memory *= nominal_memory_of_device();
  return rates;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
