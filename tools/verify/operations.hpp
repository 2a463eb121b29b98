// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What xpose verify runs: a table of checks, each many random cases of one operation and type.
#pragma once

#include "verify/buffer.hpp"
#include "verify/elements.hpp"

#include <functional>
#include <set>
#include <string>

namespace xpose::tools {

struct verify_target {
  detail::execution where;
  bool is_on_device;
};

struct verify_run {
  verify_target target;
  int cases;
  std::uint64_t seed;
};

/// What a case passes: equal bits, or an error within the bound of docs/semantics.md.
enum class pass_criterion { equal_bits, error_bound };

struct verify_row {
  std::string operation;
  std::string type;
  pass_criterion criterion;
  std::string backend;  // that really ran, as explain() says
  std::string kernels;  // those that ran; a case without elements runs none
  int cases;
  int mismatches;
};

using row_taker = std::function<void(verify_row const&)>;

/// transpose, copy and permute by element size.
void verify_copies(verify_run const& run, row_taker const& take);
/// Every compiled cast, and conjugation.
void verify_functions(verify_run const& run, row_taker const& take);
/// transpose_inplace by element size.
void verify_in_place(verify_run const& run, row_taker const& take);
/// Every compiled add, on integers, whose results are exact.
void verify_adds(verify_run const& run, row_taker const& take);
/// Every compiled gemm: exactly, on small integers; within the error bound, on real numbers.
void verify_gemms(verify_run const& run, row_taker const& take);

constexpr detail::execution the_reference{detail::backend_id::reference, 1, nullptr, false, true};

constexpr int sizes_of_elements[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};

/// "1 byte", "2 bytes".
std::string text_of_size(int bytes);

/// Elements of so many bytes, aligned as a type of that size may be or not at all.
element_row draw_bytes_type(random_numbers& numbers, int bytes);

void fill_with_bits(random_numbers& numbers, verify_buffer& buffer, int bytes);

struct matrices {
  index batch, rows, cols;
};
/// A matrix or a batch of smaller ones.
matrices draw_matrices(random_numbers& numbers);

/// Counts the cases of one row of the printed table.
class row_counter {
 public:
  row_counter(std::string operation, std::string type,
              pass_criterion criterion = pass_criterion::equal_bits)
      : operation_(std::move(operation)), type_(std::move(type)), criterion_(criterion) {}

  void add(detail::explanation_text const& ran, bool is_match);
  verify_row row() const;

 private:
  std::string operation_;
  std::string type_;
  pass_criterion criterion_;
  std::set<std::string> backends_;
  std::set<std::string> kernels_;
  int cases_ = 0;
  int mismatches_ = 0;
};

}  // namespace xpose::tools
