// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copies beyond what a launch can number, with limits so low that small tensors exceed them: the
// plan alone, at made-up addresses; nothing is launched.

#include "faults/fake/entry_points.hpp"
#include "faults/fake/in_child.hpp"

#include <xpose/backends/cuda/elementwise/select.hpp>
#include <xpose/backends/cuda/transpose/few_sides.hpp>
#include <xpose/backends/cuda/transpose/select.hpp>
#include <xpose/backends/cuda/transpose/tensor_tile.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using xpose::index;
using xpose::detail::bit_copy;
using xpose::detail::copy_plan;
using xpose::detail::function_copy;
using xpose::detail::function_kernel;
using xpose::detail::tensor_operand;
using xpose::detail::transpose_config;

std::mt19937 random_bits(26);

index any_of(std::initializer_list<index> values) {
  return values.begin()[random_bits() % values.size()];
}

/// An operand of these extents whose dimensions lie in memory in any order, with pads or without,
/// from a multiple of some bytes on.
tensor_operand lay_out(std::vector<index> const& extents, int bytes, index base) {
  tensor_operand o{};
  o.count = static_cast<int>(extents.size());
  o.bytes_per_element = bytes;
  std::vector<int> order(extents.size());
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int>(d);
  if (random_bits() % 4 != 0) std::shuffle(order.begin(), order.end(), random_bits);
  index const pad = any_of({0, 0, 1, 8, 16});
  index stride = 1;
  for (int const d : order) {
    o.dimensions[d] = {extents[static_cast<std::size_t>(d)], stride};
    stride *= o.dimensions[d].extent;
    stride += stride > 1 ? pad : 0;
  }
  index const natural = bytes & -bytes;  // the alignment that an element of so many bytes has
  o.data = reinterpret_cast<void const*>(base + any_of({0, 0, 8, 1}) * natural);
  return o;
}

struct operands {
  tensor_operand in, out;
};

operands any_operands_of(std::initializer_list<index> extents_to_choose, index most_elements,
                         int in_bytes, int out_bytes) {
  std::vector<index> extents(1 + random_bits() % 4);
  index elements = 1;
  for (index& extent : extents) {
    extent =
        std::max<index>(1, std::min<index>(any_of(extents_to_choose), most_elements / elements));
    elements *= extent;
  }
  return {lay_out(extents, in_bytes, index{1} << 20), lay_out(extents, out_bytes, index{1} << 40)};
}

/// At most 6000 elements; one in eight has so many small matrices that blocks take several.
operands any_operands(int in_bytes, int out_bytes) {
  if (random_bits() % 8 == 0) {
    std::vector<index> const batch{901, 2, 3};
    return {lay_out(batch, in_bytes, index{1} << 20), lay_out(batch, out_bytes, index{1} << 40)};
  }
  return any_operands_of({2, 3, 7, 16, 31, 64, 130, 320}, 6000, in_bytes, out_bytes);
}

using addresses = std::vector<std::pair<std::uintptr_t, std::uintptr_t>>;  // out, in

/// Where every unit of a plan goes, and where it comes from.
void add_units(addresses& moved, copy_plan const& plan, char const* in, char const* out) {
  for (index unit = 0; unit < plan.units; ++unit) {
    index rest = unit, in_step = 0, out_step = 0;
    for (int d = 0; d < plan.count; ++d) {
      auto const& dimension = plan.dimensions[d];
      in_step += rest % dimension.extent * dimension.in_stride;
      out_step += rest % dimension.extent * dimension.out_stride;
      rest /= dimension.extent;
    }
    moved.emplace_back(reinterpret_cast<std::uintptr_t>(out + out_step),
                       reinterpret_cast<std::uintptr_t>(in + in_step));
  }
}

/// The same of the operands themselves, `units` of them an element.
addresses units_of(operands const& o, int units) {
  addresses moved;
  index elements = 1;
  for (int d = 0; d < o.out.count; ++d) elements *= o.out.dimensions[d].extent;
  for (index element = 0; element < elements; ++element) {
    index rest = element;
    auto in = reinterpret_cast<std::uintptr_t>(o.in.data);
    auto out = reinterpret_cast<std::uintptr_t>(o.out.data);
    for (int d = 0; d < o.out.count; ++d) {
      index const at = rest % o.out.dimensions[d].extent;
      in += static_cast<std::uintptr_t>(at * o.in.dimensions[d].stride * o.in.bytes_per_element);
      out += static_cast<std::uintptr_t>(at * o.out.dimensions[d].stride * o.out.bytes_per_element);
      rest /= o.out.dimensions[d].extent;
    }
    for (int u = 0; u < units; ++u)
      moved.emplace_back(out + static_cast<unsigned>(u), in + static_cast<unsigned>(u));
  }
  return moved;
}

