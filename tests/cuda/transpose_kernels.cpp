// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Which kernel of the cuda backend takes which shape, alignment and element size, and that it moves
// every byte: against plain loops on the host. Every case needs a GPU.

#include "cases/elements.hpp"
#include "support/backends.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <ostream>

TEST_SUITE_BEGIN("cuda.transpose");

namespace {

using xpose::index;
using xpose::operation;

/// A transpose of `batch` rows x cols matrices; pads behind every row, gaps behind every matrix and
/// the place of the first element in bytes.
struct transpose_shape {
  index rows, cols;
  index batch = 1;
  index in_pad = 0, out_pad = 0;
  index in_at = 0, out_at = 0;
  index gap = 0;
};

std::ostream& operator<<(std::ostream& out, transpose_shape const& s) {
  return out << s.batch << " of " << s.rows << 'x' << s.cols << ", pads " << s.in_pad << ' '
             << s.out_pad << ", at " << s.in_at << ' ' << s.out_at << ", gap " << s.gap;
}

/// Elements of Bytes bytes at any address; runs the transpose and compares all memory.
template <int Bytes>
struct transpose_on_device {
  using T = element<Bytes>;
  explicit transpose_on_device(transpose_shape const& shape)
      : s(shape),
        in_pitch(s.cols + s.in_pad / Bytes),
        out_pitch(s.rows + s.out_pad / Bytes),
        in_step(s.rows * in_pitch + s.gap / Bytes),
        out_step(s.cols * out_pitch + s.gap / Bytes),
        in(place::device, static_cast<std::size_t>(s.batch * in_step * Bytes + s.in_at)),
        out(place::device, static_cast<std::size_t>(s.batch * out_step * Bytes + s.out_at)) {}

  xpose::batch_view<T> in_view(std::byte* at) const {
    return {reinterpret_cast<T*>(at + s.in_at), s.batch, s.rows, s.cols,
            xpose::strided{in_pitch, 1},        in_step};
  }
  xpose::batch_view<T> out_view(std::byte* at) const {
    return {reinterpret_cast<T*>(at + s.out_at), s.batch, s.cols, s.rows,
            xpose::strided{out_pitch, 1},        out_step};
  }
  std::string kernel() const {
    return xpose::explain(xpose::cuda.strict(), operation::transpose, in_view(in.there()),
                          out_view(out.there()))
        .kernel;
  }
  bool is_right() {
    fill_with_pattern(in.host(), static_cast<std::size_t>(s.batch * in_step * Bytes + s.in_at));
    in.send();
    xpose::transpose(xpose::cuda.strict(), in_view(in.there()), out_view(out.there()));
    auto const from = in_view(in.host());
    auto const to = out_view(out.host());
    constexpr index side = 64;  // blocks: the host's caches have a hard time otherwise
    for (index m = 0; m < s.batch; ++m)
      for (index r = 0; r < s.rows; r += side)
        for (index c = 0; c < s.cols; c += side)
          for (index i = r; i < std::min(r + side, s.rows); ++i)
            for (index j = c; j < std::min(c + side, s.cols); ++j) to[m](j, i) = from[m](i, j);
    return out.is_as_on_host() && in.is_as_on_host();
  }

