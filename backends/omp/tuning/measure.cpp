// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Measures the settings of the omp backend, with all threads that a call without .with() has. Runs
// the drivers without the registry, whose lines under XPOSE_VERBOSE would count thousands.

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/backends/core/tuning/tuning.hpp>
#include <xpose/backends/omp/runtime/isa.hpp>
#include <xpose/backends/omp/runtime/named_settings.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/backends/omp/transpose/driver.hpp>
#include <xpose/backends/omp/transpose/kernel_table.hpp>
#include <xpose/backends/omp/transpose/simd/moves.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr index never = std::numeric_limits<index>::max();
constexpr execution everywhere{backend_id::omp, 0, nullptr, false, false};

/// Gives all settings back the values that they had.
class settings_as_before {
 public:
  settings_as_before() {
    for (std::size_t n = 0; n < std::size(named_omp_settings); ++n)
      before_[n] = tuned.*named_omp_settings[n].setting;
  }
  settings_as_before(settings_as_before const&) = delete;
  settings_as_before& operator=(settings_as_before const&) = delete;
  ~settings_as_before() {
    for (std::size_t n = 0; n < std::size(named_omp_settings); ++n)
      (tuned.*named_omp_settings[n].setting).set(before_[n]);
  }

 private:
  index before_[std::size(named_omp_settings)];
};

/// Floats that calls read and write, all of them 1 at first: no call is slowed by denormals. Each
/// thread fills a part, so that memory is near those that use it.
class floats {
 public:
  explicit floats(index count) : data_(new float[static_cast<std::size_t>(count)]) {
    constexpr index piece = 1 << 16;
    parallel_for(team_for(0, 2), ceil_div(count, piece), [&](index n) {
      std::fill_n(data_.get() + n * piece, std::min(piece, count - n * piece), 1.f);
    });
  }
  float* data() const { return data_.get(); }

 private:
  std::unique_ptr<float[]> data_;
};

operand matrix(float const* data, index rows, index cols) {
  return {data, 1, rows, cols, rows * cols, cols, 1, 4, 4, element_type::f32, false};
}

/// Transposes squares of floats.
class moves {
 public:
  explicit moves(index most_side) : in_(most_side * most_side), out_(most_side * most_side) {}

  void run(index side) const {
    operand from = matrix(in_.data(), side, side);
    std::swap(from.row_stride, from.col_stride);
    omp_copy_bits(everywhere, as_tensor(from), as_tensor(matrix(out_.data(), side, side)), nullptr);
  }

 private:
  floats in_, out_;
};

/// Operands of products of floats of up to so many elements each.
class products {
 public:
  explicit products(index most) : a_(most), b_(most), c_(most) {}

  void run(index rows, index cols, index k) const {
    static constexpr float scalars[] = {1, 0};
    gemm_request r{};
    r.a = matrix(a_.data(), rows, k);
    r.b = matrix(b_.data(), k, cols);
    r.c = matrix(c_.data(), rows, cols);
    r.accumulate = element_type::f32;
    r.semiring = semiring_id::plus_times;
    r.alpha = &scalars[0];
    r.beta = &scalars[1];
    r.alpha_is_one = r.beta_is_zero = true;
    omp_run_gemm(everywhere, r);
  }

 private:
  floats a_, b_, c_;
};

/// A threshold, and work of sizes at which the built-in one and others may differ.
struct threshold_question {
  char const* name;
  char const* what;  // is measured
  omp_setting& setting;
  index built_in;
  std::vector<index> sides;  // of the work, ascending
  std::function<double(index side)> size;
  std::function<void(index side)> work;
};

two_ways measure_side(threshold_question const& q, index side, tuning_clock& clock) {
  auto const seconds = clock.compare(q.what, 2, [&](std::size_t is_above) {
    q.setting.set(is_above != 0 ? 1 : never);
    return seconds_of([&] { q.work(side); });
  });
  return {q.size(side), seconds[0], seconds[1]};
}

/// The threshold that fits, measured again where it differs from the built-in one.
tuned_setting measure(threshold_question const& q, tuning_clock& clock) {
  settings_as_before const restored;
  std::vector<two_ways> times;
  for (index const side : q.sides) times.push_back(measure_side(q, side, clock));
  auto const built_in = static_cast<double>(q.built_in);
  tuned_threshold found = fit_threshold(times, built_in);
  std::size_t const disputed = found.end - found.first;
  for (std::size_t n = found.first; n < found.end; ++n)
    times[n] = measure_side(q, q.sides[n], clock);
  clock.skip(static_cast<int>(q.sides.size() - disputed));
  if (disputed > 0) found = fit_threshold(times, built_in);
  return {q.name, message(static_cast<index>(found.size)), message(q.built_in), found.gain};
}

int comparisons_of(threshold_question const& q) { return 2 * static_cast<int>(q.sides.size()); }

