// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose add: alpha op(A) + beta op(B) of .npy files.

#include "commands/commands.hpp"
#include "commands/matrices.hpp"
#include "commands/moves.hpp"
#include "commands/scalar.hpp"
#include "npy/element_types.hpp"
#include "npy/native_array.hpp"
#include "terminal/failure.hpp"

#include <optional>

namespace xpose::tools {
namespace {

using detail::element_type;

named_type const& find_add_type(npy_input const& in, std::string const& declared) {
  named_type const* const type = type_of_elements(in.path(), in.header(), declared);
  std::string taken;
  for (named_type const& t : named_types()) {
    if (t.element == element_type::other || detail::is_float8_type(t.element)) continue;
    if (type != nullptr && type->element == t.element) return *type;
    taken += (taken.empty() ? "" : ", ") + std::string(t.name);
  }
  throw failure(in.path(), "add does not take dtype ", in.header().descr, "; it takes ", taken,
                ": convert with xpose cast");
}

/// Two-byte floats are added in float, all else in its own type.
element_type computes_in(element_type type) {
  return type == element_type::f16 || type == element_type::bf16 ? element_type::f32 : type;
}

detail::scalar_kind kind_of(scalar const& s) {
  return s.is_zero  ? detail::scalar_kind::zero
         : s.is_one ? detail::scalar_kind::one
                    : detail::scalar_kind::other;
}

move sum_of(detail::operand const& a, detail::operand const& b, detail::operand const& c,
            scalar const& alpha, scalar const& beta) {
  return {"add",
          {as_tensor(a), as_tensor(b), as_tensor(c)},
          [&alpha, &beta](detail::across_execution const& where, tensors const& operands) {
            detail::run_add(where,
                            detail::add_request{as_operand(operands[0]), as_operand(operands[1]),
                                                as_operand(operands[2]), alpha.bytes, beta.bytes,
                                                kind_of(alpha), kind_of(beta)});
          }};
}

}  // namespace

int run_add(add_arguments const& arguments) {
  stopwatch const watch;
  run_times times;
  run_settings const& settings = arguments.settings;
  check_resumable(settings, {arguments.a, arguments.b, arguments.output});
  std::optional<npy_input> a_file, b_file;
  times.add(&run_times::files, [&] {
    a_file.emplace(arguments.a);
    b_file.emplace(arguments.b);
  });
  check_matrices(*a_file, "add");
  check_matrices(*b_file, "add");
  named_type const& type = find_add_type(*a_file, arguments.type);
  named_type const& type_of_b = find_add_type(*b_file, arguments.type);
  if (type.element != type_of_b.element)
    throw failure(b_file->path(), "dtype ", b_file->header().descr, ", but ", a_file->path(),
                  " has ", a_file->header().descr, "; convert one of them with xpose cast");
  scalar_type const of_scalars{computes_in(type.element), type.name};
  auto const read = [&](char const* option, std::string const& text) {
    return text.empty() ? scalar_one(of_scalars) : read_scalar(option, text, of_scalars);
  };
  scalar const alpha = read("--alpha", arguments.alpha);
  scalar const beta = read("--beta", arguments.beta);

  run_files files{{&*a_file, &*b_file}, nullptr, 0};
  // What needs a copy is as large as its file: judged by the inputs alone.
  index const memory_of_inputs = memory_for_tiles(settings, files.inputs, {});
  check_copy(*a_file, type.element, memory_of_inputs);
  check_copy(*b_file, type.element, memory_of_inputs);
  native_array const a_array(*a_file, type.element);
  native_array const b_array(*b_file, type.element);
  detail::operand a = op(a_array.operand(), arguments.transpose_a, arguments.conjugate_a);
  detail::operand b = op(b_array.operand(), arguments.transpose_b, arguments.conjugate_b);
  bool const is_batch = a_file->header().shape.size() == 3 || b_file->header().shape.size() == 3;
  npy_header const header = header_of_result(a, b, a.cols, is_batch, type);
  broadcast(a, is_batch ? header.shape[0] : 1);
  broadcast(b, is_batch ? header.shape[0] : 1);
  check_size(arguments.output, header);
  // xpose's own rules and words, before the output exists.
  move const checked = sum_of(a, b, describe_matrices(nullptr, header, type.element), alpha, beta);
  (void)explain(checked, {detail::execution_of(omp, nullptr), {}}, checked.operands);

  run_target const target = find_run_target(settings);
  std::optional<npy_output> out;
  files.memory = memory_for_tiles(settings, files.inputs, header);
  std::string const work = text_of("add, ", type.name, ", ", text_of_options(arguments));
  times.add(&run_times::files, [&] {
    out.emplace(arguments.output, header, identity_of(settings, target, work, files, header));
  });
  files.output = &*out;
  move const m = sum_of(a, b, describe_matrices(out->data(), header, type.element), alpha, beta);
  move_result const result = run_move(m, settings, target, files, times);
  times.add(&run_times::files, [&] { out->commit(); });
  print_report(settings, target,
               {"add", result.ran.backend, result.ran.kernel, &header, arguments.output, work_of(m),
                times, watch.seconds(), result.done_before});
  return 0;
}

}  // namespace xpose::tools