  transpose_shape s;
  index in_pitch, out_pitch, in_step, out_step;
  image in, out;
};

template <int Bytes>
void check(transpose_shape const& s, std::string const& kernel) {
  CAPTURE(Bytes);
  CAPTURE(s);
  transpose_on_device<Bytes> call(s);
  CHECK(call.kernel() == kernel);
  bool const is_right = call.is_right();
  CHECK(is_right);
}

std::string of(char const* kernel, int word) {
  return std::string(kernel) + '<' + std::to_string(word) + '>';
}

/// The shapes that elements of a power of two have kernels for, around the edges of their tiles.
template <int Bytes>
void check_words() {
  std::string const aligned =
      Bytes == 16 ? "transpose_tile_unaligned<16>" : of("transpose_tile_aligned", Bytes);
  std::string const unaligned =
      Bytes == 1 ? "transpose_tile_unaligned_bytes<1>" : of("transpose_tile_unaligned", Bytes);
  // Up to 2^21 elements of 16 bytes are faster without the wider tiles.
  std::string const in_caches = Bytes == 16 ? "transpose_tile_strided<16>" : aligned;
  constexpr index pad = 32;
  check<Bytes>({1056, 1024}, in_caches);
  check<Bytes>({1024, 1056, 1, pad, pad}, in_caches);
  check<Bytes>({544, 512, 5}, in_caches);
  check<Bytes>({112, 176, 60}, in_caches);  // output rows at 16 bytes: small matrices
  check<Bytes>({2976, 2944}, aligned);      // past 2^23: the large tiles
  check<Bytes>({1451, 1461}, unaligned);
  check<Bytes>({1500, 1440, 1, 3 * Bytes, 5 * Bytes, Bytes, 3 * Bytes}, unaligned);
  check<Bytes>({517, 511, 9, 0, Bytes, 0, Bytes, 7 * Bytes}, unaligned);
  check<Bytes>({2999, 2903}, unaligned);

  check<Bytes>({500, 400}, of("transpose_tile_strided", Bytes));
  if (Bytes == 1) check<Bytes>({1023, 1025}, "transpose_tile_strided<1>");
  check<Bytes>({253, 270, 3, Bytes}, of("transpose_tile_strided", Bytes));

  bool const has_units = Bytes == 4 || Bytes == 8;  // of 4 bytes, of any number of rows
  check<Bytes>({100001, 3}, of(has_units ? "transpose_few_cols" : "transpose_skinny_cols", Bytes));
  check<Bytes>({100001, 3, 1, Bytes, 0, Bytes, Bytes}, of("transpose_skinny_cols", Bytes));
  check<Bytes>({90001, 5}, of("transpose_skinny_cols", Bytes));
  // Of 16 bytes, rows or columns from 12 on.
  std::string const wide = "transpose_tile_strided<16>";
  check<Bytes>({14001, 13, 3}, Bytes == 16 ? wide : of("transpose_skinny_cols", Bytes));
  // Few rows of 8 bytes go in output order up to 2^20, of 16 bytes up to 2^24.
  std::string const rows = of(Bytes == 16 ? "copy_direct" : "transpose_skinny_rows", Bytes);
  check<Bytes>({3, 400001}, rows);
  check<Bytes>({3, 400001, 1, Bytes, Bytes, Bytes, Bytes}, rows);
  check<Bytes>({13, 30001, 3}, Bytes == 16 ? wide : rows);
  check<Bytes>({63, 17001}, Bytes == 16 ? wide : rows);
  if (Bytes == 16) check<Bytes>({11, 1600001}, "transpose_skinny_rows<16>");
  if (Bytes == 16) check<Bytes>({48, 70001}, wide);  // past 2^21: what fills tiles badly

  check<Bytes>({5, 7, 8001}, of("transpose_small_batched", Bytes));
  check<Bytes>({17, 16, 1333, 0, 0, Bytes, Bytes}, of("transpose_small_batched", Bytes));
  check<Bytes>({8, 8, 5000}, Bytes == 1 ? "transpose_small_batched_bytes<1>"
                                        : of("transpose_small_batched", Bytes));
  // Batches whose matrices a block holds whole, though they exceed its smallest stage.
  if (Bytes == 2) check<Bytes>({64, 64, 256}, "transpose_small_batched<2>");
  if (Bytes == 2) check<Bytes>({150, 90, 260}, "transpose_small_batched<2>");
  if (Bytes == 4) check<Bytes>({66, 211, 260}, "transpose_small_batched<4>");
  // Past 32 KB two blocks are resident: those that fill tiles, or are skinny, go in parts.
  if (Bytes == 8) {
    check<Bytes>({65, 66, 260, 0, 0, Bytes, Bytes}, "transpose_small_batched<8>");
    check<Bytes>({100, 60, 260, 0, 0, Bytes, Bytes}, "transpose_tile_unaligned<8>");
    check<Bytes>({76, 80, 260}, "transpose_tile_aligned<8>");
    check<Bytes>({256, 16, 260}, "transpose_skinny_cols<8>");
    check<Bytes>({5, 1000, 260}, "transpose_skinny_rows<8>");
  }
  if (Bytes == 1) {
    check<Bytes>({132, 132, 163}, "transpose_small_batched_bytes<1>");
    check<Bytes>({196, 220, 71}, "transpose_small_batched_bytes<1>");
    check<Bytes>({132, 132, 63}, "transpose_tile_strided<1>");  // too few
    check<Bytes>({1344, 32, 261}, "transpose_skinny_cols<1>");
  }
  check<Bytes>({5, 5003, 261}, rows);
  check<Bytes>({5, 7, 15001, Bytes}, of("transpose_small_scattered", Bytes));
  check<Bytes>({8, 8, 9001, 0, 0, 0, 0, Bytes}, of("transpose_small_scattered", Bytes));
  check<Bytes>({150, 13, 303, Bytes}, of("transpose_small_scattered", Bytes));
  // Batches of small matrices, and skinny ones, of about a wave of strided tiles.
  if (Bytes < 16) {
    std::string const strided = of("transpose_tile_strided", Bytes);
    check<Bytes>({20, 196, 81}, strided);
    check<Bytes>({20, 16432}, strided);
    // Sides of 32 and more are as of one matrix.
    if (Bytes == 8) check<Bytes>({348, 348}, strided);
    if (Bytes == 2) check<Bytes>({870, 64, 2}, strided);
    // Of narrow ones.
    check<Bytes>({14, 196, 81}, Bytes == 8 ? strided : of("copy_direct", Bytes));
    check<Bytes>({9, 150, 140, Bytes, 0, Bytes, Bytes}, of("copy_direct", Bytes));
    check<Bytes>({40000, 5, 1, 0, Bytes, Bytes, Bytes}, strided);
  }
  // Of few elements: matrices, and batches and skinny ones up to 2^18.
  std::string const direct = of("copy_direct", Bytes);
  check<Bytes>({63, 65}, direct);
  check<Bytes>({33, 35, 3, Bytes}, direct);
  check<Bytes>({121, 131}, of("transpose_tile_strided", Bytes));
  check<Bytes>({260, 5, 9}, direct);
  check<Bytes>({5, 7, 1001, 0, 0, Bytes, Bytes}, direct);
  check<Bytes>({13, 1001, 5, Bytes, 3 * Bytes, Bytes, 0}, direct);
  check<Bytes>({7, 9, 4001, Bytes}, direct);
  check<Bytes>({70001, 2, 1, Bytes, 0, Bytes}, direct);
}

TEST_CASE("transposes of 1, 2, 4, 8 and 16 bytes run on the kernel of their shape on cuda") {
  if (!needs_gpu()) return;
  check_words<1>();
  check_words<2>();
  check_words<4>();
  check_words<8>();
  check_words<16>();
}

TEST_CASE("rows of powers of two are right in small batches and as skinny columns on cuda") {
  if (!needs_gpu()) return;
  check<1>({127, 64, 300}, "transpose_small_batched_quads<1>");
  check<1>({255, 32, 300, 0, 0, 7, 3}, "transpose_small_batched_quads<1>");
  check<1>({31, 64, 300, 0, 0, 7, 3}, "transpose_small_batched<1>");
  check<2>({255, 64, 300}, "transpose_small_batched<2>");
  check<2>({61, 32, 300, 0, 0, 2, 6}, "transpose_small_batched<2>");
  check<4>({255, 32, 300}, "transpose_small_batched<4>");
  check<4>({66, 160, 300, 0, 0, 4, 12}, "transpose_small_batched<4>");
  check<8>({255, 16, 300}, "transpose_small_batched<8>");
  check<8>({32, 32, 1300, 0, 0, 8, 8}, "transpose_small_batched<8>");
  check<16>({24, 32, 300}, "transpose_small_batched<16>");
  check<2>({70001, 32}, "transpose_skinny_cols<2>");
  check<2>({70001, 16, 1, 0, 2, 2, 6}, "transpose_skinny_cols<2>");
  check<4>({70001, 16, 1, 0, 0, 4, 8}, "transpose_skinny_cols<4>");
  check<8>({70001, 16}, "transpose_skinny_cols<8>");
  check<16>({70001, 8, 1, 0, 16}, "transpose_skinny_cols<16>");
}

/// Shared memory holds the columns in another layout for each of these numbers of them.
template <int Bytes>
void check_skinny_layouts() {
  std::string const cols = of("transpose_skinny_cols", Bytes),
                    rows = of("transpose_skinny_rows", Bytes);
  // Shorter ones go in output order.
  constexpr index many_rows = 140001, many_cols = Bytes == 8 ? 540001 : many_rows;
  for (index const n : {5, 7, 8, 10, 12, 15, 16}) {
    if (Bytes == 16 && n > 11) continue;
    CAPTURE(n);
    check<Bytes>({38001, n, 7}, cols);
    check<Bytes>({38016, n, 7}, cols);
    check<Bytes>({many_rows, n, 1, Bytes, 3 * Bytes, Bytes, 5 * Bytes}, cols);
    if (Bytes == 16) continue;
    check<Bytes>({n, many_cols / 7, 14}, rows);
    check<Bytes>({n, many_cols, 1, 3 * Bytes, 0, Bytes, 5 * Bytes}, rows);
    check<Bytes>({n, many_cols, 1, 3 * Bytes, Bytes, Bytes, 5 * Bytes}, rows);
  }
  if (Bytes == 16) check<Bytes>({7, 2400001, 1, 3 * Bytes, 0, Bytes, 5 * Bytes}, rows);
}

TEST_CASE("transposes of any few columns and rows, aligned and not, are right on cuda") {
  if (!needs_gpu()) return;
  check_skinny_layouts<1>();
  check_skinny_layouts<2>();
  check_skinny_layouts<4>();
  check_skinny_layouts<8>();
  check_skinny_layouts<16>();
  for (index const n : {17, 28, 31, 32, 33, 44, 48, 60, 63}) {
    CAPTURE(n);
    check<1>({7001, n, 7, 0, 0, 3, 1}, "transpose_skinny_cols<1>");
    check<1>({7008, n, 7, 0, 0, 3, 16}, "transpose_skinny_cols<1>");
    check<1>({n, 7001, 7, 0, 0, 3, 1},
             n < 44 ? "transpose_skinny_rows<1>" : "transpose_skinny_bytes<1>");
  }
  for (index const n : {17, 20, 31, 32}) check<2>({7001, n, 7}, "transpose_skinny_cols<2>");
}

TEST_CASE("many batches of bytes that fit blocks of 8 KB go to larger ones on cuda") {
  if (!needs_gpu()) return;
  check<1>({100, 50, 7001}, "transpose_small_batched_quads<1>");
  check<1>({7, 593, 8200, 0, 0, 3, 5}, "transpose_small_batched<1>");
  check<1>({3, 1500, 7900, 0, 0, 0, 1}, "transpose_small_batched<1>");
}

TEST_CASE("batches of bytes whose columns fill banks are transposed in 4x4 bytes on cuda") {
  if (!needs_gpu()) return;
  std::string const quads = "transpose_small_batched_quads<1>";
  check<1>({63, 65, 3001, 0, 0, 1, 2}, quads);
  check<1>({48, 49, 2001, 0, 0, 15, 3}, quads);
  check<1>({32, 31, 8000, 0, 0, 4, 8}, quads);
  check<1>({300, 25, 501, 0, 0, 0, 1}, quads);
  check<1>({162, 128, 300, 0, 0, 5, 3}, quads);  // whose rows are permuted, not padded
  check<1>({66, 64, 3001, 0, 0, 8, 6}, quads);
  check<1>({80, 512, 70, 0, 0, 0, 4}, quads);
  check<1>({255, 65, 301}, quads);
  check<1>({201, 101, 301, 0, 0, 5, 7}, quads);
  check<1>({589, 80, 71, 0, 0, 0, 9}, quads);
  check<1>({33, 31, 5000}, "transpose_small_batched<1>");
  check<1>({32, 31, 8000, 0, 0, 4, 1}, "transpose_small_batched<1>");
  check<1>({28, 31, 8000}, "transpose_small_batched<1>");
}

TEST_CASE("1-byte transposes of 64 and 192 rows, and of 32 aligned columns, run in tiles on cuda") {
  if (!needs_gpu()) return;
  check<1>({64, 4234, 9}, "transpose_tile_unaligned_bytes<1>");
  check<1>({64, 4234, 9, 3, 5, 1, 7, 11}, "transpose_tile_unaligned_bytes<1>");
  check<1>({192, 1025, 12, 0, 1}, "transpose_tile_unaligned_bytes<1>");
  check<1>({64, 8191, 5, 1}, "transpose_tile_aligned<1>");
  check<1>({70016, 32}, "transpose_tile_aligned<1>");
  check<1>({70016, 64}, "transpose_tile_aligned<1>");
  check<1>({64, 1001, 70}, "transpose_tile_unaligned_bytes<1>");
  check<1>({224, 1335, 9, 0, 0, 1, 3}, "transpose_tile_unaligned_bytes<1>");
}

TEST_CASE("transposes of a tile's columns and a few more read rows as one range on cuda") {
  if (!needs_gpu()) return;
  check<1>({50001, 64}, "transpose_skinny_cols<1>");
  check<1>({50001, 94}, "transpose_skinny_cols<1>");
  check<1>({50001, 65, 1, 3, 0, 1, 5}, "transpose_skinny_cols<1>");
  check<1>({6342, 80, 5, 0, 0, 0, 0, 3}, "transpose_skinny_cols<1>");
  check<1>({1117, 80, 31, 0, 0, 3}, "transpose_skinny_cols<1>");
  check<1>({50001, 103}, "transpose_tile_unaligned_bytes<1>");
  check<1>({14001, 160, 1, 0, 3, 1, 2}, "transpose_tile_merged<1>");
  check<1>({1343, 64, 26, 0, 0, 0, 7}, "transpose_tile_merged<1>");
  check<2>({30001, 67}, "transpose_skinny_cols<2>");
  check<2>({30001, 101, 1, 2, 6, 2, 2}, "transpose_skinny_cols<2>");
  check<1>({101, 9001, 1, 3, 5, 1, 3}, "transpose_skinny_rows<1>");
  check<2>({67, 30001, 1, 2, 0, 2, 6}, "transpose_skinny_rows<2>");
  check<2>({79, 30001}, "transpose_skinny_rows<2>");
  check<2>({101, 30001}, "transpose_tile_unaligned<2>");
  check<1>({111, 30001, 1, 0, 3}, "transpose_tile_unaligned_bytes<1>");
  check<1>({128, 30001}, "transpose_tile_unaligned_bytes<1>");
}

TEST_CASE("few rows of bytes whose output has no gaps are transposed in blocks of 4x4 on cuda") {
  if (!needs_gpu()) return;
  std::string const bytes = "transpose_skinny_bytes<1>";
  for (index const rows : {33, 34, 35, 36, 39, 63, 67, 96, 111, 127, 129, 159}) {
    CAPTURE(rows);
    check<1>({rows, 70001}, bytes);
  }
  check<1>({33, 70007, 1, 3, 0, 1, 31}, bytes);
  check<1>({80, 14001, 2, 1, 0, 3, 7, 5}, bytes);
  check<1>({48, 15001, 3, 16, 0, 1, 2}, bytes);
  check<1>({101, 21001, 1, 0, 0, 15, 16}, bytes);
  check<1>({127, 17001, 1, 3, 0, 1, 5}, bytes);
  check<1>({159, 14003, 1, 7, 0, 5, 9}, bytes);
  check<1>({66, 32000}, bytes);
  check<1>({63, 8001}, "transpose_tile_strided<1>");
}

TEST_CASE("elements of 3, 2 and 4 bytes whose pitches have a product of 1 lie by slot on cuda") {
  if (!needs_gpu()) return;
  for (index const side : {999, 1001, 1007}) {
    CAPTURE(side);
    check<3>({side, side}, "transpose_tile_unaligned<1,3>");
    check<3>({side, side, 2, 16, 8, 2, 5}, "transpose_tile_unaligned<1,3>");
    check<2>({side + 502, side + 502}, "transpose_tile_unaligned<2>");
    check<4>({side + 502, side + 502}, "transpose_tile_unaligned<4>");
  }
  check<3>({5801, 5801}, "transpose_tile_unaligned<1,3>");
  check<2>({3001, 3009, 1, 0, 0, 2, 6}, "transpose_tile_unaligned<2>");
  check<4>({2999, 3007, 1, 0, 0, 4, 12}, "transpose_tile_unaligned<4>");
}

TEST_CASE("1-byte transposes of 2^28 elements run on the kernel of their shape on cuda") {
  if (!needs_gpu()) return;
  check<1>({16416, 16448}, "transpose_tile_aligned<1>");
  check<1>({16417, 16439}, "transpose_tile_unaligned_bytes<1>");
}

/// Matrices with a short side, of elements of several words.
template <int Bytes>
void check_skinny(int word) {
  check<Bytes>({70001, 3}, of("transpose_skinny_cols", word));
  check<Bytes>({9001, 13, 3, 0, Bytes, 0, 0, Bytes}, of("transpose_skinny_cols", word));
  check<Bytes>({30001, 4, 1, Bytes, Bytes, Bytes, 3 * Bytes}, of("transpose_skinny_cols", word));
  check<Bytes>({3, 70001}, of("transpose_skinny_rows", word));
  check<Bytes>({13, 9001, 3, 0, 0, 0, Bytes, 2 * Bytes}, of("transpose_skinny_rows", word));
  check<Bytes>({3, 70001, 1, Bytes, 2 * Bytes, Bytes}, of("transpose_skinny_rows", word));
}

/// Batches without gaps of matrices of elements of several words.
template <int Bytes>
void check_small_batched(int word) {
  check<Bytes>({8, 8, 2001}, of("transpose_small_batched", word));
  check<Bytes>({17, 13, 777, 0, 0, Bytes, 3 * Bytes}, of("transpose_small_batched", word));
  check<Bytes>({2, 3, 20001, 0, 0, 2 * Bytes, Bytes}, of("transpose_small_batched", word));
  check<Bytes>({8, 8, 6003 * word / Bytes, Bytes}, of("transpose_small_scattered", word));
}

TEST_CASE("transposes of elements of several words run on the kernel of their shape on cuda") {
  if (!needs_gpu()) return;
  auto const check_both = [](auto bytes, std::string const& kernel) {
    constexpr int Bytes = decltype(bytes)::value;
    check<Bytes>({1023, 517}, kernel);
    check<Bytes>({512, 544, 3, 0, Bytes}, kernel);
    check<Bytes>({513, 1001, 1, 2 * Bytes, 3 * Bytes, Bytes, 2 * Bytes}, kernel);
  };
  check_both(std::integral_constant<int, 3>{}, "transpose_tile_unaligned<1,3>");
  check_both(std::integral_constant<int, 6>{}, "transpose_tile_unaligned<2,3>");
  check_both(std::integral_constant<int, 12>{}, "transpose_tile_unaligned<4,3>");
  check_both(std::integral_constant<int, 24>{}, "transpose_tile_unaligned<8,3>");
  check_both(std::integral_constant<int, 32>{}, "transpose_tile_unaligned<16,2>");
  check_both(std::integral_constant<int, 48>{}, "transpose_tile_unaligned<16,3>");
  check_both(std::integral_constant<int, 5>{}, "transpose_tile_unaligned<1,5>");
  check_both(std::integral_constant<int, 7>{}, "transpose_tile_unaligned<1,7>");
  check_both(std::integral_constant<int, 10>{}, "transpose_tile_unaligned<2,5>");
  check_both(std::integral_constant<int, 14>{}, "transpose_tile_unaligned<2,7>");
  check_both(std::integral_constant<int, 20>{}, "transpose_tile_unaligned<4,5>");
  check_both(std::integral_constant<int, 28>{}, "transpose_tile_unaligned<4,7>");
  check_small_batched<3>(1);
  check_small_batched<5>(1);
  check_small_batched<6>(2);
  check_small_batched<12>(4);
  check_small_batched<20>(4);
  check_small_batched<24>(8);
  check<3>({64, 64, 300}, "transpose_small_batched<1>");
  check<3>({99, 101, 270, 0, 0, 3, 9}, "transpose_small_batched<1>");
  check<3>({150, 140, 260}, "transpose_tile_unaligned<1,3>");  // too large for bytes
  check<3>({64, 64, 100}, "transpose_tile_unaligned<1,3>");    // too few for a block each
  check_skinny<3>(1);
  check_skinny<5>(1);
  check_skinny<6>(2);
  check_skinny<12>(4);
  check_skinny<20>(4);
  check_skinny<24>(8);
  check<3>({70001, 3, 1, 30}, "copy_direct<1>");  // more gap than row
  check<12>({9001, 5, 1, 72}, "copy_direct<4>");
  check<24>({24, 9001}, "transpose_skinny_rows<8>");
  check<3>({9001, 33}, "transpose_skinny_cols<1>");
  check<3>({33, 9001}, "transpose_skinny_rows<1>");
  check<3>({48, 9001, 1, 0, 0, 3, 9}, "transpose_skinny_rows<1>");
  check<3>({63, 9001}, "transpose_skinny_rows<1>");
  check<3>({64, 9001}, "transpose_tile_unaligned<1,3>");
  check<3>({64, 9001, 1, 0, 3}, "transpose_tile_unaligned<1,3>");
  check<3>({48, 301, 20}, "transpose_tile_unaligned<1,3>");
  check<3>({48, 301, 10}, "transpose_tile_strided<1>");
  check<12>({150, 140}, "transpose_tile_strided<4>");
  check<3>({80, 130}, "copy_direct<1>");
  check<12>({40, 60}, "copy_direct<4>");
  // Past 2^23 elements: larger tiles.
  check<3>({2999, 2903}, "transpose_tile_unaligned<1,3>");
  check<3>({2903, 2999, 1, 3, 6, 3, 9}, "transpose_tile_unaligned<1,3>");
  check<3>({150, 149, 400}, "transpose_tile_unaligned<1,3>");  // that these do not fill
  check<12>({9001, 32}, "transpose_tile_unaligned<4,3>");
  check<3>({9001, 40}, "transpose_tile_unaligned<1,3>");
  check_both(std::integral_constant<int, 11>{}, "transpose_tile_tensor<1>");
  check_both(std::integral_constant<int, 22>{}, "transpose_tile_tensor<2>");
  check<11>({180, 170}, "transpose_tile_strided<1>");
  check<22>({180, 170}, "transpose_tile_strided<2>");
  check<11>({140, 150}, "copy_direct<1>");
  check<14>({8, 8, 6001, 14}, "transpose_tile_tensor<2>");
  check<64>({1023, 517}, "copy_packed_runs<16>");
  check<64>({512, 544, 3, 0, 64}, "copy_contiguous_runs<16>");
  check<64>({513, 1001, 1, 128, 192, 64, 128}, "copy_contiguous_runs<16>");
  check<100>({1023, 517}, "copy_packed_runs<4>");
  check<100>({512, 544, 3, 0, 100}, "copy_contiguous_runs<4>");
  check<32>({1999, 1033}, "transpose_tile_unaligned<16,2>");
}

TEST_CASE("elements below their natural alignment run on kernels of narrower words on cuda") {
  if (!needs_gpu()) return;
  check<2>({1023, 517, 1, 0, 0, 1, 0}, "transpose_tile_unaligned<1,2>");
  check<4>({1023, 517, 1, 0, 0, 2, 0}, "transpose_tile_unaligned<2,2>");
  check<8>({1023, 517, 1, 0, 0, 0, 4}, "transpose_tile_unaligned<4,2>");
  check<16>({1023, 517, 1, 0, 0, 0, 8}, "transpose_tile_unaligned<8,2>");
  check<6>({1023, 517, 1, 0, 0, 1, 0}, "transpose_tile_unaligned<1,6>");
  check<12>({1023, 517, 1, 0, 0, 2, 0}, "transpose_tile_unaligned<2,6>");
  check<4>({1023, 517, 1, 0, 0, 1, 0}, "transpose_tile_tensor<1>");
  check<32>({1023, 517, 1, 0, 0, 8, 0}, "copy_packed_runs<8>");
  check<32>({1023, 517, 1, 0, 32, 8, 0}, "copy_contiguous_runs<8>");
}

/// A copy of rows x cols elements between two row strides, from two places, all in bytes.
struct copy_shape {
  index rows, cols;
  index in_pad, out_pad;
  index in_at, out_at;
  char const* kernel;
};

TEST_CASE("copies in the same order run on the kernel of their runs on cuda") {
  if (!needs_gpu()) return;
  copy_shape const shapes[] = {{1, 1, 0, 0, 0, 0, "copy_direct<1>"},
                               {1, 1000003, 0, 0, 0, 0, "copy_contiguous_runs<1>"},
                               {100, 4096, 0, 0, 0, 0, "copy_contiguous_runs<16>"},
                               {100, 4096, 0, 0, 5, 9, "copy_contiguous_runs<1>"},
                               {100, 4096, 0, 0, 4, 12, "copy_contiguous_runs<4>"},
                               {1000, 64, 64, 16, 0, 0, "copy_contiguous_runs<16>"},
                               {1011, 65, 3, 9, 7, 2, "copy_contiguous_runs<1>"},
                               {333, 330, 2, 4, 2, 14, "copy_contiguous_runs<2>"},
                               {777, 1000, 8, 24, 8, 0, "copy_contiguous_runs<8>"},
                               {77, 1000, 8, 24, 8, 0, "copy_direct<8>"},
                               {5000, 12, 4, 0, 0, 0, "copy_direct<4>"},
                               {5000, 16, 16, 0, 0, 16, "copy_direct<16>"},
                               {5000, 63, 1, 1, 3, 0, "copy_direct<1>"},
                               {5000, 15, 1, 0, 3, 0, "copy_direct<1>"},
                               {5000, 16, 1, 0, 3, 5, "copy_packed_runs<1>"},
                               {2, 17, 1, 0, 15, 15, "copy_direct<1>"},
                               {4001, 17, 1, 0, 15, 15, "copy_packed_runs<1>"},
                               {5001, 63, 1, 0, 3, 0, "copy_packed_runs<1>"},
                               {1001, 511, 3, 0, 7, 2, "copy_packed_runs<1>"},
                               {333, 330, 2, 0, 2, 14, "copy_packed_runs<2>"},
                               {7001, 20, 4, 0, 4, 8, "copy_packed_runs<4>"},
                               {1077, 504, 8, 0, 8, 8, "copy_packed_runs<8>"},
                               {777, 513, 1, 0, 0, 0, "copy_packed_runs<1>"},
                               {333, 1503, 5, 0, 2, 11, "copy_packed_runs<1>"},
                               {333, 2332, 4, 0, 4, 12, "copy_packed_runs<4>"}};
  for (copy_shape const& s : shapes) {
    CAPTURE(s.rows);
    CAPTURE(s.cols);
    index const in_pitch = s.cols + s.in_pad;
    index const out_pitch = s.cols + s.out_pad;
    index const in_bytes = s.in_at + (s.rows - 1) * in_pitch + s.cols;
    image in(place::device, static_cast<std::size_t>(in_bytes));
    image out(place::device, static_cast<std::size_t>(s.out_at + s.rows * out_pitch));
    fill_with_pattern(in.host(), static_cast<std::size_t>(in_bytes));
    in.send();
    auto const view = [&s](std::byte* data, index pitch) {
      return xpose::matrix_view<std::byte>(data, s.rows, s.cols, xpose::row_major, pitch);
    };
    auto const from = view(in.there() + s.in_at, in_pitch);
    auto const to = view(out.there() + s.out_at, out_pitch);
    CHECK(xpose::explain(xpose::cuda.strict(), operation::copy, from, to).kernel == s.kernel);
    xpose::copy(xpose::cuda.strict(), from, to);
    for (index i = 0; i < s.rows; ++i)
      std::memcpy(out.host() + s.out_at + i * out_pitch, in.host() + s.in_at + i * in_pitch,
                  static_cast<std::size_t>(s.cols));
    bool const is_right = out.is_as_on_host();
    CHECK(is_right);
  }
}

/// permute() from element `first` of memory: its kernel, and all of the output.
template <int Bytes, std::size_t N>
void check_permute(std::array<index, N> const& extents, std::array<int, N> const& by, index first,
                   std::string const& kernel) {
  using T = element<Bytes>;
  CAPTURE(kernel);
  CAPTURE(first);
  index elements = 1;
  std::array<index, N> permuted{};
  for (std::size_t d = 0; d < N; ++d) {
    elements *= extents[d];
    permuted[d] = extents[static_cast<std::size_t>(by[d])];
  }
  auto const in_bytes = static_cast<std::size_t>((first + elements) * Bytes);
  image in(place::device, in_bytes);
  image out(place::device, static_cast<std::size_t>(elements * Bytes));
  fill_with_pattern(in.host(), in_bytes);
  in.send();
  using view = xpose::tensor_view<T, N>;
  auto const view_of = [&](std::byte* data, index from, auto const& shape) {
    return view(reinterpret_cast<T*>(data) + from, shape);
  };
  view const from = view_of(in.there(), first, extents);
  view const to = view_of(out.there(), 0, permuted);
  CHECK(xpose::explain(xpose::cuda.strict(), operation::permute, from, to, by).kernel == kernel);
  xpose::permute(xpose::cuda.strict(), from, to, by);
  xpose::permute(xpose::reference, view_of(in.host(), first, extents),
                 view_of(out.host(), 0, permuted), by);
  bool const is_right = out.is_as_on_host();
  CHECK(is_right);
}

TEST_CASE("rows that those of the next matrix continue in the output fill tiles together on cuda") {
  if (!needs_gpu()) return;
  for (index const first : {0, 5}) {
    check_permute<1, 5>({43, 2, 83, 22, 87}, {3, 4, 1, 0, 2}, first, "transpose_tile_merged<1>");
    check_permute<1, 4>({61, 31, 3, 97}, {2, 3, 0, 1}, first, "transpose_tile_strided<1>");
    check_permute<1, 4>({300, 2, 17, 201}, {1, 3, 0, 2}, first, "transpose_tile_merged<1>");
  }
}

TEST_CASE("short dimensions fill tiles together on cuda") {
  if (!needs_gpu()) return;
  auto const check_both = [](auto bytes) {
    constexpr int Bytes = decltype(bytes)::value;
    std::string const kernel = of("transpose_tile_merged", Bytes);
    for (index const first : {0, 5}) {
      check_permute<Bytes, 6>({5, 7, 39, 23, 18, 15}, {0, 1, 5, 4, 3, 2}, first, kernel);
      check_permute<Bytes, 6>({2, 22, 10, 42, 8, 33}, {5, 4, 2, 0, 1, 3}, first, kernel);
      check_permute<Bytes, 5>({3, 13, 11, 37, 41}, {4, 3, 2, 1, 0}, first, kernel);
      check_permute<Bytes, 5>({5, 9, 17, 113, 14}, {4, 0, 3, 2, 1}, first, kernel);
    }
  };
  check_both(std::integral_constant<int, 1>{});
  check_both(std::integral_constant<int, 2>{});
  check_both(std::integral_constant<int, 4>{});
}

TEST_CASE("rows that are kept are copied in the order of the input on cuda") {
  if (!needs_gpu()) return;
  for (index const first : {0, 5}) {
    check_permute<1, 4>({38, 97, 3, 71}, {2, 1, 0, 3}, first, "copy_packed_runs<1>");
    check_permute<1, 3>({60, 101, 143}, {1, 0, 2}, first, "copy_packed_runs<1>");
    check_permute<1, 4>({5, 41, 70, 33}, {0, 2, 1, 3}, first, "copy_packed_runs<1>");
    check_permute<1, 3>({67, 3, 2503}, {1, 0, 2}, first, "copy_packed_runs<1>");
    check_permute<2, 4>({37, 23, 53, 17}, {2, 1, 0, 3}, first, "copy_packed_runs<2>");
    check_permute<4, 3>({211, 317, 13}, {1, 0, 2}, first, "copy_packed_runs<4>");
    check_permute<4, 5>({7, 19, 3, 29, 39}, {2, 0, 3, 1, 4}, first, "copy_packed_runs<4>");
    check_permute<8, 4>({41, 173, 3, 43}, {2, 1, 0, 3}, first, "copy_packed_runs<8>");
    check_permute<8, 4>({3, 1001, 67, 5}, {0, 2, 1, 3}, first, "copy_packed_runs<8>");
    check_permute<8, 6>({3, 5, 7, 11, 30, 9}, {3, 0, 2, 4, 1, 5}, first, "copy_packed_runs<8>");
    check_permute<16, 5>({3, 433, 3, 91, 6}, {2, 0, 3, 1, 4}, first, "copy_packed_runs<16>");
    check_permute<16, 4>({1003, 2, 210, 5}, {2, 1, 0, 3}, first, "copy_packed_runs<16>");
    check_permute<1, 4>({4, 3, 1079, 359}, {0, 2, 1, 3}, first, "copy_contiguous_runs<1>");
    check_permute<2, 4>({31, 9, 9, 199}, {0, 2, 1, 3}, first, "copy_contiguous_runs<2>");
  }
}

TEST_CASE("short rows with gaps between them run in strided tiles on cuda") {
  if (!needs_gpu()) return;
  for (index const first : {0, 5}) {
    check_permute<4, 4>({31, 80, 7, 158}, {1, 3, 2, 0}, first, "transpose_tile_strided<4>");
    check_permute<8, 4>({31, 80, 7, 158}, {1, 3, 2, 0}, first, "transpose_tile_strided<8>");
  }
}

TEST_CASE(
    "few rows that another dimension continues go in output order or in tiles of a tensor on "
    "cuda") {
  if (!needs_gpu()) return;
  for (index const first : {0, 5}) {
    check_permute<8, 5>({9, 13, 7, 2, 556}, {0, 1, 4, 3, 2}, first, "copy_direct<8>");
    check_permute<8, 5>({7, 13, 11, 4, 301}, {0, 1, 4, 3, 2}, first, "copy_direct<8>");
    check_permute<8, 5>({7, 13, 13, 4, 301}, {0, 1, 4, 3, 2}, first, "transpose_tile_tensor<8>");
    check_permute<4, 5>({50, 31, 11, 4, 301}, {0, 1, 4, 3, 2}, first, "transpose_tile_tensor<4>");
  }
}

TEST_CASE("dimensions in the runs of both sides are moved in tiles of a tensor on cuda") {
  if (!needs_gpu()) return;
  auto const check_both = [](auto bytes) {
    constexpr int Bytes = decltype(bytes)::value;
    std::string const kernel = of("transpose_tile_tensor", Bytes & -Bytes);
    for (index const first : {0, 5}) {
      check_permute<Bytes, 6>({7, 29, 12, 38, 5, 9}, {0, 4, 3, 1, 5, 2}, first, kernel);
      check_permute<Bytes, 6>({33, 19, 5, 84, 2, 5}, {0, 4, 1, 2, 5, 3}, first, kernel);
      check_permute<Bytes, 6>({16, 39, 8, 9, 12, 3}, {5, 2, 0, 1, 4, 3}, first, kernel);
      check_permute<Bytes, 5>({60, 24, 8, 24, 5}, {4, 2, 0, 1, 3}, first, kernel);
      check_permute<Bytes, 3>({9, 30011, 2}, {2, 1, 0}, first, kernel);
      check_permute<Bytes, 3>({3, 65537, 5}, {2, 1, 0}, first, kernel);
      // Runs of more than the last two dimensions, and more of them.
      check_permute<Bytes, 6>({5, 8, 11, 21, 100, 7}, {2, 0, 1, 3, 5, 4}, first, kernel);
      // Columns that are skinny, of rows that are close together.
      check_permute<Bytes, 4>({7, 30011, 2, 9}, {2, 0, 3, 1}, first,
                              of("transpose_skinny_cols", Bytes & -Bytes));
    }
  };
  check_both(std::integral_constant<int, 1>{});
  check_both(std::integral_constant<int, 2>{});
  check_both(std::integral_constant<int, 3>{});
  check_both(std::integral_constant<int, 4>{});
}

TEST_CASE("many matrices of which a block holds several are moved in large tensor tiles on cuda") {
  if (!needs_gpu()) return;
  for (index const first : {0, 5}) {
    check_permute<4, 4>({160, 24, 31, 33}, {1, 3, 0, 2}, first, "transpose_tile_tensor<4>");
    check_permute<4, 5>({29, 29, 8, 23, 30}, {2, 4, 1, 3, 0}, first, "transpose_tile_tensor<4>");
    check_permute<8, 6>({30, 5, 10, 10, 427, 2}, {3, 2, 5, 1, 4, 0}, first,
                        "transpose_tile_tensor<8>");
    // Two columns, three rows, and rows of 7 that three and 13 continue.
    check_permute<8, 6>({3, 15, 51, 49, 7, 2}, {5, 4, 0, 1, 3, 2}, first,
                        "transpose_tile_tensor<8>");
    check_permute<8, 5>({31, 42, 3, 25, 20}, {3, 4, 1, 0, 2}, first, "transpose_tile_tensor<8>");
    check_permute<16, 4>({13, 7, 3, 4001}, {3, 0, 2, 1}, first, "transpose_tile_tensor<16>");
    check_permute<16, 6>({3, 15, 51, 49, 7, 2}, {5, 4, 0, 1, 3, 2}, first,
                         "transpose_tile_tensor<16>");
  }
}

TEST_CASE("long runs of the output are moved in interleaved tiles of a tensor on cuda") {
  if (!needs_gpu()) return;
  auto const check_both = [](auto bytes) {
    constexpr int Bytes = decltype(bytes)::value;
    std::string const kernel = of("transpose_tile_tensor_interleaved", Bytes);
    for (index const first : {0, 5}) {
      // Rows that are whole units, that end within one, and parts of which are a tile's.
      check_permute<Bytes, 6>({7, 5, 48, 9, 9, 67}, {4, 0, 3, 1, 5, 2}, first, kernel);
      check_permute<Bytes, 6>({7, 5, 49, 9, 9, 67}, {4, 0, 3, 1, 5, 2}, first, kernel);
      check_permute<Bytes, 6>({7, 5, 50, 9, 9, 67}, {4, 0, 3, 1, 5, 2}, first, kernel);
      check_permute<Bytes, 6>({7, 5, 51, 9, 9, 67}, {4, 0, 3, 1, 5, 2}, first, kernel);
      check_permute<Bytes, 6>({5, 9, 12, 41, 31, 58}, {0, 1, 4, 2, 5, 3}, first, kernel);
      check_permute<Bytes, 5>({9, 11, 75, 97, 15}, {0, 3, 1, 4, 2}, first, kernel);
    }
  };
  check_both(std::integral_constant<int, 1>{});
  check_both(std::integral_constant<int, 2>{});
  check<1>({96, 180001}, "transpose_tile_tensor_interleaved<1>");
  check<1>({101, 171003, 1, 1, 3, 5, 7}, "transpose_skinny_rows<1>");  // rows with gaps
  for (index const first : {0, 5}) {  // runs of dimensions on both sides
    check_permute<1, 6>({2, 5, 108, 24, 15, 23}, {2, 1, 5, 0, 4, 3}, first,
                        "transpose_tile_tensor_interleaved<1>");
    check_permute<2, 6>({9, 2, 85, 20, 15, 20}, {2, 1, 5, 0, 4, 3}, first,
                        "transpose_tile_tensor_interleaved<2>");
  }
  check<1>({77, 128, 1111}, "transpose_tile_tensor_interleaved<1>");
  check<1>({22, 64, 6001}, "transpose_tile_tensor_interleaved<1>");
}

TEST_CASE("short rows that are far apart in the output are merged, a tensor's or runs on cuda") {
  if (!needs_gpu()) return;
  for (index const first : {0, 5}) {
    check_permute<8, 6>({9, 20, 33, 3, 7, 32}, {1, 4, 5, 2, 0, 3}, first,
                        "transpose_tile_tensor<8>");
    check_permute<8, 5>({9, 84, 11, 26, 27}, {3, 0, 1, 4, 2}, first,
                        "transpose_small_scattered<8>");  // whose rows are contiguous
    check_permute<3, 4>({2, 7, 731, 121}, {3, 1, 2, 0}, first, "transpose_tile_tensor<1>");
    check_permute<4, 5>({2, 9, 5, 59, 302}, {0, 4, 3, 1, 2}, first, "transpose_tile_merged<4>");
    check_permute<2, 5>({2, 9, 5, 59, 302}, {0, 4, 3, 1, 2}, first, "transpose_tile_merged<2>");
    check_permute<16, 3>({2, 40001, 15}, {2, 1, 0}, first, "transpose_small_scattered<16>");
    check_permute<1, 5>({16, 76, 5, 10, 40}, {2, 4, 1, 3, 0}, first, "transpose_tile_merged<1>");
    check_permute<4, 6>({33, 6, 20, 10, 15, 5}, {2, 5, 0, 4, 3, 1}, first,
                        "transpose_tile_tensor<4>");
    check_permute<8, 6>({3, 4, 22, 15, 14, 7}, {0, 4, 1, 5, 3, 2}, first,
                        "transpose_small_scattered<8>");  // few
    check_permute<8, 6>({4, 2, 15, 34, 30, 89}, {0, 4, 5, 1, 3, 2}, first,
                        "transpose_tile_tensor<8>");  // skinny rows within sectors
    check_permute<16, 6>({3, 18, 29, 3, 6, 26}, {1, 4, 5, 2, 0, 3}, first,
                         "transpose_small_scattered<16>");
    check_permute<16, 6>({15, 18, 29, 3, 6, 26}, {1, 4, 5, 2, 0, 3}, first,
                         "transpose_tile_tensor<16>");  // many
    check_permute<2, 6>({9, 9, 7, 7, 8, 11}, {4, 2, 1, 0, 3, 5}, first, "copy_contiguous_runs<2>");
  }
}

TEST_CASE("few long columns of bytes or 2 bytes are skinny ones, or of narrow tiles, on cuda") {
  if (!needs_gpu()) return;
  for (index const first : {0, 5}) {
    check_permute<1, 4>({1000, 209, 9, 3}, {0, 3, 1, 2}, first, "transpose_skinny_cols<1>");
    check_permute<2, 4>({900, 209, 9, 3}, {0, 3, 1, 2}, first, "transpose_skinny_cols<2>");
    check_permute<3, 4>({31, 28, 28, 4}, {0, 3, 1, 2}, first, "transpose_skinny_cols<1>");
    check_permute<3, 3>({1000, 600, 3}, {0, 2, 1}, first, "transpose_small_batched<1>");
  }
  check<2>({2916, 3, 1312}, "transpose_few_cols<2>");
  check<2>({16, 27664}, "copy_direct<2>");
  check<2>({92752, 16}, "transpose_tile_aligned<2>");
  check<2>({27664, 32}, "transpose_tile_aligned<2>");
  check<2>({27664, 32, 1, 2, 0, 0, 0}, "transpose_skinny_cols<2>");
}

TEST_CASE("bytes of columns that meet in the same banks are transposed in quads on cuda") {
  if (!needs_gpu()) return;
  check<1>({144, 256, 300}, "transpose_small_batched_quads<1>");
  check<1>({72, 256, 300}, "transpose_small_batched_quads<1>");
  check<1>({819, 64, 200}, "transpose_tile_merged<1>");
  check<1>({144, 252, 300}, "transpose_small_batched_bytes<1>");
}

TEST_CASE("words of 8 bytes that fill tiles badly are scattered, or a tensor's, on cuda") {
  if (!needs_gpu()) return;
  for (index const first : {0, 5}) {
    check_permute<8, 6>({3, 5, 36, 7, 12, 52}, {4, 0, 3, 1, 5, 2}, first,
                        "transpose_small_scattered<8>");
    check_permute<8, 5>({19, 15, 23, 64, 9}, {2, 4, 3, 0, 1}, first, "transpose_tile_tensor<8>");
    check_permute<8, 6>({6, 15, 10, 10, 127, 2}, {3, 2, 5, 1, 4, 0}, first,
                        "transpose_tile_tensor<8>");
  }
}

TEST_CASE("two to four columns or rows without gaps take no shared memory on cuda") {
  if (!needs_gpu()) return;
  auto const check_all = [](auto bytes) {
    constexpr int Bytes = decltype(bytes)::value;
    std::string const cols = of("transpose_few_cols", Bytes),
                      rows = of("transpose_few_rows", Bytes);
    for (index const n : {2, 3, 4}) {
      CAPTURE(n);
      check<Bytes>({20004, n}, cols);
      check<Bytes>({12, n, 1501}, cols);
      check<Bytes>({1004, n, 31, 0, 8, 0, 8, 16}, cols);
      check<Bytes>({n, 20004}, rows);
      check<Bytes>({n, 12, 1501}, rows);
      check<Bytes>({n, 1004, 31, 8, 0, 8, 0, 16}, rows);
    }
    // Units that are not aligned: addresses, pitches, matrices and the longer side.
    auto const check_others = [&](transpose_shape const& shape) {
      CAPTURE(shape);
      transpose_on_device<Bytes> call(shape);
      CHECK(call.kernel() != cols);
      CHECK(call.kernel() != rows);
      CHECK(call.is_right());
    };
    if (Bytes < 8) {
      check_others({20004, 4, 1, 0, 0, Bytes, 0});
      check_others({4, 50004, 1, 0, 0, 0, Bytes});
    }
    if (Bytes < 4) {
      check_others({20004, 4, 1, 0, 0, 0, Bytes});
      check_others({4, 50004, 1, 0, 0, Bytes, 0});
      check_others({20004, 4, 1, 0, Bytes});
      check_others({4, 50004, 1, Bytes});
      check_others({1004, 4, 31, 0, 0, 0, 0, Bytes});
      check_others({4, 1004, 31, 0, 0, 0, 0, Bytes});
      check_others({20003, 4});
      check_others({4, 50003});
    }
  };
  check_all(std::integral_constant<int, 1>{});
  check_all(std::integral_constant<int, 2>{});
  check_all(std::integral_constant<int, 4>{});
  check_all(std::integral_constant<int, 8>{});
  check<4>({3, 400000}, "transpose_skinny_rows<4>");
  check<8>({400001, 4}, "transpose_skinny_cols<8>");
}

TEST_CASE("a copy reads nothing behind the last byte of its input on cuda") {
  // Exact allocations, for compute-sanitizer.
  if (!needs_gpu()) return;
  for (index const bytes : {1, 17, 63, 64, 65, 1001}) {
    place_memory in(place::device, static_cast<std::size_t>(bytes * 40));
    place_memory out(place::device, static_cast<std::size_t>(bytes * 40));
    xpose::matrix_view<std::byte> const from(in.data(), 40, bytes);
    xpose::copy(xpose::cuda.strict(), from, xpose::matrix_view<std::byte>(out.data(), 40, bytes));
    xpose::copy(xpose::cuda.strict(), from.submatrix(1, 0, 39, bytes),
                xpose::matrix_view<std::byte>(out.data(), 39, bytes));
    xpose::transpose(xpose::cuda.strict(), from,
                     xpose::matrix_view<std::byte>(out.data(), bytes, 40));
  }
  for (auto const& [rows, cols] : {std::pair<index, index>{1025, 1027}, {70001, 5}, {5, 70001}}) {
    place_memory in(place::device, static_cast<std::size_t>(rows * cols));
    place_memory out(place::device, static_cast<std::size_t>(rows * cols));
    xpose::transpose(xpose::cuda.strict(), xpose::matrix_view<std::byte>(in.data(), rows, cols),
                     xpose::matrix_view<std::byte>(out.data(), cols, rows));
  }
  auto const permute = [](auto const& extents, auto const& by, char const* kernel) {
    auto permuted = extents;
    index bytes = 1;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      bytes *= extents[d];
      permuted[d] = extents[static_cast<std::size_t>(by[d])];
    }
    place_memory in(place::device, static_cast<std::size_t>(bytes));
    place_memory out(place::device, static_cast<std::size_t>(bytes));
    using view = xpose::tensor_view<std::byte, std::tuple_size_v<std::decay_t<decltype(extents)>>>;
    view const from(in.data(), extents), to(out.data(), permuted);
    CHECK(xpose::explain(xpose::cuda.strict(), operation::permute, from, to, by).kernel == kernel);
    xpose::permute(xpose::cuda.strict(), from, to, by);
  };
  permute(std::array<index, 3>{61, 101, 143}, std::array{1, 0, 2}, "copy_packed_runs<1>");
  permute(std::array<index, 4>{38, 97, 3, 71}, std::array{2, 1, 0, 3}, "copy_packed_runs<1>");
  permute(std::array<index, 5>{3, 13, 11, 37, 41}, std::array{4, 3, 2, 1, 0},
          "transpose_tile_merged<1>");
  permute(std::array<index, 6>{7, 29, 12, 38, 5, 9}, std::array{0, 4, 3, 1, 5, 2},
          "transpose_tile_tensor<1>");
  permute(std::array<index, 4>{46, 131, 97, 15}, std::array{2, 0, 3, 1},
          "transpose_tile_tensor_interleaved<1>");
}

