// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Measures the gemm configs on this machine's GPU: what config/table.hpp says of each
// (multiply-adds a clock and multiprocessor, clocks of a lone stage), and the regret of the choice
// among them.
//   tune_gemm [types]               configs, then every one on shapes of the suites
//   tune_gemm regret SEED CASES [types]
//                                   the time of the chosen config over that of the fastest, on the
//                                   cases of `xpose-bench gemm --suite random --seed SEED`: mean,
//                                   95th percentile, worst ten
//   tune_gemm times SEED CASES [types]
//                                   a line for each case: its shape, extents as oriented, copies of
//                                   operands; config, splits (c: in a cluster), microseconds and
//                                   the model's cycles of each choice; cuBLAS's microseconds:
//                                   what fit_gemm reads
//   tune_gemm regret=model ..         the same of another random suite
//   tune_gemm times=SHAPE,SHAPE ..    the same of these shapes, at most CASES; SEED is not used
//   tune_gemm warm-times ..         the same of products whose operands fit the L2, which the call
//                                   before has read and written too
// Types: f32, f64, c64, c128, f16, tf32, e4m3, i8; all of them unless given. "peak" measures the
// matrix instructions alone. The cost model is tuned by the regret on random shapes and reported on
// seeds that it was not tuned on.

#include "core/shape.hpp"
#include "run/random_cases.hpp"
#include "tune/arena.cuh"
#include "tune/choice_name.hpp"
#include "tune/regret.hpp"
#include "tune/vendor_gemm.cuh"

#include <xpose/backends/cuda/gemm/driver.cuh>
#include <xpose/backends/cuda/gemm/instances/instance.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace xpose::detail;
using xpose::index;
using xpose::bench::arena;

struct tuned_shape {
  index batch;
  index rows;
  index cols;
  index k_extent;
  bool is_a_transposed = false;  // column major
  bool is_b_transposed = false;
  index pad = 0;  // elements between rows, and before the first
};

constexpr tuned_shape suite[] = {{1, 4096, 4096, 4096},
                                 {1, 4096, 4096, 4096, false, true},
                                 {1, 4096, 4096, 4096, true, false},
                                 {1, 4096, 4096, 4096, true, true},
                                 {1, 4095, 4097, 4093},
                                 {1, 8192, 512, 8192},
                                 {1, 2048, 2048, 2048},
                                 {1, 1024, 1024, 1024},
                                 {1, 1024, 1024, 1024, false, true},
                                 {1, 1000, 1000, 1000, false, false, 1},
                                 {1, 512, 512, 512},
                                 {1, 256, 256, 256},
                                 {1, 128, 128, 128},
                                 {1, 64, 64, 64},
                                 {1, 4096, 16, 4096},
                                 {1, 16, 4096, 4096},
                                 {1, 64, 64, 65536},
                                 {1, 127, 129, 8191},
                                 {1, 1, 4096, 4096},
                                 {1, 4096, 1, 4096},
                                 {10000, 16, 16, 16},
                                 {1000, 64, 64, 64},
                                 {64, 512, 512, 512}};

tuned_shape tuned_shape_of(xpose::bench::shape const& s) {
  index const packed_a = s.transposed_a ? s.extents[0] : s.extents[2];
  return {s.batch,
          s.extents[0],
          s.extents[1],
          s.extents[2],
          s.transposed_a,
          s.transposed_b,
          s.ld.empty() ? s.offset : s.ld[0] - packed_a};
}

template <class In, class Out, class Sum, class Component>
struct tuned_type {
  using problem = gemm_problem<In, In, Out, Sum, xpose::plus_times, no_epilogue>;
  using component = Component;  // of an element, what is filled with random values
};
using f32_type = tuned_type<float, float, float, float>;
using f64_type = tuned_type<double, double, double, double>;
using c64_type =
    tuned_type<complex_value<float>, complex_value<float>, complex_value<float>, float>;
using c128_type =
    tuned_type<complex_value<double>, complex_value<double>, complex_value<double>, double>;
using f16_type = tuned_type<xpose::float16, xpose::float16, float, xpose::float16>;
using tf32_type = tuned_type<tf32_element, float, float, float>;
using e4m3_type = tuned_type<xpose::float8_e4m3, float, float, xpose::float8_e4m3>;
using i8_type = tuned_type<std::int8_t, std::int32_t, std::int32_t, std::int8_t>;

