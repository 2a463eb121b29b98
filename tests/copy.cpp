// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// transpose and copy without an element function, on every backend: bytes, layouts, batches.

#include "backends.hpp"
#include "cases.hpp"
#include "elements.hpp"
#include "verbose_lines.hpp"

#include <doctest/doctest.h>

namespace {

using cases::index;
using cases::layout;

template <class T>
xpose::batch_view<T> view_of(layout const& l, std::byte* storage) {
  auto* const data = l.storage == 0 ? nullptr : reinterpret_cast<T*>(storage) + l.offset;
  return {data,          l.batch, l.rows, l.cols, xpose::strided{l.row_stride, l.col_stride},
          l.batch_stride};
}

/// Runs one operation on Backend and compares the whole of both operands' memory with plain loops
/// on the host.
template <class T>
void check_case(backend const& on, xpose::operation op, layout const& in, layout const& out) {
  CAPTURE(on.name);
  CAPTURE(sizeof(T));
  CAPTURE(in);
  CAPTURE(out);
  image in_image(on.where, static_cast<std::size_t>(in.storage) * sizeof(T));
  image out_image(on.where, static_cast<std::size_t>(out.storage) * sizeof(T));
  fill_with_pattern(in_image.host(), static_cast<std::size_t>(in.storage) * sizeof(T));
  in_image.send();
  out_image.send();

  auto const in_view = view_of<T const>(in, in_image.there());
  auto const out_view = view_of<T>(out, out_image.there());
  if (op == xpose::operation::transpose) {
    if (in.batch == 1) xpose::transpose(on.policy, in_view.first(), out_view.first());
    else xpose::transpose(on.policy, in_view, out_view);
  } else {
    if (in.batch == 1) xpose::copy(on.policy, in_view.first(), out_view.first());
    else xpose::copy(on.policy, in_view, out_view);
  }

  auto const source = view_of<T const>(in, in_image.host());
  auto const target = view_of<T>(out, out_image.host());
  for (index m = 0; m < out.batch; ++m)
    for (index i = 0; i < out.rows; ++i)
      for (index j = 0; j < out.cols; ++j)
        target[m](i, j) = op == xpose::operation::transpose ? source[m](j, i) : source[m](i, j);
  bool const out_is_right = out_image.is_as_on_host();
  bool const in_is_untouched = in_image.is_as_on_host();
  CHECK(out_is_right);
  CHECK(in_is_untouched);
}

template <class T>
void check_both(backend const& on, cases::pattern in, cases::pattern out, index rows, index cols,
                index batch = 1) {
  using xpose::operation;
  check_case<T>(on, operation::transpose, cases::place(in, rows, cols, batch),
                cases::place(out, cols, rows, batch));
  check_case<T>(on, operation::copy, cases::place(in, rows, cols, batch),
                cases::place(out, rows, cols, batch));
}

template <class T>
void check_all_layouts(backend const& on) {
  for (auto const& [rows, cols] : cases::shapes())
    for (auto const in : cases::input_patterns)
      for (auto const out : cases::output_patterns) check_both<T>(on, in, out, rows, cols);
}

template <class T>
void check_large(backend const& on) {
  using cases::pattern;
  pattern const pairs[][2] = {{pattern::row_major, pattern::row_major},
                              {pattern::padded_rows, pattern::row_major},
                              {pattern::col_major, pattern::odd_offset},
                              {pattern::spread, pattern::padded_cols}};
  for (auto const& [rows, cols] : cases::large_shapes())
    for (auto const& pair : pairs) check_both<T>(on, pair[0], pair[1], rows, cols);
}

TEST_CASE_TEMPLATE("transpose and copy move elements of 4 bytes between all layouts and shapes",
                   Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  check_all_layouts<std::uint32_t>(on);
}

TEST_CASE_TEMPLATE("transpose and copy move elements of 3 bytes between all layouts and shapes",
                   Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  check_all_layouts<element<3>>(on);
}

TEST_CASE_TEMPLATE("transpose and copy move elements of every size", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  check_large<std::uint8_t>(on);
  check_large<std::uint16_t>(on);
  check_large<element<3>>(on);
  check_large<std::uint32_t>(on);
  check_large<element<5>>(on);
  check_large<element<6>>(on);
  check_large<std::uint64_t>(on);
  check_large<aligned_element<16>>(on);
  check_large<element<12>>(on);
  check_large<element<16>>(on);
  check_large<element<24>>(on);
  check_large<aligned_element<32>>(on);
  check_large<element<100>>(on);
}

TEST_CASE_TEMPLATE("transpose and copy move batches, strided and of one repeated matrix", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  for (index const batch : {0, 2, 7, 300})
    for (auto const& [rows, cols] :
         {std::pair<index, index>{1, 1}, {3, 5}, {33, 31}, {64, 2}, {0, 3}})
      for (auto const in :
           {cases::pattern::row_major, cases::pattern::padded_cols, cases::pattern::broadcast})
        for (auto const out : {cases::pattern::row_major, cases::pattern::spread}) {
          check_both<std::uint16_t>(on, in, out, rows, cols, batch);
          check_both<std::uint64_t>(on, in, out, rows, cols, batch);
        }
  layout repeated = cases::place(cases::pattern::row_major, 31, 17, 5);
  repeated.batch_stride = 0;
  check_case<float>(on, xpose::operation::transpose, repeated,
                    cases::place(cases::pattern::row_major, 17, 31, 5));
}

TEST_CASE_TEMPLATE("transpose takes grids past 65535 tiles in either direction", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  constexpr index beyond = 65536 * 32 + 1;
  check_both<std::uint8_t>(on, cases::pattern::row_major, cases::pattern::row_major, beyond, 3);
  check_both<std::uint8_t>(on, cases::pattern::row_major, cases::pattern::row_major, 3, beyond);
  check_both<std::uint16_t>(on, cases::pattern::row_major, cases::pattern::row_major, 3, 2, 65536);
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
