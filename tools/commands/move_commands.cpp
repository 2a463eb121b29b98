// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose transpose, permute and cast: one .npy file in, one out.

#include "commands/axes.hpp"
#include "commands/commands.hpp"
#include "commands/moves.hpp"
#include "npy/element_types.hpp"
#include "npy/native_array.hpp"
#include "terminal/failure.hpp"

#include <optional>

namespace xpose::tools {
namespace {

void check_dimensions(npy_input const& in) {
  std::size_t const dimensions = in.header().shape.size();
  if (dimensions == 2 || dimensions == 3) return;
  std::string const shape = shape_text(in.header().shape);
  if (dimensions == 1)
    throw failure(in.path(), "shape ", shape, " has one dimension, which has no transpose; ",
                  "reshape it to (", in.header().shape[0], ", 1) or (1, ", in.header().shape[0],
                  ") first");
  throw failure(in.path(), "shape ", shape, " has ", dimensions,
                " dimensions; transpose takes a matrix (2) or a batch of matrices (3), and xpose ",
                "permute other axes");
}

void check_rank(npy_input const& in, char const* operation) {
  constexpr std::size_t most = detail::tensor_operand::max_rank;
  if (in.header().shape.size() > most)
    throw failure(in.path(), "shape ", shape_text(in.header().shape), " has ",
                  in.header().shape.size(), " dimensions; ", operation, " takes up to ", most);
}

npy_header permuted(npy_header const& in, std::vector<int> const& axes, bool is_fortran_order) {
  npy_header out = in;
  for (std::size_t d = 0; d < axes.size(); ++d)
    out.shape[d] = in.shape[static_cast<std::size_t>(axes[d])];
  out.is_fortran_order = is_fortran_order;
  return out;
}

/// The type of elements that have one. A bool is a byte that is 0 or 1.
named_type const& castable_type(npy_input const& in, std::string const& declared) {
  named_type const* const type = type_of_elements(in.path(), in.header(), declared);
  if (type == nullptr)
    throw failure(in.path(), "dtype ", in.header().descr, " is no number that can be cast");
  return type->kind == 'b' ? *find_type("u1") : *type;
}

/// Opens the output, runs the move that make_move(data of the output) describes, and reports it.
/// `work`: the command with the options that decide what is computed.
template <class MakeMove>
int run_to_file(move_arguments const& arguments, std::string const& work, npy_input const& in,
                npy_header const& header, stopwatch const& watch, run_times& times,
                MakeMove const& make_move) {
  run_settings const& settings = arguments.settings;
  run_target const target = find_run_target(settings);
  run_files files{{&in}, nullptr, memory_for_tiles(settings, {&in}, header)};
  std::optional<npy_output> out;
  times.add(&run_times::files, [&] {
    out.emplace(arguments.output, header, identity_of(settings, target, work, files, header));
  });
  files.output = &*out;
  move const m = make_move(out->data());
  move_result const result = run_move(m, settings, target, files, times);
  times.add(&run_times::files, [&] { out->commit(); });
  print_report(settings, target,
               {m.operation, result.ran.backend, result.ran.kernel, &header, arguments.output,
                work_of(m), times, watch.seconds(), result.done_before});
  return 0;
}

int run_with_axes(char const* name, operation op, move_arguments const& arguments,
                  npy_input const& in, std::vector<int> const& axes, stopwatch const& watch,
                  run_times& times) {
  npy_header const header = permuted(in.header(), axes, arguments.order == "F");
  std::string work = text_of(name, ", axes");
  for (int const axis : axes) work += text_of(' ', axis);
  return run_to_file(arguments, work, in, header, watch, times, [&](void* data) {
    detail::tensor_operand from = describe_tensor(in.data(), in.header());
    // The element moves as a block of bytes, so the input is only read in another order.
    if (!axes.empty()) from = detail::permuted(from, axes.data());
    return copy_of(name, op, from, describe_tensor(data, header));
  });
}

}  // namespace

int run_transpose(move_arguments const& arguments) {
  stopwatch const watch;
  run_times times;
  check_resumable(arguments.settings, {arguments.input, arguments.output});
  std::optional<npy_input> in;
  times.add(&run_times::files, [&] { in.emplace(arguments.input); });
  check_dimensions(*in);
  bool const is_batch = in->header().shape.size() == 3;
  std::vector<int> const axes = is_batch ? std::vector<int>{0, 2, 1} : std::vector<int>{1, 0};
  return run_with_axes("transpose", operation::transpose, arguments, *in, axes, watch, times);
}

int run_permute(move_arguments const& arguments) {
  stopwatch const watch;
  run_times times;
  check_resumable(arguments.settings, {arguments.input, arguments.output});
  std::optional<npy_input> in;
  times.add(&run_times::files, [&] { in.emplace(arguments.input); });
  check_rank(*in, "permute");
  std::vector<int> const axes = axes_for(arguments.axes, in->path(), in->header().shape);
  return run_with_axes("permute", operation::permute, arguments, *in, axes, watch, times);
}

int run_cast(move_arguments const& arguments) {
  stopwatch const watch;
  run_times times;
  check_resumable(arguments.settings, {arguments.input, arguments.output});
  std::optional<npy_input> in;
  times.add(&run_times::files, [&] { in.emplace(arguments.input); });
  check_rank(*in, "cast");
  named_type const& from = castable_type(*in, arguments.type);
  named_type const& to = *find_type(arguments.to);
  bool const is_same = from.element == to.element;
  if (!is_same && !detail::is_compiled_cast(to.element, from.element))
    throw failure(in->path(), "there is no cast from ", from.name, " to ", to.name,
                  "; real numbers are cast among each other, complex ones too, and e4m3 and e5m2 ",
                  "to and from f2, bf16 and f4");
  npy_header header = in->header();
  header.descr = to.descr;
  header.kind = to.kind;
  header.bytes_per_element = to.bytes;
  header.is_big_endian = false;
  header.is_fortran_order = arguments.order == "F";
  check_size(arguments.output, header);
  check_copy(*in, from.element, memory_for_tiles(arguments.settings, {&*in}, header));
  native_array const array(*in, from.element);
  std::string const work = text_of("cast, from ", from.name, " to ", to.name);
  return run_to_file(arguments, work, *in, header, watch, times, [&](void* data) {
    return copy_of("cast", operation::copy, array.tensor(),
                   describe_typed(data, header, to.element),
                   is_same ? detail::element_function::copy_bits : detail::element_function::cast);
  });
}

}  // namespace xpose::tools
