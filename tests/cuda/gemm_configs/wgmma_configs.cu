// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Every config of wgmma, of rows at any address and of one stage, at the edges of its tiles and
// stages, in every layout and alignment, with and without split-K, in a cluster or not, in every
// cluster that multicasts, against omp; other configs that add splits of k in a cluster, or end
// where k does; those whose clusters share tiles; and kernels that follow each other on a stream.
// Needs a device of capability 90.

#include "cases/matrix.hpp"
#include "support/capability.hpp"
#include "support/replay.hpp"
#include "support/small_tests.hpp"

#include <xpose/backends/cuda/gemm/driver.cuh>
#include <xpose/backends/cuda/gemm/instances/instance.hpp>
#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace wgmma_configs {

using namespace xpose::detail;
using xpose::index;

template <class In, class Out, class Sum>
using problem_of = gemm_problem<In, In, Out, Sum, xpose::plus_times, no_epilogue>;

using c64 = complex_value<float>;
using c128 = complex_value<double>;

struct edge_case {
  index rows, cols, k_extent, batch;
};
// Around tiles of 32, 64, 128 and 256 and stages of 64 and 128; more tiles than multiprocessors;
// rows that end inside 16 bytes, in front of others' memory; skinny ones of many blocks.
constexpr edge_case edge_cases[] = {
    {128, 256, 64, 1},  {1, 1, 1, 1},       {129, 77, 93, 2},   {130, 520, 1000, 3},
    {63, 257, 129, 1},  {256, 129, 512, 1}, {200, 300, 136, 1}, {1030, 2100, 7, 1},
    {255, 65, 2000, 1}, {1, 77, 93, 1},     {70, 96, 65, 2},    {33, 32, 700, 1},
    {300, 16, 700, 1},  {16, 300, 700, 2},  {132, 72, 70, 3},   {1032, 2104, 7, 1},
    {70, 66, 700, 1},   {33, 130, 1000, 2}, {130, 8, 7, 140},   {66, 40, 56, 30},
    {31, 65, 64, 5},    {64, 33, 127, 3},   {65, 16, 17, 9}};

/// Whether the kernels of a config take so much of k: of one stage, but for those of rows at any
/// address, no more than it holds.
constexpr bool holds_k(gemm_config const& config, index k_extent) {
  return !has_one_stage(config) || config.kind == gemm_kernel_kind::mma_sync_unaligned ||
         k_extent <= config.block_k;
}

/// Of a config, shapes of a k that its only stage does not hold; and shapes of more than a million
/// products, under a tool with which they take minutes.
bool is_left_out(edge_case const& shape, gemm_config const& config) {
  constexpr index most = index{1} << 20;
  return !holds_k(config, shape.k_extent) ||
         (wants_small_tests() && shape.rows * shape.cols * shape.k_extent * shape.batch > most);
}

// With which all variants of a config have each number of columns eight times and more.
constexpr int variants_of_case = 7;

// A config's shapes by turns, for tools under which all of them take minutes: scripts/sanitize-gpu.
constexpr int shapes = sizeof edge_cases / sizeof edge_cases[0];
constexpr int shapes_of_one_stage = 4;  // the last, whose k one stage holds: for its kernels alone
constexpr int parts_of_config = 6;
constexpr char const* part_names[parts_of_config] = {"part_1", "part_2", "part_3",
                                                     "part_4", "part_5", "part_6"};

/// What a user stores for an element of a kernel's.
template <class T>
struct stored {
  using type = T;
};
template <>
struct stored<tf32_element> {
  using type = float;
};
template <class R>
struct stored<complex_value<R>> {
  using type = std::complex<R>;
};
template <class T>
using stored_type = typename stored<T>::type;

/// C = alpha A B + beta C with the types of a problem; B of one matrix is the B of all.
template <class Problem, class A, class B, class C>
gemm_request request_of(A const& a, B const& b, C const& c,
                        typename Problem::accumulate_type const& alpha,
                        typename Problem::accumulate_type const& beta) {
  using K = typename Problem::accumulate_type;
  operand const of_c = view_traits<C>::make(c);
  operand of_b = view_traits<B>::make(b);
  if (of_b.batch == 1) of_b.batch_stride = 0;
  of_b.batch = of_c.batch;
  bool const is_tf32 = std::is_same_v<typename Problem::a_type, tf32_element>;
  return {view_traits<A>::make(a),
          of_b,
          of_c,
          element_type_of<K>(),
          semiring_id::plus_times,
          &alpha,
          &beta,
          alpha == K(1),
          false,
          beta == K(0),
          is_tf32 ? xpose::gemm_precision::tf32 : xpose::gemm_precision::full};
}

