// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Measures tiles of the transpose kernels on this machine's GPU, each interleaved with cudaMemcpy
// of the same bytes. Prints the candidates of every class, fastest first, as configs for
// backends/cuda/transpose/kernel_table.cuh. Give it the word (1, 2, 4, 8, 16), or nothing for all.
//   tune_transpose regret SEED CASES
// prints, for every element size, the time of the table's choice over that of the fastest config
// that takes the case, on the cases of `xpose-bench transpose --suite random --seed SEED`: mean,
// 95th percentile, worst ten.
//   tune_transpose shares=OPERATION SEED CASES
// prints, for every case of `xpose-bench OPERATION --suite random --seed SEED` (transpose or
// permute), the shares of cudaMemcpy that the table's choice and every other config reach that
// could take the case, also those whose conditions in the table leave it to another.
//   tune_transpose shares=permute SHAPE[,SHAPE ..]     the same of these, 20x30x40:120 and the like

#include "core/shape.hpp"
#include "cuda/stream_timer.cuh"
#include "run/random_cases.hpp"
#include "tune/regret.hpp"

#include <xpose/backends/cuda/transpose/kernel_table.cuh>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace transpose_table {

// The tables, with kernels that this program instantiates: libxpose exports none.
template <int W>
config_range table_range() {
  return {table<W>.data(), table<W>.data() + table<W>.size()};
}
template <>
config_range configs<1>() {
  return table_range<1>();
}
template <>
config_range configs<2>() {
  return table_range<2>();
}
template <>
config_range configs<4>() {
  return table_range<4>();
}
template <>
config_range configs<8>() {
  return table_range<8>();
}
template <>
config_range configs<16>() {
  return table_range<16>();
}

}  // namespace transpose_table
}  // namespace detail
}  // namespace v0
}  // namespace xpose