bool is_same(addresses a, addresses b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

/// Whether an address and the steps of its side, but for some dimensions, are multiples.
bool is_multiple(copy_plan const& plan, void const* first, index copy_plan::dimension::*stride,
                 index bytes, std::initializer_list<int> but) {
  bool is = reinterpret_cast<std::uintptr_t>(first) % static_cast<std::uintptr_t>(bytes) == 0;
  for (int d = 0; d < plan.count; ++d)
    is &= std::find(but.begin(), but.end(), d) != but.end() ||
          plan.dimensions[d].*stride % bytes == 0;
  return is;
}

constexpr auto in_stride = &copy_plan::dimension::in_stride;
constexpr auto out_stride = &copy_plan::dimension::out_stride;

/// "kernel" of "kernel<4>".
std::string kernel_of(transpose_config const& config) {
  std::string const name = config.name;
  return name.substr(0, name.find('<'));
}

/// What the kernel of a config assumes and does not check.
bool suits(transpose_config const& config, bit_copy const& piece) {
  copy_plan const& plan = piece.plan;
  int const word = config.word_bytes;
  std::string const kernel = kernel_of(config);
  bool is = word == piece.word_bytes && plan.dimensions[0].extent % word == 0 &&
            is_multiple(plan, piece.in, in_stride, word, {0}) &&
            is_multiple(plan, piece.out, out_stride, word, {0});
  if (config.words_in_run != 0) is &= plan.dimensions[0].extent == config.words_in_run * word;
  if (kernel == "transpose_tile_aligned")
    is &= is_multiple(plan, piece.in, in_stride, 16, {0, plan.in_fastest}) &&
          is_multiple(plan, piece.out, out_stride, 16, {0, 1});
  if (kernel.rfind("transpose_small_batched", 0) == 0) {
    index const matrix = plan.dimensions[0].extent * plan.dimensions[1].extent *
                         plan.dimensions[plan.in_fastest].extent;
    auto const& batch = plan.dimensions[plan.in_fastest == 2 ? 3 : 2];
    is &= plan.count == 4 && batch.in_stride == matrix && batch.out_stride == matrix &&
          matrix <= config.kernel.smem_bytes;
  }
  if (kernel == "transpose_few_cols" || kernel == "transpose_few_rows") {
    bool const are_cols = kernel == "transpose_few_cols";
    index const sides = are_cols ? piece.cols : piece.rows;
    index const longer = are_cols ? piece.rows : piece.cols;
    index const unit = xpose::detail::bytes_of_few_sides_unit(word);
    index const access = xpose::detail::access_of_few_sides(word, sides);
    // By themselves on the side where they are a pitch apart, as vectors of all on the other.
    is &=
        sides >= 2 && sides <= 4 && longer * word % unit == 0 &&
        (are_cols ? piece.in_pitch : piece.out_pitch) == sides * word &&
        (are_cols ? piece.out_pitch : piece.in_pitch) % unit == 0 &&
        is_multiple(plan, piece.in, in_stride, are_cols ? access : unit, {0, 1, plan.in_fastest}) &&
        is_multiple(plan, piece.out, out_stride, are_cols ? unit : access, {0, 1, plan.in_fastest});
  }
  if (kernel == "copy_packed_runs") {
    index step = plan.dimensions[0].extent;
    is &= step >= 16;
    for (int d = 1; d < plan.count; step *= plan.dimensions[d++].extent)
      is &= plan.dimensions[d].out_stride == step;
  }
  return is;
}

TEST_CASE("each piece of a bit copy suits its kernel, and pieces cover the output once") {
  std::set<std::string> kernels;
  index most_pieces = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    CAPTURE(trial);
    int const bytes = static_cast<int>(any_of({1, 2, 3, 4, 6, 8, 12, 16, 24, 32}));
    operands const o = any_operands(bytes, bytes);
    xpose::detail::transpose_limits const most{any_of({16, 50, 200, 1000}), any_of({4, 64, 300}),
                                               any_of({32, 512, 2400})};
    addresses moved;
    index pieces = 0;
    bool all_suit = true, all_are_within = true;
    xpose::detail::for_each_transpose_piece(
        xpose::detail::plan_bit_copy(o.in, o.out), 90,
        [&](bit_copy const& piece, transpose_config const& config) {
          ++pieces;
          kernels.insert(kernel_of(config));
          all_suit &=
              suits(config, piece) && &config == &xpose::detail::select_transpose_kernel(piece, 90);
          all_are_within &=
              xpose::detail::is_one_piece(piece.plan, xpose::detail::limits_of(config, most));
          add_units(moved, piece.plan, piece.in, piece.out);
        },
        most);
    CHECK(all_suit);
    CHECK(all_are_within);
    CHECK(is_same(moved, units_of(o, bytes)));
    most_pieces = std::max(most_pieces, pieces);
  }
  CHECK(most_pieces > 50);
  CHECK(kernels.count("copy_direct") == 1);  // as good as all are small
}

