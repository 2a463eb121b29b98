// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// permute on every backend against plain loops: permutations, dimensions, layouts, element sizes,
// functions, refusals.

#include "cases/cases.hpp"
#include "cases/elements.hpp"
#include "cases/streamed.hpp"
#include "support/backends.hpp"
#include "support/refusal.hpp"
#include "support/small_tests.hpp"
#include "support/verbose_lines.hpp"

#include <doctest/doctest.h>

#include <complex>
#include <numeric>

TEST_SUITE_BEGIN("permute");

namespace {

using cases::index;
using cases::tensor_layout;
using cases::tensor_pattern;
using xpose::tensor_view;

template <class T, std::size_t N>
tensor_view<T, N> view_of(tensor_layout<N> const& l, std::byte* storage) {
  return {reinterpret_cast<T*>(storage) + l.offset, l.extents, l.strides};
}

/// What permute promises, one index after the other: out(i0, .., iN-1) = f(in(..)), with dimension
/// permutation[k] of in indexed by ik.
template <class In, class Out, std::size_t N, class F>
void permute_by_hand(tensor_view<In, N> in, tensor_view<Out, N> out,
                     std::array<int, N> const& permutation, F const& f, std::size_t k = 0,
                     index in_offset = 0, index out_offset = 0) {
  for (index i = 0; i < out.extent(k); ++i) {
    index const from = in_offset + i * in.stride(static_cast<std::size_t>(permutation[k]));
    index const to = out_offset + i * out.stride(k);
    if (k + 1 == N) out.data()[to] = f(in.data()[from]);
    else permute_by_hand(in, out, permutation, f, k + 1, from, to);
  }
}

template <std::size_t N>
std::array<index, N> turned(std::array<index, N> const& extents,
                            std::array<int, N> const& permutation) {
  std::array<index, N> all{};
  for (std::size_t k = 0; k < N; ++k) all[k] = extents[static_cast<std::size_t>(permutation[k])];
  return all;
}

/// What a function makes of a NaN is not promised to the bit.
template <class In>
void make_finite(image& filled, index elements) {
  auto* const values = reinterpret_cast<In*>(filled.host());
  for (index i = 0; i < elements; ++i)
    if (values[i] != values[i]) values[i] = In{};
}

template <class In, class Out, std::size_t N, class F = xpose::identity>
void check_permute(backend const& on, std::array<index, N> const& extents,
                   std::array<int, N> const& permutation, tensor_pattern in_pattern,
                   tensor_pattern out_pattern, F const& f = {}) {
  auto const in = cases::place(in_pattern, extents);
  auto const out = cases::place(out_pattern, turned(extents, permutation));
  CAPTURE(on.name);
  CAPTURE(sizeof(In));
  CAPTURE(in);
  CAPTURE(out);
  image in_image(on.where, static_cast<std::size_t>(in.storage) * sizeof(In));
  image out_image(on.where, static_cast<std::size_t>(out.storage) * sizeof(Out));
  fill_with_pattern(in_image.host(), static_cast<std::size_t>(in.storage) * sizeof(In));
  if constexpr (!std::is_same_v<F, xpose::identity>) make_finite<In>(in_image, in.storage);
  in_image.send();

  xpose::permute(on.policy, view_of<In const>(in, in_image.there()),
                 view_of<Out>(out, out_image.there()), permutation, f);

  permute_by_hand(view_of<In const>(in, in_image.host()), view_of<Out>(out, out_image.host()),
                  permutation, f);
  bool const out_is_right = out_image.is_as_on_host();
  bool const in_is_untouched = in_image.is_as_on_host();
  CHECK(out_is_right);
  CHECK(in_is_untouched);
}

template <std::size_t N, class Visit>
void for_each_permutation(Visit const& visit) {
  std::array<int, N> permutation{};
  std::iota(permutation.begin(), permutation.end(), 0);
  do visit(permutation);
  while (std::next_permutation(permutation.begin(), permutation.end()));
}

/// The reversal, a rotation, a swap of neighbours and one far apart: with all layouts.
template <class T, std::size_t N>
void check_some_permutations(backend const& on, std::array<index, N> const& extents) {
  std::array<int, N> unchanged{};
  std::iota(unchanged.begin(), unchanged.end(), 0);
  auto reversed = unchanged;
  std::reverse(reversed.begin(), reversed.end());
  auto rotated = unchanged;
  std::rotate(rotated.begin(), rotated.begin() + 1, rotated.end());
  auto last_two_swapped = unchanged;
  std::swap(last_two_swapped[N - 1], last_two_swapped[N - 2]);
  auto far_swapped = unchanged;
  std::swap(far_swapped[0], far_swapped[N - 2]);
  for (auto const& permutation : {unchanged, reversed, rotated, last_two_swapped, far_swapped})
    for (auto const in : cases::tensor_input_patterns)
      for (auto const out : cases::tensor_output_patterns)
        if (!is_left_out()) check_permute<T, T>(on, extents, permutation, in, out);
}

template <class T>
void check_all_layouts(backend const& on) {
  for (auto const& extents : cases::tensor_shapes())
    for_each_permutation<3>([&](std::array<int, 3> const& permutation) {
      for (auto const in : cases::tensor_input_patterns)
        for (auto const out : cases::tensor_output_patterns)
          if (!is_left_out()) check_permute<T, T>(on, extents, permutation, in, out);
    });
}

TEST_CASE_TEMPLATE(
    "permute moves elements of every size between all layouts and shapes of three "
    "dimensions",
    Backend, GUARDED_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  for_each_element_size(
      [&](auto sample) { check_all_layouts<typename decltype(sample)::type>(on); });
}

TEST_CASE_TEMPLATE("permute moves tensors of many tiles, with dimensions beside those of the tiles",
                   Backend, GUARDED_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  auto const check = [&on](auto sample, std::array<index, 5> const& extents) {
    using T = typename decltype(sample)::type;
    for (std::array<int, 5> const& by :
         {std::array<int, 5>{0, 4, 2, 1, 3}, {4, 3, 2, 1, 0}, {2, 0, 1, 4, 3}, {3, 1, 4, 0, 2}}) {
      check_permute<T, T>(on, extents, by, tensor_pattern::last_fastest,
                          tensor_pattern::last_fastest);
      check_permute<T, T>(on, extents, by, tensor_pattern::backwards, tensor_pattern::padded);
    }
  };
  check(type_of<std::uint8_t>{}, {3, 35, 2, 67, 41});
  check(type_of<std::uint16_t>{}, {2, 32, 3, 64, 48});
  check(type_of<std::uint32_t>{}, {2, 40, 3, 96, 80});
  check(type_of<std::uint64_t>{}, {2, 37, 2, 65, 67});
  check(type_of<element<12>>{}, {3, 34, 2, 33, 45});
}

TEST_CASE_TEMPLATE("permute brings whole rows into another order", Backend, GUARDED_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  using T = std::uint8_t;
  for (index const row : {16, 17, 33, 64, 65, 100, 640, 1024, 8192, 8193}) {
    for (auto const out : {tensor_pattern::last_fastest, tensor_pattern::padded}) {
      check_permute<T, T, 3>(on, {5, 7, row}, {1, 0, 2}, tensor_pattern::last_fastest, out);
      check_permute<T, T, 3>(on, {9, 2, row}, {1, 0, 2}, tensor_pattern::padded, out);
    }
    check_permute<T, T, 4>(on, {2, 3, 5, row}, {2, 0, 1, 3}, tensor_pattern::last_fastest,
                           tensor_pattern::last_fastest);
  }
}

TEST_CASE("omp brings whole rows into another order past the caches") {
  int turn = 0;
  auto const check = [&turn](auto sample, index row) {
    using T = typename decltype(sample)::type;
    index const bytes = row * static_cast<index>(sizeof(T));
    for (index const rows : {3, 70}) {
      std::array<index, 3> const extents{streamed::bytes_moved() / 2 / (bytes * rows) + 1, rows,
                                         row};
      streamed::on_both_sides(++turn, [&](backend const& on) {
        for (auto const out : {tensor_pattern::last_fastest, tensor_pattern::padded})
          check_permute<T, T, 3>(on, extents, {1, 0, 2}, tensor_pattern::last_fastest, out);
      });
    }
  };
  check(type_of<std::uint32_t>{}, 16);
  check(type_of<std::uint32_t>{}, 64);
  check(type_of<std::uint32_t>{}, 65);
  check(type_of<aligned_element<16>>{}, 128);
}

TEST_CASE("omp tells which kernel brings rows into another order") {
  std::vector<std::uint8_t> in(50 * 70 * 8193);
  std::vector<std::uint8_t> out(in.size());
  auto const kernel = [&](std::array<index, 3> const& extents, std::array<int, 3> const& by) {
    return xpose::explain(xpose::omp, xpose::operation::permute,
                          tensor_view<std::uint8_t const, 3>(in.data(), extents),
                          tensor_view<std::uint8_t, 3>(out.data(), turned(extents, by)), by)
        .kernel;
  };
  CHECK(kernel({50, 70, 16}, {1, 0, 2}) == "transpose_tile<16>");
  CHECK(kernel({50, 70, 64}, {1, 0, 2}) == "transpose_odd_size");
  CHECK(kernel({50, 70, 65}, {1, 0, 2}) == "reorder_rows");
  CHECK(kernel({50, 70, 8192}, {1, 0, 2}) == "reorder_rows");
  CHECK(kernel({50, 70, 8193}, {1, 0, 2}) == "copy_rows");
  CHECK(kernel({50, 70, 300}, {0, 1, 2}) == "copy_run");
  CHECK(kernel({5, 7, 30}, {0, 2, 1}) == "transpose_small_batched");
}

TEST_CASE_TEMPLATE("permute takes one to eight dimensions", Backend, GUARDED_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  using T = std::uint16_t;
  for (auto const in : cases::tensor_input_patterns)
    check_permute<T, T, 1>(on, {77}, {0}, in, tensor_pattern::spread);
  check_permute<T, T, 1>(on, {0}, {0}, tensor_pattern::spread, tensor_pattern::spread);
  check_some_permutations<T, 2>(on, {65, 31});
  check_some_permutations<T, 4>(on, {3, 34, 2, 33});
  check_some_permutations<T, 5>(on, {2, 3, 1, 5, 7});
  check_some_permutations<element<3>, 6>(on, {3, 2, 4, 1, 2, 5});
  check_some_permutations<T, 7>(on, {2, 3, 2, 3, 2, 3, 2});
  check_some_permutations<std::uint64_t, 8>(on, {2, 3, 2, 1, 3, 2, 2, 3});
  check_some_permutations<T, 8>(on, {2, 3, 2, 1, 0, 2, 2, 3});
}

TEST_CASE_TEMPLATE("permute by {1, 0} is transpose, and the unchanged order a copy", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  image in(on.where, 30 * 20 * 4);
  image turned_by(on.where, 30 * 20 * 4);
  fill_with_pattern(in.host(), 30 * 20 * 4);
  in.send();
  auto* const from = reinterpret_cast<float*>(in.there());
  auto* const to = reinterpret_cast<float*>(turned_by.there());
  xpose::transpose(on.policy, xpose::matrix_view<float>(from, 30, 20),
                   xpose::matrix_view<float>(to, 20, 30));
  turned_by.fetch();
  std::array<int, 2> const swapped{1, 0};
  xpose::permute(on.policy, tensor_view<float, 2>(from, {30, 20}),
                 tensor_view<float, 2>(to, {20, 30}), swapped);
  CHECK(turned_by.is_as_on_host());
}

TEST_CASE_TEMPLATE("permute casts and conjugates on its way", Backend, GUARDED_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  using complex = std::complex<float>;
  check_permute<std::uint16_t, float, 3>(on, {5, 33, 34}, {2, 0, 1}, tensor_pattern::last_fastest,
                                         tensor_pattern::padded, xpose::cast<float>{});
  check_permute<complex, complex, 4>(on, {3, 4, 5, 6}, {3, 1, 0, 2}, tensor_pattern::spread,
                                     tensor_pattern::backwards, xpose::conjugate{});
}

TEST_CASE_TEMPLATE("permute calls a function of the user's", Backend, GUARDED_HOST_BACKENDS) {
  backend const on = Backend::get();
  auto const twice = [](std::uint8_t x) { return 2 * x + 1; };
  check_permute<std::uint8_t, int, 3>(on, {9, 40, 33}, {1, 2, 0}, tensor_pattern::last_fastest,
                                      tensor_pattern::last_fastest, twice);
  check_permute<std::uint8_t, int, 1>(on, {40}, {0}, tensor_pattern::backwards,
                                      tensor_pattern::spread, twice);
}

/// Two tensors in the backend's place, all bytes poison.
struct poisoned_pair {
  explicit poisoned_pair(backend const& on) : in_image(on.where, 4000), out_image(on.where, 4000) {}
  float* in() const { return reinterpret_cast<float*>(in_image.there()); }
  float* out() const { return reinterpret_cast<float*>(out_image.there()); }
  bool is_untouched() const { return out_image.is_as_on_host() && in_image.is_as_on_host(); }
  image in_image, out_image;
};

TEST_CASE_TEMPLATE("permute refuses extents that do not fit and numbers that are no permutation",
                   Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  poisoned_pair const memory(on);
  auto const refused = [&](std::array<index, 3> const& extents, std::array<int, 3> const& by) {
    return refusal<xpose::shape_error>([&] {
      xpose::permute(on.policy, tensor_view<float, 3>(memory.in(), {4, 5, 6}),
                     tensor_view<float, 3>(memory.out(), extents), by);
    });
  };
  CHECK(refused({6, 4, 5}, {2, 1, 0}) == "permute: out is 6x4x5, expected 6x5x4");
  CHECK(refused({4, 5, 6}, {1, 2, 0}) == "permute: out is 4x5x6, expected 5x6x4");
  CHECK(refused({4, 4, 6}, {0, 0, 2}) == "permute: (0, 0, 2) is no permutation of 3 dimensions");
  CHECK(refused({4, 5, 6}, {1, 2, 3}) == "permute: (1, 2, 3) is no permutation of 3 dimensions");
  CHECK(refused({4, 5, 6}, {0, -1, 2}) == "permute: (0, -1, 2) is no permutation of 3 dimensions");
  CHECK(refusal<xpose::shape_error>([&] {
          xpose::permute(on.policy, tensor_view<float, 1>(memory.in(), {4}),
                         tensor_view<float, 1>(memory.out(), {4}), std::array<int, 1>{1});
        }) == "permute: (1) is no permutation of 1 dimension");
  CHECK(memory.is_untouched());
}

TEST_CASE_TEMPLATE("permute refuses outputs that share addresses, with themselves or the input",
                   Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  poisoned_pair const memory(on);
  std::array<int, 3> const reversed{2, 1, 0};
  tensor_view<float, 3> const in(memory.in(), {4, 5, 6});
  auto const refused = [&](float* data, std::array<index, 3> const& strides) {
    return refusal<xpose::layout_error>([&] {
      xpose::permute(on.policy, in, tensor_view<float, 3>(data, {6, 5, 4}, strides), reversed);
    });
  };
  CHECK(
      refused(memory.out(), {1, 6, 6}) ==
      "permute: out is 6x5x4 with strides 1, 6, 6: some elements share an address, and an output's "
      "must be distinct");
  CHECK(contains(refused(memory.out(), {0, 6, 30}), "some elements share an address"));
  auto* const crooked = reinterpret_cast<float*>(reinterpret_cast<char*>(memory.out()) + 2);
  CHECK(contains(refused(crooked, {20, 4, 1}), "is not aligned to its element type (4 bytes)"));
  CHECK(contains(refusal<xpose::alias_error>([&] {
                   xpose::permute(on.policy, in,
                                  tensor_view<float, 3>(memory.in() + 119, {6, 5, 4}), reversed);
                 }),
                 "permute: out [0x"));
  CHECK(memory.is_untouched());
}

TEST_CASE_TEMPLATE("the backend and kernel that permute runs on are the ones explained", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  poisoned_pair const memory(on);
  tensor_view<float, 3> const in(memory.in(), {4, 5, 6});
  tensor_view<float, 3> const out(memory.out(), {6, 4, 5});
  std::array<int, 3> const by{2, 0, 1};
  std::string const ran = verbose_lines([&] { xpose::permute(on.policy, in, out, by); });
  CAPTURE(ran);
  CHECK(contains(ran, std::string("permute to 6x4x5 of 4 bytes: backend ") + on.name + ","));
  auto const told = xpose::explain(on.policy, xpose::operation::permute, in, out, by);
  CHECK(told.backend == on.name);
  CHECK(contains(ran, "kernel " + told.kernel));
  CHECK(refusal<xpose::shape_error>([&] {
          xpose::explain(on.policy, xpose::operation::copy, in, out, by);
        }) == "explain: copy takes two views, in and out");
}

}  // namespace

TEST_SUITE_END();
