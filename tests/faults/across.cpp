// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Calls across memories on streams that run late, in orders drawn at random: results, what they
// take and what they leave.

#include "faults/fake/across_operands.hpp"
#include "faults/fake/in_child.hpp"

#include <xpose/layer_epilogue.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using fake::held_matrix;
using fake::home;
using fake::layout;
using xpose::index;

/// What body says is wrong, on streams that run late, and what the runtime saw.
template <class Body>
std::string late(unsigned seed, Body const& body) {
  return in_child([&]() -> std::string {
    fake::start(2);
    fake::run_late(seed);
    std::string const wrong = body();
    std::string const left = fake::blocks_not_freed() == 0 ? "" : "device memory is left; ";
    return wrong + fake::wrongs() + left;
  });
}

constexpr home homes[] = {home::pageable, home::pinned, home::managed, home::device,
                          home::other_device};
constexpr layout layouts[] = {layout::row_major, layout::pitched, layout::col_major,
                              layout::backwards, layout::every_other};
constexpr layout input_layouts[] = {layout::row_major,  layout::pitched,     layout::col_major,
                                    layout::backwards,  layout::every_other, layout::repeated,
                                    layout::overlapping};

template <class Run>
void for_all_homes(Run const& run) {
  unsigned seed = 0;
  for (home const in : homes)
    for (home const out : homes)
      for (layout const in_order : input_layouts)
        for (layout const out_order : layouts) {
          CAPTURE(std::string(fake::name_of(in)));
          CAPTURE(std::string(fake::name_of(out)));
          CAPTURE(std::string(fake::name_of(in_order)));
          CAPTURE(std::string(fake::name_of(out_order)));
          CHECK(late(++seed, [&] { return run(in, in_order, out, out_order); }) == "");
        }
}

TEST_CASE("transposes between any two memories, of any layouts, move every element") {
  for_all_homes([](home in_home, layout in_order, home out_home, layout out_order) -> std::string {
    held_matrix<float> const in(in_home, 70, 50, in_order), out(out_home, 50, 70, out_order);
    fake::allow_device_bytes(6000);
    held_matrix<float> const copied(out_home, 70, 50, out_order);
    auto const policy = xpose::cuda.across(xpose::across_options().device_bytes(6000));
    xpose::transpose(policy, in.view(), out.view());
    xpose::copy(policy, in.view(), copied.view());
    if (!copied.equals(in.view())) return "a wrong element of a copy; ";
    if (!copied.gaps_are_whole()) return "a gap was written by a copy; ";
    for (index i = 0; i < 70; ++i)
      for (index j = 0; j < 50; ++j)
        if (out.view()(j, i) != in.view()(i, j)) return "a wrong element; ";
    return out.gaps_are_whole() ? "" : "a gap was written; ";
  });
}

TEST_CASE("casts between any two memories move every element") {
  for_all_homes([](home in_home, layout in_order, home out_home, layout out_order) -> std::string {
    held_matrix<float> const in(in_home, 70, 50, in_order);
    held_matrix<double> const out(out_home, 70, 50, out_order);
    fake::allow_device_bytes(8000);
    xpose::copy(xpose::cuda.across(xpose::across_options().device_bytes(8000)), in.view(),
                out.view(), xpose::cast<double>{});
    for (index i = 0; i < 70; ++i)
      for (index j = 0; j < 50; ++j)
        if (out.view()(i, j) != in.view()(i, j)) return "a wrong element; ";
    return out.gaps_are_whole() ? "" : "a gap was written; ";
  });
}

