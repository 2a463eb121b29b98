// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/gemm_panels.hpp"

#include "files/pages.hpp"
#include "npy/native_array.hpp"
#include "staging/panels.hpp"
#include "staging/staging.hpp"
#include "terminal/failure.hpp"
#include "terminal/progress_bar.hpp"

#include <omp.h>

#include <algorithm>
#include <optional>

namespace xpose::tools {
namespace {

struct rows_in_panel {
  index matrices, rows;
};

/// Matrices and rows of C in a panel: at most a second or so of work, for the progress bar; on the
/// cores in full tiles of 64 rows, on the device what its memory holds beside B.
rows_in_panel choose_rows(run_target const& target, gemm_work const& work) {
  detail::operand const& out = work.out;
  double const operations_in_row =
      2.0 * static_cast<double>(out.cols) * static_cast<double>(std::max<index>(1, work.a.cols));
  // The reference does about 1e8 operations a second, a core of omp 1e10.
  bool const is_reference = target.where.backend == detail::backend_id::reference;
  int const cores = target.threads != 0 ? target.threads : omp_get_max_threads();
  double rows_wanted = (is_reference ? 1e8 : 1e10 * cores) / operations_in_row;
  index rows_in_tile = is_reference ? 1 : 512;
  double const bytes_in_row = static_cast<double>(work.a.cols) * work.a.bytes_per_element +
                              static_cast<double>(out.cols) * out.bytes_per_element;
  if (target.is_on_device) {
    double const room = static_cast<double>(free_device_bytes()) / 4;
    rows_wanted = std::min(1000 * rows_wanted, room / bytes_in_row);
    rows_in_tile = 256;
  }
  // The environment's limit is for tests: panels of a few rows.
  if (bytes_in_panel() < 1 << 20) {
    rows_wanted = static_cast<double>(bytes_in_panel()) / bytes_in_row;
    rows_in_tile = 1;
  }
  auto const most = static_cast<double>(out.batch) * static_cast<double>(out.rows);
  auto const rows = static_cast<index>(std::clamp(rows_wanted, 1.0, std::max(1.0, most)));
  if (rows >= out.rows)
    return {target.is_on_device ? std::max<index>(1, rows / out.rows / 2) : rows / out.rows,
            out.rows};
  index const in_tiles = (rows + rows_in_tile - 1) / rows_in_tile * rows_in_tile;
  return {1, std::min(out.rows, target.is_on_device ? rows : in_tiles)};
}

/// The rows of C from its file, into the output.
void load_c(npy_input const& file, row_panel const& p, detail::operand const& out, int threads) {
  detail::operand from = part(describe(file.data(), file.header()), p);
  detail::operand to = out;
  to.alignment = 1;
  to.type = detail::element_type::other;
  detail::run_copy(
      {detail::backend_id::omp, threads, nullptr, false, true},
      {operation::copy, as_tensor(from), as_tensor(to), detail::element_function::copy_bits});
  if (!file.header().is_big_endian || out.bytes_per_element == 1) return;
  // A panel is full rows, or full matrices, of a packed output: contiguous.
  swap_bytes(const_cast<void*>(to.data), to.batch * to.rows * to.cols, to.bytes_per_element,
             file.header().kind == 'c');
}

class panel_multiplier {
 public:
  panel_multiplier(run_target const& target, gemm_work const& work, run_times& times)
      : target_(target), work_(work), times_(times) {
    times_.add(&run_times::files, [&] {
      if (work_.alpha.is_zero) return;
      read_pages(as_tensor(work_.a), target_.threads);
      read_pages(as_tensor(work_.b), target_.threads);
    });
    if (!target.is_on_device) return;
    stager_.emplace();
    if (work.b.batch_stride == 0 || work.b.batch == 1) bring_b(work.b);
  }

  void run(row_panel const& p) {
    detail::operand const out = part(work_.out, p);
    bool const reads_c = work_.c != nullptr && !work_.beta.is_zero;
    times_.add(&run_times::files, [&] {
      if (reads_c) load_c(*work_.c, p, out, target_.threads);
      else make_pages(as_tensor(out), target_.threads);
    });
    detail::operand a = part(work_.a, p);
    detail::operand b = part(work_.b, {p.first_matrix, p.matrices, 0, work_.b.rows});
    detail::operand c = out;
    if (target_.is_on_device) {
      if (!b_is_resident_ && p.first_row == 0) bring_b(b);
      times_.add(&run_times::transfers, [&] {
        a = stager_->to_device(a, a_memory_, !work_.alpha.is_zero);
        c = stager_->to_device(out, c_memory_, reads_c);
      });
      b = b_on_device_;
      b.batch = p.matrices;
    }
    multiply(a, b, c);
    if (target_.is_on_device)
      times_.add(&run_times::transfers, [&] { stager_->to_host(c, c_memory_, out); });
  }

  detail::explanation_text const& ran() const { return ran_; }

 private:
  void bring_b(detail::operand const& b) {
    b_is_resident_ = b.batch_stride == 0 || b.batch == work_.b.batch;
    index const bytes = bytes_of(b) / (b.batch_stride == 0 ? std::max<index>(1, b.batch) : 1);
    index const room = free_device_bytes();
    if (bytes > room / 8 * 7)
      throw failure("cuda", "B needs ", bytes, " bytes on the device, which has ", room,
                    " free; use --policy omp, or multiply column blocks of B one by one");
    times_.add(&run_times::transfers,
               [&] { b_on_device_ = stager_->to_device(b, b_memory_, !work_.alpha.is_zero); });
  }

  void multiply(detail::operand const& a, detail::operand const& b, detail::operand const& c) {
    detail::gemm_request const request{a,
                                       b,
                                       c,
                                       work_.type.accumulate,
                                       work_.type.semiring,
                                       work_.alpha.bytes,
                                       work_.beta.bytes,
                                       work_.alpha.is_one,
                                       work_.alpha.is_zero,
                                       work_.beta.is_zero,
                                       work_.precision};
    if (ran_.backend[0] == '\0') ran_ = detail::explain_gemm(target_.where, request);
    times_.add(&run_times::call, [&] { detail::run_gemm(target_.where, request); });
  }

  run_target target_;
  gemm_work work_;
  run_times& times_;
  detail::explanation_text ran_{};
  std::optional<stager> stager_;
  device_memory a_memory_;
  device_memory b_memory_;
  device_memory c_memory_;
  detail::operand b_on_device_{};
  bool b_is_resident_ = false;
};

}  // namespace

detail::explanation_text run_gemm_panels(run_target const& target, gemm_work const& work,
                                         run_times& times) {
  panel_multiplier multiplier(target, work, times);
  progress_bar bar("gemm");
  detail::operand const& out = work.out;
  if (bytes_of(out) == 0) {
    multiplier.run({0, out.batch, 0, out.rows});
    return multiplier.ran();
  }
  double const rows = static_cast<double>(out.batch) * static_cast<double>(out.rows);
  double done = 0;
  rows_in_panel const size = choose_rows(target, work);
  for_each_row_panel(out, size.matrices, size.rows, [&](row_panel const& p) {
    multiplier.run(p);
    done += static_cast<double>(p.matrices) * static_cast<double>(p.rows);
    bar.show(done / rows);
  });
  return multiplier.ran();
}

}  // namespace xpose::tools
