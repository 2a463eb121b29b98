// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Which kernel of the cuda backend turns which matrix through a function, and that every element is
// its function's result: against plain loops on the host. Every case needs a GPU.

#include "support/backends.hpp"

#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <ostream>
#include <string>

TEST_SUITE_BEGIN("cuda.element_functions");

namespace {

using xpose::index;
using xpose::operation;

/// `batch` rows x cols matrices; pads behind every row, gaps behind every matrix and the places of
/// the first elements, in elements.
struct function_shape {
  index rows, cols;
  index batch = 1;
  index in_pad = 0, out_pad = 0;
  index in_at = 0, out_at = 0;
  index gap = 0;
};

std::ostream& operator<<(std::ostream& out, function_shape const& s) {
  return out << s.batch << " of " << s.rows << 'x' << s.cols << ", pads " << s.in_pad << ' '
             << s.out_pad << ", at " << s.in_at << ' ' << s.out_at << ", gap " << s.gap;
}

template <class T>
struct matrices_on_device {
  matrices_on_device(index batch, index rows, index cols, index pad, index gap, index first)
      : at(first),
        count(batch),
        height(rows),
        width(cols),
        pitch(cols + pad),
        step(rows * pitch + gap),
        memory(place::device, static_cast<std::size_t>(at + batch * step) * sizeof(T)) {}

  T* elements_here() { return reinterpret_cast<T*>(memory.host()); }
  T& here(index m, index i, index j) { return elements_here()[at + m * step + i * pitch + j]; }
  xpose::batch_view<T> view() const {
    return {reinterpret_cast<T*>(memory.there()) + at,
            count,
            height,
            width,
            xpose::strided{pitch, 1},
            step};
  }