TEST_CASE("sums of operands in any memory are those of xpose::reference, in place too") {
  for_all_homes([](home a_home, layout a_order, home c_home, layout c_order) -> std::string {
    held_matrix<float> const a(a_home, 70, 50, a_order), b(home::pinned, 50, 70, layout::row_major);
    held_matrix<float> const a_here(home::pageable, 70, 50, a_order);
    held_matrix<float> const c(c_home, 70, 50, c_order);
    std::vector<float> expected(70 * 50);
    xpose::matrix_view<float> const e(expected.data(), 70, 50);
    auto const policy = xpose::cuda.across(xpose::across_options().device_bytes(9000));
    fake::allow_device_bytes(9000);
    xpose::add(xpose::reference, 2.f, a_here.view(), -1.f, b.view().transposed(), e);
    xpose::add(policy, 2.f, a.view(), -1.f, b.view().transposed(), c.view());
    if (!c.equals(e)) return "a wrong sum; ";
    xpose::add(xpose::reference, 2.f, e, 1.f, a_here.view(), e);
    xpose::add(policy, 2.f, c.view(), 1.f, a.view(), c.view());
    if (!c.equals(e)) return "a wrong sum in place; ";
    return c.gaps_are_whole() ? "" : "a gap was written; ";
  });
}

TEST_CASE("gemm of operands in any memory is that of xpose::reference, whatever the limit") {
  for (index const limit : {index{0}, index{60000}, index{20000}})
    for_all_homes([limit](home a_home, layout a_order, home c_home, layout c_order) -> std::string {
      held_matrix<float> const a(a_home, 70, 30, a_order), c(c_home, 70, 50, c_order);
      held_matrix<float> const b(home::pageable, 30, 50, layout::pitched);
      held_matrix<float> const a_here(home::pageable, 70, 30, a_order);
      held_matrix<float> const c_here(home::pageable, 70, 50, layout::row_major);
      std::vector<float> expected(70 * 50);
      xpose::matrix_view<float> const e(expected.data(), 70, 50);
      xpose::copy(xpose::reference, c_here.view(), e);
      xpose::gemm(xpose::reference, 2.f, a_here.view(), b.view(), 1.f, e);
      if (limit != 0) fake::allow_device_bytes(static_cast<std::size_t>(limit));
      xpose::gemm(xpose::cuda.across(xpose::across_options().device_bytes(limit)), 2.f, a.view(),
                  b.view(), 1.f, c.view());
      if (!c.equals(e)) return "a wrong product; ";
      return c.gaps_are_whole() ? "" : "a gap was written; ";
    });
}

TEST_CASE("gemm of batches, of a layer and without alpha passes through the device") {
  for (unsigned seed = 0; seed < 8; ++seed) {
    CHECK(late(seed, []() -> std::string {
            held_matrix<float> const a(home::pageable, 10 * 8, 6, layout::row_major);
            held_matrix<float> const b(home::pinned, 6, 7, layout::row_major);
            held_matrix<float> const c(home::device, 10 * 8, 7, layout::row_major);
            std::vector<float> expected(10 * 8 * 7);
            xpose::gemm(xpose::reference, xpose::batch(a.data(), 10, 8, 6), b.view(),
                        xpose::batch(expected.data(), 10, 8, 7));
            xpose::gemm(xpose::cuda.across(xpose::across_options().device_bytes(4000)),
                        xpose::batch(a.data(), 10, 8, 6), b.view(),
                        xpose::batch(c.data(), 10, 8, 7));
            return c.equals({expected.data(), 80, 7}) ? "" : "a wrong product; ";
          }) == "");
    CHECK(late(seed, []() -> std::string {
            held_matrix<float> const a(home::pageable, 70, 30, layout::row_major);
            held_matrix<float> const b(home::pageable, 30, 50, layout::row_major);
            held_matrix<float> const bias(home::pageable, 1, 50, layout::row_major);
            held_matrix<float> const scale(home::pinned, 70, 50, layout::row_major);
            held_matrix<float> const c(home::pageable, 70, 50, layout::row_major);
            std::vector<float> expected(70 * 50);
            auto const layer = xpose::layer_epilogue<float>()
                                   .scale(xpose::matrix_view<float const>(scale.view()))
                                   .bias(xpose::matrix_view<float const>(bias.view()))
                                   .activate(xpose::activation::relu);
            xpose::matrix_view<float> const e(expected.data(), 70, 50);
            xpose::gemm(xpose::reference, a.view(), b.view(), e, xpose::options().epilogue(layer));
            fake::allow_device_bytes(30000);
            xpose::gemm(xpose::cuda.across(xpose::across_options().device_bytes(30000)), a.view(),
                        b.view(), c.view(), xpose::options().epilogue(layer));
            return c.equals(e) ? "" : "a wrong layer; ";
          }) == "");
    CHECK(late(seed, []() -> std::string {
            held_matrix<float> const a(home::pageable, 70, 30, layout::row_major);
            held_matrix<float> const c(home::pageable, 70, 70, layout::row_major);
            std::vector<float> expected(70 * 70);
            xpose::matrix_view<float> const e(expected.data(), 70, 70);
            xpose::copy(xpose::reference, c.view(), e);
            xpose::gemm(xpose::reference, 0.f, a.view(), a.view().transposed(), 2.f, e);
            xpose::gemm(xpose::cuda.across(), 0.f, a.view(), a.view().transposed(), 2.f, c.view());
            if (fake::traffic_so_far().bytes != 2 * 70 * 70 * 4) return "A or B is read; ";
            return c.equals(e) ? "" : "beta C is wrong; ";
          }) == "");
  }
}

