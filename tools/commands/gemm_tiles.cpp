// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/gemm_tiles.hpp"

#include "terminal/failure.hpp"

#include <omp.h>

#include <algorithm>

namespace xpose::tools {
namespace {

/// Operations in about a second. The reference does about 1e8 a second, a core of omp 1e10 at
/// least. On a device what takes 20 seconds of f32: each tile's rows of A and columns of B cross
/// the bus anew, and the call itself tells how far it is.
double operations_wanted(run_target const& target) {
  if (target.where.backend == detail::backend_id::reference) return 1e8;
  // The host's threads say nothing of a device, and a run there is resumed under any number of
  // them.
  if (target.is_on_device) return 1e15;
  return 1e10 * (target.threads != 0 ? target.threads : omp_get_max_threads());
}

/// Down to a multiple where it is larger.
index in_multiples_of(index multiple, index extent) {
  return extent > multiple ? extent / multiple * multiple : extent;
}

/// 1 or more, and at most `most`.
index clamped(double wanted, double most) {
  return static_cast<index>(std::clamp(wanted, 1.0, std::max(1.0, most)));
}
index clamped(double wanted, index most) { return clamped(wanted, static_cast<double>(most)); }

/// Full rows of C: of several matrices if they are small.
tile full_rows(detail::operand const& out, double rows_wanted, index rows_in_step) {
  index const rows =
      clamped(rows_wanted, static_cast<double>(out.batch) * static_cast<double>(out.rows));
  if (rows >= out.rows)
    return {0, std::max<index>(1, rows / std::max<index>(1, out.rows)), 0, out.rows, 0, out.cols};
  index const steps = (rows + rows_in_step - 1) / rows_in_step * rows_in_step;
  return {0, 1, 0, std::min(out.rows, steps), 0, out.cols};
}

struct tile_bytes {
  double row_of_a, column_of_b, element_of_c, row_of_c;
};

tile_bytes bytes_in(gemm_work const& work) {
  double const k = static_cast<double>(std::max<index>(1, work.a.cols));
  // C is read from its own file, and written.
  double const of_c = static_cast<double>(work.out.bytes_per_element) * (work.c != nullptr ? 2 : 1);
  return {k * work.a.bytes_per_element, k * work.b.bytes_per_element, of_c,
          of_c * static_cast<double>(work.out.cols)};
}

/// A is read once and B once for each block of rows, so that rows come before columns: three
/// quarters of the memory are A's. If all of B fits half of the memory, it stays there, and both
/// are read once.
tile tile_in_memory(gemm_work const& work, double memory, double operations) {
  detail::operand const& out = work.out;
  tile_bytes const bytes = bytes_in(work);
  double const k = static_cast<double>(std::max<index>(1, work.a.cols));
  double const all_of_b = bytes.column_of_b * static_cast<double>(out.cols);
  double const operations_in_row = 2 * k * static_cast<double>(std::max<index>(1, out.cols));
  if (all_of_b <= memory / 2) {
    double const of_row = bytes.row_of_a + bytes.row_of_c;
    double const fit = (memory - all_of_b) / of_row;
    index const rows = clamped(std::min(fit, operations / operations_in_row), out.rows);
    tile t{0, 1, 0, in_multiples_of(64, rows), 0, out.cols};
    if (rows == out.rows) {
      double const matrix = all_of_b + of_row * static_cast<double>(rows);
      double const wanted = operations / operations_in_row / static_cast<double>(rows);
      t = {0, clamped(std::min(memory / matrix, wanted), out.batch), 0, rows, 0, out.cols};
    }
    if (fit >= 1) return t;
  }
  // Runs of 16 KB at least where they take no more than half of the memory: a disk reads shorter
  // ones at a fraction of its rate.
  double const cols_in_run = std::max(512.0, 16384.0 / work.b.bytes_per_element);
  double const for_b = std::clamp(cols_in_run * bytes.column_of_b, memory / 4, memory / 2);
  index const rows = in_multiples_of(64, clamped((memory - for_b) / bytes.row_of_a, out.rows));
  double const of_rows = bytes.row_of_a * static_cast<double>(rows);
  double const column = bytes.column_of_b + bytes.element_of_c * static_cast<double>(rows);
  double const fit = (memory - of_rows) / column;
  if (fit < 1)
    throw failure("--memory", "a row of A, a column of B and an element of C take ",
                  static_cast<index>(bytes.row_of_a + bytes.column_of_b + bytes.element_of_c),
                  " bytes, and so much for a tile is needed at least, four times for a quick one; ",
                  static_cast<index>(memory), " are given");
  double const wanted = operations / (2 * k * static_cast<double>(rows));
  index const cols = clamped(std::min(fit, std::max(wanted, cols_in_run)), out.cols);
  return {0, 1, 0, rows, 0, in_multiples_of(512, cols)};
}

}  // namespace

tile choose_tile(run_target const& target, gemm_work const& work, index memory) {
  detail::operand const& out = work.out;
  if (bytes_of(out) == 0) return {0, out.batch, 0, out.rows, 0, out.cols};
  tile_bytes const bytes = bytes_in(work);
  double const bytes_in_row =
      bytes.row_of_a + static_cast<double>(out.cols) * out.bytes_per_element;
  bool const is_reference = target.where.backend == detail::backend_id::reference;
  // The environment's limit is for tests: panels of a few rows.
  bool const are_tiny = bytes_in_panel() < 1 << 20;
  if (memory != 0) {
    double const operations = operations_wanted(target);
    tile t = tile_in_memory(work, static_cast<double>(memory), operations);
    if (are_tiny) t.rows = clamped(static_cast<double>(bytes_in_panel()) / bytes_in_row, t.rows);
    if (t.rows < out.rows) t.matrices = 1;
    return t;
  }
  if (are_tiny) return full_rows(out, static_cast<double>(bytes_in_panel()) / bytes_in_row, 1);
  // The library has tiles of its own there, and tells how far it is.
  if (target.is_on_device) return {0, out.batch, 0, out.rows, 0, out.cols};
  double const operations_in_row =
      2.0 * static_cast<double>(out.cols) * static_cast<double>(std::max<index>(1, work.a.cols));
  double const rows = operations_wanted(target) / operations_in_row;
  return full_rows(out, rows, is_reference ? 1 : 512);
}

}  // namespace xpose::tools
