// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Shapes as they are written on the command line and in the suites.
//   transpose, copy:  [BATCH*]ROWSxCOLS[:ld=IN[/OUT]][:offset=N]
//   add:              ROWSxCOLS[:XY][:ld=A/B/C][:offset=N]         of C
//   gemm:             [BATCH*]MxNxK[:XY][:ld=A/B/C][:offset=N]     X, Y: N or T for A and B
//   permute:          EXTENTxEXTENT...:PERMUTATION[:offset=N]     2 to 8 dimensions in C order;
//   201:
//                     extent k of out is extent 2, 0, 1 of in
// ld is a leading dimension in elements, offset the number of elements by which every operand
// starts behind an aligned address.
#pragma once

#include "core/case.hpp"

#include <string>
#include <vector>

namespace xpose::bench {

struct shape {
  std::string text;  ///< the extents alone, with the batch: "64*1024x1024"
  index batch = 1;
  std::vector<index> extents;    ///< two or three; of a tensor up to eight
  std::vector<int> permutation;  ///< of a tensor
  bool transposed_a = false;
  bool transposed_b = false;
  int operands = 2;
  std::vector<index> ld;  ///< empty: packed
  index offset = 0;

  /// "packed", "ld=4100/4099 offset=1"; of a gemm and an add "NN", "TN ld=.."; of a tensor "201",
  /// "201 offset=1".
  std::string layout() const;
};

/// Throws std::invalid_argument, naming the text and the rule. dimensions is 2, or 3 for a gemm.
shape parse_shape(std::string const& text, int dimensions);
/// Of an add.
shape parse_sum_shape(std::string const& text);

/// The same for a tensor and its permutation.
shape parse_tensor_shape(std::string const& text);

transpose_case make_transpose_case(shape const& s, element_type const& type, bool in_place);
/// The case of a copy: out(i, j) = in(i, j), so out has the shape of in.
transpose_case make_copy_case(shape const& s, element_type const& type);
/// The transpose, or copy, moved, made for any type, with the types of a cast ("f32:bf16").
cast_case make_cast_case(transpose_case const& moved, std::string const& type, bool is_copy);
permute_case make_permute_case(shape const& s, element_type const& type);
constexpr char const* add_type_names = "f32, f64, c64, c128";
add_case make_add_case(shape const& s, element_type const& type);
gemm_case make_gemm_case(shape const& s, element_type const& type, element_type const& c_type);

}  // namespace xpose::bench