TEST_CASE("each large piece of a bit copy suits its kernel") {
  std::set<std::string> kernels;
  for (int trial = 0; trial < 4000; ++trial) {
    CAPTURE(trial);
    int const bytes = static_cast<int>(any_of({1, 2, 3, 4, 6, 8, 12, 16, 24, 32}));
    operands const o =
        any_operands_of({2, 3, 7, 16, 31, 64, 130, 320, 1024, 4001}, index{1} << 23, bytes, bytes);
    xpose::detail::transpose_limits const most{any_of({1 << 19, 1 << 21}), any_of({4096, 1 << 20}),
                                               any_of({1 << 20, 1 << 22})};
    bool all_suit = true, all_are_within = true;
    xpose::detail::for_each_transpose_piece(
        xpose::detail::plan_bit_copy(o.in, o.out), 90,
        [&](bit_copy const& piece, transpose_config const& config) {
          kernels.insert(kernel_of(config));
          all_suit &=
              suits(config, piece) && &config == &xpose::detail::select_transpose_kernel(piece, 90);
          all_are_within &=
              xpose::detail::is_one_piece(piece.plan, xpose::detail::limits_of(config, most));
        },
        most);
    CHECK(all_suit);
    CHECK(all_are_within);
  }
  for (char const* const kernel :
       {"copy_contiguous_runs", "copy_direct", "copy_packed_runs", "transpose_small_batched",
        "transpose_small_scattered", "transpose_tile_strided", "transpose_tile_aligned",
        "transpose_tile_merged", "transpose_tile_unaligned", "transpose_tile_tensor",
        "transpose_skinny_cols", "transpose_skinny_rows", "transpose_few_cols",
        "transpose_few_rows"}) {
    CAPTURE(kernel);
    CHECK(kernels.count(kernel) == 1);
  }
}

/// What the kernel of a function assumes and does not check.
bool suits(function_kernel kernel, function_copy const& c) {
  index const vector = xpose::detail::elements_in_vector(c.in_bytes, c.out_bytes);
  auto const& run = c.plan.dimensions[0];
  switch (kernel) {
    case function_kernel::vectors:
      return (c.plan.count == 1 || run.extent % vector == 0) && run.in_stride == c.in_bytes &&
             run.out_stride == c.out_bytes &&
             is_multiple(c.plan, c.in, in_stride, vector * c.in_bytes, {0}) &&
             is_multiple(c.plan, c.out, out_stride, vector * c.out_bytes, {0});
    case function_kernel::aligned:
      return is_multiple(c.plan, c.in, in_stride, vector * c.in_bytes, {c.plan.in_fastest}) &&
             is_multiple(c.plan, c.out, out_stride, 16, {0});
    default:
      return true;
  }
}

TEST_CASE("each piece of a copy through a function suits its kernel, and they cover the output") {
  std::set<function_kernel> kernels;
  for (int trial = 0; trial < 1500; ++trial) {
    CAPTURE(trial);
    operands const o = any_operands(static_cast<int>(any_of({1, 2, 4, 8, 16, 24})),
                                    static_cast<int>(any_of({1, 2, 4, 8, 16, 24})));
    xpose::detail::piece_limits const most{any_of({1, 20, 300, 2000}), any_of({16, 50, 200, 1000}),
                                           false};
    addresses moved;
    bool all_suit = true, all_are_within = true;
    xpose::detail::for_each_function_piece(
        xpose::detail::plan_function_copy(o.in, o.out),
        [&](function_copy const& piece) {
          function_kernel const kernel = xpose::detail::select_function_kernel(piece).kernel;
          kernels.insert(kernel);
          all_suit &= suits(kernel, piece);
          all_are_within &= xpose::detail::is_one_piece(piece.plan, most);
          add_units(moved, piece.plan, piece.in, piece.out);
        },
        most);
    CHECK(all_suit);
    CHECK(all_are_within);
    CHECK(is_same(moved, units_of(o, 1)));
  }
  for (function_kernel const kernel : {function_kernel::vectors, function_kernel::small_scattered})
    CHECK(kernels.count(kernel) == 1);
}

TEST_CASE("matrices that leave most of a strided tile idle go several to a block") {
  auto const kernel_of = [](index batch, index rows, index cols, int in_bytes, int out_bytes,
                            index gap = 0) {
    tensor_operand in{}, out{};
    in.data = reinterpret_cast<void const*>(index{1} << 40);
    out.data = reinterpret_cast<void const*>(index{1} << 41);
    in.count = out.count = 3;
    in.bytes_per_element = in_bytes;
    out.bytes_per_element = out_bytes;
    in.dimensions[0] = out.dimensions[0] = {batch, rows * cols + gap};
    in.dimensions[1] = {rows, cols};
    in.dimensions[2] = {cols, 1};
    out.dimensions[1] = {rows, 1};
    out.dimensions[2] = {cols, rows};
    return xpose::detail::select_function_kernel(xpose::detail::plan_function_copy(in, out)).kernel;
  };
  for (auto const& [in, out] : {std::pair(4, 2), {2, 4}, {8, 4}, {1, 8}, {24, 24}}) {
    CAPTURE(in);
    CAPTURE(out);
    CHECK(kernel_of(100000, 8, 16, in, out, 1) == function_kernel::small_scattered);
    CHECK(kernel_of(50000, 60, 12, in, out, 1) == function_kernel::small_scattered);
    CHECK(kernel_of(20000, 24, 24, in, out, 1) == function_kernel::strided);
    CHECK(kernel_of(1, 8, 16, in, out) == function_kernel::strided);
    auto const without_gaps =
        in == 24 ? function_kernel::small_scattered : function_kernel::small_batched;
    CHECK(kernel_of(100000, 8, 16, in, out) == without_gaps);
    CHECK(kernel_of(50000, 60, 12, in, out) == without_gaps);
  }
  // Larger matrices without gaps, from 2^20 elements on, of up to 16 KB.
  CHECK(kernel_of(20000, 24, 24, 4, 2) == function_kernel::small_batched);
  CHECK(kernel_of(1000, 31, 32, 4, 2) == function_kernel::strided);
  CHECK(kernel_of(20000, 100, 12, 4, 2) == function_kernel::small_batched);
  CHECK(kernel_of(20000, 12, 100, 8, 4) == function_kernel::small_batched);
  CHECK(kernel_of(20000, 12, 200, 8, 4) == function_kernel::skinny_rows);
  CHECK(kernel_of(20000, 300, 12, 4, 2) == function_kernel::skinny_cols);
  CHECK(kernel_of(20000, 100, 12, 4, 2, 1) == function_kernel::skinny_cols);
  CHECK(kernel_of(20000, 12, 100, 8, 4, 1) == function_kernel::skinny_rows);
  CHECK(kernel_of(20000, 8, 16, 40, 4) == function_kernel::strided);
}

