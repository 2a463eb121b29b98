// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose gemm: alpha op(A) op(B) + beta C of .npy files.

#include "commands/commands.hpp"
#include "commands/gemm_panels.hpp"
#include "commands/gemm_types.hpp"
#include "commands/report.hpp"
#include "npy/native_array.hpp"
#include "terminal/failure.hpp"

#include <algorithm>
#include <optional>

namespace xpose::tools {
namespace {

void check_dimensions(npy_input const& in) {
  std::size_t const dimensions = in.header().shape.size();
  if (dimensions != 2 && dimensions != 3)
    throw failure(in.path(), "shape ", shape_text(in.header().shape), " has ", dimensions,
                  dimensions == 1 ? " dimension" : " dimensions",
                  "; gemm takes matrices (2) and batches of matrices (3)");
}

detail::operand op(detail::operand o, bool is_transposed, bool is_conjugated) {
  if (is_transposed) {
    std::swap(o.rows, o.cols);
    std::swap(o.row_stride, o.col_stride);
  }
  o.conjugated = is_conjugated;
  return o;
}

/// A single matrix stands for each of a batch, as in numpy.matmul.
void broadcast(detail::operand& o, index batch) {
  if (o.batch != 1) return;
  o.batch = batch;
  o.batch_stride = 0;
}

npy_header header_of_output(detail::operand const& a, detail::operand const& b, bool is_batch,
                            gemm_type const& type) {
  npy_header header;
  header.descr = type.out_descr;
  header.kind = type.out_kind;
  header.bytes_per_element = type.out_bytes;
  header.shape = {a.rows, b.cols};
  if (is_batch) header.shape.insert(header.shape.begin(), a.batch == 1 ? b.batch : a.batch);
  return header;
}

/// xpose's own rules and words, before the output exists: C has no memory yet, and the null page
/// that it is given overlaps no file.
void check_shapes(detail::operand const& a, detail::operand const& b, npy_header const& out,
                  gemm_type const& type) {
  detail::gemm_request request{};
  request.a = a;
  request.b = b;
  request.c = describe_output(nullptr, out, type.out);
  request.accumulate = type.accumulate;
  (void)detail::explain_gemm({detail::backend_id::omp, 0, nullptr, false, true}, request);
}

void check_c(npy_input const& c, npy_header const& expected) {
  npy_header const& found = c.header();
  if (found.kind != expected.kind || found.bytes_per_element != expected.bytes_per_element)
    throw failure(c.path(), "dtype ", found.descr, ", but C needs the output's: ", expected.descr);
  if (found.shape != expected.shape)
    throw failure(c.path(), "shape ", shape_text(found.shape),
                  ", but C needs the output's: ", shape_text(expected.shape));
}

}  // namespace

int run_gemm(gemm_arguments const& arguments) {
  stopwatch const watch;
  npy_input const a_file(arguments.a);
  npy_input const b_file(arguments.b);
  std::optional<npy_input> c_file;
  if (!arguments.c.empty()) c_file.emplace(arguments.c);
  else if (!arguments.beta.empty())
    throw failure("--beta", "it scales C, and there is none; give the file with --c");

  check_dimensions(a_file);
  check_dimensions(b_file);
  gemm_type const& type = find_gemm_type(a_file.path(), a_file.header());
  if (&type != &find_gemm_type(b_file.path(), b_file.header()))
    throw failure(b_file.path(), "dtype ", b_file.header().descr, ", but ", a_file.path(), " has ",
                  a_file.header().descr, "; convert one of them with astype");
  gemm_scalar const alpha = read_scalar("--alpha", arguments.alpha, type);
  std::string const beta_text = !arguments.beta.empty() ? arguments.beta
                                : c_file                ? std::string("1")
                                                        : std::string("0");
  gemm_scalar const beta = read_scalar("--beta", beta_text, type);

  native_array const a_array(a_file, type.element);
  native_array const b_array(b_file, type.element);
  detail::operand a = op(a_array.operand(), arguments.transpose_a, arguments.conjugate_a);
  detail::operand b = op(b_array.operand(), arguments.transpose_b, arguments.conjugate_b);
  bool const is_batch = a_file.header().shape.size() == 3 || b_file.header().shape.size() == 3;
  npy_header const header = header_of_output(a, b, is_batch, type);
  index const batch = is_batch ? header.shape[0] : 1;
  broadcast(a, batch);
  broadcast(b, batch);
  check_size(arguments.output, header);
  check_shapes(a, b, header, type);
  if (c_file) check_c(*c_file, header);

  run_target const target = find_run_target(arguments.settings);
  npy_output out(arguments.output, header);
  gemm_work const work{a,
                       b,
                       describe_output(out.data(), header, type.out),
                       &type,
                       &alpha,
                       &beta,
                       c_file ? &*c_file : nullptr};
  detail::explanation_text const ran = run_gemm_panels(target, work);
  out.commit();
  print_report(arguments.settings, target,
               {"gemm", ran.backend, ran.kernel, header.shape, header.descr, arguments.output,
                watch.seconds()});
  return 0;
}

}  // namespace xpose::tools