namespace {

using namespace xpose::detail;
using namespace xpose::detail::transpose_table;
using xpose::index;

/// To try another tile, add a config, as kernel_table.cuh writes it.
// clang-format off
template <int W>
constexpr auto candidates = std::array{
  tile_aligned<W>(words<1>, tile<256, 256>, threads<1024>, resident_blocks<2>),
  tile_aligned<W>(words<1>, tile<256, 256>, threads<512>, resident_blocks<2>).smem(115200),
  tile_aligned<W>(words<1>, tile<128, 256>, threads<512>, resident_blocks<3>),
  tile_aligned<W>(words<1>, tile<128, 128>, threads<256>, resident_blocks<5>),
  tile_aligned<W>(words<1>, tile<64, 256>, threads<256>, resident_blocks<5>),
  tile_aligned<W>(words<1>, tile<64, 64>, threads<64>, resident_blocks<16>),
  tile_strided<W>(words<1>, elements<1>).when(is_aligned),
  tile_unaligned_bytes<W>(words<1>, tile<128, 256>, threads<640>, resident_blocks<2>),
  tile_unaligned_bytes<W>(words<1>, tile<128, 128>, threads<320>, resident_blocks<4>),
  tile_unaligned_bytes<W>(words<1>, tile<128, 128>, threads<320>, resident_blocks<5>),
  tile_unaligned_bytes<W>(words<1>, tile<256, 128>, threads<576>, resident_blocks<2>),
  tile_strided<W>(words<1>, elements<1>).when(is_transposed),
  tile_unaligned<W>(words<1>, elements<3>, tile<64, 128>, threads<192>, cols_per_thread<4>, resident_blocks<3>),
  tile_unaligned<W>(words<1>, elements<3>, tile<64, 128>, threads<192>, cols_per_thread<4>, resident_blocks<4>),
  tile_unaligned<W>(words<1>, elements<3>, tile<64, 64>, threads<128>, cols_per_thread<2>, resident_blocks<8>),
  tile_unaligned<W>(words<1>, elements<3>, tile<128, 64>, threads<192>, cols_per_thread<2>, resident_blocks<4>),

  tile_aligned<W>(words<2>, tile<128, 128>, threads<512>, resident_blocks<3>),
  tile_aligned<W>(words<2>, tile<128, 128>, threads<512>, resident_blocks<4>),
  tile_aligned<W>(words<2>, tile<64, 128>, threads<256>, resident_blocks<6>),
  tile_aligned<W>(words<2>, tile<64, 64>, threads<256>, resident_blocks<6>),
  tile_aligned<W>(words<2>, tile<64, 64>, threads<256>, resident_blocks<8>),
  tile_strided<W>(words<2>, elements<1>).when(is_aligned),
  tile_unaligned<W>(words<2>, elements<1>, tile<128, 128>, threads<512>, cols_per_thread<4>, resident_blocks<2>),
  tile_unaligned<W>(words<2>, elements<1>, tile<128, 128>, threads<512>, cols_per_thread<4>, resident_blocks<3>),
  tile_unaligned<W>(words<2>, elements<1>, tile<64, 128>, threads<256>, cols_per_thread<4>, resident_blocks<5>),
  tile_unaligned<W>(words<2>, elements<1>, tile<256, 128>, threads<1024>, cols_per_thread<4>, resident_blocks<1>),
  tile_unaligned<W>(words<2>, elements<1>, tile<256, 64>, threads<512>, cols_per_thread<4>, resident_blocks<2>),
  tile_unaligned<W>(words<2>, elements<1>, tile<128, 256>, threads<1024>, cols_per_thread<4>, resident_blocks<1>),
  tile_unaligned<W>(words<2>, elements<1>, tile<64, 64>, threads<256>, cols_per_thread<2>, resident_blocks<6>),
  tile_strided<W>(words<2>, elements<1>).when(is_transposed),
  tile_unaligned<W>(words<2>, elements<3>, tile<64, 64>, threads<256>, cols_per_thread<2>, resident_blocks<4>),
  tile_unaligned<W>(words<2>, elements<3>, tile<64, 32>, threads<128>, cols_per_thread<2>, resident_blocks<8>),

  tile_aligned<W>(words<4>, tile<64, 64>, threads<512>, resident_blocks<3>),
  tile_aligned<W>(words<4>, tile<64, 64>, threads<512>, resident_blocks<4>),
  tile_aligned<W>(words<4>, tile<64, 64>, threads<256>, resident_blocks<5>),
  tile_aligned<W>(words<4>, tile<64, 64>, threads<256>, resident_blocks<6>),
  tile_aligned<W>(words<4>, tile<32, 32>, threads<128>, resident_blocks<12>),
  tile_strided<W>(words<4>, elements<1>).when(is_aligned),
  tile_unaligned<W>(words<4>, elements<1>, tile<64, 128>, threads<512>, cols_per_thread<4>, resident_blocks<2>),
  tile_unaligned<W>(words<4>, elements<1>, tile<64, 128>, threads<512>, cols_per_thread<4>, resident_blocks<4>),
  tile_unaligned<W>(words<4>, elements<1>, tile<64, 64>, threads<512>, cols_per_thread<2>, resident_blocks<3>),
  tile_unaligned<W>(words<4>, elements<1>, tile<128, 64>, threads<512>, cols_per_thread<4>, resident_blocks<2>),
  tile_unaligned<W>(words<4>, elements<1>, tile<128, 64>, threads<512>, cols_per_thread<4>, resident_blocks<3>),
  tile_unaligned<W>(words<4>, elements<1>, tile<128, 128>, threads<1024>, cols_per_thread<4>, resident_blocks<1>),
  tile_unaligned<W>(words<4>, elements<1>, tile<64, 256>, threads<1024>, cols_per_thread<4>, resident_blocks<1>),
  tile_unaligned<W>(words<4>, elements<1>, tile<32, 64>, threads<256>, cols_per_thread<2>, resident_blocks<6>),
  tile_unaligned<W>(words<4>, elements<1>, tile<32, 32>, threads<128>, cols_per_thread<2>, resident_blocks<12>),
  tile_strided<W>(words<4>, elements<1>).when(is_transposed),
  tile_unaligned<W>(words<4>, elements<3>, tile<32, 32>, threads<256>, cols_per_thread<1>, resident_blocks<5>),
  tile_unaligned<W>(words<4>, elements<3>, tile<64, 32>, threads<256>, cols_per_thread<2>, resident_blocks<4>),

  tile_aligned<W>(words<8>, tile<32, 64>, threads<512>, resident_blocks<3>),
  tile_aligned<W>(words<8>, tile<32, 64>, threads<512>, resident_blocks<4>),
  tile_aligned<W>(words<8>, tile<32, 32>, threads<256>, resident_blocks<6>),
  tile_aligned<W>(words<8>, tile<32, 32>, threads<256>, resident_blocks<8>),
  tile_strided<W>(words<8>, elements<1>).when(is_aligned),
  tile_unaligned<W>(words<8>, elements<1>, tile<32, 64>, threads<512>, cols_per_thread<2>, resident_blocks<3>),
  tile_unaligned<W>(words<8>, elements<1>, tile<32, 64>, threads<512>, cols_per_thread<2>, resident_blocks<4>),
  tile_unaligned<W>(words<8>, elements<1>, tile<64, 32>, threads<512>, cols_per_thread<2>, resident_blocks<3>),
  tile_unaligned<W>(words<8>, elements<1>, tile<32, 32>, threads<256>, cols_per_thread<2>, resident_blocks<8>),
  tile_strided<W>(words<8>, elements<1>).when(is_transposed),
  tile_unaligned<W>(words<8>, elements<3>, tile<32, 32>, threads<256>, cols_per_thread<2>, resident_blocks<4>),
  tile_unaligned<W>(words<8>, elements<3>, tile<32, 32>, threads<256>, cols_per_thread<2>, resident_blocks<5>),

  tile_unaligned<W>(words<16>, elements<1>, tile<32, 32>, threads<512>, cols_per_thread<1>, resident_blocks<3>),
  tile_unaligned<W>(words<16>, elements<1>, tile<32, 32>, threads<512>, cols_per_thread<1>, resident_blocks<4>),
  tile_unaligned<W>(words<16>, elements<1>, tile<16, 16>, threads<256>, cols_per_thread<1>, resident_blocks<6>),
  tile_strided<W>(words<16>, elements<1>).when(is_transposed),
  tile_unaligned<W>(words<16>, elements<2>, tile<16, 16>, threads<256>, cols_per_thread<1>, resident_blocks<6>),
  tile_unaligned<W>(words<16>, elements<3>, tile<16, 16>, threads<256>, cols_per_thread<1>, resident_blocks<5>),
};
// clang-format on

constexpr index arena_bytes = index{4} << 30;

/// Two halves of device memory, larger than any cache, that calls walk through.
struct arena {
  char* in = nullptr;
  char* out = nullptr;
  // Not to measure the host where calls take a few microseconds.
  std::unique_ptr<xpose::bench::stream_timer> timer;

