// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Measures tiles of the transpose kernels on this machine's GPU, each interleaved with cudaMemcpy
// of the same bytes, and prints the fastest of every class as entries for
// backends/cuda/transpose/kernel_table.hpp. Give it the word (1, 2, 4, 8, 16), or nothing for all.

#include <xpose/backends/cuda/transpose/launch_kernel.cuh>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace xpose::detail;
using xpose::index;

constexpr transpose_config tile(int word, int element, transpose_shape shape,
                                transpose_kernel kernel, int rows, int cols, int threads,
                                int columns, int blocks, int shared_bytes = 0) {
  return {"",     word, element, shape,   0,       no_limit, 0,           80,
          kernel, rows, cols,    threads, columns, blocks,   shared_bytes};
}
constexpr transpose_config aligned(int word, int rows, int cols, int threads, int blocks,
                                   int shared_bytes = 0) {
  return tile(word, 1, transpose_shape::aligned, transpose_kernel::aligned, rows, cols, threads, 0,
              blocks, shared_bytes);
}
constexpr transpose_config unaligned(int word, int element, int rows, int cols, int threads,
                                     int columns, int blocks) {
  return tile(word, element, transpose_shape::turned, transpose_kernel::unaligned, rows, cols,
              threads, columns, blocks);
}
constexpr transpose_config unaligned_bytes(int rows, int cols, int threads, int blocks) {
  return tile(1, 1, transpose_shape::turned, transpose_kernel::unaligned_bytes, rows, cols, threads,
              4, blocks);
}
constexpr transpose_config strided(int word, transpose_shape shape) {
  return tile(word, 1, shape, transpose_kernel::strided, 32, 32, 256, 0, 0);
}

/// To try another tile, add an entry.
struct candidates {
  static constexpr transpose_config rows[] = {
      aligned(1, 256, 256, 512, 2, 115200), aligned(1, 128, 256, 512, 3),
      aligned(1, 128, 128, 256, 5),         aligned(1, 64, 256, 256, 5),
      aligned(1, 64, 64, 64, 16),           strided(1, transpose_shape::aligned),
      unaligned_bytes(128, 256, 640, 2),    unaligned_bytes(128, 128, 320, 4),
      unaligned_bytes(128, 128, 320, 5),    unaligned_bytes(256, 128, 576, 2),
      strided(1, transpose_shape::turned),  unaligned(1, 3, 64, 128, 192, 4, 3),
      unaligned(1, 3, 64, 128, 192, 4, 4),  unaligned(1, 3, 64, 64, 128, 2, 8),
      unaligned(1, 3, 128, 64, 192, 2, 4),

      aligned(2, 128, 128, 512, 3),         aligned(2, 128, 128, 512, 4),
      aligned(2, 64, 128, 256, 6),          aligned(2, 64, 64, 256, 6),
      aligned(2, 64, 64, 256, 8),           strided(2, transpose_shape::aligned),
      unaligned(2, 1, 128, 128, 512, 4, 2), unaligned(2, 1, 128, 128, 512, 4, 3),
      unaligned(2, 1, 64, 128, 256, 4, 5),  unaligned(2, 1, 256, 128, 1024, 4, 1),
      unaligned(2, 1, 256, 64, 512, 4, 2),  unaligned(2, 1, 128, 256, 1024, 4, 1),
      unaligned(2, 1, 64, 64, 256, 2, 6),   strided(2, transpose_shape::turned),
      unaligned(2, 3, 64, 64, 256, 2, 4),   unaligned(2, 3, 64, 32, 128, 2, 8),

      aligned(4, 64, 64, 512, 3),           aligned(4, 64, 64, 512, 4),
      aligned(4, 64, 64, 256, 5),           aligned(4, 64, 64, 256, 6),
      aligned(4, 32, 32, 128, 12),          strided(4, transpose_shape::aligned),
      unaligned(4, 1, 64, 128, 512, 4, 2),  unaligned(4, 1, 64, 128, 512, 4, 4),
      unaligned(4, 1, 64, 64, 512, 2, 3),   unaligned(4, 1, 128, 64, 512, 4, 2),
      unaligned(4, 1, 128, 64, 512, 4, 3),  unaligned(4, 1, 128, 128, 1024, 4, 1),
      unaligned(4, 1, 64, 256, 1024, 4, 1), unaligned(4, 1, 32, 64, 256, 2, 6),
      unaligned(4, 1, 32, 32, 128, 2, 12),  strided(4, transpose_shape::turned),
      unaligned(4, 3, 32, 32, 256, 1, 5),   unaligned(4, 3, 64, 32, 256, 2, 4),

      aligned(8, 32, 64, 512, 3),           aligned(8, 32, 64, 512, 4),
      aligned(8, 32, 32, 256, 6),           aligned(8, 32, 32, 256, 8),
      strided(8, transpose_shape::aligned), unaligned(8, 1, 32, 64, 512, 2, 3),
      unaligned(8, 1, 32, 64, 512, 2, 4),   unaligned(8, 1, 64, 32, 512, 2, 3),
      unaligned(8, 1, 32, 32, 256, 2, 8),   strided(8, transpose_shape::turned),
      unaligned(8, 3, 32, 32, 256, 2, 4),   unaligned(8, 3, 32, 32, 256, 2, 5),

      unaligned(16, 1, 32, 32, 512, 1, 3),  unaligned(16, 1, 32, 32, 512, 1, 4),
      unaligned(16, 1, 16, 16, 256, 1, 6),  strided(16, transpose_shape::turned),
      unaligned(16, 2, 16, 16, 256, 1, 6),  unaligned(16, 3, 16, 16, 256, 1, 5),
  };
};
constexpr int candidate_count = sizeof candidates::rows / sizeof candidates::rows[0];

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
  transpose_shape shape;
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

