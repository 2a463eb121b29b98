// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose gemm: alpha op(A) op(B) + beta C of .npy files.

#include "commands/commands.hpp"
#include "commands/gemm_calls.hpp"
#include "commands/gemm_tiles.hpp"
#include "commands/gemm_types.hpp"
#include "commands/matrices.hpp"
#include "commands/report.hpp"
#include "npy/native_array.hpp"
#include "terminal/failure.hpp"

#include <optional>

namespace xpose::tools {
namespace {

struct gemm_files {
  std::optional<npy_input> a, b, c;
};

void open_files(gemm_files& files, gemm_arguments const& arguments) {
  files.a.emplace(arguments.a);
  files.b.emplace(arguments.b);
  if (!arguments.c.empty()) files.c.emplace(arguments.c);
  else if (!arguments.beta.empty())
    throw failure("--beta", "it scales C, and there is none; give the file with --c");
  check_matrices(*files.a, "gemm");
  check_matrices(*files.b, "gemm");
}

gemm_type type_for(gemm_files const& files, gemm_arguments const& arguments) {
  std::string const& type_b = arguments.type_b.empty() ? arguments.type : arguments.type_b;
  return find_gemm_type({files.a->path(), files.b->path(), &files.a->header(), &files.b->header(),
                         arguments.type, type_b},
                        semiring_named(arguments.semiring), arguments.to);
}

gemm_precision precision_for(std::string const& name, gemm_type const& type) {
  if (name == "full") return gemm_precision::full;
  bool const is_of_complex = name == "three_products";
  bool const fits = is_of_complex ? type.a == detail::element_type::complex_f32 ||
                                        type.a == detail::element_type::complex_f64
                                  : type.a == detail::element_type::f32;
  if (!fits || type.semiring != detail::semiring_id::plus_times)
    throw failure("--precision", name,
                  is_of_complex ? " is for c8 and c16 matrices and plus_times"
                                : " is for f4 matrices and plus_times");
  if (is_of_complex) return gemm_precision::three_products;
  return name == "tf32" ? gemm_precision::tf32 : gemm_precision::fast_f32;
}

/// or_and of bools is a bool: its bytes are 0 and 1.
named_type const& output_type(gemm_files const& files, gemm_type const& type) {
  bool const are_bools = files.a->header().kind == 'b' && files.b->header().kind == 'b';
  return are_bools ? *find_type("bool") : type_of(type.out);
}

/// xpose's own rules and words, before the output exists: C has no memory yet, and the null page
/// that it is given overlaps no file.
void check_shapes(detail::operand const& a, detail::operand const& b, npy_header const& out,
                  gemm_type const& type) {
  detail::gemm_request request{};
  request.a = a;
  request.b = b;
  request.c = describe_matrices(nullptr, out, type.out);
  request.accumulate = type.accumulate;
  request.semiring = type.semiring;
  (void)detail::explain_gemm(detail::execution_of(omp, nullptr), request);
}

void check_c(npy_input const& c, npy_header const& expected) {
  npy_header const& found = c.header();
  if (found.kind != expected.kind || found.bytes_per_element != expected.bytes_per_element)
    throw failure(c.path(), "dtype ", found.descr, ", but C needs the output's: ", expected.descr);
  if (found.shape != expected.shape)
    throw failure(c.path(), "shape ", shape_text(found.shape),
                  ", but C needs the output's: ", shape_text(expected.shape));
}

/// The options that decide what is computed.
std::string text_of_work(gemm_arguments const& o, gemm_type const& type) {
  return text_of("gemm, ", type_of(type.a).name, " and ", type_of(type.b).name, " to ",
                 type_of(type.out).name, ", semiring ", o.semiring, ", precision ", o.precision,
                 ", ", text_of_options(o));
}

std::string text_of_tiles(tile const& most) {
  return text_of("tiles of ", most.matrices, " x ", most.rows, " x ", most.cols, " elements");
}

/// Operations as they are counted: a product and a sum for each k, four times as many of complex
/// numbers.
work_done work_of(detail::operand const& a, detail::operand const& b, gemm_type const& type) {
  double const products = static_cast<double>(a.batch) * static_cast<double>(a.rows) *
                          static_cast<double>(a.cols) * static_cast<double>(b.cols);
  char const kind = type_of(type.out).kind;
  bool const is_real_arithmetic =
      kind != 'i' && kind != 'u' && type.semiring == detail::semiring_id::plus_times;
  return {(kind == 'c' ? 8 : 2) * products, is_real_arithmetic ? "FLOP" : "OP"};
}

}  // namespace

int run_gemm(gemm_arguments const& arguments) {
  stopwatch const watch;
  run_times times;
  run_settings const& settings = arguments.settings;
  check_resumable(settings, {arguments.a, arguments.b, arguments.c, arguments.output});
  gemm_files files;
  times.add(&run_times::files, [&] { open_files(files, arguments); });
  gemm_type const type = type_for(files, arguments);
  gemm_precision const precision = precision_for(arguments.precision, type);
  named_type const& elements = type_of(type.a);
  scalar_type const of_scalars{type.accumulate, elements.name, type.semiring};
  scalar const alpha = arguments.alpha.empty()
                           ? scalar_one(of_scalars)
                           : read_scalar("--alpha", arguments.alpha, of_scalars);
  scalar const beta = !arguments.beta.empty() ? read_scalar("--beta", arguments.beta, of_scalars)
                      : files.c               ? scalar_one(of_scalars)
                                              : scalar_zero(of_scalars);

  run_files run{{&*files.a, &*files.b}, nullptr, 0};
  if (files.c) run.inputs.push_back(&*files.c);
  // What needs a copy is as large as its file: judged by the inputs alone.
  index const memory_of_inputs = memory_for_tiles(settings, run.inputs, {});
  check_copy(*files.a, type.a, memory_of_inputs);
  check_copy(*files.b, type.b, memory_of_inputs);
  native_array const a_array(*files.a, type.a);
  native_array const b_array(*files.b, type.b);
  detail::operand a = op(a_array.operand(), arguments.transpose_a, arguments.conjugate_a);
  detail::operand b = op(b_array.operand(), arguments.transpose_b, arguments.conjugate_b);
  bool const is_batch = files.a->header().shape.size() == 3 || files.b->header().shape.size() == 3;
  npy_header const header = header_of_result(a, b, b.cols, is_batch, output_type(files, type));
  broadcast(a, is_batch ? header.shape[0] : 1);
  broadcast(b, is_batch ? header.shape[0] : 1);
  check_size(arguments.output, header);
  check_shapes(a, b, header, type);
  if (files.c) check_c(*files.c, header);

  run_target const target = find_run_target(settings);
  run.memory = memory_for_tiles(settings, run.inputs, header);
  gemm_work work{a,
                 b,
                 describe_matrices(nullptr, header, type.out),
                 type,
                 alpha,
                 beta,
                 precision,
                 files.c ? &*files.c : nullptr};
  tile const most = choose_tile(target, work, run.memory);
  std::optional<npy_output> out;
  times.add(&run_times::files, [&] {
    out.emplace(arguments.output, header,
                identity_of(settings, target, text_of_work(arguments, type), run, header,
                            text_of_tiles(most)));
  });
  run.output = &*out;
  work.out.data = out->data();
  gemm_result const result = run_gemm_tiles(target, work, most, run, settings.is_resumable, times);
  times.add(&run_times::files, [&] { out->commit(); });
  print_report(settings, target,
               {"gemm", result.ran.backend, result.ran.kernel, &header, arguments.output,
                work_of(a, b, type), times, watch.seconds(), result.done_before});
  return 0;
}

}  // namespace xpose::tools