struct large_copy {
  char const* what;
  tensor_operand in, out;
  xpose::detail::transpose_limits most = {};
};

/// Elements of dimensions with these extents and strides.
tensor_operand at(index address, int bytes,
                  std::vector<std::pair<index, index>> const& dimensions) {
  tensor_operand o{};
  o.data = reinterpret_cast<void const*>(address);
  o.bytes_per_element = bytes;
  for (auto const& [extent, stride] : dimensions) o.dimensions[o.count++] = {extent, stride};
  return o;
}

constexpr index low = index{1} << 40, high = index{1} << 41;

TEST_CASE("copies that are cut for their size keep runs whole, and the kernel of the whole") {
  constexpr index a = 206, b = 260, c = 1800, d = 1037, ld = 1040;
  large_copy const cases[] = {
      {"permute {2, 1, 0, 3} of 206x206x206x125 float16",
       at(low, 2, {{a, 125}, {a, a * 125}, {a, a * a * 125}, {125, 1}}),
       at(high, 2, {{a, a * a * 125}, {a, a * 125}, {a, 125}, {125, 1}})},
      {"permute {2, 1, 0, 3} of 260x260x260x252 float",
       at(low, 4, {{b, 252}, {b, b * 252}, {b, b * b * 252}, {252, 1}}),
       at(high, 4, {{b, b * b * 252}, {b, b * 252}, {b, 252}, {252, 1}})},
      {"copy of 1800 padded 1800x475 float", at(low, 4, {{c, (c + 8) * 477}, {c, 477}, {475, 1}}),
       at(high, 4, {{c, (c + 3) * 479}, {c, 479}, {475, 1}})},
      {"transpose of 1037 padded 1037x1037 float, as if of 32 GB",
       at(low, 4, {{d, (d + 8) * ld}, {d, 1}, {d, ld}}),
       at(high, 4, {{d, (d + 8) * ld}, {d, ld}, {d, 1}}),
       {index{1} << 30, index{1} << 30, index{1} << 28}}};
  for (auto const& one : cases) {
    CAPTURE(std::string(one.what));
    bit_copy const whole = xpose::detail::plan_bit_copy(one.in, one.out);
    transpose_config const& of_whole = xpose::detail::select_transpose_kernel(whole, 90);
    int pieces = 0;
    xpose::detail::for_each_transpose_piece(
        whole, 90,
        [&](bit_copy const& piece, transpose_config const& config) {
          ++pieces;
          CHECK(&config == &of_whole);
          CHECK(suits(config, piece));
          CHECK(piece.plan.dimensions[0].extent == whole.plan.dimensions[0].extent);
        },
        one.most);
    CHECK(pieces > 1);
  }
}

TEST_CASE("short dimensions are merged until both sides fill a tile") {
  // permute {0, 1, 5, 4, 3, 2} of 14x11x149x58x18x32 bytes
  constexpr index a = 11, b = 149, c = 58, d = 18, e = 32;
  bit_copy const copy = xpose::detail::plan_bit_copy(
      at(low, 1,
         {{14, a * b * c * d * e}, {a, b * c * d * e}, {e, 1}, {d, e}, {c, d * e}, {b, c * d * e}}),
      at(high, 1,
         {{14, a * b * c * d * e},
          {a, b * c * d * e},
          {e, b * c * d},
          {d, b * c},
          {c, b},
          {b, 1}}));
  auto const sides = xpose::detail::merged_sides_of(copy, 128, 128);
  CHECK(sides.rows.extent() == b * c);
  CHECK(sides.cols.extent() == e * d);
  CHECK(sides.others_count == 1);  // 14x11 are one
  CHECK(sides.others[0].extent == 14 * a);
  auto const by_rows = xpose::detail::merged_sides_of(copy, 16384, 32);
  CHECK(by_rows.rows.extent() == b * c * d);
  CHECK(by_rows.cols.extent() == e);
}