TEST_CASE("rows that are kept are copied from backward and repeated dimensions on cuda") {
  if (!needs_gpu()) return;
  using T = std::uint16_t;
  constexpr index planes = 37, rows = 211, cols = 53;
  constexpr std::size_t bytes = planes * rows * cols * sizeof(T);
  using view = xpose::tensor_view<T, 3>;
  std::array<index, 3> const extents{planes, rows, cols};
  // Rows backward are walked backward on both sides: an output with gaps, as its strides say.
  char const* const packed = "copy_packed_runs<2>";
  struct {
    std::array<index, 3> strides;
    index first;
    char const* kernel;
  } const inputs[] = {
      {{-rows * cols, cols, 1}, (planes - 1) * rows * cols, packed},  // planes backward
      {{rows * cols, -cols, 1}, (rows - 1) * cols, "copy_contiguous_runs<2>"},
      {{0, cols, 1}, 0, packed},                                 // one plane
      {{cols, 0, 1}, 0, packed},                                 // one row of each plane
      {{-cols, planes * cols, 1}, (planes - 1) * cols, packed},  // interleaved, one backward
  };
  for (auto const& input : inputs) {
    CAPTURE(input.first);
    image in(place::device, bytes), out(place::device, bytes);
    fill_with_pattern(in.host(), bytes);
    in.send();
    auto const from = [&](std::byte* data) {
      return view(reinterpret_cast<T*>(data) + input.first, extents, input.strides);
    };
    auto const to = [&](std::byte* data) {
      return view(reinterpret_cast<T*>(data), {rows, planes, cols});
    };
    std::array const by{1, 0, 2};
    CHECK(xpose::explain(xpose::cuda.strict(), operation::permute, from(in.there()),
                         to(out.there()), by)
              .kernel == input.kernel);
    xpose::permute(xpose::cuda.strict(), from(in.there()), to(out.there()), by);
    xpose::permute(xpose::reference, from(in.host()), to(out.host()), by);
    CHECK(out.is_as_on_host());
  }
}

}  // namespace

TEST_SUITE_END();