  arena() {
    check_cuda(cudaMalloc(reinterpret_cast<void**>(&in), arena_bytes), "cudaMalloc");
    check_cuda(cudaMalloc(reinterpret_cast<void**>(&out), arena_bytes), "cudaMalloc");
    check_cuda(cudaMemset(in, 0x5a, arena_bytes), "cudaMemset");
    check_cuda(cudaMemset(out, 0, arena_bytes), "cudaMemset");
    timer = std::make_unique<xpose::bench::stream_timer>(nullptr);
  }
  ~arena() {
    cudaFree(out);
    cudaFree(in);
  }
  arena(arena const&) = delete;
  arena& operator=(arena const&) = delete;
};

struct tuned_shape {
  int word;
  int element;
  bool is_aligned;
  index rows;
  index cols;

  index bytes() const { return rows * cols * word * element; }
};

tensor_operand packed_matrix(char const* data, index rows, index cols, int bytes,
                             bool is_transposed) {
  tensor_operand o{};
  o.data = data;
  o.count = 2;
  o.dimensions[0] = {is_transposed ? cols : rows, is_transposed ? 1 : cols};
  o.dimensions[1] = {is_transposed ? rows : cols, is_transposed ? cols : 1};
  o.bytes_per_element = bytes;
  return o;
}

/// What launchers of tiles need of it.
bit_copy copy_of(tuned_shape const& c, char const* in, char* out) {
  int const bytes = c.word * c.element;
  bit_copy copy{};
  copy.plan = plan_runs(packed_matrix(in, c.rows, c.cols, bytes, true),
                        packed_matrix(out, c.cols, c.rows, bytes, false));
  copy.in = in;
  copy.out = out;
  copy.word_bytes = c.word;
  copy.words_in_run = c.element;
  return copy;
}

/// Milliseconds of one of many calls in a row, each on memory of its own.
template <class Call>
double time_of(arena const& a, tuned_shape const& c, Call const& call) {
  constexpr index between = 4096;  // so that slots do not share sectors
  index const slot = (c.bytes() + between - 1) / between * between;
  index const slots = std::max<index>(1, arena_bytes / slot);
  int const calls = static_cast<int>(std::clamp<index>((index{1} << 30) / c.bytes(), 1, 64));
  return 1e3 / calls * a.timer->seconds(calls, [&](int k) { call(k % slots * slot); });
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void print_config(transpose_config const& config, double share) {
  std::string const name = config.name;
  kernel_arguments const& k = config.kernel;
  bool const has_tile = k.rows > 0, gathers_cols = k.cols_per_thread > 0;
  auto const number = [](char const* what, int value) {
    return ", " + std::string(what) + '<' + std::to_string(value) + '>';
  };
  std::string arguments;
  if (gathers_cols || !has_tile) arguments += number("elements", config.words_in_run);
  if (has_tile)
    arguments += ", tile<" + std::to_string(k.rows) + ", " + std::to_string(k.cols) + '>' +
                 number("threads", k.threads);
  if (gathers_cols) arguments += number("cols_per_thread", k.cols_per_thread);
  if (has_tile) arguments += number("resident_blocks", k.resident_blocks);
  std::string conditions = has_tile                     ? ""
                           : config.suits == is_aligned ? ".when(is_aligned)"
                                                        : ".when(is_transposed)";
  if (k.smem_bytes > 0) conditions += ".smem(" + std::to_string(k.smem_bytes) + ')';
  if (tuned_capability() >= 90) conditions += ".sm90()";
  constexpr std::size_t prefix = sizeof "transpose_" - 1;
  std::printf("  %s<W>(words<%d>%s)%s.from(FROM),  // %.3f\n",
              name.substr(prefix, name.find('<') - prefix).c_str(), config.word_bytes,
              arguments.c_str(), conditions.c_str(), share);
}

/// All candidates of a class, best first, as shares of cudaMemcpy.
template <int W>
void run(arena const& a, tuned_shape const& c) {
  constexpr int rounds = 9;
  execution where{};
  where.backend = xpose::detail::backend_id::cuda;
  where.nosync = true;
  std::vector<transpose_config const*> configs;
  for (transpose_config const& config : candidates<W>)
    if (config.word_bytes == W && config.words_in_run == c.element &&
        (config.suits == is_aligned) == c.is_aligned)
      configs.push_back(&config);
  std::vector<std::vector<double>> times(configs.size());
  std::vector<double> copies;
  for (int round = 0; round <= rounds; ++round) {  // the first one warms up
    double const copy = time_of(a, c, [&](index at) {
      check_cuda(cudaMemcpyAsync(a.out + at, a.in + at, c.bytes(), cudaMemcpyDeviceToDevice),
                 "cudaMemcpyAsync");
    });
    if (round > 0) copies.push_back(copy);
    for (std::size_t k = 0; k < configs.size(); ++k) {
      double const time = time_of(a, c, [&](index at) {
        configs[k]->launch(where, *configs[k], copy_of(c, a.in + at, a.out + at));
      });
      if (round > 0) times[k].push_back(time);
    }
  }
  std::vector<std::pair<double, transpose_config const*>> ranking;
  for (std::size_t k = 0; k < configs.size(); ++k)
    ranking.push_back({median(copies) / median(times[k]), configs[k]});
  std::sort(ranking.rbegin(), ranking.rend());
  std::printf("// %lldx%lld of %d bytes, cudaMemcpy %.0f GB/s\n", static_cast<long long>(c.rows),
              static_cast<long long>(c.cols), c.word * c.element,
              2e-6 * static_cast<double>(c.bytes()) / median(copies));
  for (auto const& [share, config] : ranking) print_config(*config, share);
  std::fflush(stdout);
}

template <int W>
void run_word(arena const& a) {
  for (int const element : {1, 2, 3})
    for (index const bytes : {index{1} << 20, index{1} << 23, index{1} << 26, index{1} << 30}) {
      index const side =
          std::llround(std::sqrt(static_cast<double>(bytes / (W * element))) / 256.0) * 256;
      if (side == 0) continue;
      if (element == 1 && W < 16) run<W>(a, {W, element, true, side, side});
      if (element == 1 || element == 3 || W == 16)
        run<W>(a, {W, element, false, side - 1, side + 1});
    }
}

/// A batch of transposes in memory: element (b, i, j) of `in` is element (b, j, i) of `out`.
struct random_transpose {
  int bytes;
  index batch;
  index rows;
  index cols;
  index in_pitch;
  index out_pitch;
  index offset;

  index in_elements() const { return batch * rows * in_pitch; }
  index out_elements() const { return batch * cols * out_pitch; }
  index end_bytes() const { return (std::max(in_elements(), out_elements()) + offset) * bytes; }
  bit_copy copy(char* in, char* out) const {
    tensor_operand from{};
    from.data = in + offset * bytes;
    from.count = 3;
    from.bytes_per_element = bytes;
    tensor_operand to = from;
    to.data = out + offset * bytes;
    from.dimensions[0] = {batch, rows * in_pitch};
    from.dimensions[1] = {cols, 1};
    from.dimensions[2] = {rows, in_pitch};
    to.dimensions[0] = {batch, cols * out_pitch};
    to.dimensions[1] = {cols, out_pitch};
    to.dimensions[2] = {rows, 1};
    return plan_bit_copy(from, to);
  }
};

random_transpose transpose_of(xpose::bench::shape const& s, int bytes) {
  index const rows = s.extents[0];
  index const cols = s.extents[1];
  index const in_pitch = s.ld.empty() ? cols : s.ld[0];
  index const out_pitch = s.ld.empty() ? rows : s.ld.back();
  return {bytes, s.batch, rows, cols, in_pitch, out_pitch, s.offset};
}

/// call(std::integral_constant) of the bytes of every word.
template <class Call>
void for_each_word(Call const& call) {
  call(std::integral_constant<int, 1>{});
  call(std::integral_constant<int, 2>{});
  call(std::integral_constant<int, 4>{});
  call(std::integral_constant<int, 8>{});
  call(std::integral_constant<int, 16>{});
}

/// Adds the configs of the table and of the candidates that take the copy, whatever its size, but
/// for the chosen one, found.front().
template <int W>
void add_configs_for(bit_copy const& c, std::vector<transpose_config const*>& found) {
  if (c.word_bytes != W) return;
  int const capability = tuned_capability();
  if (c.rows == 0) return;  // the last config takes anything, but is of tiles
  auto const takes = [&](transpose_config const& config) {
    return config.word_bytes == W && capability >= config.capability && config.suits(c, config) &&
           is_one_piece(c.plan, limits_of(config, {})) &&
           (config.words_in_run == 0 || config.words_in_run == c.words_in_run);
  };
  config_range const table = configs<W>();
  for (auto const* config = table.first; config != table.last; ++config)
    if (config != found.front() && takes(*config)) found.push_back(config);
  if (c.is_batch) return;  // candidates are tiles of one matrix
  for (transpose_config const& config : candidates<W>)
    if (takes(config)) found.push_back(&config);
}

/// Dimension d of the output is dimension order[d] of the input.
struct random_permute {
  int bytes;
  std::vector<index> extents;
  std::vector<int> order;

  index total_bytes() const {
    index product = bytes;
    for (index const e : extents) product *= e;
    return product;
  }
  bit_copy copy(char* in, char* out) const {
    tensor_operand from{};
    from.data = in;
    from.count = static_cast<int>(extents.size());
    from.bytes_per_element = bytes;
    tensor_operand to = from;
    to.data = out;
    std::vector<index> strides(extents.size());
    index step = 1;
    for (std::size_t d = extents.size(); d-- > 0; step *= extents[d]) strides[d] = step;
    step = 1;
    for (std::size_t d = extents.size(); d-- > 0;) {
      auto const of_in = static_cast<std::size_t>(order[d]);
      from.dimensions[d] = {extents[of_in], strides[of_in]};
      to.dimensions[d] = {extents[of_in], step};
      step *= extents[of_in];
    }
    return plan_bit_copy(from, to);
  }
};

/// Whether a kernel computes the copy, also where the table leaves it to another.
bool could_take(transpose_config const& config, bit_copy const& c) {
  std::string const name = config.name;
  auto const is = [&](char const* kernel) { return name.rfind(kernel, 0) == 0; };
  if (config.words_in_run != 0 && config.words_in_run != c.words_in_run) return false;
  if (is("transpose_small_batched_bytes")) return is_small_batch_of_vec4s(c, config);
  if (is("transpose_small_batched_quads")) return is_small_batch_of_quads(c, config);
  if (is("transpose_small_batched")) return is_small_batch(c, config);
  if (is("transpose_skinny")) return config.suits(c, config);
  if (is("transpose_tile_aligned")) return is_aligned(c, config);
  if (is("transpose_few_cols")) return can_be_few_cols(c);
  if (is("transpose_few_rows")) return can_be_few_rows(c);
  if (is("transpose_tile_tensor_interleaved"))
    return !c.is_in_place && interleaved_tensor_tile_of(c, 4 / c.word_bytes).efficiency > 0;
  if (is("transpose_tile_tensor"))
    return tensor_tile_of(c, config.kernel.smem_bytes / vec16_bytes).efficiency > 0;
  if (is("copy_packed_runs")) return is_packed_runs(c, config);
  if (is("copy_contiguous_runs")) return c.element_bytes() >= vec16_bytes;
  if (is("transpose_small_scattered"))
    return c.is_transposed &&
           c.words_in_run * c.rows * c.cols <=
               std::min(small_scattered_block::most_elements, (16 << 10) / c.word_bytes);
  if (is("transpose_tile_merged") || is("transpose_tile_unaligned")) return c.is_transposed;
  return c.rows > 0 || is("copy_direct");
}

template <int W>
void add_kernels_for(bit_copy const& c, std::vector<transpose_config const*>& found) {
  if (c.word_bytes != W) return;
  config_range const table = configs<W>();
  for (auto const* config = table.first; config != table.last; ++config) {
    bool const is_known = std::any_of(found.begin(), found.end(), [&](auto const* other) {
      return other->launch == config->launch;
    });
    if (config->word_bytes == W && !is_known && could_take(*config, c) &&
        is_one_piece(c.plan, limits_of(*config, {})))
      found.push_back(config);
  }
}

std::string size_of(transpose_config const& config) {
  kernel_arguments const& k = config.kernel;
  if (k.rows > 0)
    return ' ' + std::to_string(k.rows) + 'x' + std::to_string(k.cols) + '/' +
           std::to_string(k.threads);
  return k.smem_bytes > 0 ? ' ' + std::to_string(k.smem_bytes >> 10) + "K" : "";
}

/// The shares that the configs for a copy reach, the chosen one first.
template <class CopyAt>
void print_shares(arena const& a, std::string const& shape, int element_bytes, index total,
                  index slot_bytes, CopyAt const& copy_at) {
  execution where{};
  where.backend = xpose::detail::backend_id::cuda;
  where.nosync = true;
  bit_copy const copy = copy_at(0);
  transpose_config const& chosen = select_transpose_kernel(copy, tuned_capability());
  if (!is_one_piece(copy.plan, limits_of(chosen, {}))) return;
  std::vector<transpose_config const*> found = {&chosen};
  for_each_word([&](auto word) { add_kernels_for<word>(copy, found); });
  tuned_shape const slot{1, 1, true, slot_bytes, 1};
  std::vector<double> least(found.size() + 1, 1e30);
  double& memcpy_time = least.back();
  for (int round = 0; round < 3; ++round) {
    memcpy_time = std::min(
        memcpy_time, time_of(a, slot, [&](index at) {
          check_cuda(cudaMemcpyAsync(a.out + at, a.in + at, total, cudaMemcpyDeviceToDevice),
                     "cudaMemcpyAsync");
        }));
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (round > 0 && least[k] > 1.5 * least[0]) continue;
      try {
        least[k] = std::min(least[k], time_of(a, slot, [&](index at) {
                              found[k]->launch(where, *found[k], copy_at(at));
                            }));
      } catch (xpose::cuda_error const&) {  // more tiles than a launch of it can number
        cudaGetLastError();
      }
    }
  }
  std::printf("%d bytes %s %.1f us:", element_bytes, shape.c_str(), 1e3 * least[0]);
  for (std::size_t k = 0; k < found.size(); ++k)
    std::printf(" %s%s %.2f%s", found[k]->name, size_of(*found[k]).c_str(), memcpy_time / least[k],
                k == 0 ? " |" : ",");
  std::printf("\n");
  std::fflush(stdout);
}

constexpr int measured_bytes[] = {1, 2, 3, 4, 8, 16};  // of elements

void measure_shares_of_permute(arena const& a, std::string const& asked, int bytes) {
  auto const shape = xpose::bench::parse_tensor_shape(asked);
  random_permute const p{bytes, shape.extents, shape.permutation};
  if (p.total_bytes() > arena_bytes) return;
  print_shares(a, asked, bytes, p.total_bytes(), p.total_bytes(),
               [&](index at) { return p.copy(a.in + at, a.out + at); });
}

void measure_shares_of_shapes(arena const& a, std::string const& shapes) {
  for (int const bytes : measured_bytes) {
    std::istringstream each(shapes);
    for (std::string shape; std::getline(each, shape, ',');)
      measure_shares_of_permute(a, shape, bytes);
  }
}

void measure_shares(arena const& a, std::string const& operation, std::uint64_t seed, int cases) {
  auto const* const suite = xpose::bench::find_random_suite(operation, "random");
  if (suite == nullptr || (operation != "transpose" && operation != "permute")) {
    std::fprintf(stderr, "shares= takes transpose or permute\n");
    std::exit(2);
  }
  for (int const bytes : measured_bytes)
    for (int number = 0; number < cases; ++number) {
      auto const drawn = suite->draw({seed, number, static_cast<std::size_t>(bytes), true});
      if (operation == "permute") {
        measure_shares_of_permute(a, drawn.shape, bytes);
      } else {
        random_transpose const t = transpose_of(xpose::bench::parse_shape(drawn.shape, 2), bytes);
        if (t.end_bytes() > arena_bytes) continue;
        print_shares(a, drawn.shape, bytes, t.batch * t.rows * t.cols * bytes, t.end_bytes(),
                     [&](index at) { return t.copy(a.in + at, a.out + at); });
      }
    }
}

void measure_regret(arena const& a, xpose::bench::regret_request const& asked) {
  execution where{};
  where.backend = xpose::detail::backend_id::cuda;
  where.nosync = true;
  auto const draw = xpose::bench::find_random_suite("transpose", "random")->draw;
  for (int const bytes : {1, 2, 3, 4, 8, 12, 16}) {
    xpose::bench::regrets regrets;
    for (int number = 0; number < asked.cases; ++number) {
      auto const drawn = draw({asked.seed, number, static_cast<std::size_t>(bytes), true});
      random_transpose const t = transpose_of(xpose::bench::parse_shape(drawn.shape, 2), bytes);
      if (t.end_bytes() > arena_bytes) continue;
      bit_copy const copy = t.copy(a.in, a.out);
      transpose_config const& chosen = select_transpose_kernel(copy, tuned_capability());
      std::vector<transpose_config const*> found = {&chosen};
      for_each_word([&](auto word) { add_configs_for<word>(copy, found); });
      tuned_shape const slot{1, 1, true, t.end_bytes(), 1};
      std::vector<double> least(found.size(), 1e30);
      for (int round = 0; round < 4; ++round)
        for (std::size_t k = 0; k < found.size(); ++k) {
          if (round > 0 && least[k] > 3 * least[0]) continue;  // a config for other shapes
          try {
            least[k] = std::min(least[k], time_of(a, slot, [&](index at) {
                                  found[k]->launch(where, *found[k], t.copy(a.in + at, a.out + at));
                                }));
          } catch (xpose::cuda_error const&) {  // more tiles than a launch of it can number
            cudaGetLastError();
          }
        }
      auto const best = std::min_element(least.begin(), least.end());
      auto const fastest = static_cast<std::size_t>(best - least.begin());
      regrets.add(
          {least[0] / *best, drawn.shape, drawn.shape_class, chosen.name, found[fastest]->name});
    }
    std::printf("# %d bytes: ", bytes);
    regrets.print();
  }
}

}  // namespace

