// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Waiting for NCCL's work, which a process that is dead or has failed leaves unfinished for ever.
#pragma once

#include "engines.hpp"

namespace xpose {
inline namespace v0 {
namespace detail {

/// Behind the agreement on the largest nccl_use: collective if nobody knows yet whose devices are
/// the same.
nccl_use settle_nccl(dist_execution const& where, nccl_use agreed);

/// Behind the agreement on a failed call, on all processes: receives the notes that are under way,
/// and ends NCCL's work of the context.
void give_up_nccl(dist_execution const& where);

/// Of one call. A failure of this process, or of another one that told us, ends NCCL's work of the
/// context; the agreement at the end of the call then throws on all processes.
class nccl_watch {
 public:
  explicit nccl_watch(travel const& t) : nccl_watch(t.where, t.op) {}
  nccl_watch(dist_execution const& where, dist_operation op);

  bool has_failed() const { return has_failed_; }
  /// Fails unless the result is ncclSuccess.
  void expect(int result, char const* call) noexcept;
  void fail(refusal const& fault) noexcept;
  /// Until the event is done, with an eye on the clock, on NCCL's errors and on the others.
  void wait(int event) noexcept;

 private:
  bool was_told() const;
  void tell_others() const;

  dist_execution const& where_;
  dist_operation op_;
  patience patience_;
  bool has_failed_ = false;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
