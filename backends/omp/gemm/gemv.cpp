// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/gemm/gemv.hpp>

#include <xpose/backends/omp/gemm/blocking.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/backends/omp/runtime/workspace.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {

bool is_by_vector(gemm_call const& call) {
  index const bytes = call.kernel->element_bytes;
  return call.kernel->multiply_rows != nullptr && call.cols == 1 &&
         (call.a.depth_step == bytes || call.a.step == bytes);
}

namespace {

/// C of one column. Rows are shared by threads, and no sum depends on how. Where columns are
/// contiguous and so short that their parts would be (below), k comes in parts whose sums are added
/// in order, whoever made them.
class vector_run {
 public:
  vector_run(int threads, gemm_call const& call) : call_(call), kernel_(*call.kernel) {
    double const matrix_bytes = static_cast<double>(call.rows) * static_cast<double>(call.depth) *
                                static_cast<double>(bytes_);
    bool const is_small =
        matrix_bytes * static_cast<double>(call.batch) < gemm_numbers.serial_vector_bytes;
    threads_ = is_small ? 1 : threads;
    index const team = team_size(threads_, call.batch * call.rows);
    index const most_rows = gemm_numbers.vector_part_bytes / bytes_;
    index const least_parts = parts_of(call.rows, most_rows);
    if (!has_rows_ && call.rows * bytes_ <= gemm_numbers.short_column_bytes &&
        matrix_bytes >= gemm_numbers.serial_vector_bytes)
      depth_parts_ = std::clamp<index>(quotient(call.depth, gemm_numbers.columns_of_part), 1,
                                       gemm_numbers.most_parts);
    shares_depth_ = depth_parts_ > 1 && call.batch * least_parts < team;
    row_parts_ = shares_depth_
                     ? least_parts
                     : std::max(least_parts, std::min(call.rows, parts_of(team, call.batch)));
    row_bytes_ = parts_of(call.rows, row_parts_) * kernel_.sum_bytes;
    sums_in_c_ = !shares_depth_ && call.c_holds_sums && call.c_row_step == kernel_.sum_bytes;
    team_ = team_for(threads_, shares_depth_ ? row_parts_ * depth_parts_ : call.batch * row_parts_);
  }

  void run() const {
    index const own_sums = (sums_in_c_ ? 0 : row_bytes_) + (depth_parts_ > 1 ? row_bytes_ : 0);
    index const shared_bytes = shares_depth_ ? row_parts_ * depth_parts_ * row_bytes_ : 0;
    index const x_bytes = copies_x_ ? parts_of(call_.depth, depth_parts_) * bytes_ : 0;
    index const own_bytes = in_lines(x_bytes) + in_lines(shares_depth_ ? 0 : own_sums);
    workspace const memory(in_lines(shared_bytes) + team_ * own_bytes, team_);
    auto const own_of = [&](int member) {
      return memory.data() + in_lines(shared_bytes) + member * own_bytes;
    };
    if (!shares_depth_)
      return parallel_for(team_, call_.batch * row_parts_, [&](index n, int member) {
        char* const x = own_of(member);
        multiply_rows(quotient(n, row_parts_), n % row_parts_, x, x + in_lines(x_bytes));
      });
    auto const sums_of = [&](index rows, index part) {
      return memory.data() + (rows * depth_parts_ + part) * row_bytes_;
    };
    for (index b = 0; b < call_.batch; ++b) {
      parallel_for(team_, row_parts_ * depth_parts_, [&](index n, int member) {
        index const rows = quotient(n, depth_parts_);
        multiply_part(b, rows, n % depth_parts_, sums_of(rows, n % depth_parts_), own_of(member));
      });
      parallel_for(team_, row_parts_, [&](index rows) {
        for (index part = 1; part < depth_parts_; ++part)
          add_later(rows, sums_of(rows, 0), sums_of(rows, part));
        finish(b, rows, sums_of(rows, 0));
      });
    }
  }

 private:
  static index in_lines(index bytes) { return parts_of(bytes, 64) * 64; }

  /// All parts of k, one after the other. `x_copy` holds a part of the vector, `memory` the
  /// accumulators that are not in C.
  void multiply_rows(index b, index part_of_rows, char* x_copy, char* memory) const {
    char* const sums = sums_in_c_ ? c_of(b, rows_of(part_of_rows)) : memory;
    char* const later = sums_in_c_ ? memory : memory + row_bytes_;
    multiply_part(b, part_of_rows, 0, sums, x_copy);
    for (index part = 1; part < depth_parts_; ++part) {
      multiply_part(b, part_of_rows, part, later, x_copy);
      add_later(part_of_rows, sums, later);
    }
    if (!sums_in_c_ || !call_.c_is_sums) finish(b, part_of_rows, sums);
  }

  void multiply_part(index b, index part_of_rows, index part, char* sums, char* x_copy) const {
    range const rows = rows_of(part_of_rows);
    range const depth = range{0, call_.depth}.part(depth_parts_, part);
    char const* x = call_.b.data + b * call_.b.batch_step + depth.first * call_.b.depth_step;
    if (copies_x_) {
      for (index p = 0; p < depth.count(); ++p)
        std::memcpy(x_copy + p * bytes_, x + p * call_.b.depth_step,
                    static_cast<std::size_t>(bytes_));
      x = x_copy;
    }
    char const* const matrix = call_.a.data + b * call_.a.batch_step + rows.first * call_.a.step +
                               depth.first * call_.a.depth_step;
    (has_rows_ ? kernel_.multiply_rows : kernel_.multiply_columns)(
        {matrix, has_rows_ ? call_.a.step : call_.a.depth_step, rows.count(), x, depth.count(),
         sums, call_.a.conjugated, call_.b.conjugated});
  }

  void add_later(index part_of_rows, char* sums, char const* later) const {
    kernel_.add_later({sums, later, 0, 1, rows_of(part_of_rows).count(), call_.problem});
  }

  void finish(index b, index part_of_rows, char const* sums) const {
    range const rows = rows_of(part_of_rows);
    index const step = kernel_.sum_bytes;
    if (call_.is_turned)
      call_.finish(call_.problem, {b, 0, rows.first, 1, rows.count(), sums, step, step});
    else call_.finish(call_.problem, {b, rows.first, 0, rows.count(), 1, sums, step, step});
  }

  range rows_of(index part) const { return range{0, call_.rows}.part(row_parts_, part); }
  char* c_of(index b, range rows) const {
    return call_.c + b * call_.c_batch_step + rows.first * call_.c_row_step;
  }

  gemm_call const& call_;
  gemm_kernel const& kernel_;
  index bytes_ = kernel_.element_bytes;
  bool has_rows_ = call_.a.depth_step == bytes_;
  bool copies_x_ = call_.b.depth_step != bytes_;  // where its elements lie apart
  int threads_;
  int team_;
  index depth_parts_ = 1;
  index row_parts_;
  bool shares_depth_;  // threads have parts of k each
  index row_bytes_;    // of the sums of a part of rows
  bool sums_in_c_;
};

}  // namespace

void multiply_by_vector(execution const& where, gemm_call const& call) {
  if (only_asks(where, "gemm_by_vector")) return;
  vector_run(where.threads, call).run();
}

gemm_call turned(gemm_call call) {
  std::swap(call.a, call.b);
  std::swap(call.rows, call.cols);
  std::swap(call.c_row_step, call.c_col_step);
  call.is_turned = !call.is_turned;
  return call;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
