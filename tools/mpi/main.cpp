// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The command xpose-mpi: mpiexec -n 4 xpose-mpi transpose in.npy out.npy, and xpose-mpi predict.
// One line and exit code 1 where the work failed, 2 where the command line is wrong; both by rank 0
// alone.
#include "mpi/matrix_file.hpp"
#include "mpi/predict.hpp"
#include "mpi/together.hpp"
#include "terminal/standard_streams.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace xpose::tools {
namespace {

struct transpose_words {
  std::string in;
  std::string out;
  bool is_verbose = false;
};

detail::dist_operand rows_of(dist_layout const& layout, void const* data, index bytes_per_element) {
  // Elements are bytes of any alignment: a dtype says only how many.
  return {layout,
          data,
          {0, 0},
          -1,
          -1,
          detail::local_storage::packed_rows,
          static_cast<int>(bytes_per_element),
          1,
          detail::element_type::other};
}

void report(mpi_context const& context, transpose_words const& words,
            detail::explanation_text const& how, double const (&seconds)[4]) {
  if (!words.is_verbose || context.rank() != 0) return;
  print_line(stderr, text_of("xpose-mpi: ", how.kernel, ": ", how.reason));
  print_line(stderr, text_of("xpose-mpi: read ", seconds[1] - seconds[0], " s, transpose ",
                             seconds[2] - seconds[1], " s, write ", seconds[3] - seconds[2], " s"));
}

void transpose(mpi_context const& context, transpose_words const& words) {
  double seconds[4] = {MPI_Wtime()};
  matrix_header const header = read_matrix_header(context, words.in);
  std::vector<char> const in = read_rows(context, words.in, header);
  seconds[1] = MPI_Wtime();

  // A file in Fortran order has the bytes of its transpose in C order.
  bool const is_there = header.npy.is_fortran_order;
  npy_header out_header = header.npy;
  out_header.is_fortran_order = false;
  std::swap(out_header.shape[0], out_header.shape[1]);
  auto const from = dist_layout::row_slabs(header.rows, header.cols, context.size());
  auto const to = dist_layout::row_slabs(out_header.shape[0], out_header.shape[1], context.size());
  index const bytes = header.npy.bytes_per_element;
  std::vector<char> out;
  together(context.communicator(), [&] {
    index const count = to.local_rows(context.rank()) * to.local_cols(context.rank());
    if (!is_there) out.resize(static_cast<std::size_t>(count * bytes));
  });
  detail::explanation_text how{};
  if (!is_there && bytes > 0) {
    auto const policy = mpi(context).piece_bytes(std::max(index{1} << 20, bytes));
    detail::dist_move const move{detail::dist_operation::transpose, rows_of(from, in.data(), bytes),
                                 rows_of(to, out.data(), bytes)};
    detail::dist_execution explained = policy.execution();
    explained.explained = &how;
    if (words.is_verbose) detail::run_dist_move(explained, move);
    detail::run_dist_move(policy.execution(), move);
  }
  seconds[2] = MPI_Wtime();
  write_rows(context, words.out, out_header, is_there ? in : out);
  seconds[3] = MPI_Wtime();
  report(context, words, how, seconds);
}

/// The exit code, the same on all processes.
int run(int count, char** arguments) {
  mpi_context const context;
  bool const speaks = context.rank() == 0;
  transpose_words words;
  CLI::App app("Matrices in .npy files, transposed by all processes that mpiexec starts.",
               "xpose-mpi");
  predict_words of_predict;
  CLI::App* const predicts = add_predict(app, of_predict);
  app.set_version_flag("--version", std::string("xpose-mpi ") + XPOSE_VERSION, "print the version");
  app.require_subcommand(1);
  CLI::App* const subcommand = app.add_subcommand("transpose", "write the transpose of a matrix");
  subcommand->add_option("in", words.in, "a .npy file of two dimensions")->required();
  subcommand->add_option("out", words.out, "the .npy file to make or replace, in C order")
      ->required();
  subcommand->add_flag("--verbose", words.is_verbose, "say which engine ran, why, and how long");
  try {
    app.parse(count, arguments);
  } catch (CLI::ParseError const& error) {
    if (error.get_exit_code() == 0) return speaks ? app.exit(error) : 0;  // --help, --version
    if (speaks) print_line(stderr, text_of("xpose-mpi: ", error.what(), " (see xpose-mpi --help)"));
    return 2;
  }
  try {
    if (!predicts->parsed()) transpose(context, words);
    else if (speaks) predict(of_predict);
    return 0;
  } catch (std::bad_alloc const&) {
    if (speaks) print_line(stderr, "xpose-mpi: memory: not enough for this work");
  } catch (std::exception const& error) {
    if (speaks) print_line(stderr, text_of("xpose-mpi: ", error.what()));
  }
  return 1;
}

}  // namespace
}  // namespace xpose::tools

int main(int count, char** arguments) {
  xpose::tools::open_standard_streams();
  MPI_Init(&count, &arguments);
  int const code = xpose::tools::run(count, arguments);
  MPI_Finalize();
  return code;
}