TEST_CASE("a long dimension between two short ones goes to the runs of both sides") {
  auto const takes_tensor_tile = [](index a, index b, index c) {  // permute {2, 1, 0}
    bit_copy const copy = xpose::detail::plan_bit_copy(at(low, 1, {{c, 1}, {b, c}, {a, b * c}}),
                                                       at(high, 1, {{c, a * b}, {b, a}, {a, 1}}));
    std::string const name = xpose::detail::select_transpose_kernel(copy, 90).name;
    return name == "transpose_tile_tensor<1>";
  };
  CHECK(takes_tensor_tile(9, 100003, 2));
  CHECK(takes_tensor_tile(3, 200001, 5));
  CHECK_FALSE(takes_tensor_tile(40, 10007, 40));  // they fill tiles
  auto const takes_it_as_batch = [](index batch, index rows, index cols) {
    bit_copy const copy =
        xpose::detail::plan_bit_copy(at(low, 1, {{batch, rows * cols}, {cols, 1}, {rows, cols}}),
                                     at(high, 1, {{batch, rows * cols}, {cols, rows}, {rows, 1}}));
    std::string const name = xpose::detail::select_transpose_kernel(copy, 90).name;
    return name.find("transpose_tile_tensor") == 0;  // interleaved ones neither
  };
  CHECK_FALSE(takes_it_as_batch(100003, 8, 8));
}

TEST_CASE("few columns and few rows go by units where all of these are aligned") {
  struct shape {
    index sides, longer, sides_at, longer_at, pad, sides_gap, longer_gap;
  };
  // Columns, and the same memory the other way around: rows.
  auto const kernels_of = [](shape const& s) {
    index const pitch = s.longer + s.pad;
    auto const by_sides = [&](auto address) {
      return at(address + s.sides_at, 1,
                {{3, s.longer * s.sides + s.sides_gap}, {s.sides, 1}, {s.longer, s.sides}});
    };
    auto const by_longer = [&](auto address) {
      return at(address + s.longer_at, 1,
                {{3, pitch * s.sides + s.longer_gap}, {s.sides, pitch}, {s.longer, 1}});
    };
    auto const name = [](auto const& in, auto const& out) {
      return std::string(
          xpose::detail::select_transpose_kernel(xpose::detail::plan_bit_copy(in, out), 90).name);
    };
    return std::pair(name(by_sides(low), by_longer(high)), name(by_longer(low), by_sides(high)));
  };
  std::pair<std::string, std::string> const few{"transpose_few_cols<1>", "transpose_few_rows<1>"};
  for (index const sides : {2, 3, 4}) {
    CAPTURE(sides);
    CHECK(kernels_of({sides, 1004, 0, 0, 4, 16, 4}) == few);
    for (shape const& s : {shape{sides, 1003, 0, 0, 0, 0, 0},
                           {sides, 1004, 2, 0, 0, 0, 0},
                           {sides, 1004, 0, 1, 0, 0, 0},
                           {sides, 1004, 0, 0, 1, 0, 0},
                           {sides, 1004, 0, 0, 0, 2, 0},
                           {sides, 1004, 0, 0, 0, 0, 1}}) {
      CAPTURE(s.longer);
      CAPTURE(s.sides_at + 10 * s.longer_at + 100 * s.pad + 1000 * s.sides_gap);
      auto const [cols, rows] = kernels_of(s);
      CHECK(cols.find("transpose_few") != 0);
      CHECK(rows.find("transpose_few") != 0);
    }
  }
  CHECK(kernels_of({1, 1004, 0, 0, 4, 16, 4}).first.find("transpose_few") != 0);
  CHECK(kernels_of({5, 1004, 0, 0, 4, 16, 4}).first.find("transpose_few") != 0);
}

TEST_CASE("tiles of a tensor have runs on both sides and cover it") {
  std::set<bool> shared;
  int tiles = 0;
  for (int trial = 0; trial < 500; ++trial) {
    CAPTURE(trial);
    int const bytes = static_cast<int>(any_of({1, 2, 4, 6, 8}));
    operands const o = any_operands(bytes, bytes);
    bit_copy const copy = xpose::detail::plan_bit_copy(o.in, o.out);
    index const max_vec16s = any_of(
        {xpose::detail::tensor_tile::max_vec16s, xpose::detail::tensor_tile::max_large_vec16s});
    auto const tile = xpose::detail::tensor_tile_of(copy, max_vec16s);
    if (tile.efficiency == 0) continue;
    ++tiles;
    shared.insert(tile.shares_dimension);
    CHECK(std::min(tile.in_run, tile.out_run) * copy.word_bytes >= 32);
    CHECK(tile.in_runs * tile.vec16s_in_run <= max_vec16s);
    index words = 1;
    std::set<int> in_smem{0};
    for (int d = 0; d < tile.count; ++d) {
      words *= tile.dimensions[d].extent;
      std::set<int> next;
      for (int const at : in_smem)
        for (index k = 0; k < tile.dimensions[d].extent; ++k)
          next.insert(at + static_cast<int>(k) * tile.dimensions[d].smem_stride);
      in_smem = next;
    }
    CHECK(static_cast<index>(in_smem.size()) == words);  // each word has its own
    index run = 1;
    for (int k = 0; k < tile.in_run_count; ++k) {
      auto const& dimension = tile.dimensions[tile.in_run_dimensions[k]];
      CHECK(dimension.smem_stride == run * tile.smem_pitch);
      run *= dimension.extent;
    }
    CHECK(run == tile.in_runs);
    CHECK(tile.in_run * tile.in_runs == words);
    CHECK(tile.out_run * tile.out_runs == words);
    // Tiles of a dimension that overlap cover it.
    index covered = words;
    for (int d = 0; d < tile.outer_count; ++d) {
      auto const& outer = tile.outer[d];
      CHECK((outer.tiles - 1) * outer.step >= outer.last);
      CHECK((outer.tiles - 2) * outer.step < outer.last);
      covered *= outer.tiles;
    }
    CHECK(covered >= copy.word_count);
  }
  CHECK(tiles > 20);
  CHECK(shared.size() == 2);
}

