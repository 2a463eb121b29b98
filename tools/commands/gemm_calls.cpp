// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/gemm_calls.hpp"

#include "files/pages.hpp"
#include "npy/native_array.hpp"

namespace xpose::tools {
namespace {

/// The tile of C from its file, into the output.
void load_c(npy_input const& file, run_files const& files, tile const& t,
            detail::operand const& out, int threads) {
  detail::operand const from = part(describe(file.data(), file.header()), t);
  if (files.memory != 0) files.read(2, as_tensor(from), threads);
  detail::operand to = out;
  to.alignment = 1;
  to.type = detail::element_type::other;
  detail::run_copy(
      {detail::backend_id::omp, threads, nullptr, false, true},
      {operation::copy, as_tensor(from), as_tensor(to), detail::element_function::copy_bits});
  if (!file.header().is_big_endian || out.bytes_per_element == 1) return;
  auto* const first = static_cast<char*>(const_cast<void*>(to.data));
  for (index b = 0; b < to.batch; ++b)
    for (index i = 0; i < to.rows; ++i)
      swap_bytes(first + (b * to.batch_stride + i * to.row_stride) * to.bytes_per_element, to.cols,
                 to.bytes_per_element, file.header().kind == 'c');
}

bool operator==(detail::operand const& x, detail::operand const& y) {
  return x.data == y.data && x.batch == y.batch && x.rows == y.rows && x.cols == y.cols;
}

class tile_multiplier {
 public:
  tile_multiplier(run_target const& target, gemm_work const& work, run_files const& files,
                  run_times& times)
      : target_(target), work_(work), files_(files), times_(times) {
    if (files.memory == 0 && !work.alpha.is_zero)
      times_.add(&run_times::files, [&] {
        read_pages(as_tensor(work_.a), target_.threads);
        read_pages(as_tensor(work_.b), target_.threads);
      });
  }

  void run(detail::across_execution const& where, tile const& t) {
    detail::operand const out = part(work_.out, t);
    detail::operand const a =
        part(work_.a, {t.first_matrix, t.matrices, t.first_row, t.rows, 0, work_.a.cols});
    detail::operand const b =
        part(work_.b, {t.first_matrix, t.matrices, 0, work_.b.rows, t.first_col, t.cols});
    times_.add(&run_times::files, [&] {
      read(a_, a, 0);
      read(b_, b, 1);
      if (work_.c != nullptr && !work_.beta.is_zero)
        load_c(*work_.c, files_, t, out, target_.threads);
      else make_pages(as_tensor(out), target_.threads);
    });
    multiply(where, a, b, out);
  }

  detail::explanation_text const& ran() const { return ran_; }

 private:
  /// The part of an input that the next tile needs, which often is that of the last one.
  void read(detail::operand& last, detail::operand const& wanted, std::size_t input) {
    if (last == wanted) return;
    last = wanted;
    if (files_.memory != 0 && !work_.alpha.is_zero)
      files_.read(input, as_tensor(wanted), target_.threads);
  }

  void multiply(detail::across_execution const& where, detail::operand const& a,
                detail::operand const& b, detail::operand const& c) {
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
    auto const call = [&](detail::across_execution const& there) {
      detail::run_gemm(there, request);
    };
    if (ran_.backend[0] == '\0') ran_ = explain(where, call);
    run_call(target_, times_, [&] { call(where); });
  }

  run_target target_;
  gemm_work work_;
  run_files const& files_;
  run_times& times_;
  detail::explanation_text ran_{};
  detail::operand a_{};
  detail::operand b_{};
};

}  // namespace

gemm_result run_gemm_tiles(run_target const& target, gemm_work const& work, tile const& most,
                           run_files const& files, bool is_resumable, run_times& times) {
  tile_multiplier multiplier(target, work, files, times);
  detail::operand const& out = work.out;
  if (bytes_of(out) == 0) {
    multiplier.run(target.where, most);
    return {multiplier.ran(), 0};
  }
  tile_run tiles("gemm", files, is_resumable, static_cast<double>(bytes_of(out)));
  for_each_tile(out, most, [&](tile const& t) {
    auto const bytes_of_tile = static_cast<double>(bytes_of(part(out, t)));
    if (tiles.is_finished(bytes_of_tile)) return;
    multiplier.run(tiles.watched(target.where, bytes_of_tile), t);
    times.add(&run_times::files, [&] { tiles.finish(bytes_of_tile); });
  });
  return {multiplier.ran(), tiles.done_before()};
}

}  // namespace xpose::tools
