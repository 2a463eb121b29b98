// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Measures the settings of the current device on a stream of its own: which tiles transpose
// fastest, and, if sums may change their order, the rates by which gemm's cost model chooses.

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/backends/core/tuning/tuning.hpp>
#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/backends/cuda/tuning/settings.hpp>
#include <xpose/error.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr double no_time = std::numeric_limits<double>::quiet_NaN();

/// Device memory of two operands, larger than the caches, that calls walk through, and the clock
/// that times them.
class measured_device {
 public:
  measured_device() {
    constexpr index most_bytes = index{1} << 30;
    std::size_t unused = 0, all = 0;
    check_cuda(cudaMemGetInfo(&unused, &all), "cudaMemGetInfo");
    bytes_ = std::min(most_bytes, static_cast<index>(unused / 4));
    try {
      check_cuda(cudaMalloc(reinterpret_cast<void**>(&in_), static_cast<std::size_t>(bytes_)),
                 "cudaMalloc");
      check_cuda(cudaMalloc(reinterpret_cast<void**>(&out_), static_cast<std::size_t>(bytes_)),
                 "cudaMalloc");
      check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                 "cudaStreamCreateWithFlags");
      check_cuda(cudaEventCreate(&begin_), "cudaEventCreate");
      check_cuda(cudaEventCreate(&end_), "cudaEventCreate");
      // Of every type a number near 1: zeros would take less power, and let the clock rise.
      constexpr int byte_of_floats = 0x3c;
      for (char* const data : {in_, out_})
        check_cuda(cudaMemsetAsync(data, byte_of_floats, static_cast<std::size_t>(bytes_), stream_),
                   "cudaMemsetAsync");
      check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    } catch (...) {
      release();
      throw;
    }
  }
  measured_device(measured_device const&) = delete;
  measured_device& operator=(measured_device const&) = delete;
  ~measured_device() { release(); }

  index bytes() const { return bytes_; }
  char* in(index at = 0) const { return in_ + at; }
  char* out(index at = 0) const { return out_ + at; }

  /// For calls that do not wait.
  execution where() const {
    execution here{};
    here.backend = backend_id::cuda;
    here.stream = stream_;
    here.nosync = true;
    return here;
  }

  /// Seconds of one of several calls in a row, call(number).
  template <class Call>
  double seconds_of(int calls, Call const& call) const {
    check_cuda(cudaEventRecord(begin_, stream_), "cudaEventRecord");
    for (int n = 0; n < calls; ++n) call(n);
    check_cuda(cudaEventRecord(end_, stream_), "cudaEventRecord");
    check_cuda(cudaEventSynchronize(end_), "cudaEventSynchronize");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return 1e-3 * milliseconds / calls;
  }

 private:
  void release() {
    if (end_ != nullptr) cudaEventDestroy(end_);
    if (begin_ != nullptr) cudaEventDestroy(begin_);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
    cudaFree(out_);
    cudaFree(in_);
  }

  index bytes_ = 0;
  char* in_ = nullptr;
  char* out_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

operand matrix(char const* data, index rows, index cols, int bytes, element_type type) {
  return {data, 1, rows, cols, rows * cols, cols, 1, bytes, bytes, type, false};
}

/// The transpose of a packed matrix of elements without a type.
struct measured_transpose {
  index rows, cols;
  int word_bytes;

  index bytes() const { return rows * cols * word_bytes; }
  bit_copy copy(char const* in, char* out) const {
    operand from = matrix(in, cols, rows, word_bytes, element_type::other);
    from.row_stride = 1;
    from.col_stride = cols;
    return plan_bit_copy(as_tensor(from),
                         as_tensor(matrix(out, cols, rows, word_bytes, element_type::other)));
  }
};

/// Squares of two sizes of each class, in bytes.
constexpr double measured_bytes[][2] = {{1.5e6, 3.2e6}, {7e6, 24e6}, {60e6, 180e6}, {340e6, 900e6}};
static_assert(std::size(measured_bytes) == std::size(tuned_bytes_below));