TEST_CASE("interleaved tiles of a tensor have units of their own and runs that end where rows do") {
  int tiles = 0;
  for (int trial = 0; trial < 500; ++trial) {
    CAPTURE(trial);
    int const bytes = static_cast<int>(any_of({1, 2}));
    operands const o = any_operands(bytes, bytes);
    bit_copy const copy = xpose::detail::plan_bit_copy(o.in, o.out);
    if (copy.word_bytes > 2 || copy.words_in_run > 1) continue;
    index const rows_of_unit = 4 / copy.word_bytes;
    auto const tile =
        xpose::detail::interleaved_tensor_tile_of(copy, static_cast<int>(rows_of_unit));
    if (tile.efficiency == 0) continue;
    ++tiles;
    index const rows = tile.dimensions[0].extent;
    index const groups = (rows + rows_of_unit - 1) / rows_of_unit;
    CHECK(tile.dimensions[0].out_stride == copy.word_bytes);
    CHECK(rows >= rows_of_unit);
    CHECK(tile.in_run_dimensions[0] == 0);  // the row is no part of a run of the input
    CHECK(tile.in_runs % rows == 0);
    CHECK(tile.in_runs / rows * groups * rows_of_unit * tile.vec16s_in_run <=
          tile.max_interleaved_vec16s);
    CHECK(tile.in_runs / rows * tile.smem_groups_pitch <= tile.max_units);
    // Of a column all groups, as the kernel pads them; vec16s are whole.
    std::set<int> columns{0};
    index words = rows;
    for (int d = 1; d < tile.count; ++d) {
      words *= tile.dimensions[d].extent;
      std::set<int> next;
      for (int const at : columns)
        for (index k = 0; k < tile.dimensions[d].extent; ++k)
          next.insert(at + static_cast<int>(k) * tile.dimensions[d].smem_stride);
      columns = next;
    }
    CHECK(static_cast<index>(columns.size()) * rows == words);
    std::set<int> units;
    int const pitch = tile.smem_pitch;
    for (int const column : columns)
      for (int group = 0; group < static_cast<int>(groups); ++group)
        units.insert(column + group * pitch + (group >> 1 & ~3));
    CHECK(units.size() == columns.size() * static_cast<std::size_t>(groups));
    CHECK(*units.rbegin() < tile.in_runs / rows * tile.smem_groups_pitch);
    CHECK(pitch % 4 == 0);
    CHECK(pitch >= tile.vec16s_in_run * 16 / copy.word_bytes);
  }
  CHECK(tiles > 20);
}

TEST_CASE("tiles of a tensor whose last dimensions are few elements take those before them too") {
  // permute {2, 0, 1, 3, 5, 4}
  bit_copy const copy = xpose::detail::plan_bit_copy(
      at(low, 1, {{11, 14700}, {27, 8 * 11 * 14700}, {8, 11 * 14700}, {21, 700}, {7, 1}, {100, 7}}),
      at(high, 1,
         {{11, 27 * 8 * 14700}, {27, 8 * 14700}, {8, 14700}, {21, 700}, {7, 100}, {100, 1}}));
  auto const tile = xpose::detail::tensor_tile_of(copy);
  CHECK(tile.in_run == 11 * 700);  // of 21 two parts, 11 and 10
  CHECK(tile.out_run == 11 * 700);
  CHECK(tile.in_runs == 1);
  CHECK(tile.tiles == 11 * 27 * 8 * 2);
}

transpose_config config_of_permute(int bytes, std::vector<index> const& extents,
                                   std::string const& by) {
  tensor_operand in = at(low, bytes, {}), out = at(high, bytes, {});
  in.count = out.count = static_cast<int>(by.size());
  index written = 1;
  for (std::size_t d = by.size(); d-- > 0;) {
    auto const from = static_cast<std::size_t>(by[d] - '0');
    index read = 1;
    for (std::size_t e = from + 1; e < extents.size(); ++e) read *= extents[e];
    in.dimensions[d] = {extents[from], read};
    out.dimensions[d] = {extents[from], written};
    written *= extents[from];
  }
  return xpose::detail::select_transpose_kernel(xpose::detail::plan_bit_copy(in, out), 90);
}

/// 0: no tile of a tensor.
int kib_of_tensor_tile(int bytes, std::vector<index> const& extents, std::string const& by) {
  transpose_config const config = config_of_permute(bytes, extents, by);
  return std::string(config.name).find("transpose_tile_tensor<") == 0
             ? config.kernel.smem_bytes >> 10
             : 0;
}

TEST_CASE("large tiles of tensors are eight for each multiprocessor of the device") {
  auto const kib_with = [](int multiprocessors) {
    return in_child([&] {
      fake::start();
      fake::capabilities c;
      c.multiprocessors = multiprocessors;
      fake::set_capabilities(c);
      std::string kib;
      // Threads keep what they know of the device.
      std::thread([&] {
        kib = std::to_string(kib_of_tensor_tile(4, {28, 3, 61, 35, 14}, "40132"));
      }).join();
      return kib;
    });
  };
  CHECK(kib_with(132) == "8");  // 756 tiles of 16 KB
  CHECK(kib_with(95) == "8");
  CHECK(kib_with(94) == "16");
}

