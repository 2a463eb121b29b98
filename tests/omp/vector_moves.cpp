// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The vector kernels of omp, for every instruction set of this machine, called as the drivers call
// them; beyond what small matrices reach through transpose: writing past the caches.

#include "cases/elements.hpp"
#include "support/environment_variable.hpp"
#include "support/guarded_memory.hpp"

#include <xpose/backends/core/problems/element_functions.hpp>
#include <xpose/backends/omp/transpose/simd/moves.hpp>
#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

TEST_SUITE_BEGIN("omp.simd");

namespace {

using xpose::index;
using xpose::detail::isa;
using xpose::detail::isa_name;
using xpose::detail::rectangle;
using xpose::detail::simd_kernels;
using xpose::detail::simd_kernels_of;
using xpose::detail::store_mode;
using xpose::detail::supported_isas;

struct sizes {
  index width;
  index height;
};
// Around 16, 32 and 64, the lines and vectors of small elements, and long and thin both ways.
constexpr sizes all_sizes[] = {{1, 1},   {3, 5},     {5, 3},     {15, 17},    {16, 16},  {64, 64},
                               {63, 65}, {65, 63},   {100, 130}, {4, 1000},   {1000, 3}, {257, 4},
                               {3, 257}, {129, 300}, {512, 512}, {1000, 1001}};
// Elements behind each row; lines: rows of the output begin on lines.
constexpr index lines = -1;
constexpr index all_pads[] = {0, 3, lines};

constexpr index most_bytes = 20 << 20;

struct operands {
  guarded_memory in{most_bytes + (1 << 20)};
  guarded_memory out{most_bytes + (1 << 20)};
};

struct pitches {
  index in;
  index out;
};

pitches pitches_of(index bytes, sizes const& s, index pad) {
  if (pad != lines) return {(s.width + pad) * bytes, (s.height + pad) * bytes};
  return {s.width * bytes, (s.height * bytes + 63) / 64 * 64 + 64};
}

/// run(rectangle), and whether it wrote what plain loops write, and nothing between the rows nor,
/// on the side without a guard, within a line of the output.
template <class Run>
bool moves_right(operands const& memory, guard g, index bytes, sizes const& s, pitches const& p,
                 bool turns, Run const& run) {
  index const out_rows = turns ? s.width : s.height;
  index const out_cols = turns ? s.height : s.width;
  auto const in_bytes = static_cast<std::size_t>((s.height - 1) * p.in + s.width * bytes);
  auto const out_bytes = static_cast<std::size_t>((out_rows - 1) * p.out + out_cols * bytes);
  char* const in = reinterpret_cast<char*>(memory.in.operand(g, in_bytes));
  char* const out = reinterpret_cast<char*>(memory.out.operand(g, out_bytes));
  fill_with_pattern(reinterpret_cast<std::byte*>(in), in_bytes);
  std::size_t const slack = 64;
  char* const watched = g == guard::before ? out : out - slack;
  std::memset(watched, 0xA5, out_bytes + slack);
  std::vector<char> expected(watched, watched + out_bytes + slack);
  for (index i = 0; i < s.width; ++i)
    for (index j = 0; j < s.height; ++j)
      std::memcpy(expected.data() + (out - watched) +
                      (turns ? i * p.out + j * bytes : j * p.out + i * bytes),
                  in + j * p.in + i * bytes, static_cast<std::size_t>(bytes));
  run(rectangle{in, p.in, out, p.out, s.width, s.height});
  return std::memcmp(watched, expected.data(), expected.size()) == 0;
}

/// visit(table of moves, size, pitches, mode, guard), for elements of a size.
template <class Visit>
void for_each_case(index bytes, Visit const& visit) {
  for (isa const target : supported_isas()) {
    CAPTURE(isa_name(target));
    for (sizes const& s : all_sizes)
      for (index const pad : all_pads)
        for (store_mode const mode : {store_mode::cached, store_mode::streamed})
          for (guard const g : {guard::before, guard::behind}) {
            CAPTURE(s.width);
            CAPTURE(s.height);
            CAPTURE(pad);
            visit(simd_kernels_of(target), s, pitches_of(bytes, s, pad), mode, g);
          }
  }
}

struct aligned_workspace {
  char* bytes =
      static_cast<char*>(std::aligned_alloc(64, xpose::detail::transpose_workspace_bytes));
  ~aligned_workspace() { std::free(bytes); }
};

TEST_CASE("every instruction set turns rectangles of every element size, cached and streamed") {
  operands const memory;
  aligned_workspace const workspace;
  for (index const bytes : {1, 2, 4, 8, 16, 3, 6, 12, 24, 32, 5, 20, 63, 64}) {
    CAPTURE(bytes);
    for_each_case(bytes, [&](simd_kernels const& moves, sizes const& s, pitches const& p,
                             store_mode mode, guard g) {
      bool const is_long = s.width * s.height > 20000;
      if (is_long && (bytes == 5 || bytes > 16)) return;
      bool const is_right = moves_right(memory, g, bytes, s, p, true, [&](rectangle r) {
        r.bytes = bytes;
        moves.transposes_for(bytes).transpose(r, mode, workspace.bytes);
        moves.flush_stream();
      });
      CHECK(is_right);
    });
  }
}

TEST_CASE("every instruction set transposes wide tiles by single cache lines") {
  operands const memory;
  aligned_workspace const workspace;
  for (index const bytes : {1, 2, 4, 8, 16})
    for (isa const target : supported_isas())
      for (sizes const& s : {sizes{640, 70}, sizes{1023, 130}, sizes{768, 9}, sizes{650, 300}})
        for (index const pad : all_pads)
          for (guard const g : {guard::before, guard::behind}) {
            CAPTURE(isa_name(target));
            CAPTURE(bytes);
            CAPTURE(s.width);
            CAPTURE(pad);
            CHECK(
                moves_right(memory, g, bytes, s, pitches_of(bytes, s, pad), true, [&](rectangle r) {
                  r.by_single_lines = true;
                  simd_kernels_of(target).transposes_for(bytes).transpose(r, store_mode::cached,
                                                                          workspace.bytes);
                }));
          }
}

TEST_CASE("every instruction set transposes rows of whole pages past the caches") {
  operands const memory;
  aligned_workspace const workspace;
  for (index const bytes : {1, 2, 4})
    for (isa const target : supported_isas())
      for (index const height : {64 / bytes, index{150}, index{333}})
        for (index const pad : all_pads)
          for (guard const g : {guard::before, guard::behind}) {
            CAPTURE(isa_name(target));
            CAPTURE(bytes);
            CAPTURE(height);
            CAPTURE(pad);
            index const width = 4096 / bytes;
            sizes const s = {std::min<index>(width, 2048), height};  // what the workspace is for
            pitches const p = {width * bytes, pitches_of(bytes, s, pad).out};
            CHECK(moves_right(memory, g, bytes, s, p, true, [&](rectangle r) {
              simd_kernels const& kernels = simd_kernels_of(target);
              kernels.transposes_for(bytes).transpose(r, store_mode::streamed, workspace.bytes);
              kernels.flush_stream();
            }));
          }
}

TEST_CASE("transposes of at least 640 columns within the caches are right on one thread and two") {
  operands const memory;
  auto const check = [&](auto element) {
    using type = decltype(element);
    for (sizes const& s : {sizes{640, 150}, sizes{901, 203}, sizes{2051, 64}})
      for (index const pad : all_pads)
        for (int const threads : {1, 2})
          for (guard const g : {guard::before, guard::behind}) {
            CAPTURE(sizeof(type));
            CAPTURE(s.width);
            CAPTURE(pad);
            CAPTURE(threads);
            constexpr auto bytes = static_cast<index>(sizeof(type));
            pitches const p = pitches_of(bytes, s, pad);
            CHECK(moves_right(memory, g, bytes, s, p, true, [&](rectangle const& r) {
              xpose::transpose(xpose::omp.with(xpose::threads{threads}),
                               xpose::matrix_view<type const>(reinterpret_cast<type const*>(r.in),
                                                              s.height, s.width, {p.in / bytes, 1}),
                               xpose::matrix_view<type>(reinterpret_cast<type*>(r.out), s.width,
                                                        s.height, {p.out / bytes, 1}));
            }));
          }
  };
  check(std::uint8_t());
  check(std::uint16_t());
  check(float());
  check(double());
  check(std::complex<double>());
}

TEST_CASE(
    "small batches, apart and with the input backwards, are transposed without reading beyond") {
  operands const memory;
  auto const check = [&](auto element) {
    using type = decltype(element);
    for (sizes const& s :
         {sizes{37, 9}, sizes{9, 37}, sizes{2, 2}, sizes{3, 5}, sizes{16, 8}, sizes{1, 6}})
      for (index const count : {0, 1, 2, 3, 4, 5, 7, 11})
        for (index const gap : {0, 5})
          for (bool const is_backwards : {false, true})
            for (guard const g : {guard::before, guard::behind}) {
              index const matrix = s.width * s.height;
              index const step = matrix + gap;
              index const all = count > 0 ? (count - 1) * step + matrix : 0;
              std::size_t const bytes = static_cast<std::size_t>(all) * sizeof(type);
              type* const in = reinterpret_cast<type*>(memory.in.operand(g, bytes));
              type* const out = reinterpret_cast<type*>(memory.out.operand(g, bytes));
              fill_with_pattern(reinterpret_cast<std::byte*>(in), bytes);
              std::memset(out, 0xA5, bytes);
              std::vector<type> expected(out, out + all);
              index const in_step = is_backwards ? -step : step;
              index const first = is_backwards && count > 0 ? (count - 1) * step : 0;
              for (index m = 0; m < count; ++m)
                for (index i = 0; i < matrix; ++i)
                  expected[static_cast<std::size_t>(m * step + i)] =
                      in[first + m * in_step + i % s.height * s.width + i / s.height];
              xpose::batch_view<type const> const from(in + first, count, s.height, s.width,
                                                       xpose::strided{s.width, 1}, in_step);
              xpose::batch_view<type> const to(out, count, s.width, s.height,
                                               xpose::strided{s.height, 1}, step);
              xpose::transpose(xpose::omp, from, to);
              CAPTURE(sizeof(type));
              CAPTURE(s.width);
              CAPTURE(count);
              CAPTURE(gap);
              CAPTURE(is_backwards);
              CHECK((all == 0 || std::memcmp(out, expected.data(), bytes) == 0));
              auto const kernel =
                  xpose::explain(xpose::omp, xpose::operation::transpose, from, to).kernel;
              if (std::min(s.width, s.height) > 1)
                CHECK((kernel == "transpose_small_batched") == (count >= 4));
            }
  };
  check(float());
  check(double());
  check(std::array<char, 3>());
}

TEST_CASE("a small tensor whose dimensions are those of one matrix is transposed as that matrix") {
  std::vector<float> in(4 * 32 * 32), out(in.size());
  xpose::tensor_view<float const, 3> const from(in.data(), {4, 32, 32});
  xpose::tensor_view<float, 3> const to(out.data(), {32, 32, 4});
  CHECK(xpose::explain(xpose::omp, xpose::operation::permute, from, to, std::array<int, 3>{1, 2, 0})
            .kernel == "transpose_tile<4>");
}

TEST_CASE("wide tiles of 8 and 16 bytes take vectors of at most 32 bytes") {
  for (isa const target : supported_isas()) {
    environment_variable const pinned("XPOSE_ISA", isa_name(target));
    std::string const name = isa_name(target);
    CAPTURE(name);
    // The numbers of Highway's targets fall as their vectors grow.
    bool const is_avx512 = std::any_of(
        supported_isas().begin(), supported_isas().end(),
        [&](isa other) { return isa_name(other) == std::string("AVX2") && target < other; });
    for (index const bytes : {1, 2, 4, 8, 16}) {
      std::string const used = isa_name(xpose::detail::wide_tile_kernels(bytes).target);
      CHECK(used == (is_avx512 && bytes >= 8 ? "AVX2" : name));
    }
  }
}

TEST_CASE("every instruction set transposes to rows at addresses that no element divides") {
  operands const memory;
  aligned_workspace const workspace;
  for (index const bytes : {2, 4, 8, 16})
    for (isa const target : supported_isas())
      for (sizes const& s : {sizes{129, 300}, sizes{70, 1001}})
        for (index const odd : {index{1}, bytes / 2 + 1})
          for (guard const g : {guard::before, guard::behind}) {
            CAPTURE(isa_name(target));
            CAPTURE(bytes);
            CAPTURE(odd);
            pitches const p = {s.width * bytes, s.height * bytes + odd};
            bool const is_right = moves_right(memory, g, bytes, s, p, true, [&](rectangle r) {
              r.bytes = bytes;
              simd_kernels const& moves = simd_kernels_of(target);
              moves.transposes_for(bytes).transpose(r, store_mode::streamed, workspace.bytes);
              moves.flush_stream();
            });
            CHECK(is_right);
          }
}

TEST_CASE("every instruction set transposes to packed rows of every height below a cache line") {
  operands const memory;
  aligned_workspace const workspace;
  for (index const bytes : {1, 2, 4, 8, 16})
    for (isa const target : supported_isas())
      for (index height = 1; height * bytes < 64; ++height)
        for (index const width : {64 / bytes, 64 / bytes + 1, index{259}, index{3000}})
          for (store_mode const mode : {store_mode::cached, store_mode::streamed})
            for (guard const g : {guard::before, guard::behind}) {
              CAPTURE(isa_name(target));
              CAPTURE(bytes);
              CAPTURE(height);
              CAPTURE(width);
              sizes const s = {width, height};
              CHECK(
                  moves_right(memory, g, bytes, s, pitches_of(bytes, s, 0), true, [&](rectangle r) {
                    r.bytes = bytes;
                    simd_kernels const& kernels = simd_kernels_of(target);
                    kernels.transposes_for(bytes).transpose(r, mode, workspace.bytes);
                    kernels.flush_stream();
                  }));
            }
}

/// Whether many matrices, packed or with gaps between them, arrive turned, and nothing else.
bool turns_matrices(operands const& memory, guard g, simd_kernels const& moves, index bytes,
                    sizes const& s, index count, index gap, store_mode mode, char* workspace) {
  index const matrix = s.width * s.height * bytes;
  index const step = matrix + gap * bytes;
  auto const all = static_cast<std::size_t>((count - 1) * step + matrix);
  char* const in = reinterpret_cast<char*>(memory.in.operand(g, all));
  char* const out = reinterpret_cast<char*>(memory.out.operand(g, all));
  fill_with_pattern(reinterpret_cast<std::byte*>(in), all);
  std::memset(out, 0xA5, all);
  std::vector<char> expected(out, out + all);
  for (index m = 0; m < count; ++m)
    for (index i = 0; i < s.width; ++i)
      for (index j = 0; j < s.height; ++j)
        std::memcpy(expected.data() + m * step + (i * s.height + j) * bytes,
                    in + m * step + (j * s.width + i) * bytes, static_cast<std::size_t>(bytes));
  moves.transposes_for(bytes).transpose_batch(
      {{in, s.width * bytes, out, s.height * bytes, s.width, s.height, nullptr, bytes},
       count,
       step,
       step},
      mode, workspace);
  moves.flush_stream();
  return std::memcmp(out, expected.data(), all) == 0;
}

TEST_CASE("every instruction set turns many small matrices of every element size") {
  constexpr sizes small[] = {{2, 2},   {3, 3},  {4, 4},   {2, 8},   {5, 7},   {8, 8},
                             {1, 9},   {3, 50}, {16, 16}, {17, 19}, {33, 20}, {65, 17},
                             {40, 66}, {8, 4},  {24, 8},  {64, 16}, {64, 32}};
  operands const memory;
  aligned_workspace const workspace;
  for (isa const target : supported_isas())
    for (index const bytes : {1, 2, 4, 8, 16, 3, 6, 12, 24, 32, 5, 20})
      for (sizes const& s : small)
        for (index const count : {1, 2, 5, 8, 403})
          for (index const gap : {0, 3})
            for (store_mode const mode : {store_mode::cached, store_mode::streamed})
              for (guard const g : {guard::before, guard::behind}) {
                if (s.width * s.height * bytes > xpose::detail::max_small_matrix_bytes) continue;
                CAPTURE(isa_name(target));
                CAPTURE(bytes);
                CAPTURE(s.width);
                CAPTURE(s.height);
                CAPTURE(count);
                CAPTURE(gap);
                bool const is_right = turns_matrices(memory, g, simd_kernels_of(target), bytes, s,
                                                     count, gap, mode, workspace.bytes);
                CHECK(is_right);
              }
}

TEST_CASE("every instruction set copies rows of any number of bytes, cached and streamed") {
  operands const memory;
  for_each_case(1, [&](simd_kernels const& moves, sizes const& s, pitches const& p, store_mode mode,
                       guard g) {
    pitches const same{p.in, p.in + 5};
    bool const is_right = moves_right(memory, g, 1, s, same, false, [&](rectangle const& r) {
      moves.copy_rows(r.in, r.in_pitch, r.out, r.out_pitch, r.width, r.height, mode);
      moves.flush_stream();
    });
    CHECK(is_right);
  });
}

/// Numbers that every type has, negative ones where both have them; halves where In has them.
template <class In, class Out>
In castable(index i) {
  auto const value = static_cast<int>(i * 37 % 251 % 120);
  bool const is_negative = std::is_signed_v<In> && std::is_signed_v<Out> && i % 3 == 0;
  if constexpr (std::is_integral_v<In>) return static_cast<In>(is_negative ? -value : value);
  else return In((static_cast<float>(value) + 0.5f) * (is_negative ? -1.f : 1.f));
}

/// Whether a cast of rows, from elements one behind the other or apart, gives what single elements
/// give, and touches nothing else.
template <class In, class Out>
bool casts_right(operands const& memory, guard g, xpose::detail::tile_function const& f, index step,
                 sizes const& s, index out_pad, index skipped, store_mode mode) {
  index const in_pitch = s.width * step;
  index const out_pitch = s.width + out_pad;
  auto const in_bytes =
      static_cast<std::size_t>((s.height - 1) * in_pitch + (s.width - 1) * step + 1) * sizeof(In);
  auto const out_bytes =
      static_cast<std::size_t>((s.height - 1) * out_pitch + s.width + skipped) * sizeof(Out);
  In* const in = reinterpret_cast<In*>(memory.in.operand(g, in_bytes));
  char* const out = reinterpret_cast<char*>(memory.out.operand(g, out_bytes));
  index const skipped_bytes = skipped * index{sizeof(Out)};
  char* const first = g == guard::before ? out + skipped_bytes : out;
  for (index i = 0; i < static_cast<index>(in_bytes / sizeof(In)); ++i)
    in[i] = castable<In, Out>(i);
  std::memset(out, 0xA5, out_bytes);
  std::vector<char> expected(out, out + out_bytes);
  for (index j = 0; j < s.height; ++j)
    for (index i = 0; i < s.width; ++i) {
      Out const value = xpose::cast<Out>{}(in[j * in_pitch + i * step]);
      std::memcpy(expected.data() + (first - out) + (j * out_pitch + i) * index{sizeof(Out)},
                  &value, sizeof(Out));
    }
  xpose::detail::function_tile const tile{reinterpret_cast<char const*>(in),
                                          step * index{sizeof(In)},
                                          in_pitch * index{sizeof(In)},
                                          first,
                                          sizeof(Out),
                                          out_pitch * index{sizeof(Out)},
                                          s.width,
                                          s.height};
  if (mode == store_mode::streamed) f.apply_streamed(tile);
  else f.apply(f.f, tile);
  return std::memcmp(out, expected.data(), out_bytes) == 0;
}

template <class In, class Out>
void check_cast(operands const& memory, simd_kernels const& moves) {
  using xpose::detail::element_type_of;
  auto const f = moves.cast_of(element_type_of<In>(), element_type_of<Out>());
  if (f.apply == nullptr) return;
  CAPTURE(static_cast<int>(element_type_of<In>()));
  CAPTURE(static_cast<int>(element_type_of<Out>()));
  CHECK(f.in_bytes == index{sizeof(In)});
  CHECK(f.out_bytes == index{sizeof(Out)});
  int wrong = 0;
  for (index const width : {1, 7, 31, 63, 64, 65, 130, 257})
    for (index const skipped : {0, 1, 5})  // elements between a page and the output: alignments
      for (index const step : {1, 2})
        for (guard const g : {guard::before, guard::behind})
          for (store_mode const mode : {store_mode::cached, store_mode::streamed})
            wrong += !casts_right<In, Out>(memory, g, f, step, {width, 3}, 2, skipped, mode);
  moves.flush_stream();
  CHECK(wrong == 0);
}

template <class In, class... Outs>
void check_casts_from(operands const& memory, simd_kernels const& moves,
                      xpose::detail::type_list<Outs...>) {
  (check_cast<In, Outs>(memory, moves), ...);
}
template <class... Ins>
void check_casts(operands const& memory, simd_kernels const& moves,
                 xpose::detail::type_list<Ins...> all) {
  (check_casts_from<Ins>(memory, moves, all), ...);
}

TEST_CASE("every instruction set casts rows as single elements, cached and streamed") {
  using xpose::detail::element_type;
  operands const memory;
  for (isa const target : supported_isas()) {
    std::string const name = isa_name(target);
    CAPTURE(name);
    check_casts(memory, simd_kernels_of(target), xpose::detail::castable_reals());
    bool const has_vectors =
        simd_kernels_of(target).cast_of(element_type::f32, element_type::bf16).apply != nullptr;
    CHECK(has_vectors == (name != "SCALAR"));
  }
}

/// Whether the transpose of s.height rows of s.width elements is the cast of each, and nothing
/// between its rows is written.
template <class In, class Out>
bool transposes_casts_right(operands const& memory, simd_kernels const& moves, guard g,
                            sizes const& s, index pad, store_mode mode, char* workspace) {
  using xpose::detail::element_type_of;
  auto const f = moves.cast_of(element_type_of<In>(), element_type_of<Out>());
  if (f.apply == nullptr) return true;
  index const in_pitch = s.width + (pad == lines ? 0 : pad);
  pitches const p = pitches_of(sizeof(Out), s, pad);
  auto const in_count = static_cast<std::size_t>((s.height - 1) * in_pitch + s.width);
  auto const out_bytes =
      static_cast<std::size_t>((s.width - 1) * p.out + s.height * index{sizeof(Out)});
  auto* const in = reinterpret_cast<In*>(memory.in.operand(g, in_count * sizeof(In)));
  char* const out = reinterpret_cast<char*>(memory.out.operand(g, out_bytes));
  for (std::size_t i = 0; i < in_count; ++i)
    in[i] = static_cast<In>(static_cast<float>(i % 251) - 125);
  std::memset(out, 0xA5, out_bytes);
  std::vector<char> expected(out, out + out_bytes);
  for (index j = 0; j < s.height; ++j)
    for (index i = 0; i < s.width; ++i) {
      Out const value = xpose::cast<Out>{}(in[j * in_pitch + i]);
      std::memcpy(expected.data() + i * p.out + j * index{sizeof(Out)}, &value, sizeof(Out));
    }
  moves.transposes_for(sizeof(Out))
      .transpose({reinterpret_cast<char const*>(in), in_pitch * index{sizeof(In)}, out, p.out,
                  s.width, s.height, &f, sizeof(Out)},
                 mode, workspace);
  moves.flush_stream();
  return std::memcmp(out, expected.data(), out_bytes) == 0;
}

TEST_CASE("every instruction set casts while it transposes, in groups and by single cache lines") {
  operands const memory;
  aligned_workspace const workspace;
  // Short rows and long ones; output rows that are multiples of 512 bytes apart; a few lines of
  // them.
  constexpr sizes some[] = {{40, 400}, {300, 201}, {1100, 130}, {513, 512}, {700, 64}, {31, 77}};
  for (isa const target : supported_isas())
    for (sizes const& s : some)
      for (index const pad : all_pads)
        for (store_mode const mode : {store_mode::cached, store_mode::streamed})
          for (guard const g : {guard::before, guard::behind}) {
            CAPTURE(isa_name(target));
            CAPTURE(s.width);
            CAPTURE(pad);
            auto const check = [&](auto in, auto out) {
              CAPTURE(sizeof(in));
              CAPTURE(sizeof(out));
              CHECK(transposes_casts_right<decltype(in), decltype(out)>(
                  memory, simd_kernels_of(target), g, s, pad, mode, workspace.bytes));
            };
            check(float(), xpose::bfloat16());
            check(float(), xpose::float16());
            check(xpose::bfloat16(), float());
            check(xpose::float16(), float());
            check(double(), float());
            check(float(), double());
            check(double(), xpose::bfloat16());
            check(float(), std::int8_t());
            check(std::int8_t(), float());
            check(std::int32_t(), float());
          }
}

TEST_CASE(
    "the instruction sets of this machine have names of their own, for each of which ctest runs "
    "the moves") {
  std::set<std::string> names;
  std::string const tested = XPOSE_TESTED_ISAS;  // between spaces
  for (isa const target : supported_isas()) {
    std::string const name = isa_name(target);
    CAPTURE(name);
    CHECK(names.insert(name).second);
    CHECK(tested.find(' ' + name + ' ') != std::string::npos);
  }
  CHECK(!names.empty());
#if defined(__aarch64__)
  std::string const best = isa_name(supported_isas().targets[0]);
  CHECK(best.substr(0, 4) == "NEON");  // of processors with SVE too, for which there are no kernels
#elif defined(__x86_64__)
  CHECK(names.count("AVX2") == (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")));
#endif
}

TEST_CASE("XPOSE_ISA names the instruction set that runs, and nothing runs if it is not here") {
  isa const before = xpose::detail::active_isa();
  for (isa const target : supported_isas()) {
    environment_variable const pinned("XPOSE_ISA", isa_name(target));
    CHECK(xpose::detail::active_isa() == target);
    CHECK(xpose::detail::active_simd_kernels().target == target);
  }
  std::vector<float> in(6, 1.f);
  std::vector<float> out(6, 2.f);
  {
    environment_variable const pinned("XPOSE_ISA", "MMX");
    for (int call = 0; call < 2; ++call)
      CHECK_THROWS_AS(xpose::transpose(xpose::omp, xpose::matrix_view<float const>(in.data(), 2, 3),
                                       xpose::matrix_view<float>(out.data(), 3, 2)),
                      xpose::backend_error);
  }
  CHECK(out == std::vector<float>(6, 2.f));
  CHECK(xpose::detail::active_isa() == before);
}

}  // namespace

TEST_SUITE_END();