/// Runs a config with the columns that belong to a variant, and its split of k: none, two launches,
/// a cluster or, but with wgmma, stream-K.
void run_variant(gemm_request const& request, gemm_config const& config, int number, int variant) {
  bool const any_cols = has_any_cols(config);
  int const choices_of_cols =
      any_cols ? (config.block_cols - config.least_cols) / wgmma_col_step + 1 : 1;
  // Clusters and layouts of C have periods of eight variants: columns must not follow these.
  int const cols =
      any_cols ? config.least_cols + (variant + variant / 8) % choices_of_cols * wgmma_col_step
               : config.block_cols;
  CAPTURE(cols);
  index const k_extent = request.a.cols;
  index const stages = ceil_div(k_extent, config.block_k);
  index const of_split = variant % 3 == 1 ? ceil_div(stages, 2 + variant % 7) : stages;
  index const split_k = ceil_div(stages, of_split);
  bool const in_cluster = can_split_in_cluster(config, cols) && split_k > 1 && variant % 2 == 0;
  constexpr int clusters = sizeof multicast_clusters / sizeof multicast_clusters[0];
  multicast_cluster const cluster =
      in_cluster || !any_cols ? multicast_cluster{} : multicast_clusters[variant % clusters];
  bool const stream_k = can_stream_k(config) && !is_wgmma(config) && variant % 3 == 2;
  execution where{};
  where.backend = backend_id::cuda;
  cuda_run_gemm_config(where, request,
                       {number, split_k, split_k == 1 ? k_extent : of_split * config.block_k, 0,
                        in_cluster, cluster, cols, stream_k});
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
}

template <class Problem, int Config>
void check_config(edge_case const& shape, int variant) {
  using Stored = stored_type<typename Problem::a_type>;
  using Out = stored_type<typename Problem::c_type>;
  using K = typename Problem::accumulate_type;
  using table = typename gemm_configs_of<Problem>::type;
  using cases::pattern;
  constexpr gemm_config config = table::configs[Config];
  constexpr bool is_unaligned = config.kind == gemm_kernel_kind::mma_sync_unaligned;
  constexpr pattern layouts[] = {pattern::row_major, pattern::col_major,
                                 is_unaligned ? pattern::negative_rows : pattern::padded_rows,
                                 is_unaligned ? pattern::spread : pattern::padded_cols,
                                 pattern::odd_offset};
  constexpr pattern layouts_of_c[] = {pattern::odd_offset, pattern::padded_rows, pattern::row_major,
                                      pattern::col_major};
  auto const value = [](int salt) {
    return [salt](index m, index i, index j) {
      return static_cast<float>((m * 5 + i * 3 + j * 7 + i * j % 11 + salt) % 8);
    };
  };
  bool const is_b_shared = variant % 2 == 1;
  matrix<Stored> a(place::device, shape.rows, shape.k_extent, layouts[variant % 5], shape.batch);
  matrix<Stored> b(place::device, shape.k_extent, shape.cols, layouts[variant / 5 % 5],
                   is_b_shared ? 1 : shape.batch);
  matrix<Out> c(place::device, shape.rows, shape.cols, layouts_of_c[variant / 2 % 4], shape.batch);
  matrix<Out> expected(place::host, shape.rows, shape.cols, pattern::row_major, shape.batch);
  a.fill(value(1));
  b.fill(value(2));
  auto const before = [&](index m, index i, index j) {
    bool const is_read = variant % 4 == 2 || std::is_integral_v<Out>;
    return Out(is_read ? value(3)(m, i, j) : std::numeric_limits<float>::quiet_NaN());
  };
  c.fill(before);
  expected.fill(before);
  CAPTURE(config.name);
  CAPTURE(shape.rows);
  CAPTURE(shape.cols);
  CAPTURE(shape.k_extent);
  CAPTURE(variant);

  int const times_product = variant % 4 == 1 ? 2 : 1;
  int const times_c = variant % 4 == 2 ? 3 : 0;
  K const alpha = K(times_product);
  K const beta = K(times_c);
  gemm_request const request =
      request_of<Problem>(a.batch_there(), b.batch_there(), c.batch_there(), alpha, beta);
  run_variant(request, config, Config, variant);

  for (index m = 0; m < shape.batch; ++m)
    xpose::gemm(xpose::omp, stored_type<K>(times_product), a.batch_here()[m],
                b.batch_here()[is_b_shared ? 0 : m], stored_type<K>(times_c),
                expected.batch_there()[m]);
  auto const results = expected.batch_there();
  CHECK(c.holds([&](index m, index i, index j) { return results[m](i, j); }));
}

