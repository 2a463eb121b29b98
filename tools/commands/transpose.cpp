// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose transpose: transposes a .npy matrix, or a batch of them; any dtype of fixed size.

#include "commands/commands.hpp"
#include "commands/report.hpp"
#include "npy/npy.hpp"
#include "staging/panels.hpp"
#include "staging/staging.hpp"
#include "terminal/failure.hpp"
#include "terminal/progress_bar.hpp"

#include <xpose/explain.hpp>

#include <algorithm>
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
                " dimensions; transpose takes a matrix (2) or a batch of matrices (3)");
}

npy_header transposed(npy_header const& in, bool is_fortran_order) {
  npy_header out = in;
  std::swap(out.shape[out.shape.size() - 1], out.shape[out.shape.size() - 2]);
  out.is_fortran_order = is_fortran_order;
  return out;
}

/// The element moves as a block of bytes, so `in` is only read as its transpose.
detail::operand transposed(detail::operand in) {
  std::swap(in.rows, in.cols);
  std::swap(in.row_stride, in.col_stride);
  return in;
}

/// Copies panel by panel, and remembers on which backend and kernel.
class panel_copier {
 public:
  explicit panel_copier(run_target const& target) : target_(target) {}

  void run(detail::operand const& in, detail::operand const& out) {
    detail::operand from = in;
    detail::operand to = out;
    if (target_.is_on_device) {
      if (!stager_) stager_.emplace();
      from = stager_->to_device(in, in_memory_, true);
      to = stager_->to_device(out, out_memory_, false);
    }
    detail::copy_request const request{operation::transpose, as_tensor(from), as_tensor(to),
                                       detail::element_function::copy_bits};
    if (ran_.backend[0] == '\0') ran_ = detail::explain_copy(target_.where, request);
    detail::run_copy(target_.where, request);
    if (target_.is_on_device) stager_->to_host(to, out_memory_, out);
  }

  detail::explanation_text const& ran() const { return ran_; }

 private:
  run_target target_;
  detail::explanation_text ran_{};
  std::optional<stager> stager_;
  device_memory in_memory_;
  device_memory out_memory_;
};

index panel_bytes_for(run_target const& target) {
  if (!target.is_on_device) return bytes_in_panel();
  // Input and output panels, and as much again for what others on the device may take meanwhile.
  index const bytes = std::min(bytes_in_panel(), free_device_bytes() / 4);
  if (bytes < 65536)
    throw failure("cuda", "the device has less than 256 KB of free memory; use --policy omp");
  return bytes;
}

}  // namespace

int run_transpose(transpose_arguments const& arguments) {
  stopwatch const watch;
  npy_input const in(arguments.input);
  check_dimensions(in);
  npy_header const out_header = transposed(in.header(), arguments.order == "F");
  run_target const target = find_run_target(arguments.settings);
  npy_output out(arguments.output, out_header);

  detail::operand const from = transposed(describe(in.data(), in.header()));
  detail::operand const to = describe(out.data(), out_header);
  panel_copier copier(target);
  {
    progress_bar bar("transpose");
    auto const bytes = static_cast<double>(bytes_of(to));
    double done = 0;
    // A matrix without bytes runs as one empty panel, for the checks and the report.
    if (bytes == 0) {
      detail::operand nothing = to;
      nothing.rows = nothing.cols = 0;
      nothing.bytes_per_element = 1;
      copier.run(nothing, nothing);
    } else {
      for_each_panel(to, panel_bytes_for(target), [&](panel const& p) {
        copier.run(part(from, p), part(to, p));
        done += static_cast<double>(bytes_of(part(to, p)));
        bar.show(done / bytes);
      });
    }
  }
  out.commit();
  print_report(arguments.settings, target,
               {"transpose", copier.ran().backend, copier.ran().kernel, out_header.shape,
                out_header.descr, arguments.output, watch.seconds()});
  return 0;
}

}  // namespace xpose::tools
