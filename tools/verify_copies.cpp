// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// verify: transpose and copy by element size, casts and conjugation.

#include "verify_elements.hpp"
#include "verify_operations.hpp"

#include <utility>

namespace xpose::tools {
namespace {

using detail::element_function;

struct copy_case {
  operation op;
  element_function function;
  verify_buffer in;
  verify_buffer out;
};

detail::operand turned_for(operation op, detail::operand in) {
  if (op == operation::copy) return in;
  std::swap(in.rows, in.cols);
  std::swap(in.row_stride, in.col_stride);
  return in;
}

/// Whether the target writes what the reference writes, and nothing else.
void run_case(verify_target const& target, copy_case& c, row_counter& counter) {
  verify_buffer expected = c.out;
  detail::execution const reference{detail::backend_id::reference, 1, nullptr, false, true};
  detail::operand const in = turned_for(c.op, c.in.on_host());
  detail::run_copy(reference, {c.op, as_tensor(in), as_tensor(expected.on_host()), c.function});

  device_memory in_memory, out_memory;
  detail::copy_request request{c.op, as_tensor(in), as_tensor(c.out.on_host()), c.function};
  if (target.is_on_device) {
    request.in = as_tensor(turned_for(c.op, c.in.to_device(in_memory)));
    request.out = as_tensor(c.out.to_device(out_memory));
  }
  detail::explanation_text const ran = detail::explain_copy(target.where, request);
  detail::run_copy(target.where, request);
  if (target.is_on_device) c.out.from_device(out_memory);
  counter.add(ran, c.out.has_bytes_of(expected) && c.out.is_poison_around());
}

struct matrices {
  index batch, rows, cols;
};

matrices draw_matrices(random_numbers& numbers) {
  index const rows = draw_extent(numbers);
  index const cols = draw_extent(numbers);
  bool const is_batch = rows * cols < 10000 && draw(numbers, 0, 2) == 0;
  return {is_batch ? draw(numbers, 0, 5) : 1, rows, cols};
}

verify_buffer output_for(random_numbers& numbers, operation op, matrices const& m,
                         element_row const& type) {
  bool const is_turned = op == operation::transpose;
  return {numbers,
          m.batch,
          is_turned ? m.cols : m.rows,
          is_turned ? m.rows : m.cols,
          type.bytes,
          type.alignment,
          type.type};
}

operation draw_operation(random_numbers& numbers) {
  return draw(numbers, 0, 1) == 0 ? operation::transpose : operation::copy;
}

/// Values that every type holds, with fractions where the type has them and signs if allowed.
void fill(random_numbers& numbers, verify_buffer& buffer, element_row const& type,
          bool with_signs) {
  auto const value = [&] {
    double const quarters = static_cast<double>(draw(numbers, with_signs ? -400 : 0, 400));
    return type.is_integer ? static_cast<double>(static_cast<int>(quarters / 4)) : quarters / 4;
  };
  buffer.for_each([&](unsigned char* element) {
    double const real = value();
    type.store(element, {real, type.is_complex ? value() : 0.0});
  });
}

void verify_sizes(verify_run const& run, operation op, row_taker const& take) {
  for (int const bytes : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
    row_counter counter(op == operation::transpose ? "transpose" : "copy",
                        std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"));
    random_numbers numbers(run.seed * 1000 + static_cast<std::uint64_t>(bytes));
    // The largest alignment a type of this size has, or none.
    int const natural = bytes & -bytes;
    for (int i = 0; i < run.cases; ++i) {
      element_row type{};
      type.bytes = bytes;
      type.alignment = draw(numbers, 0, 1) == 0 || natural > 16 ? 1 : natural;
      matrices const m = draw_matrices(numbers);
      copy_case c{op, element_function::copy_bits,
                  verify_buffer(numbers, m.batch, m.rows, m.cols, bytes, type.alignment, type.type),
                  output_for(numbers, op, m, type)};
      c.in.for_each([&](unsigned char* element) {
        for (int b = 0; b < bytes; ++b) element[b] = static_cast<unsigned char>(numbers());
      });
      run_case(run.target, c, counter);
    }
    take(counter.row());
  }
}

void run_function(verify_run const& run, random_numbers& numbers, element_function function,
                  element_row const& in, element_row const& out, row_counter& counter) {
  operation const op = draw_operation(numbers);
  matrices const m = draw_matrices(numbers);
  copy_case c{op, function,
              verify_buffer(numbers, m.batch, m.rows, m.cols, in.bytes, in.alignment, in.type),
              output_for(numbers, op, m, out)};
  fill(numbers, c.in, in, in.is_signed && out.is_signed);
  run_case(run.target, c, counter);
}

}  // namespace

void verify_copies(verify_run const& run, row_taker const& take) {
  verify_sizes(run, operation::transpose, take);
  verify_sizes(run, operation::copy, take);
}

void verify_functions(verify_run const& run, row_taker const& take) {
  random_numbers numbers(run.seed * 1000 + 100);
  for (element_row const& in : all_elements()) {
    row_counter counter("cast", std::string(in.name) + " to others");
    std::vector<element_row const*> others;
    for (element_row const& out : all_elements())
      if (out.type != in.type && detail::is_compiled_cast(out.type, in.type))
        others.push_back(&out);
    for (int i = 0; i < run.cases; ++i)
      run_function(run, numbers, element_function::cast, in,
                   *others[static_cast<std::size_t>(i) % others.size()], counter);
    take(counter.row());
  }
  for (element_row const& type : all_elements()) {
    if (!type.is_complex) continue;
    row_counter counter("conjugate", type.name);
    for (int i = 0; i < run.cases; ++i)
      run_function(run, numbers, element_function::conjugate, type, type, counter);
    take(counter.row());
  }
}

void row_counter::add(detail::explanation_text const& ran, bool is_match) {
  backends_.insert(ran.backend);
  kernels_.insert(ran.kernel);
  ++cases_;
  if (!is_match) ++mismatches_;
}

verify_row row_counter::row() const {
  auto const joined = [](std::set<std::string> const& names) {
    std::string text;
    for (auto const& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  };
  return {operation_, type_, joined(backends_), joined(kernels_), cases_, mismatches_};
}

}  // namespace xpose::tools
