// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The host-side plan alone: no memory is touched, addresses are made up.

#include <xpose/backends/core/problems/copy_plan.hpp>
#include <xpose/backends/cuda/memory/pieces.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>

TEST_SUITE_BEGIN("copy_plan");

namespace {

using xpose::index;
using xpose::detail::class_of;
using xpose::detail::copy_plan;
using xpose::detail::plan_elements;
using xpose::detail::plan_runs;
using xpose::detail::shape_class;
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

TEST_CASE("a contiguous copy becomes one run of bytes") {
  auto const plan = plan_runs(at(4096, 1, 30, 40, 0, 40, 1, 4), at(8192, 1, 30, 40, 0, 40, 1, 4));
  CHECK(plan.count == 1);
  CHECK(plan.dimensions[0].extent == 4800);
  CHECK(plan.units == 4800);
  CHECK(class_of(plan) == shape_class::run);
}

TEST_CASE("a batch of contiguous matrices is one run, backwards on both sides too") {
  auto const forward = plan_runs(at(4096, 5, 6, 8, 48, 8, 1, 2), at(8192, 5, 6, 8, 48, 8, 1, 2));
  CHECK(forward.count == 1);
  CHECK(forward.units == 5 * 48 * 2);
  auto const backward = plan_runs(at(4096, 1, 6, 8, 0, -8, -1, 2), at(8192, 1, 6, 8, 0, -8, -1, 2));
  CHECK(backward.count == 1);
  CHECK(backward.out_offset == -47 * 2);
  CHECK(backward.in_offset == -47 * 2);
}

TEST_CASE("a transpose keeps two dimensions of whole elements and turns") {
  auto const plan =
      plan_runs(at(4096, 1, 200, 300, 0, 1, 200, 4), at(8192, 1, 200, 300, 0, 300, 1, 4));
  CHECK(plan.count == 3);
  CHECK(plan.dimensions[0].extent == 4);
  CHECK(plan.dimensions[1].extent == 300);
  CHECK(plan.dimensions[1].in_stride == 800);
  CHECK(plan.dimensions[1].out_stride == 4);
  CHECK(plan.in_fastest == 2);
  CHECK(plan.transposes());
  CHECK(class_of(plan) == shape_class::transposed);
}

TEST_CASE("the bytes of an element are the run that a transpose moves, whatever their number") {
  auto const plan = plan_runs(at(4096, 1, 20, 30, 0, 1, 20, 12), at(8192, 1, 20, 30, 0, 30, 1, 12));
  CHECK(plan.dimensions[0].extent == 12);
  CHECK(plan.units == 20 * 30 * 12);
}

TEST_CASE("dimensions of one element vanish and a broadcast input is not taken for a fast one") {
  auto const row = plan_runs(at(4096, 1, 1, 30, 0, 77, 2, 4), at(8192, 1, 1, 30, 0, 99, 3, 4));
  CHECK(row.count == 2);
  auto const single = plan_runs(at(4096, 1, 1, 1, 0, 5, 7, 4), at(8192, 1, 1, 1, 0, 3, 2, 4));
  CHECK(single.count == 1);
  CHECK(single.units == 4);
  auto const repeated =
      plan_runs(at(4096, 1, 20, 30, 0, 0, 1, 4), at(8192, 1, 20, 30, 0, 30, 1, 4));
  CHECK(repeated.in_fastest == 0);
}

TEST_CASE("an empty extent leaves nothing to do") {
  auto const nothing = plan_runs(at(0, 1, 0, 30, 0, 30, 1, 4), at(0, 1, 0, 30, 0, 30, 1, 4));
  CHECK(nothing.units == 0);
  CHECK(plan_elements(at(0, 0, 3, 4, 0, 4, 1, 4), at(0, 0, 3, 4, 0, 4, 1, 4)).units == 0);
}

TEST_CASE("eight dimensions and the bytes of an element fit a plan, and neighbours merge") {
  auto const tensor = [](std::uintptr_t address, std::array<index, 8> const& strides) {
    tensor_operand o = at(address, 1, 1, 1, 0, 0, 0, 3);
    o.count = 8;
    for (std::size_t d = 0; d < 8; ++d) o.dimensions[d] = {d % 2 == 0 ? 2 : 3, strides[d]};
    return o;
  };
  auto const packed = tensor(4096, {648, 216, 108, 36, 18, 6, 3, 1});
  CHECK(plan_runs(packed, tensor(8192, {648, 216, 108, 36, 18, 6, 3, 1})).count == 1);
  auto const reversed = plan_runs(packed, tensor(8192, {1, 2, 6, 12, 36, 72, 216, 432}));
  CHECK(reversed.count == 9);
  CHECK(reversed.units == 1296 * 3);
  auto const two_blocks = plan_elements(packed, tensor(8192, {108, 36, 18, 6, 3, 1, 648, 216}));
  CHECK(two_blocks.count == 2);
  CHECK(two_blocks.units == 1296);
  CHECK(two_blocks.transposes());
}

TEST_CASE("pieces of a plan cover every unit once, within the extents they are asked for") {
  auto const plan =
      plan_runs(at(4096, 3, 7000, 45, 400000, 1, 7001, 4), at(8192, 3, 7000, 45, 330000, 45, 1, 4));
  index covered = 0;
  index next = plan.out_offset;
  xpose::detail::for_each_piece(plan, {100000, 6000, true}, [&](copy_plan const& piece) {
    covered += piece.units;
    CHECK(piece.units <= 100000);
    CHECK(piece.dimensions[0].extent == 4);
    CHECK(piece.dimensions[1].extent <= 6000);
    CHECK(piece.count == plan.count);
    index units = 1;
    for (int d = 0; d < piece.count; ++d) units *= piece.dimensions[d].extent;
    CHECK(piece.units == units);
    CHECK(piece.out_offset >= next);
    next = piece.out_offset;
  });
  CHECK(covered == plan.units);
  int pieces = 0;
  xpose::detail::for_each_piece(plan, {plan.units, 7000, true},
                                [&](copy_plan const&) { ++pieces; });
  CHECK(pieces == 1);
}

}  // namespace

TEST_SUITE_END();
