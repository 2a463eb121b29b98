// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// device_bytes() holds for all that a gemm across memories takes: tiles, and what gemm's own
// kernels take for them. Those are selected as on a device of capability 90, and do nothing. With
// less memory, more crosses the bus.

#include "faults/fake/across_operands.hpp"
#include "faults/fake/in_child.hpp"

#include <xpose/backends/across/gemm_tiles.hpp>
#include <xpose/layer_epilogue.hpp>
#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <random>
#include <string>
#include <vector>

namespace {

using fake::held_matrix;
using fake::home;
using fake::layout;
using xpose::index;
using xpose::detail::residency;

struct extents {
  index rows, cols, k;
};

/// Memory of a matrix, and an order in which it lies there.
template <class T>
struct matrix_in {
  matrix_in(residency where, index rows, index cols, unsigned order)
      : memory(where, static_cast<std::size_t>((rows + 1) * (cols + 1) * 2) * sizeof(T)) {
    T* const first = memory.as<T>() + order % 3;
    if (order % 4 == 0) view = {first, rows, cols};
    else if (order % 4 == 1) view = {first, rows, cols, xpose::col_major};
    else if (order % 4 == 2) view = {first, rows, cols, xpose::row_major, cols + 1};
    else view = {first, rows, cols, xpose::strided{2 * cols, 2}};
  }
  fake::memory memory;
  xpose::matrix_view<T> view;
};

/// Device memory that it takes beyond the limit.
template <class T, class C, class Options>
std::string beyond_limit(extents const& e, index limit, unsigned order, Options const& options) {
  return in_child([&]() -> std::string {
    fake::start();
    residency const anywhere = order % 5 == 0 ? residency::device : residency::unknown_to_cuda;
    matrix_in<T> const a(residency::unknown_to_cuda, e.rows, e.k, order);
    matrix_in<T> const b(anywhere, e.k, e.cols, order / 4);
    matrix_in<C> const c(residency::unknown_to_cuda, e.rows, e.cols, order / 16 % 3);
    try {
      xpose::gemm(xpose::cuda.across(xpose::across_options().device_bytes(limit)), a.view, b.view,
                  c.view, options);
    } catch (xpose::backend_error const&) {
      return "";  // not one row and one column, and what a kernel takes for them
    }
    auto const taken = static_cast<index>(fake::traffic_so_far().most_device_bytes);
    return taken <= limit ? "" : std::to_string(taken) + " bytes are taken";
  });
}

template <class T, class C = T, class Options = xpose::gemm_options<>>
void check_limits(char const* types, Options const& options = {}) {
  CAPTURE(std::string(types));
  std::mt19937 random_bits(7);
  auto const any = [&](index most) { return 1 + static_cast<index>(random_bits()) % most; };
  for (int again = 0; again < 24; ++again) {
    extents const e = again % 3 == 0   ? extents{any(90), any(90), any(30000)}
                      : again % 3 == 1 ? extents{any(1500), any(1500), any(1200)}
                                       : extents{64 * any(24), 64 * any(24), 64 * any(16)};
    index const limit = 200000 * (1 + static_cast<index>(random_bits() % 150));
    auto const order = static_cast<unsigned>(random_bits() % 64);
    CAPTURE(e.rows);
    CAPTURE(e.cols);
    CAPTURE(e.k);
    CAPTURE(limit);
    CAPTURE(order);
    CHECK(beyond_limit<T, C>(e, limit, order, options) == "");
  }
}

TEST_CASE("gemm's kernels take their workspace within device_bytes") {
  auto const options = xpose::options();
  check_limits<float>("f32");
  check_limits<float>("f32, fast_f32", options.precision(xpose::fast_f32));
  check_limits<float>("f32, tf32", options.precision(xpose::tf32));
  check_limits<double>("f64");
  check_limits<std::complex<double>>("complex");
  check_limits<std::complex<double>>("three products", options.precision(xpose::three_products));
  check_limits<std::complex<float>>("three products", options.precision(xpose::three_products));
  check_limits<xpose::float16>("f16");
  check_limits<xpose::bfloat16, float>("bf16 to f32");
  check_limits<std::int8_t, std::int32_t>("i8");
  check_limits<xpose::float8_e4m3, float>("f8");
  check_limits<std::int64_t>("i64");
}

TEST_CASE("the partials of a layer are within device_bytes, too") {
  std::vector<float> const bias(1500);
  for (index const limit : {index{2000000}, index{8000000}}) {
    auto const layer =
        xpose::layer_epilogue<float>().bias(xpose::matrix_view<float const>(bias.data(), 1, 1500));
    CHECK(beyond_limit<float, float>({1200, 1500, 300}, limit, 0,
                                     xpose::options().epilogue(layer)) == "");
  }
}

TEST_CASE("tiles that the blocks of fast_f32 share are counted beyond its planes") {
  using namespace xpose::detail;
  gemm_request r{};
  r.a = r.b = r.c = operand{nullptr, 1, 2300, 2300, 0, 2300, 1, 4, 4, element_type::f32, false};
  r.precision = xpose::gemm_precision::fast_f32;
  gemm_workspace const w = workspace_of(r, false, false, 132);
  // Accumulators of all of C are more than are resident, so that k is not split.
  index const planes = 2 * 2300 * 2304 * 6;
  index const shared_tiles = 132 * (128 * 128 * 4 + 16);
  CHECK(most_bytes(w, 1, 2300, 2300, 2300) >= planes + shared_tiles);
  CHECK(most_bytes(w, 1, 2300, 2300, 200) < 2 * 2300 * 256 * 6 + shared_tiles);
}

TEST_CASE("tiles that the blocks of complex doubles share are counted") {
  using namespace xpose::detail;
  gemm_request r{};
  r.a = r.b = r.c =
      operand{nullptr, 1, 2304, 2304, 0, 2304, 1, 16, 16, element_type::complex_f64, false};
  gemm_workspace const w = workspace_of(r, false, false, 132);
  // Nothing is copied, and C is too large for k to be split.
  CHECK(most_bytes(w, 1, 2304, 2304, 2304) >= 132 * (64 * 64 * 16 + 8));
  CHECK(most_bytes(w, 1, 2304, 2304, 112) == 0);
}

TEST_CASE("what operands cross the bus is read as few times as buffers allow") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          fake::run_late(6);
          held_matrix<float> const a(home::pinned, 512, 512, layout::row_major);
          held_matrix<float> const b(home::pinned, 512, 512, layout::row_major);
          held_matrix<float> const c(home::pinned, 512, 512, layout::row_major);
          index const once = 512 * 512 * 4;
          xpose::detail::gemm_traffic traffic{1, 512, 512, 512, 4, 4, 4, false, 0, 0, 0, 4};
          auto const f32 = xpose::detail::element_type::f32;
          xpose::detail::operand const o{nullptr, 1, 512, 512, 0, 512, 1, 4, 4, f32, false};
          xpose::detail::gemm_request r{};
          r.a = r.b = r.c = o;
          traffic.workspace = xpose::detail::workspace_of(r, true, true, 132);
          index last = 0;
          for (index const limit : {40 * once, 3 * once, once, once / 4, once / 20}) {
            std::size_t const before = fake::traffic_so_far().bytes;
            xpose::gemm(xpose::cuda.across(xpose::across_options().device_bytes(limit)), a.view(),
                        b.view(), c.view());
            auto const bytes = static_cast<index>(fake::traffic_so_far().bytes - before);
            auto const tiles = xpose::detail::choose_gemm_tiles(traffic, limit);
            bool const has_whole_panels = 512 % tiles.rows == 0 && 512 % tiles.cols == 0;
            index const expected = bytes_read(traffic, tiles) + once;
            if (has_whole_panels ? bytes != expected : bytes > expected)
              return std::to_string(bytes) + ", not " + std::to_string(expected);
            // A product of this size may take 16 times C for partials.
            if (limit >= 40 * once && bytes != 3 * once) return "an operand crosses twice";
            if (bytes < last) return "less memory, and fewer bytes";
            last = bytes;
          }
          return last > 6 * once ? "" : "the least memory has no effect";
        }) == "");
}

TEST_CASE("panels that kernels read as they are cost nothing but their buffers") {
  xpose::detail::gemm_request r{};
  r.a = {nullptr, 1, 4096, 8192, 0, 8192, 1, 2, 2, xpose::detail::element_type::f16, false};
  r.b = {nullptr, 1, 8192, 4096, 0, 4096, 1, 2, 2, xpose::detail::element_type::f16, false};
  r.c = {nullptr, 1, 4096, 4096, 0, 4096, 1, 2, 2, xpose::detail::element_type::f16, false};
  auto const streamed = xpose::detail::workspace_of(r, true, true, 132);
  auto const resident = xpose::detail::workspace_of(r, true, false, 132);
  index const panel = 8192 * 4096 * 2;
  CHECK(xpose::detail::most_bytes(streamed, 1, 8192, 8192, 8192) < panel / 4);
  CHECK(xpose::detail::most_bytes(resident, 1, 8192, 8192, 8192) > panel);
}

}  // namespace