/// With a layer whose scale and bias repeat or not, by the variant; C of i8 is of f32 then.
template <class Problem, int Config>
void check_layer(edge_case const& shape, int variant) {
  using Stored = stored_type<typename Problem::a_type>;
  using Out = element_of_layer<typename Problem::c_type>;
  using K = typename Problem::accumulate_type;
  using cases::pattern;
  constexpr gemm_config config = gemm_configs_of<Problem>::type::configs[Config];
  constexpr pattern layouts[] = {pattern::row_major, pattern::odd_offset, pattern::padded_rows,
                                 pattern::col_major};
  auto const value = [](int salt) {
    return [salt](index m, index i, index j) {
      return static_cast<float>((m * 5 + i * 3 + j * 7 + i * j % 11 + salt) % 8 - 3);
    };
  };
  matrix<Stored> a(place::device, shape.rows, shape.k_extent, layouts[variant % 4], shape.batch);
  matrix<Stored> b(place::device, shape.k_extent, shape.cols, layouts[variant / 4 % 4],
                   shape.batch);
  matrix<Out> c(place::device, shape.rows, shape.cols, layouts[variant / 2 % 4], shape.batch);
  matrix<Out> scale(place::device, variant % 3 == 0 ? 1 : shape.rows,
                    variant % 3 == 1 ? 1 : shape.cols, pattern::padded_cols);
  matrix<Out> bias(place::device, variant % 5 == 1 ? shape.rows : 1,
                   variant % 5 == 2 ? 1 : shape.cols, pattern::odd_offset);
  matrix<Out> expected(place::host, shape.rows, shape.cols, pattern::row_major, shape.batch);
  a.fill(value(1));
  b.fill(value(2));
  c.fill(value(3));
  expected.fill(value(3));
  scale.fill(value(4));
  bias.fill(value(5));
  CAPTURE(config.name);
  CAPTURE(shape.rows);
  CAPTURE(shape.cols);
  CAPTURE(shape.k_extent);
  CAPTURE(variant);

  K const alpha = variant % 4 == 1 ? K(2) : K(1);
  K const beta = variant % 4 == 2 ? K(3) : K(0);
  gemm_request request =
      request_of<Problem>(a.batch_there(), b.batch_there(), c.batch_there(), alpha, beta);
  bool const is_gelu = variant / 7 % 3 == 1;
  auto const layer_of = [&](auto const& s, auto const& t) {
    auto const scaled = xpose::layer_epilogue<Out>().scale(s);
    return (variant % 7 == 6 ? scaled : scaled.bias(t))
        .activate(is_gelu ? xpose::activation::gelu : xpose::activation::relu);
  };
  layer_request const layer = layer_of(scale.there(), bias.there()).request();
  request.layer = &layer;
  run_variant(request, config, Config, variant);

  auto const options = xpose::options().epilogue(layer_of(scale.here(), bias.here()));
  for (index m = 0; m < shape.batch; ++m)
    xpose::gemm(xpose::omp, alpha, a.batch_here()[m], b.batch_here()[m], beta,
                expected.batch_there()[m], options);
  auto const results = expected.batch_there();
  if (!is_gelu) {
    CHECK(c.holds([&](index m, index i, index j) { return results[m](i, j); }));
    return;
  }
  // gelu's last bit may differ, and so may the rounding to Out. holds() checks the memory around C.
  c.fetch();
  auto const found = c.batch_here();
  index wrong = 0;
  for (index m = 0; m < shape.batch; ++m)
    for (index i = 0; i < shape.rows; ++i)
      for (index j = 0; j < shape.cols; ++j) {
        auto const x = static_cast<float>(found[m](i, j));
        auto const y = static_cast<float>(results[m](i, j));
        constexpr float unit = sizeof(Out) == 2 ? 0x1p-10f : 0x1p-20f;
        wrong += !(std::fabs(x - y) <= unit * std::fabs(y) + 1e-5f);
      }
  CHECK(wrong == 0);
  CHECK(c.holds([&](index m, index i, index j) { return found[m](i, j); }));
}

/// Which configs a test runs.
struct of_wgmma {
  static constexpr bool takes(gemm_config const& config) {
    return config.kind == gemm_kernel_kind::wgmma;
  }
};
struct of_unaligned {
  static constexpr bool takes(gemm_config const& config) {
    return config.kind == gemm_kernel_kind::mma_sync_unaligned;
  }
};
struct of_one_stage {
  static constexpr bool takes(gemm_config const& config) {
    return has_one_stage(config) && !of_unaligned::takes(config);
  }
};
struct of_splits_in_cluster {
  static constexpr bool takes(gemm_config const& config) {
    return !is_wgmma(config) && can_split_in_cluster(config, config.block_cols);
  }
};

constexpr int shapes_of(gemm_config const& config) {
  return config.stages == 1 ? shapes : shapes - shapes_of_one_stage;
}

