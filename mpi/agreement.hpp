// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// One verdict for all processes: an error of one, or arguments that differ, is everybody's
// exception. One allreduce when all is well.
#pragma once

#include "progress.hpp"
#include "refusal.hpp"

namespace xpose {
inline namespace v0 {
namespace detail {

class agreement {
 public:
  agreement(dist_execution const& where, dist_operation op);

  /// A value that has to be the same on all processes; `what` outlives this.
  void same(char const* operand, char const* what, index value,
            error_kind kind = error_kind::layout);
  void same_layout(char const* operand, dist_layout const& layout);
  /// A value of which settle() gives the largest; returns its number.
  int largest(index value);

  /// Collective. Throws on every process if one has a refusal, or if a value differs.
  void settle(refusal const& own);
  index result(int number) const { return ~results_[capacity + number]; }

 private:
  // add of two operands that move has 42. Of fixed size, so that processes that make different
  // calls still meet.
  static constexpr int capacity = 48;
  struct entry {
    char const* operand;
    char const* what;
    error_kind kind;
    bool must_be_same;
  };

  int append(entry const& e, index value);
  void reduce_minimum(index const* in, index* out, int count);
  [[noreturn]] void share_refusal(int from, refusal const& own);
  refusal difference_from(index const* first) const;

  dist_operation op_;
  mpi_state const& state_;
  patience patience_;
  int used_ = 0;
  entry entries_[capacity]{};
  // Values, and behind them their complements, whose minimum is the complement of the maximum.
  index values_[2 * capacity]{};
  index results_[2 * capacity]{};
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
