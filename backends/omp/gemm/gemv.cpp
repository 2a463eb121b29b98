// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/gemm/blocking.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/backends/omp/runtime/workspace.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {

bool is_gemv(gemm_call const& call) {
  index const bytes = call.kernel->element_bytes;
  return call.kernel->gemv_rows != nullptr && call.cols == 1 &&
         (call.a.k_step == bytes || call.a.step == bytes);
}

namespace {

/// Threads share the rows of C; no sum depends on how. Where columns are contiguous and short,
/// split-K: partial sums of ranges of columns are reduced in ascending k, whichever thread made
/// them.
class gemv_run {
 public:
  gemv_run(int threads, gemm_call const& call) : call_(call), kernel_(*call.kernel) {
    double const matrix_bytes = static_cast<double>(call.rows) *
                                static_cast<double>(call.k_extent) * static_cast<double>(bytes_);
    bool const is_small =
        matrix_bytes * static_cast<double>(call.batch) < gemm_tuning.serial_gemv_bytes;
    threads_ = is_small ? 1 : threads;
    index const team = team_size(threads_, call.batch * call.rows);
    index const most_rows = gemm_tuning.gemv_part_bytes / bytes_;
    index const least_parts = ceil_div(call.rows, most_rows);
    if (!has_rows_ && call.rows * bytes_ <= gemm_tuning.short_column_bytes &&
        matrix_bytes >= gemm_tuning.serial_gemv_bytes)
      split_k_ = std::clamp<index>(quotient(call.k_extent, gemm_tuning.gemv_columns_of_split_k), 1,
                                   gemm_tuning.most_split_k);
    threads_share_k_ = split_k_ > 1 && call.batch * least_parts < team;
    row_parts_ = threads_share_k_
                     ? least_parts
                     : std::max(least_parts, std::min(call.rows, ceil_div(team, call.batch)));
    row_bytes_ = ceil_div(call.rows, row_parts_) * kernel_.accumulator_bytes;
    accumulates_in_c_ =
        !threads_share_k_ && call.c_can_accumulate && call.c_row_step == kernel_.accumulator_bytes;
    team_ = team_for(threads_, threads_share_k_ ? row_parts_ * split_k_ : call.batch * row_parts_);
  }

  void run() const {
    index const own_accumulators =
        (accumulates_in_c_ ? 0 : row_bytes_) + (split_k_ > 1 ? row_bytes_ : 0);
    index const shared_bytes = threads_share_k_ ? row_parts_ * split_k_ * row_bytes_ : 0;
    index const x_bytes = copies_x_ ? ceil_div(call_.k_extent, split_k_) * bytes_ : 0;
    index const own_bytes =
        in_cache_lines(x_bytes) + in_cache_lines(threads_share_k_ ? 0 : own_accumulators);
    workspace const memory(in_cache_lines(shared_bytes) + team_ * own_bytes, team_);
    auto const own_of = [&](int member) {
      return memory.data() + in_cache_lines(shared_bytes) + member * own_bytes;
    };
    if (!threads_share_k_)
      return parallel_for(team_, call_.batch * row_parts_, [&](index n, int member) {
        char* const x = own_of(member);
        gemv_rows(quotient(n, row_parts_), n % row_parts_, x, x + in_cache_lines(x_bytes));
      });
    auto const accumulators_of = [&](index rows, index split) {
      return memory.data() + (rows * split_k_ + split) * row_bytes_;
    };
    for (index b = 0; b < call_.batch; ++b) {
      parallel_for(team_, row_parts_ * split_k_, [&](index n, int member) {
        index const rows = quotient(n, split_k_);
        multiply_split(b, rows, n % split_k_, accumulators_of(rows, n % split_k_), own_of(member));
      });
      parallel_for(team_, row_parts_, [&](index rows) {
        for (index split = 1; split < split_k_; ++split)
          split_k_reduce(rows, accumulators_of(rows, 0), accumulators_of(rows, split));
        epilogue(b, rows, accumulators_of(rows, 0));
      });
    }
  }