/// check(shape, variant, Config as a constant) for each of these.
template <class Problem, class Wanted = of_wgmma, int Config = 0, class Check>
void for_each_config(Check const& check) {
  using table = gemm_configs_of<Problem>;
  if constexpr (Config < table::count) {
    constexpr gemm_config config = table::type::configs[Config];
    if constexpr (Wanted::takes(config)) {
      SUBCASE(config.name) {
        for (int part = 0; part < parts_of_config; ++part) SUBCASE(part_names[part])
        for (int shape = part; shape < shapes_of(config); shape += parts_of_config)
          if (!is_left_out(edge_cases[shape], config))
            for (int layouts = 0; layouts < variants_of_case; ++layouts)
              check(edge_cases[shape], Config + shape * variants_of_case + layouts,
                    std::integral_constant<int, Config>{});
      }
    }
    for_each_config<Problem, Wanted, Config + 1>(check);
  }
}

template <class Problem, class Wanted = of_wgmma>
void check_configs() {
  for_each_config<Problem, Wanted>([](edge_case const& shape, int variant, auto config) {
    check_config<Problem, config.value>(shape, variant);
  });
}

template <class Problem>
void check_layers() {
  for_each_config<Problem>([](edge_case const& shape, int variant, auto config) {
    check_layer<Problem, config.value>(shape, variant);
  });
}

/// check(problem) for each type that SIMT and DMMA multiply.
template <class Check>
void for_each_simt_or_dmma_type(Check const& check) {
  SUBCASE("float") { check(problem_of<float, float, float>{}); }
  SUBCASE("double") { check(problem_of<double, double, double>{}); }
  SUBCASE("complex float") { check(problem_of<c64, c64, c64>{}); }
  SUBCASE("complex double") { check(problem_of<c128, c128, c128>{}); }
}

TEST_CASE("configs of wgmma are exact at the edges of their tiles") {
  if (!needs_capability_90()) return;
  using of_halves = problem_of<xpose::float16, xpose::float16, float>;
  using of_bytes = problem_of<std::int8_t, std::int32_t, std::int32_t>;
  if (!has_wgmma<of_halves>()) return;
  SUBCASE("float16") { check_configs<of_halves>(); }
  SUBCASE("float16 to float") { check_configs<problem_of<xpose::float16, float, float>>(); }
  SUBCASE("tf32") { check_configs<problem_of<tf32_element, float, float>>(); }
  SUBCASE("float8_e4m3") { check_configs<problem_of<xpose::float8_e4m3, float, float>>(); }
  SUBCASE("int8") { check_configs<of_bytes>(); }
}

TEST_CASE("kernels of rows at any address are exact at the edges of their tiles") {
  if (!needs_capability_90()) return;
  auto const check = [](auto problem) { check_configs<decltype(problem), of_unaligned>(); };
  SUBCASE("float16") { check(problem_of<xpose::float16, xpose::float16, float>{}); }
  SUBCASE("bfloat16 to float") { check(problem_of<xpose::bfloat16, float, float>{}); }
  SUBCASE("int8") { check(problem_of<std::int8_t, std::int32_t, std::int32_t>{}); }
}

TEST_CASE("kernels of one stage are exact at the edges of their tiles") {
  if (!needs_capability_90()) return;
  auto const check = [](auto problem) { check_configs<decltype(problem), of_one_stage>(); };
  for_each_simt_or_dmma_type(check);
  SUBCASE("float16") { check(problem_of<xpose::float16, xpose::float16, float>{}); }
  SUBCASE("int8") { check(problem_of<std::int8_t, std::int32_t, std::int32_t>{}); }
}

TEST_CASE("kernels of small tiles add splits of k in a cluster exactly") {
  if (!needs_capability_90()) return;
  auto const check = [](auto problem) { check_configs<decltype(problem), of_splits_in_cluster>(); };
  for_each_simt_or_dmma_type(check);
  SUBCASE("float16 by mma.sync") { check(problem_of<xpose::float16, xpose::float16, float>{}); }
  SUBCASE("tf32 by mma.sync") { check(problem_of<tf32_element, float, float>{}); }
  SUBCASE("int8 by mma.sync") { check(problem_of<std::int8_t, std::int32_t, std::int32_t>{}); }
}

/// Every k up to two stages and one more: the last stage ends after each of its steps.
template <class Problem, int Config = 0>
void check_last_stages() {
  using table = gemm_configs_of<Problem>;
  if constexpr (Config < table::count) {
    constexpr gemm_config config = table::type::configs[Config];
    constexpr bool has_steps =
        config.uses_cp_async &&
        (config.kind == gemm_kernel_kind::simt || config.kind == gemm_kernel_kind::dmma ||
         config.kind == gemm_kernel_kind::complex_dmma);
    if constexpr (has_steps)
      for (int k = 1; k <= 2 * config.block_k + 1; ++k)
        if (holds_k(config, k)) check_config<Problem, Config>({70, 66, k, 2}, k);
    check_last_stages<Problem, Config + 1>();
  }
}