transpose_piece piece_of(tuned_shape const& c, char const* in, char* out) {
  int const bytes = c.word * c.element;
  return {plan_runs(packed_matrix(in, c.rows, c.cols, bytes, true),
                    packed_matrix(out, c.cols, c.rows, bytes, false)),
          c.word, in, out, in + c.bytes()};
}

void launch_candidate(execution const& where, int row, transpose_piece const& piece) {
  launch_words<candidates, 1>(where, row, piece);
  launch_words<candidates, 2>(where, row, piece);
  launch_words<candidates, 4>(where, row, piece);
  launch_words<candidates, 8>(where, row, piece);
  launch_words<candidates, 16>(where, row, piece);
}

/// Milliseconds of one of many calls back to back, each on memory of its own.
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

char const* name_of(transpose_kernel kernel) {
  switch (kernel) {
    case transpose_kernel::aligned:
      return "aligned";
    case transpose_kernel::unaligned_bytes:
      return "packed";
    case transpose_kernel::unaligned:
      return "skewed";
    default:
      return "strided";
  }
}

void print_row(transpose_config const& row, double share) {
  char of_element[8] = "";
  if (row.element != 1) std::snprintf(of_element, sizeof of_element, ",%d", row.element);
  std::printf(
      "  {\"transpose_%s<%d%s>\", %d, %d, transpose_shape::%s, FROM, no_limit, 0, %d, "
      "transpose_kernel::%s, %d, %d, %d, %d, %d, %d},  // %.3f\n",
      name_of(row.kernel), row.word, of_element, row.word, row.element,
      row.shape == transpose_shape::aligned ? "aligned" : "turned", tuned_capability(),
      name_of(row.kernel), row.rows, row.cols, row.threads, row.columns, row.blocks,
      row.shared_bytes, share);
}

/// All candidates of a class, best first, as shares of cudaMemcpy.
void run(arena const& a, tuned_shape const& c) {
  constexpr int rounds = 9;
  execution where{};
  where.backend = xpose::detail::backend_id::cuda;
  where.nosync = true;
  std::vector<int> numbers;
  for (int n = 0; n < candidate_count; ++n) {
    transpose_config const& row = candidates::rows[n];
    if (row.word == c.word && row.element == c.element && row.shape == c.shape)
      numbers.push_back(n);
  }
  std::vector<std::vector<double>> times(numbers.size());
  std::vector<double> copies;
  for (int round = 0; round <= rounds; ++round) {  // the first one warms up
    double const copy = time_of(a, c, [&](index at) {
      check_cuda(cudaMemcpyAsync(a.out + at, a.in + at, c.bytes(), cudaMemcpyDeviceToDevice),
                 "cudaMemcpyAsync");
    });
    if (round > 0) copies.push_back(copy);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      double const time = time_of(a, c, [&](index at) {
        launch_candidate(where, numbers[k], piece_of(c, a.in + at, a.out + at));
      });
      if (round > 0) times[k].push_back(time);
    }
  }
  std::vector<std::pair<double, int>> ranking;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    ranking.push_back({median(copies) / median(times[k]), numbers[k]});
  std::sort(ranking.rbegin(), ranking.rend());
  std::printf("// %lldx%lld of %d bytes, cudaMemcpy %.0f GB/s\n", static_cast<long long>(c.rows),
              static_cast<long long>(c.cols), c.word * c.element,
              2e-6 * static_cast<double>(c.bytes()) / median(copies));
  for (auto const& [share, number] : ranking) print_row(candidates::rows[number], share);
  std::fflush(stdout);
}

void run_word(arena const& a, int word) {
  for (int const element : {1, 2, 3})
    for (index const bytes : {index{1} << 20, index{1} << 23, index{1} << 26, index{1} << 30}) {
      index const side =
          std::llround(std::sqrt(static_cast<double>(bytes / (word * element))) / 256.0) * 256;
      if (side == 0) continue;
      if (element == 1 && word < 16) run(a, {word, element, transpose_shape::aligned, side, side});
      if (element == 1 || element == 3 || word == 16)
        run(a, {word, element, transpose_shape::turned, side - 1, side + 1});
    }
}

}  // namespace

int main(int argc, char** argv) {
  cudaDeviceProp gpu{};
  check_cuda(cudaGetDeviceProperties(&gpu, 0), "cudaGetDeviceProperties");
  std::printf("// %s, CUDA %d. FROM: the words of the smallest matrix that a row is best for.\n",
              gpu.name, CUDART_VERSION);
  arena const a;
  int const asked = argc > 1 ? std::atoi(argv[1]) : 0;
  for (int const word : {1, 2, 4, 8, 16})
    if (asked == 0 || asked == word) run_word(a, word);
}