TEST_CASE("matrices of a batch that share rows are told apart by their extents") {
  for (unsigned seed = 0; seed < 4; ++seed)
    CHECK(late(seed, []() -> std::string {
            // Tiles have 36 and 35 rows: matrix 1 begins where the last 35 rows of matrix 0 do.
            held_matrix<float> const rows(home::pageable, 71 + 2 * 36, 30, layout::row_major);
            held_matrix<float> const b(home::device, 30, 50, layout::row_major);
            held_matrix<float> const b_here(home::pageable, 30, 50, layout::row_major);
            held_matrix<float> const c(home::device, 3 * 71, 50, layout::row_major);
            std::vector<float> expected(3 * 71 * 50);
            xpose::batch_view<float const> const a(rows.data(), 3, 71, 30, xpose::strided{30, 1},
                                                   36 * 30);
            xpose::gemm(xpose::reference, a, b_here.view(),
                        xpose::batch(expected.data(), 3, 71, 50));
            xpose::gemm(xpose::cuda.across(xpose::across_options().device_bytes(12000)), a,
                        b.view(), xpose::batch(c.data(), 3, 71, 50));
            return c.equals({expected.data(), 3 * 71, 50}) ? "" : "a wrong product; ";
          }) == "");
}

TEST_CASE("batches and tensors move between memories in pieces") {
  for (unsigned seed = 0; seed < 8; ++seed)
    CHECK(late(seed, []() -> std::string {
            using tensor = xpose::tensor_view<float, 3>;
            held_matrix<float> const in(home::pageable, 20, 30 * 40, layout::row_major);
            held_matrix<float> const out(home::device, 40, 20 * 30, layout::row_major);
            std::vector<float> expected(20 * 30 * 40);
            std::array<index, 3> const from{20, 30, 40}, to{40, 20, 30};
            std::array<int, 3> const order{2, 0, 1};
            xpose::permute(xpose::reference, tensor(in.data(), from), tensor(expected.data(), to),
                           order);
            xpose::permute(xpose::cuda.across(xpose::across_options().device_bytes(5000)),
                           tensor(in.data(), from), tensor(out.data(), to), order);
            return out.equals({expected.data(), 40, 600}) ? "" : "a wrong element; ";
          }) == "");
}

TEST_CASE("large operands pass through rings of pinned blocks, which are used again and again") {
  CHECK(late(5, []() -> std::string {
          index const rows = 3000, cols = 5000;  // 60 MB: 15 blocks each way
          held_matrix<float> const in(home::pageable, rows, cols, layout::row_major);
          held_matrix<float> const out(home::pageable, cols, rows, layout::row_major);
          xpose::transpose(xpose::cuda.across(), in.view(), out.view());
          for (index i = 0; i < rows; i += 7)
            for (index j = 0; j < cols; ++j)
              if (out.view()(j, i) != in.view()(i, j)) return "a wrong element; ";
          return "";
        }) == "");
}

}  // namespace
