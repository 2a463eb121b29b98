// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// How calls across memories are cut: arithmetic alone, nothing is moved.

#include <xpose/backends/across/call.hpp>
#include <xpose/backends/across/gemm_tiles.hpp>
#include <xpose/backends/across/parts.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

using namespace xpose::detail;
using xpose::index;

tensor_operand packed_matrix(index rows, index cols, int bytes, bool is_transposed = false) {
  tensor_operand o{};
  o.data = reinterpret_cast<void*>(4096);
  o.count = 3;
  o.dimensions[0] = {1, rows * cols};
  o.dimensions[1] = {rows, is_transposed ? 1 : cols};
  o.dimensions[2] = {cols, is_transposed ? rows : 1};
  o.bytes_per_element = bytes;
  return o;
}

TEST_CASE("pieces have every position once, and fit their buffers") {
  std::mt19937 random_bits(5);
  for (int again = 0; again < 300; ++again) {
    index const rows = 1 + static_cast<index>(random_bits() % 300);
    index const cols = 1 + static_cast<index>(random_bits() % 300);
    tensor_operand const both[] = {packed_matrix(rows, cols, 4),
                                   packed_matrix(rows, cols, 4, true)};
    index const bytes = 64 << (random_bits() % 14);
    box_grid const grid = cut(both, 1 + static_cast<int>(random_bits() % 2), bytes);
    std::vector<int> visits(static_cast<std::size_t>(rows * cols));
    bool fits = true;
    for (index n = 0; n < grid.boxes(); ++n) {
      box const b = grid[n];
      fits = fits && packed_bytes(part_of(both[0], b)) <= bytes;
      for (index i = b.first[1]; i < b.first[1] + b.extent[1]; ++i)
        for (index j = b.first[2]; j < b.first[2] + b.extent[2]; ++j)
          ++visits[static_cast<std::size_t>(i * cols + j)];
    }
    CAPTURE(rows);
    CAPTURE(cols);
    CAPTURE(bytes);
    CHECK(fits);
    CHECK(visits == std::vector<int>(static_cast<std::size_t>(rows * cols), 1));
  }
}

TEST_CASE("a packed operand is cut into slabs that fill buffers, two orders into near squares") {
  tensor_operand const o = packed_matrix(10000, 1000, 4);
  box_grid const slabs = cut(&o, 1, 1 << 20);
  CHECK(slabs.step[1] == 256);  // of the 262 rows that fit
  CHECK(slabs.step[2] == 1000);
  tensor_operand const both[] = {packed_matrix(10000, 10000, 4),
                                 packed_matrix(10000, 10000, 4, true)};
  box_grid const tiles = cut(both, 2, 1 << 20);
  CHECK(tiles.step[1] < 2 * tiles.step[2]);
  CHECK(tiles.step[2] < 2 * tiles.step[1]);
  CHECK(tiles.step[1] * tiles.step[2] * 4 > (1 << 19));
}

TEST_CASE("pageable memory is packed by some of many cores, and by all of few") {
  CHECK(packing_threads(1, 1) == 1);
  CHECK(packing_threads(3, 1) == 3);
  CHECK(packing_threads(16, 1) == 12);
  CHECK(packing_threads(64, 1) == 24);
  CHECK(packing_threads(64, 2) == 16);
  CHECK(packing_threads(2, 4) == 1);
}

TEST_CASE("rows of a packed part are aligned, backwards dimensions stay backwards") {
  tensor_operand o = packed_matrix(3, 333, 4);
  o.dimensions[1].stride = -400;
  alignas(16) static char memory[8192];
  tensor_operand const packed = packed_as(o, memory);
  CHECK(packed.dimensions[1].stride == -336);  // 1344 bytes, a multiple of 16
  CHECK(packed.dimensions[2].stride == 1);
  CHECK(packed.data == memory + 2 * 1344);
  CHECK(packed_bytes(o) == 3 * 1344);
}

TEST_CASE("tiles of gemm have every element of C once, in the memory that there is") {
  std::mt19937 random_bits(6);
  for (int again = 0; again < 200; ++again) {
    auto const any = [&](index most) { return 1 + static_cast<index>(random_bits()) % most; };
    gemm_traffic t{any(4), any(200), any(200), any(100), 4, 4, 4, true, 0, 0, 0, 4};
    index const limit = 2000 << (random_bits() % 12);
    gemm_tiles const tiles = choose_gemm_tiles(t, limit);
    if (!tiles.is_found()) {
      CHECK(limit < 2 * (4 * 256 + 16 * t.k + 4 * t.k) * 2);
      continue;
    }
    CHECK(bytes_taken(t, tiles) <= limit);
    std::vector<int> visits(static_cast<std::size_t>(t.batch * t.rows * t.cols));
    for (index n = 0; n < count_of(t, tiles); ++n) {
      gemm_tile const at = tile_at(t, tiles, n);
      for (index m = at.first_matrix; m < at.first_matrix + at.matrices; ++m)
        for (index i = at.first_row; i < at.first_row + at.rows; ++i)
          for (index j = at.first_col; j < at.first_col + at.cols; ++j)
            ++visits[static_cast<std::size_t>((m * t.rows + i) * t.cols + j)];
    }
    CHECK(visits == std::vector<int>(visits.size(), 1));
  }
}

TEST_CASE("a gemm that moves nothing is one tile, of any batch") {
  gemm_traffic const t{3, 20, 30, 40, 0, 0, 0, false, 0, 0, 0, 4};
  gemm_tiles const tiles = choose_gemm_tiles(t, 1);
  CHECK(tiles.is_found());
  CHECK(count_of(t, tiles) == 1);
}

TEST_CASE("a product that fits crosses once, and its tiles leave kernels their waves") {
  index const gigabyte = index{1} << 30;
  gemm_traffic const t{1, 16384, 16384, 16384, 4, 4, 4, false, 0, 0, 0, 4};
  gemm_tiles const tiles = choose_gemm_tiles(t, 40 * gigabyte);
  CHECK(bytes_read(t, tiles) == 2 * gigabyte);
  CHECK(tiles.rows * tiles.cols >= 4 * 132 * 128 * 128);
  CHECK(count_of(t, tiles) > 1);  // so that loads are hidden
  gemm_tiles const tight = choose_gemm_tiles(t, gigabyte);
  CHECK(bytes_read(t, tight) < 8 * gigabyte);
  // 1 TB operands: B passes once for every panel of A that a third of 40 GB holds.
  gemm_traffic const huge{1, 500000, 500000, 500000, 4, 4, 4, false, 0, 0, 0, 4};
  gemm_tiles const streamed = choose_gemm_tiles(huge, 40 * gigabyte);
  CHECK(streamed.is_found());
  CHECK(std::max(streamed.rows, streamed.cols) >= 7000);
}

}  // namespace