int main(int argc, char** argv) {
  auto const regret = xpose::bench::regret_asked_for(argc, argv);
  if (regret && regret->is_warm) {
    std::fprintf(stderr, "%s: warm- is for tune_gemm\n", argv[0]);
    return 2;
  }
  cudaDeviceProp gpu{};
  check_cuda(cudaGetDeviceProperties(&gpu, 0), "cudaGetDeviceProperties");
  std::printf("// %s, CUDA %d. FROM: the words of the smallest matrix that a config is best for.\n",
              gpu.name, CUDART_VERSION);
  arena const a;
  std::string const word = argc > 1 ? argv[1] : "", shares = "shares=";
  if (word.compare(0, shares.size(), shares) == 0) {
    if (argc == 3 && word == shares + "permute") {
      measure_shares_of_shapes(a, argv[2]);
      return 0;
    }
    if (argc < 4) {
      std::fprintf(stderr, "%s: %s takes a seed and a number of cases, or shapes to permute\n",
                   argv[0], argv[1]);
      return 2;
    }
    measure_shares(a, word.substr(shares.size()), std::strtoull(argv[2], nullptr, 10),
                   std::atoi(argv[3]));
    return 0;
  }
  if (regret) {
    measure_regret(a, *regret);
    return 0;
  }
  int const asked = argc > 1 ? std::atoi(argv[1]) : 0;
  for_each_word([&](auto word) {
    if (asked == 0 || asked == word) run_word<word>(a);
  });
}
