// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Whether two operands share memory, against counting their bytes; and what calls make of it.

#include "support/refusal.hpp"

#include <xpose/backends/core/checks/overlap.hpp>
#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <array>
#include <bitset>
#include <random>
#include <string>
#include <vector>

TEST_SUITE_BEGIN("checks");

namespace {

using xpose::batch_view;
using xpose::index;
using xpose::matrix_view;
using xpose::strided;
using xpose::tensor_view;
using xpose::detail::overlap;
using xpose::detail::tensor_operand;

constexpr std::size_t bytes_of_memory = 8192;
using marked_bytes = std::bitset<bytes_of_memory>;

/// The bytes of an operand within `memory`.
void mark(marked_bytes& marks, tensor_operand const& o, char const* memory, int d = 0,
          index elements = 0) {
  if (d < o.count) {
    for (index i = 0; i < o.dimensions[d].extent; ++i)
      mark(marks, o, memory, d + 1, elements + i * o.dimensions[d].stride);
    return;
  }
  index const first = static_cast<char const*>(o.data) - memory + elements * o.bytes_per_element;
  for (index b = first; b < first + o.bytes_per_element; ++b)
    marks.set(static_cast<std::size_t>(b));
}

/// Small operands around the middle of `memory`, half of them with steps of the one before.
class random_operands {
 public:
  explicit random_operands(char* memory) : memory_(memory) {}

  tensor_operand next() {
    int const sizes[] = {1, 2, 3, 4, 8};
    tensor_operand o = last_;
    bool const keeps_steps = last_.count > 0 && number(0, 1) == 1;
    if (!keeps_steps) {
      o.count = number(1, 4);
      o.bytes_per_element = sizes[number(0, 4)];
      int const longest = number(2, 15);
      for (int d = 0; d < o.count; ++d) o.dimensions[d].stride = number(-longest, longest);
    }
    for (int d = 0; d < o.count; ++d)
      o.dimensions[d].extent = number(0, 20) == 0 ? 0 : number(1, 4);
    o.data = memory_ + bytes_of_memory / 2 + number(-40, 40);
    last_ = o;
    return o;
  }

 private:
  int number(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(generator_);
  }
  std::mt19937 generator_{7};
  char* memory_;
  tensor_operand last_{};
};

TEST_CASE("small operands overlap exactly where they have a byte in common") {
  std::vector<char> memory(bytes_of_memory);
  random_operands operands(memory.data());
  int apart = 0;
  int overlapping = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    tensor_operand const x = operands.next();
    tensor_operand const y = operands.next();
    marked_bytes of_x;
    marked_bytes of_y;
    mark(of_x, x, memory.data());
    mark(of_y, y, memory.data());
    bool const is_shared = (of_x & of_y).any();
    CAPTURE(trial);
    REQUIRE(overlap_of(x, y) == (is_shared ? overlap::some : overlap::none));
    REQUIRE(overlap_of(y, x) == overlap_of(x, y));
    (is_shared ? overlapping : apart) += 1;
  }
  CHECK(apart > 3000);
  CHECK(overlapping > 3000);
}

/// What a copy, or the identity of permute, from one part of an array to another says.
template <class View>
std::string copied(View const& in, View const& out) {
  return refusal<xpose::alias_error>([&] { xpose::copy(xpose::omp, in, out); });
}
template <std::size_t N>
std::string copied(tensor_view<float, N> const& in, tensor_view<float, N> const& out) {
  std::array<int, N> unchanged{};
  for (std::size_t d = 0; d < N; ++d) unchanged[d] = static_cast<int>(d);
  return refusal<xpose::alias_error>([&] { xpose::permute(xpose::omp, in, out, unchanged); });
}

std::string const fine = "nothing thrown";

TEST_CASE("odd and even columns of a matrix are apart whatever its leading dimension") {
  std::vector<float> memory(100 * 101);
  float* const p = memory.data();
  for (index ld = 14; ld <= 16; ++ld) {
    CAPTURE(ld);
    matrix_view<float> const even(p, 5, 7, strided{ld, 2});
    CHECK(copied(even, matrix_view<float>(p + 1, 5, 7, strided{ld, 2})) == fine);
    CHECK(copied(even, matrix_view<float>(p + 2, 5, 7, strided{ld, 2})) != fine);
  }
  // Backwards, in thirds, and transposed onto the other half.
  CHECK(copied(matrix_view<float>(p + 4 * 15 + 12, 5, 7, strided{-15, -2}),
               matrix_view<float>(p + 1, 5, 7, strided{15, 2})) == fine);
  CHECK(copied(matrix_view<float>(p, 60, 33, strided{101, 3}),
               matrix_view<float>(p + 2, 60, 33, strided{101, 3})) == fine);
  CHECK(refusal<xpose::alias_error>([&] {
          xpose::transpose(xpose::omp, matrix_view<float>(p, 50, 50, strided{101, 2}),
                           matrix_view<float>(p + 1, 50, 50, strided{101, 2}));
        }) == fine);
}

