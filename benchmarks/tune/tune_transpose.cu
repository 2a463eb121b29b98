// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Measures tiles of the transpose kernels on this machine's GPU, each interleaved with cudaMemcpy
// of the same bytes. Prints the candidates of every class, fastest first, as configs for
// backends/cuda/transpose/kernel_table.cuh. Give it the word (1, 2, 4, 8, 16), or nothing for all.

#include <xpose/backends/cuda/transpose/kernel_table.cuh>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace xpose::detail;
using namespace xpose::detail::transpose_table;
using xpose::index;

/// To try another tile, add a config, as kernel_table.cuh writes it.
// clang-format off
template <int W>
constexpr auto candidates = std::array{
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

}  // namespace

int main(int argc, char** argv) {
  cudaDeviceProp gpu{};
  check_cuda(cudaGetDeviceProperties(&gpu, 0), "cudaGetDeviceProperties");
  std::printf("// %s, CUDA %d. FROM: the words of the smallest matrix that a config is best for.\n",
              gpu.name, CUDART_VERSION);
  arena const a;
  int const asked = argc > 1 ? std::atoi(argv[1]) : 0;
  if (asked == 0 || asked == 1) run_word<1>(a);
  if (asked == 0 || asked == 2) run_word<2>(a);
  if (asked == 0 || asked == 4) run_word<4>(a);
  if (asked == 0 || asked == 8) run_word<8>(a);
  if (asked == 0 || asked == 16) run_word<16>(a);
}