std::vector<measured_transpose> transposes_of(tuned_move_class const& of, index most_bytes) {
  std::vector<measured_transpose> found;
  int const word = tuned_words[of.word];
  for (double const bytes : measured_bytes[of.size]) {
    index const side = std::lround(std::sqrt(bytes / word) / 64) * 64;
    measured_transpose const t = of.is_aligned ? measured_transpose{side, side, word}
                                               : measured_transpose{side - 1, side + 1, word};
    if (t.bytes() <= most_bytes) found.push_back(t);
  }
  return found;
}

/// Of one transpose by a config, or by the table's where it is null, on memory of each call's own.
double seconds_of(measured_device const& device, measured_transpose const& t,
                  transpose_config const* config) {
  constexpr index slot_unit = 4096;  // bytes, so that slots do not share sectors
  constexpr index bytes_of_round = index{1} << 28;
  index const slot = (t.bytes() + slot_unit - 1) / slot_unit * slot_unit;
  index const slots = std::max<index>(1, device.bytes() / slot);
  int const calls = static_cast<int>(std::clamp<index>(bytes_of_round / t.bytes(), 2, 64));
  transpose_config const& used =
      config != nullptr
          ? *config
          : select_transpose_kernel(t.copy(device.in(), device.out()), tuned_capability());
  execution const where = device.where();
  return device.seconds_of(calls, [&](int n) {
    index const at = n % slots * slot;
    used.launch(where, used, t.copy(device.in(at), device.out(at)));
  });
}

/// The geometric mean over the transposes; none if the config cannot run them.
double seconds_of(measured_device const& device, std::vector<measured_transpose> const& transposes,
                  transpose_config const* config) {
  double logarithms = 0;
  try {
    for (measured_transpose const& t : transposes)
      logarithms += std::log(seconds_of(device, t, config));
  } catch (device_lost const&) {
    throw;
  } catch (cuda_error const&) {
    if (config == nullptr) throw;
    return no_time;  // more shared memory, say, than the device has
  }
  return std::exp(logarithms / static_cast<double>(transposes.size()));
}

/// The config of a class of transposes, the table's own unless another is clearly faster. Nothing
/// if the device's memory is too small, or the table has no tiles for them.
std::optional<tuned_setting> measure(measured_device const& device, tuned_move_class const& of,
                                     tuning_clock& clock) {
  constexpr int comparisons = 2;
  auto const transposes = transposes_of(of, device.bytes());
  std::vector<transpose_config const*> candidates = {nullptr};
  if (!transposes.empty()) {
    bit_copy const largest = transposes.back().copy(device.in(), device.out());
    for (auto const* config : tile_configs(tuned_words[of.word], tuned_capability()))
      if (config->suits(largest, *config) && is_one_piece(largest.plan, limits_of(*config)))
        candidates.push_back(config);
  }
  if (candidates.size() < 2) {
    clock.skip(comparisons);
    return std::nullopt;
  }
  tuned_candidate const chosen =
      clock.choose("transposes", candidates.size(), 0,
                   [&](std::size_t k) { return seconds_of(device, transposes, candidates[k]); });
  std::string const of_table = label_of(select_transpose_kernel(
      transposes.back().copy(device.in(), device.out()), tuned_capability()));
  std::string const label = chosen.number == 0 ? of_table : label_of(*candidates[chosen.number]);
  // The table's for the larger size, faster for the smaller one than the table's there.
  if (label == of_table) return tuned_setting{name_of(of), of_table, of_table, 1};
  return tuned_setting{name_of(of), label, of_table, chosen.gain};
}

std::vector<tuned_move_class> measured_classes() {
  std::vector<tuned_move_class> classes;
  for (std::size_t word = 0; word < std::size(tuned_words); ++word)
    for (bool const is_aligned : {true, false})
      for (std::size_t size = 0; size < std::size(tuned_bytes_below); ++size)
        classes.push_back({word, is_aligned, size});
  return classes;
}

/// A product of two matrices, of a type that gemm multiplies in its own way.
struct measured_product {
  element_type type, accumulate;
  int bytes;
  index rows, cols, k;

  index most_bytes() const { return std::max({rows * k, k * cols, rows * cols}) * bytes; }
};

