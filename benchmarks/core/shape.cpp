// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "core/shape.hpp"

#include "types/cast.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace xpose::bench {
namespace {

constexpr index largest_extent = index{1} << 40;
constexpr int any_rank = 0;  // of a tensor
constexpr std::size_t largest_rank = 8;

std::vector<std::string> split(std::string const& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  if (text.empty() || text.back() == separator) parts.emplace_back();
  return parts;
}

/// Of one shape, to refuse it with a reason.
class shape_parser {
 public:
  shape_parser(std::string text, int dimensions, int operands)
      : text_(std::move(text)), dimensions_(dimensions), operands_(operands) {}

  shape parse() const {
    auto const parts = split(text_, ':');
    shape s = parse_extents(parts[0]);
    for (std::size_t p = 1; p < parts.size(); ++p) parse_option(parts[p], s);
    if (dimensions_ == any_rank && s.permutation.empty())
      refuse("expected EXTENTxEXTENT...:PERMUTATION");
    return s;
  }

 private:
  [[noreturn]] void refuse(std::string const& rule) const {
    throw std::invalid_argument("shape '" + text_ + "': " + rule);
  }

  index parse_number(std::string const& digits, index least) const {
    char* end = nullptr;
    long long const value = std::strtoll(digits.c_str(), &end, 10);
    if (digits.empty() || *end != '\0' || value < least || value > largest_extent)
      refuse("'" + digits + "' is not an integer from " + std::to_string(least) + " to 2^40");
    return value;
  }

  shape parse_extents(std::string const& text) const {
    shape s;
    s.text = text;
    s.operands = operands_;
    auto const star = text.find('*');
    if (star != std::string::npos) s.batch = parse_number(text.substr(0, star), 1);
    for (auto const& extent : split(star == std::string::npos ? text : text.substr(star + 1), 'x'))
      s.extents.push_back(parse_number(extent, 1));
    if (dimensions_ == any_rank) require_tensor(s);
    else if (static_cast<int>(s.extents.size()) != dimensions_)
      refuse(dimensions_ == 2 ? "expected ROWSxCOLS" : "expected MxNxK");
    return s;
  }

  void require_tensor(shape const& s) const {
    if (s.text.find('*') != std::string::npos)
      refuse("a batch of tensors is a dimension more, of both");
    if (s.extents.size() < 2 || s.extents.size() > largest_rank)
      refuse("expected 2 to " + std::to_string(largest_rank) + " extents");
  }

  /// "201" of three dimensions.
  std::vector<int> parse_permutation(std::string const& digits, std::size_t rank) const {
    std::vector<int> permutation;
    for (char const digit : digits) permutation.push_back(digit - '0');
    std::vector<int> sorted = permutation;
    std::sort(sorted.begin(), sorted.end());
    std::vector<int> dimensions(rank);
    std::iota(dimensions.begin(), dimensions.end(), 0);
    if (sorted != dimensions)
      refuse("'" + digits + "' is no permutation of the digits 0 to " + std::to_string(rank - 1));
    return permutation;
  }

  void parse_option(std::string const& option, shape& s) const {
    if (dimensions_ == any_rank && option.rfind("offset=", 0) != 0) {
      s.permutation = parse_permutation(option, s.extents.size());
    } else if (option.rfind("ld=", 0) == 0) {
      for (auto const& number : split(option.substr(3), '/'))
        s.ld.push_back(parse_number(number, 1));
      if (static_cast<int>(s.ld.size()) > operands_)
        refuse("ld takes at most " + std::to_string(operands_) + " numbers");
      while (static_cast<int>(s.ld.size()) < operands_) s.ld.push_back(s.ld.back());
    } else if (option.rfind("offset=", 0) == 0) {
      s.offset = parse_number(option.substr(7), 0);
    } else if (operands_ == 3 && option.size() == 2 &&
               option.find_first_not_of("NT") == std::string::npos) {
      s.transposed_a = option[0] == 'T';
      s.transposed_b = option[1] == 'T';
    } else {
      refuse("'" + option + "' is not ld=..., offset=..." +
             (operands_ == 3 ? ", NN, NT, TN or TT" : ""));
    }
  }