template <class T>
strided_batch<T> matrix_at(char* data, index rows, index cols, bool is_transposed, index pad) {
  index const pitch = (is_transposed ? rows : cols) + pad;
  return {reinterpret_cast<T*>(data) + pad, (is_transposed ? cols : rows) * pitch,
          is_transposed ? 1 : pitch, is_transposed ? pitch : 1};
}
template <class T>
index bytes_of(strided_batch<T> const& o, index batch) {
  constexpr index alignment = 256;
  return (batch * o.batch_stride * static_cast<index>(sizeof(T)) + 2 * alignment - 1) / alignment *
         alignment;
}

template <class Type>
class tuner {
  using problem_type = typename Type::problem;
  using A = typename problem_type::a_type;
  using C = typename problem_type::c_type;
  using K = typename problem_type::accumulate_type;
  using table = gemm_configs_of<problem_type>;
  static constexpr auto const& configs = table::type::configs;

 public:
  explicit tuner(arena const& memory) : memory_(memory), vendor_(memory.stream()) {
    where_.backend = backend_id::cuda;
    where_.nosync = true;
    where_.stream = memory.stream();
    using component = typename Type::component;
    xpose::bench::fill<<<1024, 256>>>(reinterpret_cast<component*>(memory.data()),
                                      arena::bytes / static_cast<index>(sizeof(component)));
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  /// What the table says of every row, and what is measured: on a board filled four times by whole
  /// tiles, and by the second half of the depth of a single block on nearly every multiprocessor.
  void measure_rows() const {
    for (int r = 0; r < table::count; ++r) {
      gemm_config const& config = configs[r];
      if (has_one_stage(config)) continue;  // takes no k of many stages
      index const k_extent = index{config.block_k} * 128;
      tuned_shape const many{1, config.block_rows * 22,
                             config.block_cols * 24 * config.resident_blocks, k_extent};
      tuned_shape lone{1, config.block_rows * 12, config.block_cols * 11, k_extent};
      double const rate = multiply_adds(many) / memory_.cycles(time_of(many, whole(r, k_extent))) /
                          memory_.multiprocessors();
      double const deep = time_of(lone, whole(r, k_extent));
      lone.k_extent = k_extent / 2;
      double const half = time_of(lone, whole(r, lone.k_extent));
      std::printf("%-18s rate %6.0f (table %5.0f), lone stage %5.0f clocks (table %5d)\n",
                  config.name, rate, config.rate, memory_.cycles(deep - half) / 64, config.latency);
      std::fflush(stdout);
    }
  }

  /// On a random case: the chosen config and split of k against every other.
  void measure_regret(xpose::bench::regret_request const& asked) {
    is_warm_ = asked.is_warm;
    if (asked.lists_times) print_gpu();
    xpose::bench::regrets regrets;
    for (int number = 0; number < asked.cases; ++number) {
      auto const drawn = case_of(asked, number);
      if (drawn.shape.empty()) break;
      tuned_shape const c = tuned_shape_of(xpose::bench::parse_shape(drawn.shape, 3));
      if (bytes_of_all(c) > (is_warm_ ? most_warm_bytes : arena::bytes)) continue;
      problem_type const given = oriented_for_tiles(problem_of(c, 0));
      gemm_extents const shape = extents_of(given);
      gemm_gpu const gpu = gpu_for<problem_type>();
      gemm_choice const chosen = choose_gemm_config(configs, table::count, shape, gpu);
      if (chosen.config < 0) continue;
      double of_chosen = time_of(c, chosen);
      double least = of_chosen;
      if (asked.lists_times)
        std::printf(
            "%s: %lld %lld %lld %lld copied %lld %d for TMA %lld %d wide %d %d %d %d mn %d %d:",
            drawn.shape.c_str(), static_cast<long long>(shape.batch),
            static_cast<long long>(shape.rows), static_cast<long long>(shape.cols),
            static_cast<long long>(shape.k_extent), static_cast<long long>(shape.copied.bytes),
            shape.copied.transposes, static_cast<long long>(shape.copied_for_tma.bytes),
            shape.copied_for_tma.transposes, shape.a_loads_wide, shape.b_loads_wide,
            shape.stores_c_by_tma, shape.a_from_registers, shape.a_is_mn_major,
            shape.b_is_mn_major);
      std::vector<timed_choice> timed{{chosen, of_chosen}};
      for (int r = 0; r < table::count; ++r) {
        gemm_choice choices[most_gemm_choices];
        int const count = gemm_choices_of(configs[r], r, shape, gpu, choices);
        for (gemm_choice const& choice : choices) {
          if (&choice - choices >= count || choice.cycles > hopeless * chosen.cycles) continue;
          if (is_same(choice, chosen)) continue;
          double const seconds = time_of(c, choice, std::max(2 * least, least_alone));
          least = std::min(least, seconds);
          timed.push_back({choice, seconds});
        }
      }
      double const of_vendor = time_again(c, timed);
      if (asked.lists_times) {
        for (timed_choice const& t : timed)
          std::printf(" %s%s %.2f %.0f", is_same(t.choice, chosen) ? "*" : "",
                      name_of(t.choice).c_str(), 1e6 * t.seconds, t.choice.cycles);
        if (of_vendor > 0) std::printf(" cuBLAS/1 %.2f 0", 1e6 * of_vendor);
        std::printf("\n");
        std::fflush(stdout);
      }
      of_chosen = std::find_if(timed.begin(), timed.end(), [&](timed_choice const& t) {
                    return is_same(t.choice, chosen);
                  })->seconds;
      least = timed.front().seconds;
      gemm_choice const fastest = timed.front().choice;
      regrets.add({of_chosen / least, drawn.shape, drawn.shape_class, name_of(chosen),
                   name_of(fastest), of_vendor / of_chosen});
    }
    regrets.print();
  }

  void measure_suite() const {
    for (tuned_shape const& c : suite)
      if (bytes_of_all(c) <= arena::bytes) measure(c);
  }

 private:
  struct timed_choice {
    gemm_choice choice;
    double seconds;
  };
  static bool is_same(gemm_choice const& x, gemm_choice const& y) {
    return x.config == y.config && x.split_k == y.split_k && x.in_cluster == y.in_cluster &&
           x.block_cols == y.block_cols && x.cluster == y.cluster && x.stream_k == y.stream_k;
  }
  /// Sorts the choices by their times, those of the fastest few and of the first measured again
  /// alternately with the vendor's library, whose time it returns (0 without): a GPU at its limit
  /// of power is slower after long calls than before, so that the first of many measured once won.
  double time_again(tuned_shape const& c, std::vector<timed_choice>& timed) {
    constexpr std::size_t few = 6;
    constexpr int rounds = 5;
    auto const is_faster = [](timed_choice const& x, timed_choice const& y) {
      return x.seconds < y.seconds;
    };
    std::sort(timed.begin() + 1, timed.end(), is_faster);
    std::size_t const again = std::min(few + 1, timed.size());
    bool const has_vendor = vendor_.run(problem_of(c, 0));
    std::vector<std::vector<double>> times(again + 1);
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t t = 0; t < again; ++t) times[t].push_back(time_of(c, timed[t].choice));
      if (has_vendor)
        times[again].push_back(memory_.time([&](int call) { vendor_.run(problem_of(c, call)); }));
    }
    auto const median = [](std::vector<double>& of) {
      std::sort(of.begin(), of.end());
      return of[of.size() / 2];
    };
    for (std::size_t t = 0; t < again; ++t) timed[t].seconds = median(times[t]);
    std::sort(timed.begin(), timed.begin() + static_cast<std::ptrdiff_t>(again), is_faster);
    return has_vendor ? median(times[again]) : 0;
  }

  /// Of the random suite, or of the shapes given for one. Without a shape: there are no more.
  static xpose::bench::random_case case_of(xpose::bench::regret_request const& asked, int number) {
    auto const* const suite_asked_for = xpose::bench::find_random_suite("gemm", asked.suite);
    if (suite_asked_for != nullptr)
      return suite_asked_for->draw({asked.seed, number, sizeof(A), true});
    if (asked.suite.find('x') == std::string::npos)
      throw std::invalid_argument("no random suite " + asked.suite);
    std::stringstream shapes(asked.suite);
    xpose::bench::random_case drawn;
    drawn.shape_class = "given";
    for (int k = 0; k <= number; ++k)
      if (!std::getline(shapes, drawn.shape, ',')) return {};
    return drawn;
  }
  /// For fit_gemm.
  void print_gpu() const {
    gemm_gpu const gpu = gpu_for<problem_type>();
    std::printf("# gpu %.3f %d %d %d", 1e-9 * memory_.cycles(1), gpu.multiprocessors,
                gpu.capability, gpu.shared_bytes);
    for (int const clusters : gpu.clusters) std::printf(" %d", clusters);
    std::printf(is_warm_ ? "\n# warm\n" : "\n");
  }

  static std::string name_of(gemm_choice const& choice) {
    return xpose::bench::name_of(configs[choice.config], choice);
  }
  /// Times the expected cycles of the chosen one: what is not timed.
  static constexpr double hopeless = 3;
  /// Seconds from which on a call alone is not bound by the host.
  static constexpr double least_alone = 100e-6;
  /// Half of the L2 of an H100.
  static constexpr index most_warm_bytes = index{25} << 20;

  static gemm_choice whole(int config, index k_extent) { return {config, 1, k_extent}; }
  static double multiply_adds(tuned_shape const& c) {
    return static_cast<double>(c.batch) * static_cast<double>(c.rows) *
           static_cast<double>(c.cols) * static_cast<double>(c.k_extent);
  }

  /// Each row with the splits that the model takes for it, and a star at what it takes of all.
  void measure(tuned_shape const& c) const {
    problem_type const given = oriented_for_tiles(problem_of(c, 0));
    gemm_extents const shape = extents_of(given);
    gemm_gpu const gpu = gpu_for<problem_type>();
    gemm_choice const chosen = choose_gemm_config(configs, table::count, shape, gpu);
    std::printf("%lld*%lldx%lldx%lld %c%c pad %lld:", static_cast<long long>(c.batch),
                static_cast<long long>(c.rows), static_cast<long long>(c.cols),
                static_cast<long long>(c.k_extent), c.is_a_transposed ? 'T' : 'N',
                c.is_b_transposed ? 'T' : 'N', static_cast<long long>(c.pad));
    double of_chosen = 0;
    double fastest = 1e30;
    for (int r = 0; r < table::count; ++r) {
      gemm_choice choice = choose_gemm_config(configs + r, 1, shape, gpu);
      if (choice.config < 0) continue;
      choice.config = r;
      double const seconds = time_of(c, choice);
      fastest = std::min(fastest, seconds);
      if (r == chosen.config) of_chosen = seconds;
      std::printf(" %s%s/%lld %.1f", r == chosen.config ? "*" : "", configs[r].name,
                  static_cast<long long>(choice.split_k), 1e6 * seconds);
    }
    std::printf(" us; chosen %.1f us, %.1f T multiply-adds/s, %.2f of the fastest\n",
                1e6 * of_chosen, 1e-12 * multiply_adds(c) / of_chosen, fastest / of_chosen);
    std::fflush(stdout);
  }

  struct operand_offsets {
    index a;
    index b;
    index c;
    index end;
  };
  static operand_offsets offsets_of(tuned_shape const& c) {
    index const b =
        bytes_of(matrix_at<A>(nullptr, c.rows, c.k_extent, c.is_a_transposed, c.pad), c.batch);
    index const of_b =
        bytes_of(matrix_at<A>(nullptr, c.k_extent, c.cols, c.is_b_transposed, c.pad), c.batch);
    index const of_c = bytes_of(matrix_at<C>(nullptr, c.rows, c.cols, false, c.pad), c.batch);
    return {0, b, b + of_b, b + of_b + of_c};
  }
  static index bytes_of_all(tuned_shape const& c) { return offsets_of(c).end; }

  /// Calls walk through the arena, unless they are to find their operands in the L2.
  problem_type problem_of(tuned_shape const& c, int number) const {
    if (is_warm_) number = 0;
    operand_offsets const of = offsets_of(c);
    char* const at = memory_.data() + number % (arena::bytes / of.end) * of.end;
    problem_type p{};
    p.a = matrix_at<A const>(at + of.a, c.rows, c.k_extent, c.is_a_transposed, c.pad);
    p.b = matrix_at<A const>(at + of.b, c.k_extent, c.cols, c.is_b_transposed, c.pad);
    p.c = matrix_at<C>(at + of.c, c.rows, c.cols, false, c.pad);
    p.batch = c.batch;
    p.rows = c.rows;
    p.cols = c.cols;
    p.k_extent = c.k_extent;
    p.scalars = {K(1), K(0), true, false, true};
    return p;
  }

  template <class T>
  static operand operand_of(strided_batch<T> const& o, index batch, index rows, index cols) {
    using stored = std::conditional_t<std::is_same_v<std::remove_const_t<T>, tf32_element>, float,
                                      std::remove_const_t<T>>;
    return {o.data,
            batch,
            rows,
            cols,
            o.batch_stride,
            o.row_stride,
            o.col_stride,
            sizeof(stored),
            alignof(stored),
            element_type_of<stored>(),
            false};
  }
  /// By the library's kernels: here they would take minutes to compile again.
  void run_config(problem_type const& p, gemm_choice const& choice) const {
    auto const precision =
        std::is_same_v<A, tf32_element> ? xpose::gemm_precision::tf32 : xpose::gemm_precision::full;
    gemm_request const request{operand_of(p.a, p.batch, p.rows, p.k_extent),
                               operand_of(p.b, p.batch, p.k_extent, p.cols),
                               operand_of(p.c, p.batch, p.rows, p.cols),
                               element_type_of<K>(),
                               semiring_id::plus_times,
                               &p.scalars.alpha,
                               &p.scalars.beta,
                               true,
                               false,
                               true,
                               precision};
    cuda_run_gemm_config(where_, request, choice);
  }

  double time_of(tuned_shape const& c, gemm_choice const& choice, double longest = 30e-3) const {
    return memory_.time(
        [&](int number) { run_config(oriented_for_tiles(problem_of(c, number)), choice); },
        longest);
  }

  arena const& memory_;
  xpose::bench::vendor_gemm vendor_;
  execution where_{};
  bool is_warm_ = false;
};

