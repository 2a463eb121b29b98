// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Which kernel of the cuda backend turns which matrix in place, and that it moves every byte:
// against plain loops on the host. Every case needs a GPU.

#include "cases/elements.hpp"
#include "support/backends.hpp"

#include <doctest/doctest.h>

#include <ostream>
#include <vector>

TEST_SUITE_BEGIN("cuda.transpose_inplace");

namespace {

using xpose::index;
using xpose::operation;

/// Rows x cols matrices; a pad behind every row, a gap behind every matrix and the place of the
/// first element in elements.
struct inplace_shape {
  index rows, cols;
  index batch = 1;
  index pad = 0;
  index at = 0;
  index gap = 0;
};

std::ostream& operator<<(std::ostream& out, inplace_shape const& s) {
  return out << s.batch << " of " << s.rows << 'x' << s.cols << ", pad " << s.pad << ", at " << s.at
             << ", gap " << s.gap;
}

/// Elements of Bytes bytes; compares all memory.
template <int Bytes>
void check(inplace_shape const& s, std::string const& kernel) {
  using T = element<Bytes>;
  CAPTURE(Bytes);
  CAPTURE(s);
  index const pitch = s.cols + s.pad;
  index const step = s.rows * pitch + s.gap;
  auto const bytes = static_cast<std::size_t>((s.batch * step + s.at) * Bytes);
  image memory(place::device, bytes);
  fill_with_pattern(memory.host(), bytes);
  memory.send();
  std::vector<std::byte> const before(memory.host(), memory.host() + bytes);
  auto const view = [&](std::byte* data) {
    return xpose::batch_view<T>(reinterpret_cast<T*>(data) + s.at, s.batch, s.rows, s.cols,
                                xpose::strided{pitch, 1}, step);
  };
  CHECK(xpose::explain(xpose::cuda.strict(), operation::transpose_inplace, view(memory.there()))
            .kernel == kernel);
  xpose::transpose_inplace(xpose::cuda.strict(), view(memory.there()));

  index const turned_pitch = s.rows == s.cols ? pitch : s.rows;
  auto const* const from = reinterpret_cast<T const*>(before.data()) + s.at;
  auto* const to = reinterpret_cast<T*>(memory.host()) + s.at;
  for (index m = 0; m < s.batch; ++m)
    for (index i = 0; i < s.rows; ++i)
      for (index j = 0; j < s.cols; ++j)
        to[m * step + j * turned_pitch + i] = from[m * step + i * pitch + j];
  bool const is_right = memory.is_as_on_host();
  CHECK(is_right);
}

std::string of(char const* kernel, int word) {
  return std::string(kernel) + '<' + std::to_string(word) + '>';
}

template <int Bytes>
void check_squares() {
  std::string const aligned = of("swap_aligned", Bytes);
  std::string const unaligned = Bytes == 1    ? "swap_unaligned_bytes<1>"
                                : Bytes == 16 ? "swap_aligned<16>"
                                              : of("swap_unaligned", Bytes);
  constexpr index chunk = 16 / Bytes;
  // Tiles of bytes and 2 bytes for any address are for many pairs of tiles.
  constexpr index many = Bytes <= 2 ? 51 : 2;
  std::string const few = Bytes <= 2 ? of("swap_strided", Bytes) : unaligned;
  check<Bytes>({128, 128}, aligned);
  check<Bytes>({288, 288, 3, 2 * chunk, chunk, chunk}, aligned);
  check<Bytes>({304, 304, 1, 16}, aligned);
  for (index const side : {2, 7, 63, 65, 129, 257, 300})
    for (index const at : {0, 1, 5})
      check<Bytes>({side, side, many, 17 - side % 16, at, 1}, unaligned);
  check<Bytes>({301, 301}, few);
  check<Bytes>({501, 501}, few);
  // Many tiles along a side, taken in bands.
  check<Bytes>({2064, 2064}, aligned);
  check<Bytes>({2611, 2611}, unaligned);
  check<Bytes>({2576, 2576, 1, 1, 3}, unaligned);
}

TEST_CASE("squares turned in place run on the kernel of their alignment on cuda") {
  if (!needs_gpu()) return;
  check_squares<1>();
  check_squares<2>();
  check_squares<4>();
  check_squares<8>();
  check_squares<16>();
  // Further sizes of tiles.
  check<1>({4133, 4133}, "swap_unaligned_bytes<1>");
  check<1>({4224, 4224}, "swap_aligned<1>");
  check<1>({12032, 12032}, "swap_aligned<1>");
  check<2>({5013, 5013}, "swap_unaligned<2>");
  check<2>({5056, 5056}, "swap_aligned<2>");
  check<2>({5014, 5014}, "swap_unaligned<2>");
  check<4>({1443, 1443}, "swap_unaligned<4>");
  check<4>({1664, 1664}, "swap_aligned<4>");
  check<4>({8209, 8209}, "swap_unaligned<4>");
  check<8>({1443, 1443}, "swap_unaligned<8>");
  check<16>({1001, 1001}, "swap_aligned<16>");
  check<16>({1000, 1000}, "swap_aligned<16>");
  check<16>({4097, 4097}, "swap_aligned<16>");
  // Rows that begin at 16 bytes within cache lines.
  check<1>({4112, 4112}, "swap_aligned<1>");
  check<2>({5016, 5016}, "swap_unaligned<2>");
  check<4>({4132, 4132}, "swap_aligned<4>");
  check<8>({2050, 2050}, "swap_unaligned<8>");
}

TEST_CASE("squares of 3 bytes are transposed in place in tiles where there are many on cuda") {
  if (!needs_gpu()) return;
  check<3>({301, 301}, "swap_strided<1,3>");
  for (index const side : {641, 704, 706, 707, 1000, 4099, 4100})
    check<3>({side, side}, "swap_unaligned<1,3>");
  for (index const at : {0, 1, 5}) check<3>({129, 129, 17, 3, at, 1}, "swap_unaligned<1,3>");
  check<3>({65, 65, 51, 0, 2, 7}, "swap_unaligned<1,3>");
}

TEST_CASE("squares of other elements are transposed in place word by word on cuda") {
  if (!needs_gpu()) return;
  check<6>({300, 300, 2, 1, 1}, "swap_strided<2,3>");
  check<12>({301, 301}, "swap_strided<4,3>");
  check<24>({301, 301}, "swap_strided<8,3>");
  check<32>({130, 130}, "swap_strided<16,2>");
  check<5>({130, 130}, "swap_strided<1>");
  check<40>({130, 130}, "swap_strided<8>");
}

TEST_CASE(
    "a small rectangle is transposed in place by one block, a larger one by a cluster on cuda") {
  if (!needs_gpu()) return;
  check<1>({80, 27}, "transpose_small_batched_quads<1>");
  check<1>({27, 80, 1, 0, 3}, "transpose_small_batched<1>");
  check<1>({64, 32}, "transpose_small_batched_bytes<1>");
  check<3>({50, 70}, "transpose_small_batched<1>");
  check<4>({40, 13}, "transpose_small_batched<4>");
  check<8>({45, 40}, "transpose_small_batched<8>");  // 14 KB
  check<8>({65, 63}, "transpose_small_batched<8>");  // 32 KB
  check<8>({65, 64}, "transpose_in_cluster<8>");
}

// The last of eight parts has fewer rows or columns than the others, or none.
TEST_CASE("a rectangle is transposed in place by the blocks of a cluster on cuda") {
  if (!needs_gpu()) return;
  check<1>({201, 301}, "transpose_in_cluster<1>");
  check<1>({301, 201, 1, 0, 3}, "transpose_in_cluster<1>");
  check<1>({9, 7000}, "transpose_in_cluster<1>");
  check<2>({142, 427}, "transpose_in_cluster<2>");
  check<2>({3, 20001, 3, 0, 1, 5}, "transpose_in_cluster<2>");
  check<3>({113, 347, 1, 0, 1}, "transpose_in_cluster<1,3>");
  check<4>({101, 302, 1, 0, 3}, "transpose_in_cluster<4>");
  check<4>({256, 511, 16}, "transpose_in_cluster<4>");
  check<4>({30000, 2}, "transpose_in_cluster<4>");
  check<4>({100, 60, 3, 0, 0, 1}, "transpose_in_cluster<4>");
  check<8>({71, 213, 40, 0, 1, 1}, "transpose_in_cluster<8>");
  check<8>({4, 13100}, "transpose_in_cluster<8>");
  check<8>({6001, 5}, "transpose_in_cluster<8>");
  check<12>({59, 61, 1, 0, 1}, "transpose_in_cluster<4,3>");
  check<16>({50, 151}, "transpose_in_cluster<16>");
  check<16>({49, 48}, "transpose_in_cluster<16>");
  check<16>({48, 49}, "transpose_in_cluster<16>");
  check<6>({150, 151}, "transpose_through_workspace");
  check<4>({256, 511, 15}, "transpose_through_workspace");
  check<16>({211, 210, 16}, "transpose_through_workspace");
}

TEST_CASE("matrices of a batch are transposed in place by a block each if it holds them on cuda") {
  if (!needs_gpu()) return;
  check<4>({66, 66, 163}, "transpose_small_batched<4>");
  check<1>({132, 132, 64}, "transpose_small_batched_bytes<1>");
  check<1>({127, 127, 301}, "transpose_small_batched_quads<1>");
  check<1>({64, 64, 301, 0, 3}, "transpose_small_batched_quads<1>");
  check<4>({66, 66, 63}, "swap_unaligned<4>");      // too few
  check<4>({66, 66, 163, 1}, "swap_unaligned<4>");  // gaps
  check<4>({266, 266, 64}, "swap_unaligned<4>");    // too large
  check<4>({7, 5, 1001}, "transpose_small_batched<4>");
  check<1>({8, 12, 1001}, "transpose_small_batched_bytes<1>");
  check<4>({7, 5, 1001, 0, 1, 3}, "transpose_small_scattered<4>");
  check<4>({100, 60, 30}, "transpose_small_batched<4>");        // 24 KB
  check<2>({150, 201, 30}, "transpose_small_batched<2>");       // 60 KB
  check<8>({120, 130, 5, 0, 1}, "transpose_small_batched<8>");  // 125 KB
  check<1>({400, 450, 3}, "transpose_small_batched<1>");        // 180 KB
  check<4>({400, 450, 3}, "transpose_through_workspace");
  check<4>({1200, 1001, 7},
           "transpose_through_workspace");  // more than the workspace holds at a time
}

}  // namespace

TEST_SUITE_END();
