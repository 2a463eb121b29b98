// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The host-side plan alone: no memory is touched, addresses are made up.

#include <xpose/backends/copy_plan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace {

using xpose::index;
using xpose::detail::copy_plan;
using xpose::detail::plan_elements;
using xpose::detail::plan_words;
using xpose::detail::tensor_operand;

tensor_operand at(std::uintptr_t address, index batch, index rows, index cols, index batch_stride,
                  index row_stride, index col_stride, int bytes) {
  return {reinterpret_cast<void const*>(address),
          3,
          {{batch, batch_stride}, {rows, row_stride}, {cols, col_stride}},
          bytes,
          1,
          xpose::detail::element_type::other,
          false,
          true};
}

TEST_CASE("a contiguous copy becomes one run of the widest words") {
  auto const plan = plan_words(at(4096, 1, 30, 40, 0, 40, 1, 4), at(8192, 1, 30, 40, 0, 40, 1, 4));
  CHECK(plan.count == 1);
  CHECK(plan.bytes_per_unit == 16);
  CHECK(plan.dimensions[0].extent == 300);
  CHECK(plan.units == 300);
  CHECK_FALSE(plan.turns());
}

TEST_CASE("a batch of contiguous matrices is one run, backwards on both sides too") {
  auto const forward = plan_words(at(4096, 5, 6, 8, 48, 8, 1, 2), at(8192, 5, 6, 8, 48, 8, 1, 2));
  CHECK(forward.count == 1);
  CHECK(forward.units * forward.bytes_per_unit == 5 * 48 * 2);
  auto const backward =
      plan_words(at(4096, 1, 6, 8, 0, -8, -1, 2), at(8192, 1, 6, 8, 0, -8, -1, 2));
  CHECK(backward.count == 1);
  CHECK(backward.out_offset == -47 * 2);
  CHECK(backward.in_offset == -47 * 2);
}

TEST_CASE("a transpose keeps two dimensions of whole elements and turns") {
  auto const plan =
      plan_words(at(4096, 1, 200, 300, 0, 1, 200, 4), at(8192, 1, 200, 300, 0, 300, 1, 4));
  CHECK(plan.count == 2);
  CHECK(plan.bytes_per_unit == 4);
  CHECK(plan.dimensions[0].extent == 300);
  CHECK(plan.dimensions[0].in_stride == 200);
  CHECK(plan.dimensions[0].out_stride == 1);
  CHECK(plan.in_fastest == 1);
  CHECK(plan.turns());
}

TEST_CASE("elements that are no power of two become runs of smaller words") {
  auto const plan =
      plan_words(at(4096, 1, 20, 30, 0, 1, 20, 12), at(8192, 1, 20, 30, 0, 30, 1, 12));
  CHECK(plan.bytes_per_unit == 4);
  CHECK(plan.dimensions[0].extent == 3);
  CHECK(plan.units == 20 * 30 * 3);
  auto const bytes = plan_words(at(4096, 1, 20, 30, 0, 1, 20, 3), at(8192, 1, 20, 30, 0, 30, 1, 3));
  CHECK(bytes.bytes_per_unit == 1);
}

TEST_CASE("a word is never wider than the addresses and strides allow") {
  auto const odd_address =
      plan_words(at(4098, 1, 20, 30, 0, 30, 1, 2), at(8192, 1, 20, 30, 0, 30, 1, 2));
  CHECK(odd_address.bytes_per_unit == 2);
  auto const odd_ld =
      plan_words(at(4096, 1, 20, 32, 0, 33, 1, 4), at(8192, 1, 20, 32, 0, 32, 1, 4));
  CHECK(odd_ld.bytes_per_unit == 4);
  auto const aligned_ld =
      plan_words(at(4096, 1, 20, 32, 0, 36, 1, 4), at(8192, 1, 20, 32, 0, 32, 1, 4));
  CHECK(aligned_ld.bytes_per_unit == 16);
  auto const half_aligned =
      plan_words(at(4104, 1, 20, 30, 0, 1, 20, 16), at(8192, 1, 20, 30, 0, 30, 1, 16));
  CHECK(half_aligned.bytes_per_unit == 8);
}