 private:
  static index in_cache_lines(index bytes) { return ceil_div(bytes, 64) * 64; }

  /// All splits of k, one after the other. `x_copy` holds a split of the vector, `memory` the
  /// accumulators that are not in C.
  void gemv_rows(index b, index row_part, char* x_copy, char* memory) const {
    char* const c = call_.c + b * call_.c_batch_step + rows_of(row_part).first * call_.c_row_step;
    char* const accumulators = accumulates_in_c_ ? c : memory;
    char* const partials = accumulates_in_c_ ? memory : memory + row_bytes_;
    multiply_split(b, row_part, 0, accumulators, x_copy);
    for (index split = 1; split < split_k_; ++split) {
      multiply_split(b, row_part, split, partials, x_copy);
      split_k_reduce(row_part, accumulators, partials);
    }
    if (!accumulates_in_c_ || !call_.c_needs_no_epilogue) epilogue(b, row_part, accumulators);
  }

  void multiply_split(index b, index row_part, index split, char* accumulators,
                      char* x_copy) const {
    range const rows = rows_of(row_part);
    range const k = range{0, call_.k_extent}.part(split_k_, split);
    char const* x = call_.b.data + b * call_.b.batch_step + k.first * call_.b.k_step;
    if (copies_x_) {
      for (index p = 0; p < k.count(); ++p)
        std::memcpy(x_copy + p * bytes_, x + p * call_.b.k_step, static_cast<std::size_t>(bytes_));
      x = x_copy;
    }
    char const* const matrix = call_.a.data + b * call_.a.batch_step + rows.first * call_.a.step +
                               k.first * call_.a.k_step;
    (has_rows_ ? kernel_.gemv_rows : kernel_.gemv_columns)(
        {matrix, has_rows_ ? call_.a.step : call_.a.k_step, rows.count(), x, k.count(),
         accumulators, call_.a.conjugated, call_.b.conjugated});
  }

  void split_k_reduce(index row_part, char* accumulators, char const* partials) const {
    kernel_.split_k_reduce(
        {accumulators, partials, 0, 1, rows_of(row_part).count(), call_.problem});
  }

  void epilogue(index b, index row_part, char const* accumulators) const {
    range const rows = rows_of(row_part);
    index const step = kernel_.accumulator_bytes;
    apply_epilogue(call_, {b, rows.first, 0, rows.count(), 1, accumulators, step, step});
  }

  range rows_of(index part) const { return range{0, call_.rows}.part(row_parts_, part); }

  gemm_call const& call_;
  gemm_kernel const& kernel_;
  index bytes_ = kernel_.element_bytes;
  bool has_rows_ =
      gemv_goes_by_rows(call_.rows, call_.k_extent, call_.a.step, call_.a.k_step, bytes_);
  bool copies_x_ = call_.b.k_step != bytes_;  // x, the vector, is not contiguous
  int threads_;
  int team_;
  index split_k_ = 1;
  index row_parts_;
  bool threads_share_k_;  // each thread has splits of k
  index row_bytes_;       // of the accumulators of a part of the rows
  bool accumulates_in_c_;
};

}  // namespace

void run_gemv(execution const& where, gemm_call const& call) {
  if (explain_only(where, "gemv")) return;
  gemv_run(where.threads, call).run();
}

gemm_call transposed(gemm_call call) {
  std::swap(call.a, call.b);
  std::swap(call.rows, call.cols);
  std::swap(call.c_row_step, call.c_col_step);
  call.is_transposed = !call.is_transposed;
  return call;
}

void apply_epilogue(gemm_call const& call, accumulator_tile const& t) {
  if (call.is_transposed)
    call.epilogue(call.problem, {t.batch, t.first_col, t.first_row, t.cols, t.rows, t.accumulators,
                                 t.col_step, t.row_step});
  else call.epilogue(call.problem, t);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
