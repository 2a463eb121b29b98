// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// verify: transpose, copy and permute by element size, casts and conjugation.

#include "verify/elements.hpp"
#include "verify/operations.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace xpose::tools {
namespace {

using detail::element_function;

/// A buffer's matrices as a tensor: what is copied.
using tensor_of = std::function<detail::tensor_operand(detail::operand const&)>;

struct copy_case {
  operation op;
  element_function function;
  verify_buffer in;
  verify_buffer out;
  tensor_of in_tensor;  // in the order of the output's dimensions
  tensor_of out_tensor;
};

detail::tensor_operand as_it_is(detail::operand const& o) { return as_tensor(o); }

tensor_of in_tensor_for(operation op) {
  if (op == operation::copy) return as_it_is;
  return [](detail::operand in) {
    std::swap(in.rows, in.cols);
    std::swap(in.row_stride, in.col_stride);
    return as_tensor(in);
  };
}

/// Whether the target writes what the reference writes, and nothing else.
void run_case(verify_target const& target, copy_case& c, row_counter& counter) {
  verify_buffer expected = c.out;
  detail::tensor_operand const in = c.in_tensor(c.in.on_host());
  detail::run_copy(the_reference, {c.op, in, c.out_tensor(expected.on_host()), c.function});

  device_memory in_memory, out_memory;
  detail::copy_request request{c.op, in, c.out_tensor(c.out.on_host()), c.function};
  if (target.is_on_device) {
    request.in = c.in_tensor(c.in.to_device(in_memory));
    request.out = c.out_tensor(c.out.to_device(out_memory));
  }
  detail::explanation_text const ran = detail::explain_copy(target.where, request);
  detail::run_copy(target.where, request);
  if (target.is_on_device) c.out.from_device(out_memory);
  counter.add(ran, c.out.has_bytes_of(expected) && c.out.is_poison_around());
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

copy_case draw_case(random_numbers& numbers, operation op, element_row const& type) {
  matrices const m = draw_matrices(numbers);
  return {op,
          element_function::copy_bits,
          {numbers, m.batch, m.rows, m.cols, type.bytes, type.alignment, type.type},
          output_for(numbers, op, m, type),
          in_tensor_for(op),
          as_it_is};
}

// Of a buffer's batch, its rows in two dimensions and its columns in two.
using extents_of_tensor = std::array<index, 5>;

verify_buffer buffer_for(random_numbers& numbers, extents_of_tensor const& e,
                         element_row const& type) {
  return {numbers, e[0], e[1] * e[2], e[3] * e[4], type.bytes, type.alignment, type.type};
}

tensor_of tensor_for(extents_of_tensor const& e) {
  return [e](detail::operand const& o) {
    detail::tensor_operand tensor = as_tensor(o);
    tensor.count = 5;
    tensor.is_batch = false;
    tensor.dimensions[0] = {e[0], o.batch_stride};
    tensor.dimensions[1] = {e[1], e[2] * o.row_stride};
    tensor.dimensions[2] = {e[2], o.row_stride};
    tensor.dimensions[3] = {e[3], e[4] * o.col_stride};
    tensor.dimensions[4] = {e[4], o.col_stride};
    return tensor;
  };
}

/// Of five dimensions, some of one element: fewer, then.
copy_case draw_permute(random_numbers& numbers, element_row const& type) {
  extents_of_tensor in{};
  index room = 20000;  // elements, so that a case takes no longer than others
  for (index& extent : in) {
    extent = std::min(draw(numbers, 0, 2) == 0 ? index{1} : draw_extent(numbers), room);
    room /= std::max<index>(1, extent);
  }
  std::array<int, 5> permutation{0, 1, 2, 3, 4};
  for (std::size_t last = 4; last > 0; --last)
    std::swap(permutation[last],
              permutation[static_cast<std::size_t>(draw(numbers, 0, static_cast<index>(last)))]);
  // The larger extents come first or last.
  if (draw(numbers, 0, 1) == 0) std::reverse(in.begin(), in.end());
  extents_of_tensor out{};
  for (std::size_t d = 0; d < 5; ++d) out[d] = in[static_cast<std::size_t>(permutation[d])];
  return {operation::permute,
          element_function::copy_bits,
          buffer_for(numbers, in, type),
          buffer_for(numbers, out, type),
          [whole = tensor_for(in), permutation](detail::operand const& o) {
            return detail::permuted(whole(o), permutation.data());
          },
          tensor_for(out)};
}

void verify_sizes(verify_run const& run, operation op, row_taker const& take) {
  char const* const name = op == operation::transpose ? "transpose"
                           : op == operation::copy    ? "copy"
                                                      : "permute";
  for (int const bytes : sizes_of_elements) {
    row_counter counter(name, text_of_size(bytes));
    random_numbers numbers(run.seed * 1000 + static_cast<std::uint64_t>(bytes));
    for (int i = 0; i < run.cases; ++i) {
      element_row const type = draw_bytes_type(numbers, bytes);
      copy_case c =
          op == operation::permute ? draw_permute(numbers, type) : draw_case(numbers, op, type);
      fill_with_bits(numbers, c.in, bytes);
      run_case(run.target, c, counter);
    }
    take(counter.row());
  }
}

void run_function(verify_run const& run, random_numbers& numbers, element_function function,
                  element_row const& in, element_row const& out, row_counter& counter) {
  operation const op = draw_operation(numbers);
  matrices const m = draw_matrices(numbers);
  copy_case c{op,
              function,
              verify_buffer(numbers, m.batch, m.rows, m.cols, in.bytes, in.alignment, in.type),
              output_for(numbers, op, m, out),
              in_tensor_for(op),
              as_it_is};
  fill(numbers, c.in, in, in.is_signed && out.is_signed);
  run_case(run.target, c, counter);
}

}  // namespace

void verify_copies(verify_run const& run, row_taker const& take) {
  verify_sizes(run, operation::transpose, take);
  verify_sizes(run, operation::copy, take);
  verify_sizes(run, operation::permute, take);
}

void verify_functions(verify_run const& run, row_taker const& take) {
  random_numbers numbers(run.seed * 1000 + 100);
  for (element_row const& in : all_elements()) {
    row_counter counter("cast", std::string(in.name) + " to others");
    std::vector<element_row const*> others;
    for (element_row const& out : all_elements())
      if (out.type != in.type && detail::is_compiled_cast(out.type, in.type))
        others.push_back(&out);
    // Each of them once at least.
    std::size_t const cases = std::max(static_cast<std::size_t>(run.cases), others.size());
    for (std::size_t i = 0; i < cases; ++i)
      run_function(run, numbers, element_function::cast, in, *others[i % others.size()], counter);
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

}  // namespace xpose::tools
