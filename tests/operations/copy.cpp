// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// transpose and copy without an element function, on every backend: bytes, layouts, batches.

#include "cases/copy_case.hpp"
#include "support/small_tests.hpp"
#include "support/verbose_lines.hpp"

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("transpose");

namespace {

using cases::index;
using cases::layout;
using cases::pattern;

template <class T>
void check_both(backend const& on, pattern in, pattern out, index rows, index cols,
                index batch = 1) {
  check_bytes<T>(on, transpose_case(in, out, rows, cols, batch));
  check_bytes<T>(on, plain_copy_case(in, out, rows, cols, batch));
}

template <class T>
void check_all_layouts(backend const& on) {
  for (auto const& [rows, cols] : cases::shapes())
    for (auto const in_pattern : cases::input_patterns) {
      matrix<T> in(on.where, rows, cols, in_pattern);
      in.fill_with_bytes();
      for (auto const out : cases::output_patterns) {
        if (is_left_out()) continue;
        check_copy<T>(on, transpose_case(in_pattern, out, rows, cols), in);
        check_copy<T>(on, plain_copy_case(in_pattern, out, rows, cols), in);
      }
    }
}

template <class T>
void check_large(backend const& on) {
  pattern const pairs[][2] = {{pattern::row_major, pattern::row_major},
                              {pattern::padded_rows, pattern::row_major},
                              {pattern::col_major, pattern::odd_offset},
                              {pattern::spread, pattern::padded_cols}};
  for (auto const& [rows, cols] : cases::large_shapes())
    for (auto const& pair : pairs) check_both<T>(on, pair[0], pair[1], rows, cols);
}

TEST_CASE_TEMPLATE("transpose and copy move elements of every size between all layouts and shapes",
                   Backend, GUARDED_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  for_each_element_size(
      [&](auto sample) { check_all_layouts<typename decltype(sample)::type>(on); });
}

TEST_CASE_TEMPLATE("transpose and copy move matrices of several tiles", Backend, GUARDED_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  for_each_element_size([&](auto sample) { check_large<typename decltype(sample)::type>(on); });
  check_large<element<5>>(on);
  check_large<element<16>>(on);
  check_large<element<100>>(on);
}

TEST_CASE_TEMPLATE("transpose and copy move batches, strided and of one repeated matrix", Backend,
                   GUARDED_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  for (index const batch : {0, 2, 7, 300})
    for (auto const& extents : {std::pair<index, index>{1, 1}, {3, 5}, {33, 31}, {64, 2}, {0, 3}})
      for (auto const in : {pattern::row_major, pattern::padded_cols, pattern::broadcast})
        for (auto const out : {pattern::row_major, pattern::spread})
          for_each_element_size([&](auto sample) {
            check_both<typename decltype(sample)::type>(on, in, out, extents.first, extents.second,
                                                        batch);
          });
  copy_case repeated = transpose_case(pattern::row_major, pattern::row_major, 31, 17, 5);
  repeated.in.batch_stride = 0;
  check_bytes<float>(on, repeated);
}

TEST_CASE_TEMPLATE("transpose takes grids past 65535 tiles in either direction", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  constexpr index beyond = 65536 * 32 + 1;
  check_both<std::uint8_t>(on, pattern::row_major, pattern::row_major, beyond, 3);
  check_both<std::uint8_t>(on, pattern::row_major, pattern::row_major, 3, beyond);
  check_both<std::uint16_t>(on, pattern::row_major, pattern::row_major, 3, 2, 65536);
}

TEST_CASE_TEMPLATE("submatrices of one matrix may be input and output of one call", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  constexpr index rows = 70;
  constexpr index cols = 90;
  image storage(on.where, rows * cols * sizeof(float));
  auto* const host = reinterpret_cast<float*>(storage.host());
  for (index i = 0; i < rows * cols; ++i) host[i] = static_cast<float>(i);
  storage.send();
  xpose::matrix_view<float> const there(reinterpret_cast<float*>(storage.there()), rows, cols);
  xpose::transpose(on.policy, there.submatrix(5, 3, 40, 30), there.submatrix(10, 40, 30, 40));
  xpose::matrix_view<float> const here(host, rows, cols);
  for (index i = 0; i < 30; ++i)
    for (index j = 0; j < 40; ++j) here(10 + i, 40 + j) = here(5 + j, 3 + i);
  CHECK(storage.is_as_on_host());
}

TEST_CASE_TEMPLATE(
    "transposing twice gives the input back, payloads of NaN and the sign of zero included",
    Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  constexpr index rows = 37;
  constexpr index cols = 41;
  image in(on.where, rows * cols * 4);
  image turned(on.where, rows * cols * 4);
  image back(on.where, rows * cols * 4);
  auto* const bits = reinterpret_cast<std::uint32_t*>(in.host());
  for (index i = 0; i < rows * cols; ++i)
    bits[i] = (i % 3 == 0   ? 0x7f800001u
               : i % 3 == 1 ? 0xffc00000u
                            : 0x80000000u) +
              (i % 3 == 2 ? 0u : static_cast<unsigned>(i));
  in.send();
  auto const view = [](image const& i, index r, index c) {
    return xpose::matrix_view<float>(reinterpret_cast<float*>(i.there()), r, c);
  };
  xpose::transpose(on.policy, view(in, rows, cols), view(turned, cols, rows));
  xpose::transpose(on.policy, view(turned, cols, rows), view(back, rows, cols));
  std::memcpy(back.host(), in.host(), rows * cols * 4);
  CHECK(back.is_as_on_host());
}

TEST_CASE_TEMPLATE("the backend and kernel that run are the ones asked for", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  image in(on.where, 300 * 200 * 4);
  image out(on.where, 300 * 200 * 4);
  in.send();
  xpose::matrix_view<float const> const a(reinterpret_cast<float*>(in.there()), 300, 200);
  xpose::matrix_view<float> const b(reinterpret_cast<float*>(out.there()), 200, 300);
  std::string const ran = verbose_lines([&] { xpose::transpose(on.policy, a, b); });
  CAPTURE(ran);
  CHECK(contains(ran, std::string("backend ") + on.name + ","));
  auto const told = xpose::explain(on.policy, xpose::operation::transpose, a, b);
  CHECK(told.backend == on.name);
  CHECK(contains(ran, "kernel " + told.kernel));
}

}  // namespace

TEST_SUITE_END();