TEST_CASE("SIMT and DMMA multiply as much of the last stage as there is of k") {
  if (!needs_capability_90()) return;
  for_each_simt_or_dmma_type([](auto problem) { check_last_stages<decltype(problem)>(); });
}

TEST_CASE("kernels of small tiles apply a layer to sums of a cluster") {
  if (!needs_capability_90()) return;
  auto const check = [](auto problem) {
    for_each_config<decltype(problem), of_splits_in_cluster>(
        [](edge_case const& shape, int variant, auto config) {
          check_layer<decltype(problem), config.value>(shape, variant);
        });
  };
  SUBCASE("float") { check(problem_of<float, float, float>{}); }
  SUBCASE("double") { check(problem_of<double, double, double>{}); }
  SUBCASE("float16") { check(problem_of<xpose::float16, xpose::float16, float>{}); }
}

TEST_CASE("configs of wgmma apply a layer's scale, bias, relu and gelu to what they store") {
  if (!needs_capability_90()) return;
  using of_halves = problem_of<xpose::float16, xpose::float16, float>;
  if (!has_wgmma<of_halves>()) return;
  SUBCASE("float16") { check_layers<of_halves>(); }
  SUBCASE("tf32") { check_layers<problem_of<tf32_element, float, float>>(); }
  SUBCASE("int8") { check_layers<problem_of<std::int8_t, std::int32_t, std::int32_t>>(); }
}

/// Sums of products in double, and of their absolute values.
struct exact_product {
  std::vector<double> sums, magnitudes;

  template <class T>
  exact_product(xpose::matrix_view<T> a, xpose::matrix_view<T> b) {
    for (index i = 0; i < a.rows(); ++i)
      for (index j = 0; j < b.cols(); ++j) {
        long double sum = 0;
        double magnitude = 0;
        for (index k = 0; k < a.cols(); ++k) {
          double const product = static_cast<double>(a(i, k)) * static_cast<double>(b(k, j));
          sum += product;
          magnitude += std::fabs(product);
        }
        sums.push_back(static_cast<double>(sum));
        magnitudes.push_back(magnitude);
      }
  }
};

constexpr edge_case random_case{130, 77, 1000, 1};

/// Random reals, with every split of k that a config has.
template <class Problem, int Config, class A, class B>
void check_error(A& a, B& b, exact_product const& exact, double bound) {
  using Out = stored_type<typename Problem::c_type>;
  using K = typename Problem::accumulate_type;
  constexpr gemm_config config = gemm_configs_of<Problem>::type::configs[Config];
  matrix<Out> c(place::device, random_case.rows, random_case.cols, cases::pattern::padded_rows, 1);
  CAPTURE(config.name);
  K const alpha(1);
  K const beta(0);
  gemm_request const request =
      request_of<Problem>(a.batch_there(), b.batch_there(), c.batch_there(), alpha, beta);
  for (int variant = 0; variant < 2 * variants_of_case; ++variant) {
    run_variant(request, config, Config, variant);
    c.fetch();
    auto const found = c.batch_here()[0];
    double worst = 0;  // over its bound
    for (index i = 0; i < random_case.rows; ++i)
      for (index j = 0; j < random_case.cols; ++j) {
        auto const at = static_cast<std::size_t>(i * random_case.cols + j);
        double const error = std::fabs(static_cast<double>(found(i, j)) - exact.sums[at]);
        worst = std::max(worst, error / (bound * exact.magnitudes[at]));
      }
    CAPTURE(variant);
    CHECK(worst <= 1);
  }
}

template <class Problem, int Config = 0, class A, class B>
void check_errors_of_configs(A& a, B& b, exact_product const& exact, double bound) {
  using table = gemm_configs_of<Problem>;
  if constexpr (Config < table::count) {
    constexpr gemm_config config = table::type::configs[Config];
    if constexpr (config.kind != gemm_kernel_kind::gemv && holds_k(config, random_case.k_extent))
      check_error<Problem, Config>(a, b, exact, bound);
    check_errors_of_configs<Problem, Config + 1>(a, b, exact, bound);
  }
}

template <class Problem>
void check_errors(double bound) {
  using Stored = stored_type<typename Problem::a_type>;
  std::minstd_rand random(7);
  auto const value = [&](index, index, index) {
    return std::uniform_real_distribution<float>(-1, 1)(random);
  };
  using cases::pattern;
  matrix<Stored> a(place::device, random_case.rows, random_case.k_extent, pattern::row_major, 1);
  matrix<Stored> b(place::device, random_case.k_extent, random_case.cols, pattern::col_major, 1);
  a.fill(value);
  b.fill(value);
  check_errors_of_configs<Problem>(a, b, exact_product(a.batch_here()[0], b.batch_here()[0]),
                                   bound);
}

