// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Measures tiles of the transpose kernels on this machine's GPU, each interleaved with cudaMemcpy
// of the same bytes. Prints the candidates of every class, fastest first, as configs for
// backends/cuda/transpose/kernel_table.cuh. Give it the word (1, 2, 4, 8, 16), or nothing for all.
//   tune_transpose regret SEED CASES
// prints, for every element size, the time of the table's choice over that of the fastest config
// that takes the case, on the cases of `xpose-bench transpose --suite random --seed SEED`: mean,
// 95th percentile, worst ten.

#include "core/shape.hpp"
#include "run/random_cases.hpp"
#include "tune/regret.hpp"

#include <xpose/backends/cuda/transpose/kernel_table.cuh>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
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
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;

  arena() {
    check_cuda(cudaMalloc(reinterpret_cast<void**>(&in), arena_bytes), "cudaMalloc");
    check_cuda(cudaMalloc(reinterpret_cast<void**>(&out), arena_bytes), "cudaMalloc");
    check_cuda(cudaMemset(in, 0x5a, arena_bytes), "cudaMemset");
    check_cuda(cudaMemset(out, 0, arena_bytes), "cudaMemset");
    check_cuda(cudaEventCreate(&start), "cudaEventCreate");
    check_cuda(cudaEventCreate(&stop), "cudaEventCreate");
  }
  ~arena() {
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
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
  check_cuda(cudaEventRecord(a.start), "cudaEventRecord");
  for (int k = 0; k < calls; ++k) call(k % slots * slot);
  check_cuda(cudaEventRecord(a.stop), "cudaEventRecord");
  check_cuda(cudaEventSynchronize(a.stop), "cudaEventSynchronize");
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, a.start, a.stop), "cudaEventElapsedTime");
  return milliseconds / calls;
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

/// Adds the configs of the table and of the candidates that take the copy, whatever its size, but
/// for the chosen one, found.front().
template <int W>
void add_configs_for(bit_copy const& c, std::vector<transpose_config const*>& found) {
  if (c.word_bytes != W) return;
  int const capability = tuned_capability();
  if (c.rows == 0) return;  // the last config takes anything, but is of tiles
  auto const takes = [&](transpose_config const& config) {
    return config.word_bytes == W && capability >= config.capability && config.suits(c, config) &&
           (config.words_in_run == 0 || config.words_in_run == c.words_in_run);
  };
  config_range const table = configs<W>();
  for (auto const* config = table.first; config != table.last; ++config)
    if (config != found.front() && takes(*config)) found.push_back(config);
  if (c.is_batch) return;  // candidates are tiles of one matrix
  for (transpose_config const& config : candidates<W>)
    if (takes(config)) found.push_back(&config);
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
      add_configs_for<1>(copy, found);
      add_configs_for<2>(copy, found);
      add_configs_for<4>(copy, found);
      add_configs_for<8>(copy, found);
      add_configs_for<16>(copy, found);
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
  if (regret) {
    measure_regret(a, *regret);
    return 0;
  }
  int const asked = argc > 1 ? std::atoi(argv[1]) : 0;
  if (asked == 0 || asked == 1) run_word<1>(a);
  if (asked == 0 || asked == 2) run_word<2>(a);
  if (asked == 0 || asked == 4) run_word<4>(a);
  if (asked == 0 || asked == 8) run_word<8>(a);
  if (asked == 0 || asked == 16) run_word<16>(a);
}
