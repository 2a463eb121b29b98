// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Calls across memories on a device: every operation, layout, kind of memory and element size
// against xpose::reference, in pieces so small that a small matrix has many. Every case needs a
// GPU.

#include "cuda/across_memory.hpp"
#include "support/gpu.hpp"
#include "support/own_process.hpp"
#include "support/small_tests.hpp"

#include <xpose/explain.hpp>
#include <xpose/layer_epilogue.hpp>

#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <iterator>
#include <string>
#include <vector>

TEST_SUITE_BEGIN("cuda.across");

namespace {

using across_memory::all_kinds;
using across_memory::all_layouts;
using across_memory::kind;
using across_memory::layout;
using across_memory::matrix;
using xpose::index;

xpose::across_options limit(index bytes) { return xpose::across_options().device_bytes(bytes); }

/// What is expected of two layouts is calculated once, for operands in all kinds of memory.
template <class Run>
void for_layouts(Run const& run) {
  for (layout const in_order : across_memory::input_layouts)
    for (layout const out_order : all_layouts) {
      CAPTURE(std::string(across_memory::name_of(in_order)));
      CAPTURE(std::string(across_memory::name_of(out_order)));
      run(in_order, out_order);
    }
}

/// All pairs; under a tool with which they take minutes each kind once, with another one each time.
template <class Run>
void for_kinds(Run const& run) {
  static int turn = 0;
  constexpr int count = static_cast<int>(std::size(all_kinds));
  ++turn;
  for (kind const in : all_kinds)
    for (kind const out : all_kinds) {
      int const distance = static_cast<int>(out) - static_cast<int>(in) + count;
      if (wants_small_tests() && distance % count != turn % count) continue;
      CAPTURE(std::string(across_memory::name_of(in)));
      CAPTURE(std::string(across_memory::name_of(out)));
      run(in, out);
    }
}

template <class T>
void check_transpose(index rows, index cols, index bytes) {
  for_layouts([&](layout in_order, layout out_order) {
    matrix<T> source(kind::pageable, rows, cols, in_order);
    matrix<T> expected(kind::pageable, cols, rows, out_order);
    xpose::transpose(xpose::reference, source.here(), expected.here());
    for_kinds([&](kind in_kind, kind out_kind) {
      matrix<T> in(in_kind, rows, cols, in_order);
      matrix<T> out(out_kind, cols, rows, out_order);
      xpose::transpose(xpose::cuda.across(limit(bytes)), in.there(), out.there());
      CHECK(out.has_bytes_of(expected));
    });
  });
}

TEST_CASE("transposes between any two memories move every byte and no other, in pieces") {
  if (!needs_gpu()) return;
  check_transpose<unsigned char>(301, 203, 20000);
  check_transpose<std::uint16_t>(301, 203, 40000);
  check_transpose<float>(301, 203, 80000);
  check_transpose<double>(301, 203, 100000);
  check_transpose<std::complex<double>>(301, 203, 200000);
  check_transpose<std::array<char, 3>>(301, 203, 60000);
}

TEST_CASE("transposes of rows long enough for copy engines move every byte and no other") {
  if (!needs_gpu()) return;
  check_transpose<float>(1200, 1100, 1000000);
  check_transpose<unsigned char>(1201, 1103, 0);
}

TEST_CASE("copies and casts between any two memories are those of xpose::reference") {
  if (!needs_gpu()) return;
  for_layouts([&](layout in_order, layout out_order) {
    matrix<float> source(kind::pageable, 301, 203, in_order);
    matrix<float> expected(kind::pageable, 301, 203, out_order);
    matrix<double> expected_wide(kind::pageable, 301, 203, out_order);
    xpose::copy(xpose::reference, source.here(), expected.here());
    xpose::copy(xpose::reference, source.here(), expected_wide.here(), xpose::cast<double>{});
    for_kinds([&](kind in_kind, kind out_kind) {
      matrix<float> in(in_kind, 301, 203, in_order);
      matrix<float> copied(out_kind, 301, 203, out_order);
      matrix<double> widened(out_kind, 301, 203, out_order);
      auto const policy = xpose::cuda.across(limit(100000));
      xpose::copy(policy, in.there(), copied.there());
      xpose::copy(policy, in.there(), widened.there(), xpose::cast<double>{});
      CHECK(copied.has_bytes_of(expected));
      CHECK(widened.has_bytes_of(expected_wide));
    });
  });
}

TEST_CASE("sums of operands in any memory are those of xpose::reference, in place too") {
  if (!needs_gpu()) return;
  matrix<float> b(kind::pinned, 203, 301, layout::row_major);
  for_layouts([&](layout a_order, layout c_order) {
    matrix<float> source(kind::pageable, 301, 203, a_order);
    matrix<float> first(kind::pageable, 301, 203, c_order);
    matrix<float> second(kind::pageable, 301, 203, c_order);
    xpose::add(xpose::reference, 2.f, source.here(), -1.f, b.here().transposed(), first.here());
    xpose::add(xpose::reference, 1.f, first.here(), 1.f, source.here(), second.here());
    for_kinds([&](kind a_kind, kind c_kind) {
      matrix<float> a(a_kind, 301, 203, a_order), c(c_kind, 301, 203, c_order);
      auto const policy = xpose::cuda.across(limit(200000));
      xpose::add(policy, 2.f, a.there(), -1.f, b.there().transposed(), c.there());
      CHECK(c.has_bytes_of(first));
      xpose::add(policy, 1.f, c.there(), 1.f, a.there(), c.there());
      CHECK(c.has_bytes_of(second));
    });
  });
}

/// Small whole numbers: the sums are exact.
template <class T, class C = T>
void check_gemm(index bytes) {
  matrix<T> b(kind::pageable, 140, 203, layout::pitched);
  for_layouts([&](layout a_order, layout c_order) {
    matrix<T> source(kind::pageable, 301, 140, a_order);
    matrix<C> expected(kind::pageable, 301, 203, c_order);
    xpose::gemm(xpose::reference, 1, source.here(), b.here(), 1, expected.here());
    for_kinds([&](kind a_kind, kind c_kind) {
      matrix<T> a(a_kind, 301, 140, a_order);
      matrix<C> c(c_kind, 301, 203, c_order);
      xpose::gemm(xpose::cuda.across(limit(bytes)), 1, a.there(), b.there(), 1, c.there());
      CHECK(c.has_bytes_of(expected));
    });
  });
}

TEST_CASE("gemm of float operands in any memory is that of xpose::reference, in one piece") {
  if (needs_gpu()) check_gemm<float>(0);
}

TEST_CASE("gemm of float operands in any memory is that of xpose::reference, in pieces") {
  if (needs_gpu()) check_gemm<float>(300000);
}

TEST_CASE("gemm of double operands in any memory is that of xpose::reference") {
  if (needs_gpu()) check_gemm<double>(500000);
}

TEST_CASE("gemm of float16 operands in any memory is that of xpose::reference") {
  if (needs_gpu()) check_gemm<xpose::float16, float>(200000);
}

TEST_CASE("gemm of bfloat16 operands in any memory is that of xpose::reference") {
  if (needs_gpu()) check_gemm<xpose::bfloat16, float>(200000);
}

TEST_CASE("gemm of bytes in any memory is that of xpose::reference") {
  if (needs_gpu()) check_gemm<std::int8_t, std::int32_t>(200000);
}

TEST_CASE("gemm of batches and of layers passes through the device") {
  if (!needs_gpu()) return;
  matrix<float> a(kind::pageable, 40 * 30, 20, layout::row_major);
  matrix<float> b(kind::pinned, 20, 25, layout::row_major);
  matrix<float> c(kind::device, 40 * 30, 25, layout::row_major);
  matrix<float> expected(kind::pageable, 40 * 30, 25, layout::row_major);
  xpose::gemm(xpose::reference, xpose::batch(a.here().data(), 40, 30, 20), b.here(),
              xpose::batch(expected.here().data(), 40, 30, 25));
  xpose::gemm(xpose::cuda.across(limit(40000)), xpose::batch(a.there().data(), 40, 30, 20),
              b.there(), xpose::batch(c.there().data(), 40, 30, 25));
  CHECK(c.has_bytes_of(expected));

  matrix<float> bias(kind::pageable, 1, 25, layout::row_major);
  matrix<float> layer_out(kind::pageable, 40 * 30, 25, layout::col_major);
  matrix<float> layer_expected(kind::pageable, 40 * 30, 25, layout::col_major);
  auto const layer = xpose::layer_epilogue<float>()
                         .bias(xpose::matrix_view<float const>(bias.here()))
                         .activate(xpose::activation::relu);
  auto const options = xpose::options().epilogue(layer);
  xpose::gemm(xpose::reference, a.here(), b.here(), layer_expected.here(), options);
  xpose::gemm(xpose::cuda.across(limit(100000)), a.there(), b.there(), layer_out.there(), options);
  CHECK(layer_out.has_bytes_of(layer_expected));
}

TEST_CASE("permutations of tensors move between memories in pieces") {
  if (!needs_gpu()) return;
  using tensor = xpose::tensor_view<float, 3>;
  std::array<index, 3> const from{40, 60, 80}, to{80, 40, 60};
  std::array<int, 3> const order{2, 0, 1};
  for (kind const in_kind : all_kinds)
    for (kind const out_kind : all_kinds) {
      matrix<float> in(in_kind, 40, 60 * 80, layout::row_major);
      matrix<float> out(out_kind, 80, 40 * 60, layout::row_major);
      matrix<float> expected(kind::pageable, 80, 40 * 60, layout::row_major);
      xpose::permute(xpose::reference, tensor(in.here().data(), from),
                     tensor(expected.here().data(), to), order);
      xpose::permute(xpose::cuda.across(limit(100000)), tensor(in.there().data(), from),
                     tensor(out.there().data(), to), order);
      CHECK(out.has_bytes_of(expected));
    }
}

TEST_CASE("calls of several threads across memories do not disturb each other") {
  if (!needs_gpu()) return;
  across_memory::in_threads(4, [](int thread) {
    index const rows = 900 + 10 * thread;
    matrix<float> in(kind::pageable, rows, 1100, layout::row_major);
    matrix<float> out(kind::pageable, 1100, rows, layout::row_major);
    matrix<float> expected(kind::pageable, 1100, rows, layout::row_major);
    xpose::transpose(xpose::reference, in.here(), expected.here());
    for (int again = 0; again < 5; ++again)
      xpose::transpose(xpose::cuda.across(limit(1000000)), in.there(), out.there());
    return out.has_bytes_of(expected);
  });
}

TEST_CASE("calls across memories go on after cudaDeviceReset") {
  if (!needs_gpu()) return;
  in_own_processes(1, [](int) {
    for (int again = 0; again < 3; ++again) {
      {
        matrix<float> in(kind::pageable, 301, 203, layout::row_major);
        matrix<float> out(kind::device, 203, 301, layout::row_major);
        matrix<float> expected(kind::pageable, 203, 301, layout::row_major);
        xpose::transpose(xpose::reference, in.here(), expected.here());
        xpose::transpose(xpose::cuda.across(), in.there(), out.there());
        CHECK(out.has_bytes_of(expected));
      }
      REQUIRE(cudaDeviceReset() == cudaSuccess);
    }
  });
}

TEST_CASE("with nosync a call of pinned operands is in the order of its stream") {
  if (!needs_gpu()) return;
  across_memory::stream s;
  matrix<float> in(kind::pinned, 2000, 3000, layout::row_major);
  matrix<float> out(kind::device, 3000, 2000, layout::row_major);
  matrix<float> back(kind::pinned, 2000, 3000, layout::row_major);
  auto const policy = xpose::cuda.on(s.handle).nosync().across(limit(4000000));
  xpose::transpose(policy, in.there(), out.there());
  xpose::transpose(policy, out.there(), back.there());
  s.wait();
  CHECK(back.has_bytes_of(in));
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("cuda.devices");

TEST_CASE("two devices calculate parts of a call, wherever operands lie") {
  if (!across_memory::needs_two_gpus()) return;
  matrix<float> b(kind::pageable, 140, 203, layout::row_major);
  for_layouts([&](layout a_order, layout c_order) {
    matrix<float> source(kind::pageable, 301, 140, a_order);
    matrix<float> expected(kind::pageable, 301, 203, c_order);
    matrix<float> expected_t(kind::pageable, 140, 301, c_order);
    xpose::gemm(xpose::reference, 1.f, source.here(), b.here(), 1.f, expected.here());
    xpose::transpose(xpose::reference, source.here(), expected_t.here());
    for_kinds([&](kind a_kind, kind c_kind) {
      matrix<float> a(a_kind, 301, 140, a_order);
      matrix<float> c(c_kind, 301, 203, c_order), t(c_kind, 140, 301, c_order);
      auto const policy = xpose::cuda.devices({1, 0});
      xpose::gemm(policy, 1.f, a.there(), b.there(), 1.f, c.there());
      CHECK(c.has_bytes_of(expected));
      xpose::transpose(policy, a.there(), t.there());
      CHECK(t.has_bytes_of(expected_t));
    });
  });
}

TEST_CASE("one device of devices() is that device") {
  if (!needs_gpu()) return;
  matrix<float> in(kind::pageable, 301, 203, layout::row_major);
  matrix<float> out(kind::device, 203, 301, layout::row_major);
  matrix<float> expected(kind::pageable, 203, 301, layout::row_major);
  xpose::transpose(xpose::reference, in.here(), expected.here());
  xpose::transpose(xpose::cuda.devices({0}), in.there(), out.there());
  CHECK(out.has_bytes_of(expected));
}

}  // namespace