TEST_CASE("the error of every config is at most what docs/semantics.md says") {
  if (!needs_capability_90()) return;
  auto const gamma = [](double unit) {
    double const k = static_cast<double>(random_case.k_extent);
    return k * unit / (1 - k * unit);
  };
  SUBCASE("float") { check_errors<problem_of<float, float, float>>(gamma(0x1p-24)); }
  SUBCASE("double") { check_errors<problem_of<double, double, double>>(gamma(0x1p-53)); }
  SUBCASE("float16 to float") {
    check_errors<problem_of<xpose::float16, float, float>>(gamma(0x1p-24));
  }
  SUBCASE("tf32") { check_errors<problem_of<tf32_element, float, float>>(0x1p-10); }
  SUBCASE("float8_e4m3") { check_errors<problem_of<xpose::float8_e4m3, float, float>>(0x1p-10); }
}

constexpr index side_of_chain = 200;

/// X, X P, X P P, .. where P moves every column one to the right, in two matrices by turns.
template <class Problem, int Config>
void check_chain(index split_k) {
  using T = typename Problem::a_type;
  using table = typename gemm_configs_of<Problem>::type;
  using cases::pattern;
  constexpr index side = side_of_chain;
  constexpr int links = 40;
  auto const value = [](index, index i, index j) {
    return static_cast<float>((i * 7 + j * 3 + i * j % 5) % 1021);
  };
  pattern const layout = split_k == 1 ? pattern::row_major : pattern::odd_offset;
  matrix<T> even(place::device, side, side, layout, 1);
  matrix<T> odd(place::device, side, side, layout, 1);
  matrix<T> moves(place::device, side, side, pattern::row_major, 1);
  even.fill(value);
  odd.fill([](index, index, index) { return std::numeric_limits<float>::quiet_NaN(); });
  moves.fill([](index, index i, index j) { return j == (i + 1) % side ? 1.f : 0.f; });
  index const stages = (side + table::configs[Config].block_k - 1) / table::configs[Config].block_k;
  index const of_split = (stages + split_k - 1) / split_k;
  execution where{};
  where.backend = backend_id::cuda;
  where.nosync = true;
  typename Problem::accumulate_type const one = 1;
  typename Problem::accumulate_type const zero = 0;
  auto const one_after_the_other = [&](matrix<T>& from, matrix<T>& to) {
    gemm_request const request =
        request_of<Problem>(from.batch_there(), moves.batch_there(), to.batch_there(), one, zero);
    cuda_run_gemm_config(
        where, request,
        {Config, (stages + of_split - 1) / of_split, of_split * table::configs[Config].block_k});
  };
  for (int link = 0; link < links; link += 2) {
    one_after_the_other(even, odd);
    one_after_the_other(odd, even);
  }
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(even.holds(
      [&](index m, index i, index j) { return T(value(m, i, (j - links % side + side) % side)); }));
}

template <class Problem, int Config = 0>
void check_chains() {
  using table = gemm_configs_of<Problem>;
  if constexpr (Config < table::count) {
    constexpr gemm_config config = table::type::configs[Config];
    if constexpr (config.block_rows > 1 && config.kind != gemm_kernel_kind::simt &&
                  holds_k(config, side_of_chain))
      SUBCASE(config.name) {
        check_chain<Problem, Config>(1);
        check_chain<Problem, Config>(2);
      }
    check_chains<Problem, Config + 1>();
  }
}

/// A product whose tiles clusters share.
template <class Problem, int Config, xpose::gemm_precision Precision>
class shared_product {
  using T = stored_type<typename Problem::a_type>;
  using K = typename Problem::accumulate_type;

 public:
  using element = std::function<float(index, index, index)>;

  explicit shared_product(edge_case const& shape, multicast_cluster const& cluster = {})
      : shape_(shape),
        choice_{Config, 1, shape.k_extent, 0, false, cluster, 0, true},
        a_(place::device, shape.rows, shape.k_extent, cases::pattern::row_major, shape.batch),
        b_(place::device, shape.k_extent, shape.cols, cases::pattern::col_major, shape.batch),
        c_(place::device, shape.rows, shape.cols, cases::pattern::odd_offset, shape.batch) {
    forget();
  }
  void fill(element const& a, element const& b) {
    a_.fill(a);
    b_.fill(b);
  }
  void forget() {
    c_.fill([](index, index, index) { return -7.f; });
  }
  void run(cudaStream_t stream = nullptr) const {
    K const alpha(1), beta(0);
    gemm_request request =
        request_of<Problem>(a_.batch_there(), b_.batch_there(), c_.batch_there(), alpha, beta);
    request.precision = Precision;
    execution where{};
    where.backend = backend_id::cuda;
    where.stream = stream;
    where.nosync = true;
    cuda_run_gemm_config(where, request, choice_);
  }
  std::vector<T> result() {
    c_.fetch();
    std::vector<T> all;
    for (index m = 0; m < shape_.batch; ++m)
      for (index i = 0; i < shape_.rows; ++i)
        for (index j = 0; j < shape_.cols; ++j) all.push_back(c_.batch_here()[m](i, j));
    return all;
  }
  /// C = A B exactly, of small integers, and nothing around C.
  bool is_exact() {
    matrix<T> expected(place::host, shape_.rows, shape_.cols, cases::pattern::row_major,
                       shape_.batch);
    for (index m = 0; m < shape_.batch; ++m)
      xpose::gemm(xpose::omp, T(1), a_.batch_here()[m], b_.batch_here()[m], T(0),
                  expected.batch_there()[m]);
    auto const results = expected.batch_there();
    return c_.holds([&](index m, index i, index j) { return results[m](i, j); });
  }