  std::string text_;
  int dimensions_;
  int operands_;
};

/// The leading dimension of operand number o, which has cols columns.
index leading_dimension(shape const& s, std::size_t o, index cols) {
  if (s.ld.empty()) return cols;
  if (s.ld[o] < cols)
    throw std::invalid_argument("shape '" + s.text + "': ld=" + std::to_string(s.ld[o]) +
                                " is below the " + std::to_string(cols) + " columns of operand " +
                                std::to_string(o + 1));
  return s.ld[o];
}

}  // namespace

std::string shape::layout() const {
  std::string words;
  for (int const dimension : permutation) words += std::to_string(dimension);
  if (words.empty() && operands == 3)
    words = std::string(transposed_a ? "T" : "N") + (transposed_b ? "T" : "N");
  for (std::size_t o = 0; o < ld.size(); ++o)
    words += (o > 0 ? "/" : words.empty() ? "ld=" : " ld=") + std::to_string(ld[o]);
  if (offset > 0) words += (words.empty() ? "offset=" : " offset=") + std::to_string(offset);
  return words.empty() ? "packed" : words;
}

shape parse_shape(std::string const& text, int dimensions) {
  return shape_parser(text, dimensions, dimensions).parse();
}

shape parse_sum_shape(std::string const& text) {
  shape const s = shape_parser(text, 2, 3).parse();
  if (s.text.find('*') != std::string::npos)
    throw std::invalid_argument("shape '" + text + "': add takes single matrices");
  return s;
}

shape parse_tensor_shape(std::string const& text) {
  return shape_parser(text, any_rank, 2).parse();
}

transpose_case make_transpose_case(shape const& s, element_type const& type, bool in_place) {
  index const rows = s.extents[0];
  index const cols = s.extents[1];
  index const in_ld = leading_dimension(s, 0, cols);
  index const out_ld = leading_dimension(s, 1, rows);
  if (in_place && !s.ld.empty())
    throw std::invalid_argument("shape '" + s.text + "': in place takes packed matrices");
  return {type, rows, cols, in_ld, out_ld, s.batch, rows * in_ld, cols * out_ld, in_place};
}

transpose_case make_copy_case(shape const& s, element_type const& type) {
  index const rows = s.extents[0];
  index const cols = s.extents[1];
  index const in_ld = leading_dimension(s, 0, cols);
  index const out_ld = leading_dimension(s, 1, cols);
  return {type, rows, cols, in_ld, out_ld, s.batch, rows * in_ld, rows * out_ld, false};
}

cast_case make_cast_case(transpose_case const& moved, std::string const& type, bool is_copy) {
  auto const [in, out] = cast_types_named(type);
  if (moved.in_place)
    throw std::invalid_argument("cast '" + type + "': in place no element changes its type");
  cast_case what{moved, out, is_copy};
  what.moved.type = in;
  return what;
}

permute_case make_permute_case(shape const& s, element_type const& type) {
  return {type, s.extents, s.permutation};
}

add_case make_add_case(shape const& s, element_type const& type) {
  bool const is_number = type.kind == element_kind::f32 || type.kind == element_kind::f64 ||
                         type.kind == element_kind::c64 || type.kind == element_kind::c128;
  if (!is_number)
    throw std::invalid_argument("add of '" + type.name + "': types are " + add_type_names);
  index const rows = s.extents[0];
  index const cols = s.extents[1];
  return {type,
          rows,
          cols,
          s.transposed_a,
          s.transposed_b,
          leading_dimension(s, 0, s.transposed_a ? rows : cols),
          leading_dimension(s, 1, s.transposed_b ? rows : cols),
          leading_dimension(s, 2, cols)};
}

gemm_case make_gemm_case(shape const& s, element_type const& type, element_type const& c_type) {
  index const m = s.extents[0];
  index const n = s.extents[1];
  index const k = s.extents[2];
  index const a_rows = s.transposed_a ? k : m;
  index const b_rows = s.transposed_b ? n : k;
  index const lda = leading_dimension(s, 0, s.transposed_a ? m : k);
  index const ldb = leading_dimension(s, 1, s.transposed_b ? k : n);
  index const ldc = leading_dimension(s, 2, n);
  return {type,           c_type, m,   n,   k,       s.transposed_a,
          s.transposed_b, lda,    ldb, ldc, s.batch, a_rows * lda,
          b_rows * ldb,   m * ldc};
}

}  // namespace xpose::bench