TEST_CASE("blocks of columns of one matrix are apart whatever rows they take") {
  constexpr index pitch = 1000, rows = 9000;
  std::vector<float> memory(2 * rows * pitch);
  float* const p = memory.data();
  auto const every_row = [&](index first) {
    return matrix_view<float>(p + first, rows, 10, strided{pitch, 1});
  };
  auto const every_other_row = [&](index first) {
    return matrix_view<float>(p + first, rows, 10, strided{2 * pitch, 1});
  };
  CHECK(copied(every_row(0), every_other_row(500)) == fine);
  CHECK(copied(every_row(500), every_other_row(0)) == fine);
  CHECK(copied(every_row(0), every_other_row(9)) != fine);
}

TEST_CASE("halves of each matrix of a batch are apart whatever the distance of the matrices") {
  std::vector<float> memory(4000);
  float* const p = memory.data();
  for (index distance = 72; distance <= 84; ++distance) {
    CAPTURE(distance);
    auto const columns_from = [&](index first) {
      return xpose::batch(matrix_view<float>(p + first, 6, 4, xpose::row_major, 12), 4, distance);
    };
    CHECK(copied(columns_from(0), columns_from(4)) == fine);
    CHECK(copied(columns_from(0), columns_from(5)) == fine);
    CHECK(copied(columns_from(0), columns_from(3)) != fine);
  }
}

TEST_CASE("halves of padded arrays of three and four dimensions are apart along any dimension") {
  std::vector<float> memory(20000);
  std::array<index, 4> const extents{4, 6, 8, 10};
  for (index pad_rows : {0, 1, 3})
    for (index pad_planes : {0, 1, 5}) {
      index const row = 10 + pad_rows;
      index const plane = 8 * row + pad_planes;
      std::array<index, 4> const strides{6 * plane + 7, plane, row, 1};
      for (std::size_t along = 0; along < 4; ++along) {
        std::array<index, 4> half = extents;
        half[along] /= 2;
        float* const middle = memory.data() + half[along] * strides[along];
        tensor_view<float, 4> const in(memory.data(), half, strides);
        CAPTURE(along);
        CHECK(copied(in, tensor_view<float, 4>(middle, half, strides)) == fine);
        CHECK(copied(in, tensor_view<float, 4>(middle - strides[along], half, strides)) != fine);
        if (along == 0) continue;
        std::array<index, 3> const half3{half[1], half[2], half[3]};
        std::array<index, 3> const strides3{strides[1], strides[2], strides[3]};
        CHECK(copied(tensor_view<float, 3>(memory.data(), half3, strides3),
                     tensor_view<float, 3>(middle, half3, strides3)) == fine);
      }
    }
}

TEST_CASE("operands of different elements are apart where none of their bytes is shared") {
  std::vector<double> memory(300);
  auto const doubles = [&](index first) {
    return matrix_view<double>(memory.data() + first, 10, 5, strided{15, 3});
  };
  auto const floats = [&](index first) {
    return matrix_view<float const>(reinterpret_cast<float*>(memory.data()) + first, 10, 5,
                                    strided{30, 6});
  };
  auto const refused = [&](index first_double, index first_float) {
    return refusal<xpose::alias_error>([&] {
      xpose::copy(xpose::seq, floats(first_float), doubles(first_double), xpose::cast<double>{});
    });
  };
  for (index first = 2; first < 6; ++first) CHECK(refused(0, first) == fine);
  CHECK(refused(0, 0) != fine);
  CHECK(refused(0, 1) != fine);
}

TEST_CASE("a refusal tells operands that overlap from those that could not be shown to be apart") {
  auto* const nowhere = reinterpret_cast<char*>(std::uintptr_t{1} << 40);  // never read
  index const pitch = (index{1} << 20) + 1;
  auto const column = [&](index first, index stride) {
    return matrix_view<char>(nowhere + first, 10000, 1, strided{stride, 1});
  };
  CHECK(copied(column(0, pitch), column(0, pitch)) ==
        "copy: out [0x10000000000, 0x10270f02710) overlaps in [0x10000000000, 0x10270f02710); "
        "the output must have memory of its own");
  CHECK(copied(column(1, pitch + 2), column(0, pitch)) ==
        "copy: out [0x10000000000, 0x10270f02710) could not be shown to be apart from in "
        "[0x10000000001, 0x10270f0752f); the output must have memory of its own");
}

TEST_CASE("a transpose onto its own input is refused with the name of the call that does it") {
  auto* const nowhere = reinterpret_cast<char*>(std::uintptr_t{1} << 40);  // never read
  matrix_view<char> const in(nowhere, 3, 5);
  auto const onto = [&](index first) {
    return refusal<xpose::alias_error>(
        [&] { xpose::transpose(xpose::seq, in, matrix_view<char>(nowhere + first, 5, 3)); });
  };
  CHECK(onto(0) ==
        "transpose: out [0x10000000000, 0x1000000000f) overlaps in [0x10000000000, 0x1000000000f); "
        "the output must have memory of its own; within one memory, call transpose_inplace");
  CHECK(onto(2) ==
        "transpose: out [0x10000000002, 0x10000000011) overlaps in [0x10000000000, 0x1000000000f); "
        "the output must have memory of its own");
}

}  // namespace

TEST_SUITE_END();
