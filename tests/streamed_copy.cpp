// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Matrices beyond the second-level caches, which omp writes past them: against the reference, whole
// memory compared.

#include "cases.hpp"
#include "elements.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

namespace {

using cases::index;
using cases::layout;
using cases::pattern;

// With as much output more than two threads' caches of 2 MB.
constexpr index matrix_bytes = (2 << 20) + (1 << 18);

using bytes = std::vector<aligned_element<64>>;

bytes storage_for(layout const& l, std::size_t element) {
  bytes storage((static_cast<std::size_t>(l.storage) * element + 63) / 64);
  std::memset(static_cast<void*>(storage.data()), 0xA5, storage.size() * 64);
  return storage;
}

bool are_equal(bytes const& a, bytes const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * 64) == 0;
}

template <class T>
xpose::matrix_view<T> view_of(layout const& l, bytes& storage) {
  return {reinterpret_cast<T*>(storage.data()) + l.offset, l.rows, l.cols,
          xpose::strided{l.row_stride, l.col_stride}};
}

/// What a call leaves in poisoned memory of a layout.
template <class Out, class Call>
bytes result_of(layout const& l, Call const& call) {
  bytes storage = storage_for(l, sizeof(Out));
  call(view_of<Out>(l, storage));
  return storage;
}

bytes pattern_in(layout const& l, std::size_t element) {
  bytes storage = storage_for(l, element);
  fill_with_pattern(reinterpret_cast<std::byte*>(storage.data()), storage.size() * 64);
  return storage;
}

/// transpose and copy of rows x cols from and to the patterns that kernels tell apart.
template <class In, class Out, class F>
void check_against_reference(index rows, index cols, F const& f) {
  constexpr pattern ins[] = {pattern::row_major, pattern::padded_cols, pattern::negative_both,
                             pattern::odd_offset};
  constexpr pattern outs[] = {pattern::row_major, pattern::padded_rows, pattern::spread};
  CAPTURE(sizeof(In));
  CAPTURE(sizeof(Out));
  for (auto const in_pattern : ins) {
    layout const in = cases::place(in_pattern, rows, cols);
    bytes source = pattern_in(in, sizeof(In));
    auto const from = view_of<In const>(in, source);
    for (auto const out_pattern : outs)
      for (bool const turns : {true, false}) {
        layout const out =
            turns ? cases::place(out_pattern, cols, rows) : cases::place(out_pattern, rows, cols);
        CAPTURE(in);
        CAPTURE(out);
        CAPTURE(turns);
        auto const on = [&](auto const& policy) {
          return result_of<Out>(out, [&](auto const& to) {
            if (turns) xpose::transpose(policy, from, to, f);
            else xpose::copy(policy, from, to, f);
          });
        };
        auto const expected = on(xpose::seq);
        bool const is_right_alone = are_equal(on(xpose::omp.with(xpose::threads{1})), expected);
        bool const is_right_in_team = are_equal(on(xpose::omp.with(xpose::threads{2})), expected);
        CHECK(is_right_alone);
        CHECK(is_right_in_team);
      }
  }
}

/// Both sides whole lines; a prime and an odd one; a few long rows.
template <class In, class Out, class F>
void check_shapes(F const& f) {
  index const elements = matrix_bytes / index{sizeof(Out)};
  check_against_reference<In, Out>(512, elements / 512, f);
  check_against_reference<In, Out>(1031, elements / 1031 | 1, f);
  check_against_reference<In, Out>(5, elements / 5, f);
}

TEST_CASE("omp moves elements of any size past the caches") {
  for_each_element_size([](auto sample) {
    using T = typename decltype(sample)::type;
    check_shapes<T, T>(xpose::identity{});
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
}

struct block {
  std::uint32_t words[5000];  // larger than the stage of a tile
};

TEST_CASE("omp calculates elements that are larger than its stage") {
  layout const in = cases::place(pattern::row_major, 7, 41);
  bytes source = pattern_in(in, 4);
  auto const from = view_of<std::uint32_t const>(in, source);
  auto const f = [](std::uint32_t x) {
    block b{};
    b.words[x % 5000] = x;
    return b;
  };
  layout const turned = cases::place(pattern::row_major, 41, 7);
  auto const transposed_on = [&](auto const& policy) {
    return result_of<block>(turned, [&](auto const& to) { xpose::transpose(policy, from, to, f); });
  };
  auto const copied_on = [&](auto const& policy) {
    return result_of<block>(in, [&](auto const& to) { xpose::copy(policy, from, to, f); });
  };
  bool const transposes = are_equal(transposed_on(xpose::omp), transposed_on(xpose::seq));
  bool const copies = are_equal(copied_on(xpose::omp), copied_on(xpose::seq));
  CHECK(transposes);
  CHECK(copies);
}

}  // namespace