TEST_CASE("dimensions of one element vanish and a broadcast input is not taken for a fast one") {
  auto const row = plan_words(at(4096, 1, 1, 30, 0, 77, 2, 4), at(8192, 1, 1, 30, 0, 99, 3, 4));
  CHECK(row.count == 1);
  auto const single = plan_words(at(4096, 1, 1, 1, 0, 5, 7, 4), at(8192, 1, 1, 1, 0, 3, 2, 4));
  CHECK(single.count == 1);
  CHECK(single.units == 1);
  auto const repeated =
      plan_words(at(4096, 1, 20, 30, 0, 0, 1, 4), at(8192, 1, 20, 30, 0, 30, 1, 4));
  CHECK_FALSE(repeated.turns());
}

TEST_CASE("an empty extent leaves nothing to do") {
  auto const nothing = plan_words(at(0, 1, 0, 30, 0, 30, 1, 4), at(0, 1, 0, 30, 0, 30, 1, 4));
  CHECK(nothing.units == 0);
  CHECK(plan_elements(at(0, 0, 3, 4, 0, 4, 1, 4), at(0, 0, 3, 4, 0, 4, 1, 4)).units == 0);
}

TEST_CASE("offsets past 31 bits are not narrow") {
  index const large = index{1} << 31;
  CHECK(plan_words(at(4096, 1, 100, 100, 0, 1, 100, 4), at(8192, 1, 100, 100, 0, 100, 1, 4))
            .is_narrow());
  CHECK_FALSE(
      plan_words(at(4096, 1, 2, 3, 0, large, 1, 1), at(8192, 1, 2, 3, 0, 3, 1, 1)).is_narrow());
  CHECK_FALSE(
      plan_words(at(4096, 1, 2, 3, 0, 1, 2, 1), at(8192, 1, 2, 3, 0, large, 1, 1)).is_narrow());
  CHECK_FALSE(
      plan_words(at(4096, 1, 2, 3, 0, 1, -large, 1), at(8192, 1, 2, 3, 0, 3, 1, 1)).is_narrow());
  CHECK_FALSE(plan_words(at(4096, 1, 65536, 32771, 0, 1, 65536, 1),
                         at(8192, 1, 65536, 32771, 0, 32771, 1, 1))
                  .is_narrow());
}

TEST_CASE("eight dimensions and the word of an element fit a plan, and neighbours merge") {
  auto const tensor = [](std::uintptr_t address, std::array<index, 8> const& strides) {
    tensor_operand o = at(address, 1, 1, 1, 0, 0, 0, 3);
    o.count = 8;
    for (std::size_t d = 0; d < 8; ++d) o.dimensions[d] = {d % 2 == 0 ? 2 : 3, strides[d]};
    return o;
  };
  auto const packed = tensor(4096, {648, 216, 108, 36, 18, 6, 3, 1});
  CHECK(plan_words(packed, tensor(8192, {648, 216, 108, 36, 18, 6, 3, 1})).count == 1);
  auto const reversed = plan_words(packed, tensor(8192, {1, 2, 6, 12, 36, 72, 216, 432}));
  CHECK(reversed.count == 9);
  CHECK(reversed.units == 1296 * 3);
  CHECK(reversed.bytes_per_unit == 1);
  auto const two_blocks = plan_elements(packed, tensor(8192, {108, 36, 18, 6, 3, 1, 648, 216}));
  CHECK(two_blocks.count == 2);
  CHECK(two_blocks.units == 1296);
  CHECK(two_blocks.turns());
}

TEST_CASE("tiles cover every unit once") {
  auto const plan =
      plan_elements(at(4096, 3, 70, 45, 5000, 1, 71, 4), at(8192, 3, 70, 45, 4000, 45, 1, 2));
  xpose::detail::tile_grid<index> grid;
  index const tiles = cut_into_tiles(plan, 32, 32, grid);
  CHECK(tiles == 3 * 3 * 2);
  index covered = 0;
  for (index t = 0; t < tiles; ++t) {
    auto const origin = grid.at(t);
    covered += std::min<index>(32, grid.dimensions[0].extent - origin.first) *
               std::min<index>(32, grid.dimensions[grid.second].extent - origin.second);
  }
  CHECK(covered == plan.units);
}

}  // namespace