/// The matrix instruction alone: 64x64 sums a warp, as in the largest tiles, from registers.
template <class T, class K>
__global__ void __launch_bounds__(256, 1) multiply_registers(K* out, int iterations) {
  K accumulators[4][8][2][2] = {};
  unsigned a[4][4];
  unsigned b[8][2];
  for (auto& fragment : a)
    for (unsigned& word : fragment) word = threadIdx.x * 0x9E3779B9u & 0x3bff3bffu;
  for (auto& fragment : b)
    for (unsigned& word : fragment) word = threadIdx.x * 0x85EBCA6Bu & 0x3bff3bffu;
  for (int iteration = 0; iteration < iterations; ++iteration)
#pragma unroll
    for (int c = 0; c < 8; ++c)
#pragma unroll
      for (int r = 0; r < 4; ++r) mma_m16n8<T>(accumulators[r][c], a[r], b[c]);
  K all = 0;
  for (auto const& row : accumulators)
    for (auto const& product : row)
      for (auto const& line : product) all += line[0] + line[1];
  out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

template <class T, class K>
void measure_peak(arena const& memory, char const* name) {
  constexpr int iterations = 4096;
  constexpr double multiply_adds_per_iteration =
      8 * 4 * 16 * 8 * 32 / sizeof(T) * 8;  // of a block's eight warps
  double const seconds = memory.time([&](int) {
    multiply_registers<T, K>
        <<<static_cast<unsigned>(memory.multiprocessors()), 256, 0, memory.stream()>>>(
            reinterpret_cast<K*>(memory.data()), iterations);
  });
  double const multiply_adds = multiply_adds_per_iteration * iterations * memory.multiprocessors();
  std::printf("mma.sync of %s: %.0f T multiply-adds/s, %.0f a clock and multiprocessor\n", name,
              1e-12 * multiply_adds / seconds,
              multiply_adds / memory.cycles(seconds) / memory.multiprocessors());
}

using regret_choice = std::optional<xpose::bench::regret_request>;

template <class Type>
void run(arena const& memory, char const* name, regret_choice const& regret) {
  std::printf("# %s\n", name);
  tuner<Type> t(memory);
  if (regret) return t.measure_regret(*regret);
  t.measure_rows();
  t.measure_suite();
}

struct task {
  char const* name;
  void (*run)(arena const& memory, char const* name, regret_choice const& regret);
};
constexpr task tasks[] = {{"peak",
                           [](arena const& memory, char const*, regret_choice const& regret) {
                             if (regret) return;
                             measure_peak<xpose::float16, float>(memory, "float16");
                             measure_peak<xpose::bfloat16, float>(memory, "bfloat16");
                             measure_peak<std::int8_t, std::int32_t>(memory, "int8");
                           }},
                          {"f32", run<f32_type>},
                          {"f64", run<f64_type>},
                          {"c64", run<c64_type>},
                          {"c128", run<c128_type>},
                          {"f16", run<f16_type>},
                          {"tf32", run<tf32_type>},
                          {"e4m3", run<e4m3_type>},
                          {"i8", run<i8_type>}};

}  // namespace

int main(int argc, char** argv) {
  regret_choice const regret = xpose::bench::regret_asked_for(argc, argv);
  int const first = regret ? 1 + xpose::bench::regret_request::words : 1;
  arena const memory;
  for (task const& t : tasks) {
    bool is_asked = argc == first;
    for (int a = first; a < argc; ++a) is_asked = is_asked || std::strcmp(argv[a], t.name) == 0;
    if (is_asked) t.run(memory, t.name, regret);
  }
}
