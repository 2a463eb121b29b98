// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// transpose and copy past the caches on omp, between guards.

#include "cases/copy_case.hpp"
#include "cases/streamed.hpp"

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("transpose.streamed");

namespace {

using cases::index;
using cases::pattern;

/// transpose and copy from and to the patterns that kernels tell apart.
template <class In, class Out, class F = xpose::identity>
void check_shapes(F const& f = {}) {
  constexpr pattern ins[] = {pattern::row_major, pattern::padded_cols, pattern::negative_both,
                             pattern::odd_offset};
  constexpr pattern outs[] = {pattern::row_major, pattern::padded_rows};
  int turn = 0;
  for (auto const& extents : streamed::shapes(sizeof(In) + sizeof(Out))) {
    ++turn;
    for (auto const in_pattern : ins)
      streamed::on_both_sides(++turn, [&](backend const& on) {
        auto const [rows, cols] = extents;
        matrix<In> in(on.where, rows, cols, in_pattern);
        in.fill_with_bytes();
        for (auto const out : outs) {
          check_copy<Out>(on, transpose_case(in_pattern, out, rows, cols), in, f);
          check_copy<Out>(on, plain_copy_case(in_pattern, out, rows, cols), in, f);
        }
      });
  }
}

TEST_CASE("omp moves elements of any size past the caches") {
  for_each_element_size([](auto sample) {
    using T = typename decltype(sample)::type;
    check_shapes<T, T>();
  });
}

TEST_CASE("omp calculates elements of other sizes past the caches") {
  check_shapes<std::uint32_t, std::uint16_t>(
      [](std::uint32_t x) { return static_cast<std::uint16_t>(x ^ (x >> 16)); });
  check_shapes<std::uint16_t, std::uint32_t>([](std::uint16_t x) { return x * 0x10001u; });
  check_shapes<std::uint64_t, std::uint8_t>(
      [](std::uint64_t x) { return static_cast<std::uint8_t>(x ^ (x >> 56)); });
  check_shapes<std::uint8_t, aligned_element<16>>([](std::uint8_t x) {
    aligned_element<16> y{};
    y.bytes[x % 16] = x;
    return y;
  });
  check_shapes<std::uint32_t, element<12>>([](std::uint32_t x) {
    element<12> y{};
    std::memcpy(y.bytes + 4, &x, 4);
    return y;
  });
  check_shapes<std::int32_t, float>(xpose::cast<float>{});
  check_shapes<float, xpose::bfloat16>(xpose::cast<xpose::bfloat16>{});
  check_shapes<xpose::bfloat16, float>(xpose::cast<float>{});
  check_shapes<std::uint64_t, std::int32_t>(xpose::cast<std::int32_t>{});
}

struct block {
  std::uint32_t words[5000];  // larger than the stage of a tile
};

TEST_CASE("omp calculates elements that are larger than its stage") {
  auto const f = [](std::uint32_t x) {
    block b{};
    b.words[x % 5000] = x;
    return b;
  };
  streamed::on_both_sides(0, [&](backend const& on) {
    matrix<std::uint32_t> in(on.where, 7, 41, pattern::row_major);
    in.fill_with_bytes();
    check_copy<block>(on, transpose_case(pattern::row_major, pattern::row_major, 7, 41), in, f);
    check_copy<block>(on, plain_copy_case(pattern::row_major, pattern::row_major, 7, 41), in, f);
  });
}

}  // namespace

TEST_SUITE_END();