 private:
  edge_case shape_;
  gemm_choice choice_;
  matrix<T> a_, b_, c_;
};
using product_of_3xbf16 =
    shared_product<problem_of<float, float, float>, 0, xpose::gemm_precision::fast_f32>;

std::function<float(index, index, index)> reals(int salt) {
  return [salt](index, index i, index j) {
    return static_cast<float>((i * 31 + j * 7 + salt) % 1009) / 1009.f - .5f;
  };
}
std::function<float(index, index, index)> integers(int salt) {
  return [salt](index m, index i, index j) {
    return static_cast<float>((m * 5 + i * 3 + j * 7 + i * j % 11 + salt) % 8);
  };
}

// Fewer k tiles than clusters; a tile of many clusters; less than a wave of tiles, and more; ends
// of tiles and of k; a batch; some tiles that are whole.
constexpr edge_case shared_cases[] = {{64, 64, 70, 1},     {128, 128, 5000, 1},
                                      {752, 1360, 300, 1}, {1301, 1403, 290, 1},
                                      {300, 257, 1000, 5}, {2304, 2176, 100, 1}};

template <class Product>
void check_shared(edge_case const& shape, multicast_cluster const& cluster = {}) {
  CAPTURE(shape.rows);
  CAPTURE(shape.k_extent);
  CAPTURE(cluster.rows);
  CAPTURE(cluster.cols);
  Product product(shape, cluster);
  product.fill(integers(1), integers(2));
  product.run();
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(product.is_exact());
}

/// The same bits on two streams at once, and from graphs, as on its own, when a launch has every
/// multiprocessor; of two, blocks wait for their turn.
template <class Product>
void check_bits(edge_case const& shape, multicast_cluster const& cluster = {}) {
  auto const result_of = [&](int salt) {
    Product alone(shape, cluster);
    alone.fill(reals(salt), reals(2 * salt));
    alone.run();
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    return alone.result();
  };
  Product one(shape, cluster), other(shape, cluster);
  one.fill(reals(1), reals(2));
  other.fill(reals(5), reals(10));
  auto const of_one = result_of(1);
  auto const of_other = result_of(5);
  CHECK(of_one != of_other);
  stream const s, t;
  for (int run = 0; run < (wants_small_tests() ? 2 : 40); ++run) {
    one.run(s.handle);
    other.run(t.handle);
  }
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(one.result() == of_one);
  CHECK(other.result() == of_other);
  replay(
      s, 3,
      [&] {
        one.run(s.handle);
        other.run(s.handle);
      },
      [&](int n) {
        one.fill(reals(n), reals(2 * n));
        one.forget();
        other.forget();
        REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
      },
      [&](int n) {
        CHECK(one.result() == result_of(n));
        CHECK(other.result() == of_other);
      });
}

/// check(static_cast<shared_product<..>*>(nullptr)) for each config with stream-K.
template <class Problem, int Config = 0, class Check>
void for_each_shared(Check const& check) {
  using table = gemm_configs_of<Problem>;
  if constexpr (Config < table::count) {
    constexpr gemm_config config = table::type::configs[Config];
    if constexpr (can_stream_k(config)) SUBCASE(config.name) {
        using product = shared_product<Problem, Config, xpose::gemm_precision::full>;
        check(static_cast<product*>(nullptr));
      }
    for_each_shared<Problem, Config + 1>(check);
  }
}

template <class Check>
void for_each_shared_type(Check const& check) {
  SUBCASE("double") { for_each_shared<problem_of<double, double, double>>(check); }
  SUBCASE("complex float") { for_each_shared<problem_of<c64, c64, c64>>(check); }
  SUBCASE("complex double") { for_each_shared<problem_of<c128, c128, c128>>(check); }
}