TEST_CASE("permutes whose shape another kernel had been chosen for take the one measured faster") {
  auto const kernel_of = [](int bytes, std::vector<index> const& extents, std::string const& by) {
    return std::string(config_of_permute(bytes, extents, by).name);
  };
  // Large tiles: of many matrices that fill merged tiles by half; not of few, nor of 2 bytes.
  CHECK(kib_of_tensor_tile(4, {141, 82, 31, 33}, "1302") == 16);
  CHECK(kib_of_tensor_tile(4, {44, 53, 2, 29, 58}, "31402") == 16);
  CHECK(kib_of_tensor_tile(4, {28, 23919, 3, 2, 18}, "14230") == 16);
  CHECK(kib_of_tensor_tile(4, {21, 2, 8, 14, 9, 20}, "235014") == 8);
  CHECK(kib_of_tensor_tile(4, {16, 43, 52, 49}, "3021") == 0);
  CHECK(kib_of_tensor_tile(8, {15, 1569, 7, 15, 9}, "43120") == 16);
  CHECK(kib_of_tensor_tile(8, {3, 53, 51, 49, 7, 2}, "540132") == 16);
  CHECK(kib_of_tensor_tile(8, {3, 125441, 11, 2}, "1302") == 0);
  CHECK(kib_of_tensor_tile(8, {47, 7, 3, 39609}, "3021") == 16);
  CHECK(kib_of_tensor_tile(16, {47, 7, 3, 39609}, "3021") == 16);
  CHECK(kib_of_tensor_tile(16, {8, 18, 199, 171, 9, 2}, "342051") == 16);
  CHECK(kib_of_tensor_tile(16, {2, 56952, 39}, "210") == 0);
  CHECK(kib_of_tensor_tile(16, {15, 18, 29, 3, 6, 26}, "145203") == 16);
  CHECK(kernel_of(16, {3, 18, 29, 3, 6, 26}, "145203") == "transpose_small_scattered<16>");
  CHECK(kib_of_tensor_tile(16, {17, 9, 162560}, "021") == 0);
  CHECK(kib_of_tensor_tile(2, {59, 27, 613, 11}, "0321") == 8);
  CHECK(kernel_of(1, {119, 69, 26, 27}, "1302") == "transpose_tile_merged<1>");
  CHECK(kernel_of(3, {12, 22, 1082, 45}, "1032") == "transpose_tile_unaligned<1,3>");
  // Skinny columns whose rows are close together.
  CHECK(kernel_of(1, {20, 35321, 2, 9}, "2031") == "transpose_skinny_cols<1>");
  // Merged tiles that are filled by half, by the runs of the output and of the input.
  CHECK(kernel_of(2, {14, 18, 2, 37, 30, 80}, "014253") == "transpose_tile_tensor_interleaved<2>");
  CHECK(kernel_of(2, {30, 9, 42, 68, 16}, "14032") == "transpose_tile_tensor<2>");
  CHECK(kernel_of(1, {441, 14, 31, 15, 39}, "42013") == "transpose_tile_merged<1>");
  // Merged tiles that are filled badly, and runs without a common dimension.
  CHECK(kib_of_tensor_tile(4, {28, 3, 61, 35, 14}, "40132") == 8);
  CHECK(kib_of_tensor_tile(4, {38, 60, 24, 5, 35}, "12430") == 8);
  CHECK(kernel_of(4, {54, 215, 7, 32, 31}, "41320") == "transpose_tile_merged<4>");
  CHECK(kernel_of(2, {53, 60, 74, 25}, "3210") == "transpose_tile_tensor<2>");
  CHECK(kernel_of(2, {150, 11, 119, 79, 17}, "41302") == "transpose_tile_merged<2>");
  CHECK(kernel_of(1, {2, 23, 64, 55, 29}, "24103") == "transpose_tile_tensor<1>");
  CHECK(kernel_of(1, {5, 11, 26870}, "210") == "transpose_tile_merged<1>");
  // Skinny columns of small and of larger matrices of bytes.
  CHECK(kernel_of(1, {49, 5, 10, 10, 310, 7}, "253104") == "transpose_tile_tensor<1>");
  CHECK(kernel_of(1, {26, 12, 13, 99, 23}, "14203") == "transpose_tile_merged<1>");
  CHECK(kernel_of(1, {11, 10, 11, 338, 12}, "24013") == "transpose_skinny_cols<1>");
  // Batches of few rows that are no whole words, many of them.
  CHECK(kernel_of(1, {1880, 27, 337}, "021") == "transpose_small_batched<1>");
  CHECK(kernel_of(2, {1880, 27, 337}, "021") == "transpose_small_batched<2>");
  CHECK(kernel_of(2, {475, 20, 717}, "021") == "transpose_skinny_rows<2>");
  CHECK(kernel_of(1, {591, 16, 2249}, "021") == "transpose_skinny_rows<1>");
  // Tiles that are interleaved are for 8 MB and more.
  CHECK(kernel_of(2, {31, 48, 5, 83, 5}, "40231") == "transpose_tile_merged<2>");
  CHECK(kernel_of(1, {29, 13, 33, 15, 4, 9}, "045231") == "transpose_tile_merged<1>");
  // Long runs of the output in few bytes, in small matrices, and where tiles are filled.
  CHECK(kernel_of(1, {76, 58, 19, 26}, "0321") == "transpose_tile_merged<1>");
  CHECK(kernel_of(1, {12, 20, 10, 48, 58}, "30142") == "transpose_tile_tensor<1>");
  CHECK(kernel_of(1, {19616, 12, 22, 64}, "0132") == "transpose_tile_tensor_interleaved<1>");
  CHECK(kernel_of(2, {480, 16, 65, 64}, "0132") == "transpose_small_batched<2>");
  CHECK(kernel_of(2, {188, 11, 63896}, "120") == "transpose_tile_unaligned<2>");
  // Words of 8 bytes: with a dimension in the runs of both sides, and without.
  CHECK(kernel_of(8, {6, 15, 10, 10, 627, 2}, "325140") == "transpose_tile_tensor<8>");
  CHECK(kernel_of(8, {15, 2, 33, 26, 89, 23}, "140532") == "transpose_small_scattered<8>");
  // Images whose channels come last: few, and many MB of words of 4 bytes.
  CHECK(kernel_of(1, {223, 222, 222, 4}, "0312") == "transpose_few_cols<1>");
  CHECK(kernel_of(4, {2, 446, 227, 4}, "0312") == "transpose_few_cols<4>");
  CHECK(kernel_of(4, {5, 217, 826, 4}, "0312") == "transpose_skinny_cols<4>");
  CHECK(kernel_of(4, {27, 3, 406, 140}, "0231") == "transpose_skinny_rows<4>");
  // Rows in many pieces, and in few.
  CHECK(kernel_of(8, {50, 6, 40, 12, 8, 33}, "124503") == "transpose_skinny_rows<8>");
  CHECK(kernel_of(8, {8, 13, 3, 5, 900}, "01432") == "copy_direct<8>");
  CHECK(kernel_of(8, {64, 40, 3, 5, 900}, "01432") == "transpose_tile_tensor<8>");
  // Few words whose rows are apart in the output, and close.
  CHECK(kernel_of(4, {2, 4, 21, 13, 7, 34}, "502431") == "transpose_tile_merged<4>");
  CHECK(kernel_of(4, {9, 79, 31, 12}, "2130") == "copy_direct<4>");
  CHECK(kernel_of(8, {27, 44, 20, 40}, "2310") == "transpose_skinny_rows<8>");
  CHECK(kernel_of(8, {38, 25, 11, 86}, "0231") == "transpose_skinny_rows<8>");
  CHECK(kernel_of(8, {29, 9, 75, 37}, "0231") == "copy_direct<8>");
  CHECK(kernel_of(8, {2, 587, 11, 60}, "3210") == "transpose_tile_tensor<8>");
  CHECK(kernel_of(8, {24, 36, 5, 36, 5}, "40231") == "transpose_small_scattered<8>");
  CHECK(kernel_of(16, {48, 7, 47, 37}, "3021") == "transpose_small_scattered<16>");
  CHECK(kernel_of(16, {7, 5, 25, 23}, "0231") == "copy_direct<16>");
  // Bytes of a tile's columns and a part, many and few.
  CHECK(kernel_of(1, {42, 64, 1117, 80}, "0132") == "transpose_skinny_cols<1>");
  CHECK(kernel_of(1, {1, 16, 394, 96}, "0132") == "transpose_tile_strided<1>");
  // Long runs in small planes, and short ones.
  CHECK(kernel_of(1, {84, 3, 1079, 359}, "0213") == "copy_contiguous_runs<1>");
  CHECK(kernel_of(1, {6808, 9, 9, 171}, "0213") == "copy_packed_runs<1>");
}

