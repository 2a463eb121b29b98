// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Which kernels gemm runs by what the device is and what its kernels were compiled for, and that a
// pool without memory is no reason to run others.

#include "faults/fake/entry_points.hpp"
#include "faults/fake/in_child.hpp"

#include <xpose/backends/cuda/gemm/block/stream_k_share.hpp>
#include <xpose/backends/cuda/gemm/choice_cache.hpp>
#include <xpose/backends/cuda/gemm/config/table.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>
#include <string>

namespace {

/// The kind of kernel of C = A B, 1024x1024x1024: its name up to its tile.
template <class T, class C = T>
std::string kernel_of(operands const& o) {
  std::string const name = xpose::explain(xpose::cuda, xpose::operation::gemm, o.in<T>(1024, 1024),
                                          o.in<T>(1024, 1024), o.out<C>(1024, 1024))
                               .kernel;
  return name.substr(0, name.find_first_of("0123456789", name.find('_')) - 1);
}

/// Those of f64, float16 and int8.
std::string kernels_for(fake::capabilities const& c) {
  return in_child([&] {
    fake::start();
    fake::set_capabilities(c);
    operands const o;
    return kernel_of<double>(o) + ", " + kernel_of<xpose::float16>(o) + ", " +
           kernel_of<std::int8_t, std::int32_t>(o);
  });
}

TEST_CASE("gemm chooses kernels that its code was compiled for, on devices that can do more") {
  char const* const ordinary = "simt, converting, converting";
  CHECK(kernels_for({90, 52}) == ordinary);
  CHECK(kernels_for({90, 75}) == ordinary);
  CHECK(kernels_for({80, 75}) == ordinary);
  CHECK(kernels_for({75, 75}) == ordinary);
  char const* const tensor_cores = "f64, mma_sync, mma_sync";
  CHECK(kernels_for({80, 80}) == tensor_cores);
  CHECK(kernels_for({90, 80}) == tensor_cores);
  CHECK(kernels_for({90, 90, 0}) == tensor_cores);
  CHECK(kernels_for({120, 90, 0}) == tensor_cores);
}

TEST_CASE("gemm chooses wgmma on devices of capability 90 alone") {
  auto const has_wgmma = [](fake::capabilities const& c) {
    return kernels_for(c).find("wgmma") != std::string::npos;
  };
  CHECK(has_wgmma({90, 90}));
  CHECK_FALSE(has_wgmma({90, 90, 0}));
  // Empty kernels may be said to have shared memory, which the toolkit keeps for itself.
  CHECK_FALSE(has_wgmma({100, 90, 64}));
  CHECK_FALSE(has_wgmma({120, 120, 1024}));
}

TEST_CASE("a C of more tiles than can be numbered has no kernel") {
  using xpose::detail::converting_configs;
  auto const choice_of = [](xpose::index cols) {
    xpose::detail::gemm_extents const shape{1, 1, cols, 1,     2,          2,
                                            2, 4, true, false, {0, false}, {-1, false}};
    return choose_gemm_config(converting_configs::configs, 1, shape, {132, 90, 227 << 10});
  };
  constexpr xpose::index most_cols =
      converting_configs::configs[0].block_cols * xpose::detail::max_tiles;
  CHECK(choice_of(most_cols).config == 0);
  CHECK(choice_of(most_cols + 1).config < 0);
  CHECK_THROWS_AS(xpose::detail::refuse_gemm(1, most_cols + 1), xpose::backend_error);
}

TEST_CASE(
    "a remembered choice is the least of all that the cost model has, for each shape and GPU") {
  using namespace xpose::detail;
  constexpr int count = sizeof half_configs::configs / sizeof half_configs::configs[0];
  auto const least_of_all = [](gemm_extents const& shape, gemm_gpu const& gpu) {
    double least = -1;
    for (int number = 0; number < count; ++number) {
      gemm_choice choices[most_gemm_choices];
      int const found = gemm_choices_of(half_configs::configs[number], number, shape, gpu, choices);
      for (int c = 0; c < found; ++c) {
        CHECK(choices[c].cluster.rows * half_configs::configs[number].block_rows <
              shape.rows + half_configs::configs[number].block_rows);
        CHECK((choices[c].split_k == 1 || !choices[c].in_cluster ||
               choices[c].cluster.blocks() == 1));
        if (least < 0 || choices[c].cycles < least) least = choices[c].cycles;
      }
    }
    return least;
  };
  gemm_gpu const gpus[] = {{132, 90, 227 << 10, {132, 66, 39, 30, 22, 17, 15, 15}},
                           {132, 90, 227 << 10, {132, 66, 44, 32, 24, 16, 16, 16}},
                           {108, 80, 163 << 10},
                           {132, 90, 227 << 10, {}, {0.5f, 1.5f, 0.7f}}};
  for (int round = 0; round < 2; ++round)
    for (gemm_gpu const& gpu : gpus)
      for (xpose::index extent : {1, 33, 700, 5000})
        for (xpose::index k_extent : {8, 1000, 20000}) {
          gemm_extents const shape{1, extent, 2 * extent, k_extent,   2,          2,
                                   2, 4,      true,       round == 0, {0, false}, {0, false}};
          gemm_choice const choice = choose_gemm_config(half_configs::configs, count, shape, gpu);
          CHECK(choice.cycles == least_of_all(shape, gpu));
        }
}

TEST_CASE("small products whose rows lie at any address take kernels that shift them") {
  using namespace xpose::detail;
  auto const shifts = [](xpose::index extent, operand_copies const& copied) {
    gemm_extents const shape{1, extent, extent, extent, 2,      2,     2,
                             4, true,   true,   copied, copied, false, false};
    gemm_choice const choice = choose_gemm_config(
        half_configs::configs, static_cast<int>(std::size(half_configs::configs)), shape,
        {132, 90, 227 << 10, {132, 66, 39, 30, 22, 17, 15, 15}});
    REQUIRE(choice.config >= 0);
    return half_configs::configs[choice.config].kind == gemm_kernel_kind::mma_sync_unaligned;
  };
  CHECK(shifts(60, {20000, false}));
  CHECK_FALSE(shifts(60, {0, false}));  // aligned
  CHECK_FALSE(shifts(60, {20000, true}));
  CHECK_FALSE(shifts(3001, {40000000, false}));
}

/// How many configs of a table have one stage; checks that they take the k that it holds, no more.
template <class Table>
int configs_of_one_stage(int bytes_of_element, int bytes_of_accumulator) {
  using namespace xpose::detail;
  gemm_gpu const gpu{132, 90, 227 << 10, {132, 66, 39, 30, 22, 17, 15, 15}};
  int count = 0;
  for (gemm_config const& config : Table::configs) {
    if (!has_one_stage(config)) continue;
    CAPTURE(config.name);
    ++count;
    xpose::index const copied = config.kind == gemm_kernel_kind::mma_sync_unaligned ? 20000 : 0;
    auto const choices_of_k = [&](xpose::index k_extent) {
      int const bytes = bytes_of_element;
      operand_copies const copies{copied, false};
      gemm_extents const shape{100,   60,    60,     k_extent,
                               bytes, bytes, bytes,  bytes_of_accumulator,
                               true,  true,  copies, copies};
      gemm_choice choices[most_gemm_choices];
      return gemm_choices_of(config, 0, shape, gpu, choices);
    };
    CHECK(choices_of_k(config.block_k) > 0);
    CHECK(choices_of_k(config.block_k + 1) == 0);
    CHECK_FALSE(can_split_in_cluster(config, config.block_cols));
  }
  return count;
}

TEST_CASE("kernels of one stage are for a k that the stage holds") {
  using namespace xpose::detail;
  CHECK(configs_of_one_stage<half_configs>(2, 4) == 5);
  CHECK(configs_of_one_stage<byte_configs>(1, 4) == 4);
  CHECK(configs_of_one_stage<f32_configs>(4, 4) == 2);
  CHECK(configs_of_one_stage<f64_configs>(8, 8) == 4);
  CHECK(configs_of_one_stage<c64_configs>(8, 8) == 2);
  CHECK(configs_of_one_stage<c128_configs>(16, 16) == 2);
}

TEST_CASE("batches of small products take kernels of one stage, and large ones do not") {
  using namespace xpose::detail;
  auto const has_one = [](xpose::index batch, xpose::index extent) {
    gemm_extents const shape{batch, extent, extent, 24,   8,          8,
                             8,     8,      true,   true, {0, false}, {-1, false}};
    gemm_choice const choice =
        choose_gemm_config(f64_configs::configs, static_cast<int>(std::size(f64_configs::configs)),
                           shape, {132, 90, 227 << 10, {132, 66, 39, 30, 22, 17, 15, 15}});
    REQUIRE(choice.config >= 0);
    return has_one_stage(f64_configs::configs[choice.config]);
  };
  CHECK(has_one(3000, 24));
  CHECK_FALSE(has_one(1, 3000));
}

TEST_CASE(
    "blocks that want the same short rows of an operand share requests for them in clusters") {
  using namespace xpose::detail;
  auto const shared_by = [](xpose::index batch_of_tokens, bool is_mn_major) {
    // C^T = B^T A^T of A 50257x768.
    gemm_extents shape{1,    batch_of_tokens, 50257,      768,   2,   2, 2, 4, true,
                       true, {0, false},      {0, false}, false, true};
    shape.stores_c_by_tma = true;
    shape.a_is_mn_major = is_mn_major;
    return choose_gemm_config(half_configs::configs,
                              static_cast<int>(std::size(half_configs::configs)), shape,
                              {132, 90, 227 << 10, {132, 66, 39, 30, 22, 17, 15, 15}})
        .cluster.cols;
  };
  CHECK(shared_by(8, true) > 1);
  CHECK(shared_by(24, true) > 1);
  CHECK(shared_by(8, false) == 1);  // 128 bytes of k at once
}

TEST_CASE("tiles of more than 64 rows a warpgroup are not chosen for a layer") {
  using namespace xpose::detail;
  gemm_gpu const gpu{132, 90, 227 << 10, {132, 66, 39, 30, 22, 17, 15, 15}};
  int seen = 0;
  for (gemm_config const& config : half_configs::configs) {
    if (!is_wgmma(config)) continue;
    CAPTURE(config.name);
    gemm_extents shape{1, 1560, 3072, 8192, 2, 2, 2, 4, true, true, {0, false}, {0, false}};
    gemm_choice choices[most_gemm_choices];
    CHECK(gemm_choices_of(config, 0, shape, gpu, choices) > 0);
    shape.has_layer = true;
    bool const is_left_out = gemm_choices_of(config, 0, shape, gpu, choices) == 0;
    CHECK(is_left_out == (config.inner_rows > 64));
    seen += is_left_out ? 1 : 0;
  }
  CHECK(seen == 1);
}

TEST_CASE("the cost model's rate of memory follows the clocks and the width of the device's") {
  auto const rate_of = [](int megahertz, int memory_megahertz, int bits) {
    return in_child([&] {
      fake::start();
      fake::capabilities c;
      c.kilohertz = 1000 * megahertz;
      c.memory_kilohertz = 1000 * memory_megahertz;
      c.memory_bits = bits;
      fake::set_capabilities(c);
      return std::to_string(std::lround(100 * xpose::detail::gemm_rates_of_device().memory));
    });
  };
  CHECK(rate_of(1980, 3201, 6144) == "100");  // an H200
  CHECK(rate_of(1980, 3130, 6144) == "100");  // nearly
  CHECK(rate_of(1980, 2619, 5120) == "68");   // an H100 SXM
  CHECK(rate_of(1410, 1215, 5120) == "44");   // an A100
  CHECK(rate_of(0, 0, 0) == "100");           // not given
}

TEST_CASE("the choices for a product in each of four layouts are all remembered") {
  using namespace xpose::detail;
  gemm_gpu const gpu{132, 90, 227 << 10};
  for (xpose::index const extent : {64, 512, 1000, 4096}) {
    CAPTURE(extent);
    choice_cache known;
    int asked = 0;
    for (int round = 0; round < 3; ++round)
      for (bool const a_is_wide : {false, true})
        for (bool const b_is_wide : {false, true}) {
          gemm_extents shape{1, extent, extent, extent, 4,          4,
                             4, 4,      true,   true,   {0, false}, {-1, false}};
          shape.a_loads_wide = a_is_wide;
          shape.b_loads_wide = b_is_wide;
          known.answer({f32_configs::configs, 3, shape, gpu}, [&] {
            ++asked;
            return gemm_choice{0, 1, extent};
          });
        }
    CHECK(asked == 4);
  }
}

TEST_CASE(
    "products in parts of f32 are chosen without splits of k, which their kernel does not add") {
  using namespace xpose::detail;
  gemm_gpu const gpu{132, 90, 227 << 10, {132, 66, 39, 30, 22, 17, 15, 15}};
  for (xpose::index const extent : {100, 1000, 1024, 3000})
    for (xpose::index const k_extent : {100, 1024, 100000}) {
      gemm_extents const shape{1, extent, extent, k_extent, 4,          4,
                               4, 4,      true,   true,     {0, false}, {0, false}};
      gemm_choice choices[most_gemm_choices];
      int const found = gemm_choices_of(fast_f32_configs::configs[0], 0, shape, gpu, choices);
      CHECK(found > 0);
      for (int c = 0; c < found; ++c) CHECK(choices[c].split_k == 1);
    }
}

TEST_CASE(
    "clusters that share tiles have all of their stages, and none more than one beyond others") {
  using namespace xpose::detail;
  for (xpose::index clusters : {1, 7, 16, 66, 132})
    for (xpose::index tiles = 1; tiles < 4 * clusters; tiles += 1 + tiles / 3)
      for (xpose::index k_tiles : {1, 8, 45, 1000}) {
        stream_k_share const share = stream_k_share_of(tiles, k_tiles, clusters);
        CAPTURE(clusters);
        CAPTURE(tiles);
        CAPTURE(k_tiles);
        if (tiles % clusters == 0) {
          CHECK(share.tiles == 0);
          continue;
        }
        CHECK(clusters * share.of_cluster + share.longer == share.tiles * k_tiles);
        CHECK(share.longer < clusters);
        CHECK((tiles - share.tiles) % clusters == 0);
        CHECK(share.tiles < 2 * clusters);
        CHECK((tiles < clusters || share.tiles > clusters));
      }
  CHECK(stream_k_share_of(3, most_shared_k_tiles, 2).tiles == 0);
}

TEST_CASE("each launch that shares tiles has a ticket of its own, which is not zero") {
  std::uint64_t const first = xpose::detail::stream_k_ticket();
  std::uint64_t const second = xpose::detail::stream_k_ticket();
  CHECK(first % 2 == 1);
  CHECK(second % 2 == 1);
  CHECK(first != second);
}

TEST_CASE("tiles are shared where they leave a part of the last wave idle") {
  using namespace xpose::detail;
  gemm_gpu const gpu{132, 90, 227 << 10, {132, 66, 39, 30, 22, 17, 15, 15}};
  auto const shares = [&](gemm_config const& config, xpose::index rows, xpose::index k_extent) {
    gemm_extents const shape{1, rows, 768,  k_extent, 4,          4,
                             4, 4,    true, true,     {0, false}, {0, false}};
    gemm_choice choices[most_gemm_choices];
    int const found = gemm_choices_of(config, 0, shape, gpu, choices);
    return std::any_of(choices, choices + found,
                       [](gemm_choice const& c) { return c.stream_k && c.cluster.blocks() == 1; });
  };
  gemm_config const& parts = fast_f32_configs::configs[0];  // of 128x128, 32 of k
  CHECK(shares(parts, 1360, 2848));
  CHECK(shares(parts, 128 * 23, 2848));
  CHECK_FALSE(shares(parts, 128 * 22, 2848));  // 132 tiles are a wave
  CHECK_FALSE(shares(parts, 128 * 44, 2848));
  CHECK(shares(parts, 1360, 8 * 32));
  CHECK_FALSE(shares(parts, 1360, 7 * 32));
  CHECK(shares(parts, 3 * 128, 2848));
  CHECK_FALSE(shares(parts, 2 * 128, 2848));    // eleven clusters a tile
  CHECK_FALSE(shares(parts, 128 * 111, 2848));  // more than five waves
  for (gemm_config const& config : half_configs::configs) CHECK_FALSE(shares(config, 1360, 2848));
}

TEST_CASE("SIMT and DMMA share tiles where there are three for four multiprocessors") {
  using namespace xpose::detail;
  gemm_gpu const gpu{132, 90, 227 << 10, {132, 66, 39, 30, 22, 17, 15, 15}};
  auto const shares = [&](xpose::index rows, xpose::index k_extent) {
    gemm_extents const shape{1,  rows, 64,   k_extent, 16,         16,
                             16, 16,   true, true,     {0, false}, {-1, false}};
    gemm_choice choices[most_gemm_choices];
    gemm_config const& config = c128_configs::configs[0];  // of 64x64, 32 of k, one resident block
    int const found = gemm_choices_of(config, 0, shape, gpu, choices);
    return std::any_of(choices, choices + found, [](gemm_choice const& c) { return c.stream_k; });
  };
  CHECK(shares(64 * 99, 1000));
  CHECK_FALSE(shares(64 * 98, 1000));
  CHECK_FALSE(shares(64 * 132, 1000));  // a wave
  CHECK(shares(64 * 133, 1000));
  CHECK_FALSE(shares(64 * 133, 7 * 32));
  CHECK_FALSE(shares(64 * 661, 1000));  // more than five waves
}

TEST_CASE("a product of a little more than two waves is expected to gain by stream-K") {
  using namespace xpose::detail;
  gemm_extents const shape{1, 3344, 304, 2024, 8, 8, 8, 8, true, true, {0, false}, {-1, false}};
  gemm_choice const choice =
      choose_gemm_config(c64_configs::configs, static_cast<int>(std::size(c64_configs::configs)),
                         shape, {132, 90, 227 << 10, {132, 66, 39, 30, 22, 17, 15, 15}});
  CHECK(choice.stream_k);
}

TEST_CASE("a product of which operands are loaded by elements is expected to take longer") {
  using namespace xpose::detail;
  gemm_gpu const gpu{132, 90, 227 << 10};
  auto const cycles_of = [&](bool is_wide) {
    gemm_extents shape{1, 3000, 3000, 3000, 8, 8, 8, 8, true, true, {0, false}, {-1, false}};
    shape.a_loads_wide = shape.b_loads_wide = is_wide;
    return choose_gemm_config(f64_configs::configs, 3, shape, gpu).cycles;
  };
  CHECK(cycles_of(true) > 0);
  CHECK(cycles_of(false) > cycles_of(true));
}

struct pool_without_memory {
  int asked = 0;
  void* allocate(std::size_t) {
    ++asked;
    throw std::bad_alloc();
  }
  void deallocate(void*, std::size_t) {}
};

TEST_CASE("gemm in parts of f32 throws what its pool throws, and launches nothing in their stead") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          operands const o;
          pool_without_memory pool;
          auto const options = xpose::options().precision(xpose::fast_f32);
          try {
            multiply<float>(xpose::cuda.with(pool), o, 1540, 1540, 1540, options);
            return "it returned";
          } catch (std::bad_alloc const&) {
          }
          if (pool.asked != 1) return "asked " + std::to_string(pool.asked) + " times";
          return fake::launches().empty() ? "" : "something was launched";
        }) == "");
}

}  // namespace