/// A number of which several values are tried on the same work.
struct value_question {
  char const* name;
  char const* what;
  omp_setting& setting;
  std::vector<index> values;  // the built-in one among them
  std::function<void()> work;
};

tuned_setting measure(value_question const& q, tuning_clock& clock) {
  settings_as_before const restored;
  index const built_in = q.setting.built_in();
  auto const number = std::find(q.values.begin(), q.values.end(), built_in) - q.values.begin();
  tuned_candidate const chosen =
      clock.choose(q.what, q.values.size(), static_cast<std::size_t>(number), [&](std::size_t k) {
        q.setting.set(q.values[k]);
        return seconds_of(q.work);
      });
  return {q.name, message(q.values[chosen.number]), message(built_in), chosen.gain};
}

int comparisons_of(value_question const&) { return 2; }

/// Sides of squares of floats of about so many bytes: odd multiples of 16, so that rows begin at
/// cache lines and do not share sets of a cache.
std::vector<index> sides_of(double first_bytes, double end_bytes, double factor) {
  std::vector<index> sides;
  for (double bytes = first_bytes; bytes < end_bytes; bytes *= factor)
    sides.push_back(16 + 32 * static_cast<index>(std::sqrt(bytes / 4) / 32));
  sides.erase(std::unique(sides.begin(), sides.end()), sides.end());
  return sides;
}

double square_bytes(index side) { return 4. * static_cast<double>(side * side); }

/// Where one matrix and its transpose exceed the L2 caches, to where memory alone counts.
threshold_question stream_question() {
  auto const l2_bytes = static_cast<double>(
      std::max<index>(team_size(0, never), tuning.min_l2_caches) * l2_cache_bytes());
  index const built_in = std::max(built_in_l3_share(), static_cast<index>(l2_bytes));
  auto const memory_bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  double const end = std::min(6. * static_cast<double>(built_in), memory_bytes / 4);
  auto sides = sides_of(1.1 * l2_bytes / 2, end / 2, 1.5);
  auto const data = std::make_shared<moves>(sides.empty() ? 1 : sides.back());
  return {"matrix_stream_bytes",
          "large transposes",
          tuned.matrix_stream_bytes,
          built_in,
          std::move(sides),
          [](index side) { return 2 * square_bytes(side); },
          [data](index side) { data->run(side); }};
}

threshold_question move_team_question() {
  auto sides = sides_of(16 << 10, 2 << 20, 1.6);
  auto const data = std::make_shared<moves>(sides.back());
  return {"move_team_bytes",
          "small transposes",
          tuned.move_team_bytes,
          tuned.move_team_bytes.built_in(),
          std::move(sides),
          square_bytes,
          [data](index side) { data->run(side); }};
}

threshold_question gemm_team_question() {
  std::vector<index> sides = {40, 48, 56, 64, 72, 80, 96, 112, 128, 160, 192};
  auto const data = std::make_shared<products>(sides.back() * sides.back());
  return {"gemm_team_products",
          "small products",
          tuned.gemm_team_products,
          tuned.gemm_team_products.built_in(),
          std::move(sides),
          [](index side) { return static_cast<double>(side * side * side); },
          [data](index side) { data->run(side, side, side); }};
}

std::vector<value_question> value_questions() {
  constexpr index rows = 640, cols = 9600;  // of B more than is packed at a time
  auto const data = std::make_shared<products>(rows * cols);
  auto const several_blocks_of_k = [data] { data->run(960, 1040, 1200); };
  auto const wide = [data] { data->run(rows, cols, 384); };
  constexpr index mib = 1 << 20;
  return {
      {"gemm_l2_percent",
       "blocks in L2",
       tuned.gemm_l2_percent,
       {25, 35, 50, 70, 90},
       several_blocks_of_k},
      {"gemm_packed_bytes",
       "packed blocks",
       tuned.gemm_packed_bytes,
       {2 * mib, 4 * mib, 8 * mib, 16 * mib},
       wide},
  };
}

}  // namespace

std::vector<tuned_setting> omp_measure(double seconds, tuning_clock::progress const& report) {
  settings_as_before const restored;
  omp_use(nullptr);
  std::vector<threshold_question> thresholds;
  if (team_size(0, never) > 1) {
    thresholds.push_back(move_team_question());
    thresholds.push_back(gemm_team_question());
  }
  thresholds.push_back(stream_question());
  std::vector<value_question> const values = value_questions();
  int comparisons = 0;
  for (auto const& q : thresholds) comparisons += comparisons_of(q);
  for (auto const& q : values) comparisons += comparisons_of(q);

  tuning_clock clock(seconds, comparisons, report);
  std::vector<tuned_setting> found;
  for (auto const& q : thresholds) found.push_back(measure(q, clock));
  for (auto const& q : values) found.push_back(measure(q, clock));
  return found;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