/// Bound by memory, by L2 and by launches, in tiles that fill a GPU well and badly.
constexpr measured_product measured_products[] = {
    {element_type::f16, element_type::f32, 2, 2048, 2048, 2048},
    {element_type::f16, element_type::f32, 2, 4096, 128, 4096},
    {element_type::f16, element_type::f32, 2, 128, 5800, 456},
    {element_type::f16, element_type::f32, 2, 256, 256, 16384},
    {element_type::f16, element_type::f32, 2, 1000, 1400, 600},
    {element_type::f32, element_type::f32, 4, 1024, 1024, 1024},
    {element_type::f32, element_type::f32, 4, 3000, 96, 3000},
    {element_type::f32, element_type::f32, 4, 200, 300, 8000},
    {element_type::f64, element_type::f64, 8, 1024, 1024, 1024},
    {element_type::f64, element_type::f64, 8, 2000, 64, 2000},
    {element_type::f64, element_type::f64, 8, 128, 200, 6000},
};

void multiply(measured_device const& device, measured_product const& p) {
  static constexpr float floats[] = {1, 0};
  static constexpr double doubles[] = {1, 0};
  bool const is_double = p.accumulate == element_type::f64;
  gemm_request r{};
  r.a = matrix(device.in(), p.rows, p.k, p.bytes, p.type);
  r.b = matrix(device.in(device.bytes() / 2), p.k, p.cols, p.bytes, p.type);
  r.c = matrix(device.out(), p.rows, p.cols, p.bytes, p.type);
  r.accumulate = p.accumulate;
  r.semiring = semiring_id::plus_times;
  r.alpha = is_double ? static_cast<void const*>(&doubles[0]) : &floats[0];
  r.beta = is_double ? static_cast<void const*>(&doubles[1]) : &floats[1];
  r.alpha_is_one = r.beta_is_zero = true;
  cuda_run_gemm(device.where(), r);
}

/// The geometric mean over the products, of calls that one launch behind the other keeps busy.
double seconds_of_products(measured_device const& device) {
  constexpr int calls = 10;
  double logarithms = 0;
  int count = 0;
  for (measured_product const& p : measured_products) {
    if (p.most_bytes() > device.bytes() / 2) continue;
    logarithms += std::log(device.seconds_of(calls, [&](int) { multiply(device, p); }));
    ++count;
  }
  return count == 0 ? no_time : std::exp(logarithms / count);
}

constexpr int measured_percents[] = {40, 60, 80, 100, 125, 160, 200};
constexpr std::size_t built_in_percent = 3;
static_assert(measured_percents[built_in_percent] == 100);

/// One of the rates, with those that were found before it.
tuned_setting measure(measured_device const& device, named_gemm_rate const& named,
                      gemm_rates& rates, tuning_clock& clock) {
  auto const use = [&](std::size_t k) {
    rates.*named.rate = static_cast<float>(measured_percents[k]) / 100;
    try_gemm_rates(&rates);
  };
  tuned_candidate const chosen =
      clock.choose("products", std::size(measured_percents), built_in_percent, [&](std::size_t k) {
        use(k);
        return seconds_of_products(device);
      });
  use(chosen.number);
  return {named.name, message(measured_percents[chosen.number]), "100", chosen.gain};
}

/// Ends what try_gemm_rates() began.
struct rates_as_before {
  ~rates_as_before() { try_gemm_rates(nullptr); }
};

}  // namespace

std::vector<tuned_setting> cuda_measure(double seconds, bool changes_order_of_sums,
                                        tuning_clock::progress const& report) {
  measured_device const device;
  auto const classes = measured_classes();
  std::size_t const rate_count = changes_order_of_sums ? std::size(named_gemm_rates) : 0;
  tuning_clock clock(seconds, static_cast<int>(2 * (classes.size() + rate_count)), report);
  std::vector<tuned_setting> found;
  for (tuned_move_class const& of : classes)
    if (auto const setting = measure(device, of, clock)) found.push_back(*setting);
  rates_as_before const restored;
  gemm_rates rates;
  for (std::size_t n = 0; n < rate_count; ++n)
    found.push_back(measure(device, named_gemm_rates[n], rates, clock));
  return found;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
