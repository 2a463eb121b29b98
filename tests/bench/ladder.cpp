// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The ladder of xpose-bench: each rung is right for any size and writes nothing else; the order of
// tiles misses none; what the profiler prints is read as it means.

#include "../../benchmarks/ladder/ladder.hpp"
#include "../../benchmarks/ladder/kernels/tile_order.hpp"
#include "../../benchmarks/ladder/metrics.hpp"
#include "support/gpu.hpp"
#include "support/memory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <stdexcept>

namespace {

namespace ladder = xpose::bench::ladder;
using ladder::rung;
using ladder::rung_work;
using xpose::bench::index;

struct extents {
  index rows;
  index cols;
};

constexpr extents move_sizes[] = {
    {0, 0},
    {0, 5},
    {5, 0},
    {1, 1},
    {31, 31},
    {32, 32},
    {33, 33},
    {31, 33},
    {97, 201},
    {96, 128},
    {1111, 113},
    {113, 1111},
    {1000, 1},
    {1, 1000},
    {127, 131},
    {129, 127},
    {512, 4},
    {4, 512},
    // More than 65535 tiles on one side, where kernels with tiles on grid.y no longer start.
    {2097153, 2},
    {2, 2097153}};

struct product {
  index m;
  index n;
  index k;
};

constexpr product product_sizes[] = {{0, 0, 0},     {0, 5, 3},    {5, 0, 3},    {5, 3, 0},
                                     {1, 1, 1},     {16, 16, 16}, {31, 33, 7},  {32, 32, 32},
                                     {33, 31, 65},  {97, 101, 1}, {1, 200, 64}, {200, 1, 64},
                                     {127, 131, 97}};

std::uint32_t value_at(index position) {
  return static_cast<std::uint32_t>(position) * 2654435761u + 12345u;
}

template <class T>
T* elements(image& memory) {
  return reinterpret_cast<T*>(memory.host());
}

/// Whether the rung does what it is called for, leaves its input alone and writes nothing else.
bool moves(rung const& r, place where, extents size) {
  auto const count = static_cast<std::size_t>(size.rows * size.cols);
  image in(where, count * sizeof(std::uint32_t));
  image out(where, count * sizeof(std::uint32_t));
  for (std::size_t e = 0; e < count; ++e)
    elements<std::uint32_t>(in)[e] = value_at(static_cast<index>(e));
  in.send();
  r.move(in.there(), out.there(), size.rows, size.cols, nullptr);
  for (index i = 0; i < size.rows; ++i)
    for (index j = 0; j < size.cols; ++j) {
      index const to = r.work == rung_work::copy ? i * size.cols + j : j * size.rows + i;
      elements<std::uint32_t>(out)[to] = value_at(i * size.cols + j);
    }
  return out.is_as_on_host() && in.is_as_on_host();
}

/// The same of C = A B; the values are small integers, so that every order of summation agrees.
bool multiplies(rung const& r, place where, product size) {
  auto const make = [where](index rows, index cols) {
    return image(where, static_cast<std::size_t>(rows * cols) * sizeof(float));
  };
  image a = make(size.m, size.k);
  image b = make(size.k, size.n);
  image c = make(size.m, size.n);
  for (index e = 0; e < size.m * size.k; ++e) elements<float>(a)[e] = static_cast<float>(e % 7 - 3);
  for (index e = 0; e < size.k * size.n; ++e) elements<float>(b)[e] = static_cast<float>(e % 5 - 2);
  a.send();
  b.send();
  r.multiply(a.there(), b.there(), c.there(), size.m, size.n, size.k, nullptr);
  for (index i = 0; i < size.m; ++i)
    for (index j = 0; j < size.n; ++j) {
      float sum = 0;
      for (index p = 0; p < size.k; ++p)
        sum += elements<float>(a)[i * size.k + p] * elements<float>(b)[p * size.n + j];
      elements<float>(c)[i * size.n + j] = sum;
    }
  return c.is_as_on_host() && a.is_as_on_host() && b.is_as_on_host();
}

void check_rungs(std::vector<rung> const& rungs, place where) {
  for (auto const& r : rungs) {
    CAPTURE(r.name);
    if (r.work == rung_work::gemm) {
      for (auto const& size : product_sizes) {
        CAPTURE(size.m);
        CAPTURE(size.n);
        CAPTURE(size.k);
        CHECK(multiplies(r, where, size));
      }
    } else {
      for (auto const& size : move_sizes) {
        CAPTURE(size.rows);
        CAPTURE(size.cols);
        CHECK(moves(r, where, size));
      }
    }
  }
}

TEST_CASE("every rung of the host's ladder is right for any size and writes nothing else") {
  check_rungs(ladder::host_rungs(), place::host);
}

TEST_CASE("every rung of the device's ladder is right for any size and writes nothing else") {
  if (!needs_gpu()) return;
  CHECK_FALSE(ladder::device_rungs().empty());
  check_rungs(ladder::device_rungs(), place::device);
}

TEST_CASE("a block of every device rung fits a multiprocessor") {
  if (!needs_gpu()) return;
  for (auto const& r : ladder::device_rungs()) {
    CAPTURE(r.name);
    auto const o = r.occupies();
    CHECK(o.threads_in_block >= 64);
    CHECK(o.blocks_on_multiprocessor >= 1);
  }
  auto const shared_bytes = [](char const* name) {
    return ladder::find_rung(name)->occupies().shared_bytes;
  };
  CHECK(shared_bytes("gemm_tiled_8") == 2 * 8 * 8 * 4);
  CHECK(shared_bytes("gemm_tiled_16") == 2 * 16 * 16 * 4);
  CHECK(shared_bytes("gemm_tiled_32") == 2 * 32 * 32 * 4);
  CHECK(shared_bytes("bank_padded") == shared_bytes("bank_padded_dynamic"));
}

TEST_CASE("row order and diagonal order give each tile one block, for any grid") {
  for (auto const order : {ladder::in_row_order, ladder::in_diagonal_order})
    for (index rows : {1, 2, 31, 32, 33, 64, 97, 113, 256})
      for (index cols : {1, 2, 31, 32, 33, 64, 201, 1111})
        for (extents const tile : {extents{32, 32}, {8, 32}, {32, 128}, {128, 8}, {1, 1}}) {
          ladder::tile_grid const grid({rows, cols}, tile.rows, tile.cols);
          std::vector<int> blocks_of_tile(static_cast<std::size_t>(grid.count()));
          for (index block = 0; block < grid.count(); ++block) {
            auto const at = order(grid, static_cast<std::uint32_t>(block));
            if (at.down < 0 || at.down >= grid.tiles_down || at.across < 0 ||
                at.across >= grid.tiles_across)
              FAIL("block " << block << " is outside the grid");
            ++blocks_of_tile[static_cast<std::size_t>(at.down * grid.tiles_across + at.across)];
          }
          CHECK(blocks_of_tile == std::vector<int>(blocks_of_tile.size(), 1));
        }
}

TEST_CASE("neighbouring blocks in diagonal order are in other rows and other columns of tiles") {
  ladder::tile_grid const grid({4096, 4096}, 32, 32);
  for (std::uint32_t block = 1; block < grid.tiles_down; ++block) {
    auto const before = ladder::in_diagonal_order(grid, block - 1);
    auto const at = ladder::in_diagonal_order(grid, block);
    CHECK(at.down != before.down);
    CHECK(at.across != before.across);
  }
}

TEST_CASE("tiles are counted in 64 bits, and orders hold up to the last block of a grid") {
  CHECK(ladder::tile_grid({5000000000, 3000000000}, 32, 32).count() == 156250000 * index{93750000});
  for (extents const size : {extents{32, 68719476704}, {68719476704, 32}, {1482880, 1482848}}) {
    ladder::tile_grid const grid({size.rows, size.cols}, 32, 32);
    REQUIRE(grid.count() <= 2147483647);
    auto const last = static_cast<std::uint32_t>(grid.count() - 1);
    CHECK(ladder::in_row_order(grid, last).down == grid.tiles_down - 1);
    CHECK(ladder::in_row_order(grid, last).across == grid.tiles_across - 1);
    CHECK(ladder::in_diagonal_order(grid, last).down == grid.tiles_down - 1);
    CHECK(ladder::in_diagonal_order(grid, last).across ==
          (grid.tiles_across - 1 + grid.tiles_down - 1) % grid.tiles_across);
  }
}

TEST_CASE("threads with several elements take each element of a row once") {
  for (index length : {0, 1, 3, 31, 32, 127, 128, 129, 1111})
    for (index width : {8, 32, 128}) {
      index const tiles =
          ladder::tile_grid({1, length}, 1, width * ladder::elements_in_thread).tiles_across;
      std::vector<int> visits(static_cast<std::size_t>(length));
      for (index tile = 0; tile < tiles; ++tile)
        for (index thread = 0; thread < width; ++thread)
          for (int e = 0; e < ladder::elements_in_thread; ++e) {
            index const at = ladder::in_block_widths(tile, e, width, thread);
            if (at >= 0 && at < length) ++visits[static_cast<std::size_t>(at)];
          }
      CHECK(visits == std::vector<int>(visits.size(), 1));
    }
}

TEST_CASE("the tables name rungs that exist, of the kind that the shape needs") {
  std::set<std::string> ids;
  for (auto const& t : ladder::tables()) {
    CAPTURE(t.id);
    CHECK(ids.insert(t.id).second);
    bool const is_gemm = std::count(t.shape.begin(), t.shape.end(), 'x') == 2;
    for (auto const& figure : t.rungs) {
      CAPTURE(figure.rung);
      auto const* const r = ladder::find_rung(figure.rung);
      if (t.is_device && ladder::device_rungs().empty()) continue;
      REQUIRE(r != nullptr);
      CHECK((r->work == rung_work::gemm) == is_gemm);
      CHECK(static_cast<bool>(r->occupies) == t.is_device);
      if (figure.seconds > 0 && figure.gbps > 0)  // the source's own pairs agree with its rule
        CHECK(2 * 4096.0 * 4096 * 4 / figure.seconds * 1e-9 ==
              doctest::Approx(figure.gbps).epsilon(0.002));
    }
  }
  CHECK(ladder::find_rung("no such rung") == nullptr);
}

std::vector<std::string> const profiler_lines = {
    "==PROF== Connected to process 4711 (/work/xpose-bench)",
    "a line of the program's own",
    "==PROF== Profiling \"copy_row\" - 0: 0%....50%....100% - 9 passes",
    R"csv("ID","Process ID","Kernel Name","Context","gpu__time_duration.sum","smsp__inst_executed_op_shared_ld.sum","l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum","l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum.per_second")csv",
    R"csv("","","","","ns","inst","","byte/s")csv",
    R"csv("0","4711","void fill_scalars<float>(T1 *, unsigned long, unsigned long)","1","1,000","0","0","0")csv",
    R"csv("1","4711","transpose<(int)0, (int)8>(const unsigned int *, ""x"")","1","2,500,000","8388608","260,046,848","2,000,000,000.5")csv",
    R"csv("2","4711","copy_row(const unsigned int *)","1","1000","n/a","","1e9")csv",
    "==PROF== Disconnected from process 4711"};

TEST_CASE("the profiler's table is read by its heading, without the kernels that fill operands") {
  auto const launches = ladder::launches_in(profiler_lines);
  REQUIRE(launches.size() == 2);
  CHECK(launches[0].kernel == "transpose<(int)0, (int)8>(const unsigned int *, \"x\")");
  CHECK(launches[0].seconds == doctest::Approx(2.5e-3));
  CHECK(launches[0].shared_load_requests == 8388608);
  CHECK(launches[0].shared_store_conflicts == 260046848);
  CHECK(launches[0].load_gbps == doctest::Approx(2.0));
  CHECK(launches[1].load_gbps == doctest::Approx(1.0));
}

TEST_CASE("what the profiler does not count is unknown, not zero") {
  auto const launches = ladder::launches_in(profiler_lines);
  CHECK(std::isnan(launches[1].shared_load_requests));
  CHECK(std::isnan(launches[1].shared_store_conflicts));
  CHECK(std::isnan(launches[0].dram_gbps));
}

TEST_CASE("a profiler that measures nothing says why in one line") {
  auto const trouble = [](std::vector<std::string> const& lines) -> std::string {
    try {
      ladder::launches_in(lines);
    } catch (std::runtime_error const& error) {
      return error.what();
    }
    return "none";
  };
  CHECK(trouble({"==PROF== Connected to process 1",
                 "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission."}) ==
        "ncu may not read the GPU's counters (ERR_NVGPUCTRPERM): run as root, or load the driver "
        "with NVreg_RestrictProfilingToAdminUsers=0");
  CHECK(trouble({"==ERROR== Failed to connect."}) == "ncu: Failed to connect.");
  CHECK(trouble({"==PROF== Connected", "error: out of memory", "==WARNING== No kernels"}) ==
        "ncu measured nothing: error: out of memory");
  CHECK(trouble({}) == "ncu measured nothing");
}

}  // namespace
