// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/gemm_by_vector.hpp>

#include <xpose/backends/omp/gemm_plan.hpp>
#include <xpose/backends/omp/panel_memory.hpp>
#include <xpose/backends/omp/parallel.hpp>

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
  }

  void run() const {
    if (!shares_depth_)
      return for_each_task(threads_, call_.batch * row_parts_, [&](index n) {
        multiply_rows(quotient(n, row_parts_), n % row_parts_);
      });
    panel_memory const memory(kernel_, row_parts_ * depth_parts_ * row_bytes_, panel_owner::team);
    auto const sums_of = [&](index rows, index part) {
      return memory.data() + (rows * depth_parts_ + part) * row_bytes_;
    };
    for (index b = 0; b < call_.batch; ++b) {
      for_each_task(threads_, row_parts_ * depth_parts_, [&](index n) {
        index const rows = quotient(n, depth_parts_);
        multiply_part(b, rows, n % depth_parts_, sums_of(rows, n % depth_parts_));
      });
      for_each_task(threads_, row_parts_, [&](index rows) {
        for (index part = 1; part < depth_parts_; ++part)
          add_later(rows, sums_of(rows, 0), sums_of(rows, part));
        finish(b, rows, sums_of(rows, 0));
      });
    }
  }

 private:
  /// All parts of k, one after the other.
  void multiply_rows(index b, index part_of_rows) const {
    bool const sums_in_c = call_.c_holds_sums && call_.c_row_step == kernel_.sum_bytes;
    panel_memory const memory(kernel_, 2 * row_bytes_, panel_owner::team);
    char* const sums = sums_in_c ? c_of(b, rows_of(part_of_rows)) : memory.data();
    multiply_part(b, part_of_rows, 0, sums);
    for (index part = 1; part < depth_parts_; ++part) {
      char* const later = memory.data() + row_bytes_;
      multiply_part(b, part_of_rows, part, later);
      add_later(part_of_rows, sums, later);
    }
    if (!sums_in_c || !call_.c_is_sums) finish(b, part_of_rows, sums);
  }

  void multiply_part(index b, index part_of_rows, index part, char* sums) const {
    range const rows = rows_of(part_of_rows);
    range const depth = range{0, call_.depth}.part(depth_parts_, part);
    bool const copies_x = call_.b.depth_step != bytes_;
    panel_memory const memory(kernel_, copies_x ? depth.count() * bytes_ : 0, panel_owner::thread);
    char const* x = call_.b.data + b * call_.b.batch_step + depth.first * call_.b.depth_step;
    if (copies_x) {
      for (index p = 0; p < depth.count(); ++p)
        std::memcpy(memory.data() + p * bytes_, x + p * call_.b.depth_step,
                    static_cast<std::size_t>(bytes_));
      x = memory.data();
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
  int threads_;
  index depth_parts_ = 1;
  index row_parts_;
  bool shares_depth_;  // threads have parts of k each
  index row_bytes_;    // of the sums of a part of rows
};

}  // namespace

void multiply_by_vector(int threads, gemm_call const& call) {
  vector_run(threads, call).run();
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