TEST_CASE("functions on copies that are cut for their size keep vectors and aligned tiles") {
  constexpr index n = 1025, m = 1037, ld = 1040;
  large_copy const cases[] = {{"copy of 1025 1025x1028 float, ld 1032, to bfloat16",
                               at(low, 4, {{n, (n + 8) * 1032}, {n, 1032}, {1028, 1}}),
                               at(high, 2, {{n, (n + 8) * 1032}, {n, 1032}, {1028, 1}})},
                              {"transpose of 1037 1037x1037 float, ld 1040, to bfloat16",
                               at(low, 4, {{m, (m + 8) * ld}, {m, 1}, {m, ld}}),
                               at(high, 2, {{m, (m + 8) * ld}, {m, ld}, {m, 1}})}};
  for (auto const& one : cases) {
    CAPTURE(std::string(one.what));
    function_copy const whole = xpose::detail::plan_function_copy(one.in, one.out);
    function_kernel const kernel = xpose::detail::select_function_kernel(whole).kernel;
    int pieces = 0;
    xpose::detail::for_each_function_piece(whole, [&](function_copy const& piece) {
      ++pieces;
      CHECK(xpose::detail::select_function_kernel(piece).kernel == kernel);
      CHECK(suits(kernel, piece));
    });
    CHECK(pieces > 1);
  }
}

}  // namespace