TEST_CASE("3xBF16 whose clusters share tiles is exact") {
  if (!needs_capability_90() || !has_wgmma<problem_of<xpose::float16, float, float>>()) return;
  for (edge_case const& shape : shared_cases)
    for (multicast_cluster const& cluster : multicast_clusters) {
      bool const is_usual = cluster.blocks() == 1 || cluster == multicast_cluster{2, 4};
      if (!wants_small_tests() || is_usual) check_shared<product_of_3xbf16>(shape, cluster);
    }
}

TEST_CASE("SIMT and DMMA whose blocks share tiles are exact") {
  if (!needs_capability_90()) return;
  auto const check = [](auto* product) {
    using type = std::remove_pointer_t<decltype(product)>;
    for (edge_case const& shape : shared_cases)
      if (!wants_small_tests() || shape.rows < 1000) check_shared<type>(shape);
  };
  for_each_shared_type(check);
}

/// conj(A) B, A conj(B) and conj(A) conj(B) by each config with stream-K, or one stage.
template <class R, int Config = 0>
void check_conjugated() {
  using K = complex_value<R>;
  using T = std::complex<R>;
  using problem = problem_of<K, K, K>;
  using table = gemm_configs_of<problem>;
  if constexpr (Config < table::count) {
    constexpr gemm_config config = table::type::configs[Config];
    if constexpr (can_stream_k(config) || has_one_stage(config)) {
      CAPTURE(config.name);
      index const k_extent = has_one_stage(config) ? config.block_k - 1 : 300;
      using cases::pattern;
      matrix<T> a(place::device, 130, k_extent, pattern::row_major);
      matrix<T> b(place::device, k_extent, 150, pattern::col_major);
      matrix<T> c(place::device, 130, 150, pattern::odd_offset);
      matrix<T> expected(place::host, 130, 150, pattern::row_major);
      auto const value = [](int salt) {
        return [salt](index, index i, index j) {
          return T(static_cast<R>((i * 3 + j * 7 + salt) % 8 - 3),
                   static_cast<R>((i * 5 + j + salt) % 6 - 2));
        };
      };
      a.fill(value(1));
      b.fill(value(2));
      for (int of = 1; of < 4; ++of) {
        CAPTURE(of);
        bool const of_a = of % 2 == 1, of_b = of >= 2;
        c.fill(value(3));
        K const alpha(1), beta(0);
        gemm_request request =
            request_of<problem>(a.batch_there(), b.batch_there(), c.batch_there(), alpha, beta);
        request.a.conjugated = of_a;
        request.b.conjugated = of_b;
        execution where{};
        where.backend = backend_id::cuda;
        cuda_run_gemm_config(where, request,
                             {Config, 1, k_extent, 0, false, {}, 0, can_stream_k(config)});
        REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
        auto const multiply = [&](auto const& x, auto const& y) {
          xpose::gemm(xpose::omp, T(1), x, y, T(0), expected.there());
        };
        auto const x = a.here();
        auto const y = b.here();
        if (of_a && of_b) multiply(xpose::conjugated(x), xpose::conjugated(y));
        else if (of_a) multiply(xpose::conjugated(x), y);
        else multiply(x, xpose::conjugated(y));
        auto const results = expected.there();
        CHECK(c.holds([&](index, index i, index j) { return results(i, j); }));
      }
    }
    check_conjugated<R, Config + 1>();
  }
}

TEST_CASE("kernels of stream-K and of one stage conjugate operands") {
  if (!needs_capability_90()) return;
  SUBCASE("complex float") { check_conjugated<float>(); }
  SUBCASE("complex double") { check_conjugated<double>(); }
}

TEST_CASE("products that share tiles give the same bits on two streams at once, and from graphs") {
  if (!needs_capability_90() || !has_wgmma<problem_of<xpose::float16, float, float>>()) return;
  auto const check = [](auto* product) {
    // 546, 286 and 1071 tiles of 64x64, 128x64 and 64x32: no whole waves of 132 multiprocessors.
    edge_case const shape =
        wants_small_tests() ? edge_case{420, 410, 150, 1} : edge_case{1301, 1603, 332, 1};
    check_bits<std::remove_pointer_t<decltype(product)>>(shape);
  };
  SUBCASE("one block") { check_bits<product_of_3xbf16>({752, 1360, 712, 1}, {1, 1}); }
  SUBCASE("two blocks") { check_bits<product_of_3xbf16>({1000, 1304, 712, 1}, {2, 1}); }
  SUBCASE("eight blocks") { check_bits<product_of_3xbf16>({1000, 1304, 712, 1}, {2, 4}); }
  for_each_shared_type(check);
}

TEST_CASE("kernels that start before the one ahead ends read what it wrote") {
  if (!needs_capability_90()) return;
  check_chains<problem_of<xpose::float16, xpose::float16, float>>();
}

}  // namespace wgmma_configs