  index at, count, height, width, pitch, step;
  image memory;
};

/// 0 to 63, exact in every type.
template <class T>
T number(index place) {
  return T(static_cast<float>(static_cast<std::uint64_t>(place) * 2654435761u >> 7 & 63));
}

/// All memory is compared.
template <class In, class Out>
void check(function_shape const& s, std::string const& kernel) {
  CAPTURE(sizeof(In));
  CAPTURE(sizeof(Out));
  CAPTURE(s);
  matrices_on_device<In> in(s.batch, s.rows, s.cols, s.in_pad, s.gap, s.in_at);
  matrices_on_device<Out> out(s.batch, s.cols, s.rows, s.out_pad, s.gap, s.out_at);
  for (index k = 0; k < s.in_at + s.batch * in.step; ++k) in.elements_here()[k] = number<In>(k);
  in.memory.send();
  xpose::cast<Out> const f{};
  auto const told =
      xpose::explain(xpose::cuda.strict(), operation::transpose, in.view(), out.view(), f);
  CHECK(told.kernel == kernel + "<function>");
  xpose::transpose(xpose::cuda.strict(), in.view(), out.view(), f);
  for (index m = 0; m < s.batch; ++m)
    for (index i = 0; i < s.rows; ++i)
      for (index j = 0; j < s.cols; ++j) out.here(m, j, i) = f(in.here(m, i, j));
  bool const is_right = out.memory.is_as_on_host() && in.memory.is_as_on_host();
  CHECK(is_right);
}

template <class In, class Out>
void check_pair() {
  char const* const aligned = sizeof(In) >= sizeof(Out) && sizeof(In) < 16
                                  ? "transpose_tile_aligned"
                                  : "transpose_tile_unaligned";
  check<In, Out>({1056, 1024}, aligned);
  check<In, Out>({1041, 1023}, "transpose_tile_unaligned");
  check<In, Out>({1024, 1056, 1, 0, 0, 1, 3}, "transpose_tile_unaligned");
  check<In, Out>({517, 411, 5, 3, 5, 1, 1, 7}, "transpose_tile_unaligned");
  check<In, Out>({300, 200}, "transpose_tile_strided");

  // Of which a strided tile holds one each: several to a block, the last of them fewer.
  check<In, Out>({8, 16, 1501}, "transpose_small_batched");
  check<In, Out>({5, 7, 3, 0, 0, 1, 3}, "transpose_small_batched");
  check<In, Out>({13, 11, 9001, 0, 0, 3, 1}, "transpose_small_batched");
  check<In, Out>({8, 16, 1501, 0, 1}, "transpose_small_scattered");
  check<In, Out>({5, 7, 3, 1, 2, 1, 1, 3}, "transpose_small_scattered");
  check<In, Out>({12, 60, 301, 0, 0, 1, 3, 5}, "transpose_small_scattered");
  check<In, Out>({30, 31, 301}, "transpose_tile_strided");

  check<In, Out>({20001, 3}, "transpose_skinny_cols");
  check<In, Out>({20001, 3, 1, 2, 1, 1, 3}, "transpose_skinny_cols");
  check<In, Out>({9001, 11, 3, 0, 0, 0, 1, 5}, "transpose_skinny_cols");
  check<In, Out>({12000, 4}, "transpose_skinny_cols");
  check<In, Out>({9001, 8, 1, 0, 0, 1, 3}, "transpose_skinny_cols");
  if (sizeof(In) <= 4) check<In, Out>({9001, 16, 3}, "transpose_skinny_cols");  // fits a tile
  check<In, Out>({3, 20001}, "transpose_skinny_rows");
  check<In, Out>({16, 9001, 3}, "transpose_skinny_rows");
  check<In, Out>({3, 20001, 1, 2, 0, 1, 3}, "transpose_skinny_rows");
  check<In, Out>({3, 20001, 1, 2, 2, 1, 3}, "transpose_skinny_rows");
  check<In, Out>({13, 9001, 3, 0, 0, 0, 1, 5}, "transpose_skinny_rows");
}

TEST_CASE("transposes through a function run on the kernel of their shape on cuda") {
  if (!needs_gpu()) return;
  check_pair<std::uint8_t, xpose::bfloat16>();
  check_pair<std::uint8_t, float>();
  check_pair<std::int8_t, double>();
  check_pair<xpose::float16, std::uint8_t>();
  check_pair<xpose::float16, xpose::bfloat16>();
  check_pair<xpose::bfloat16, float>();
  check_pair<std::int16_t, double>();
  check_pair<float, std::int8_t>();
  check_pair<float, xpose::bfloat16>();
  check_pair<float, std::int32_t>();
  check_pair<float, double>();
  check_pair<double, std::uint8_t>();
  check_pair<double, xpose::float16>();
  check_pair<double, float>();
  check_pair<double, std::int64_t>();
  check_pair<std::complex<float>, std::complex<double>>();
  // Matrices that fill little of the unaligned tile.
  check<xpose::bfloat16, float>({64, 32, 600, 1}, "transpose_tile_strided");
  check<xpose::bfloat16, float>({96, 48, 800, 1}, "transpose_tile_unaligned");
  check<double, float>({44, 24, 1000, 0, 0, 1, 3, 1}, "transpose_tile_strided");
  // Batches without gaps, of up to 16 KB a matrix.
  check<xpose::bfloat16, float>({64, 32, 600}, "transpose_small_batched");
  check<xpose::bfloat16, float>({96, 48, 800}, "transpose_small_batched");
  check<double, float>({44, 24, 1000, 0, 0, 1, 3}, "transpose_small_batched");
  check<float, xpose::bfloat16>({64, 32, 2127}, "transpose_small_batched");
  check<float, std::int8_t>({4, 1001, 301, 0, 0, 1, 3}, "transpose_small_batched");
  check<float, std::int8_t>({1001, 4, 301}, "transpose_skinny_cols");
  check<float, std::int8_t>({1001, 3, 301, 0, 0, 0, 0, 2}, "transpose_skinny_cols");
  // Of the aligned tile.
  check<double, float>({64, 32, 2127}, "transpose_tile_strided");
  check<double, float>({96, 48, 300}, "transpose_tile_unaligned");
  check<float, xpose::bfloat16>({64, 32, 2127, 0, 2}, "transpose_tile_strided");
  check<float, xpose::bfloat16>({96, 48, 300}, "transpose_tile_aligned");
  // Runs with a remainder, with and without vectors.
  for (index const run : {index{9001}, index{300001}}) {
    check<xpose::bfloat16, float>({1, run}, "copy_vectors");
    check<float, xpose::bfloat16>({run, 1}, "copy_vectors");
    check<double, float>({1, run}, "copy_vectors");
  }
}

}  // namespace

TEST_SUITE_END();
