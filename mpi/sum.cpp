// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add: an operand that is elsewhere than C is moved to where C is; then every process adds what it
// has.
#include "move.hpp"
#include "operand_rules.hpp"
#include "resolved_call.hpp"

#include <optional>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

bool is_same_grid(process_grid const& a, process_grid const& b) {
  return a.rows == b.rows && a.cols == b.cols && a.ranks == b.ranks;
}

bool is_same_layout(dist_layout const& a, dist_layout const& b) {
  return a.rows == b.rows && a.cols == b.cols && a.block_rows == b.block_rows &&
         a.block_cols == b.block_cols && is_same_grid(a.grid, b.grid) &&
         a.first_row == b.first_row && a.first_col == b.first_col;
}

/// A or B, in C's layout once it is brought there.
class summand {
 public:
  summand(dist_execution const& where, char const* name, dist_operand const& given,
          dist_operand const& c, bool is_read, kept_memory& memory)
      : where_(where), name_(name), given_(given), c_(c), is_read_(is_read), memory_(memory) {}
  ~summand() { memory_.end_call(); }
  summand(summand const&) = delete;
  summand& operator=(summand const&) = delete;

  void check() {
    int const rank = where_.state->rank;
    check_operand(dist_operation::add, name_, given_, *where_.state);
    check_extents(dist_operation::add, name_, given_.layout, c_.layout.rows, c_.layout.cols);
    operand const c = local_operand(c_, rank);
    local_ = local_operand(given_, rank);
    if (!moves()) return;
    check_apart(dist_operation::add, "C", c, name_, local_);
    index const bytes = c.rows * c.cols * given_.bytes_per_element;
    if (where_.device != nullptr) device_memory_ = device_memory(where_.local, bytes);
    dist_operand brought = given_;
    brought.layout = c_.layout;
    brought.data = where_.device != nullptr ? device_memory_.data() : memory_.reserve(bytes);
    brought.given_rows = brought.given_cols = -1;
    brought.storage = c.col_stride == 1 ? local_storage::packed_rows : local_storage::packed_cols;
    move_.emplace(where_, dist_move{dist_operation::add, given_, brought}, name_, "C");
    move_->check();
    local_ = local_operand(brought, rank);
  }
  void add_to(agreement& agreed) {
    agreed.same_layout(name_, given_.layout);
    // A process that refuses has no move, but then nobody looks at the sizes.
    if (move_) move_->add_sizes_to(agreed);
  }
  void bring(agreement const& agreed) {
    if (!move_) return;
    move_->choose(agreed);
    move_->run();
  }
  /// Anew on each call: the pinned memory of an operand that is not read may have moved.
  operand local() const {
    return is_read_ ? local_ : unread(local_operand(c_, where_.state->rank));
  }

 private:
  /// Something with C's extents, for a call that does not read it.
  operand unread(operand const& c) const {
    alignas(64) static unsigned char const on_host[64] = {};
    void const* element = on_host;
    if (where_.device != nullptr) {
      where_.device->reserve_pinned(sizeof on_host);
      element = where_.device->pinned();
    }
    operand const given = local_operand(given_, where_.state->rank);
    return {element,         1,          c.rows, c.cols, 0, 0, 0, given.bytes_per_element,
            given.alignment, given.type, false};
  }
  /// The same on all processes if they agree on the layouts.
  bool moves() const { return is_read_ && !is_same_layout(given_.layout, c_.layout); }

  dist_execution const& where_;
  char const* name_;
  dist_operand given_;
  dist_operand c_;
  bool is_read_;
  operand local_{};
  kept_memory& memory_;  // of the host
  message_memory device_memory_;
  std::optional<checked_move> move_;
};

}  // namespace

void run_dist_sum(dist_execution const& given, dist_sum const& sum) {
  constexpr dist_operation op = dist_operation::add;
  resolved_call call(given, op);
  dist_execution const& where = call.where;
  summand a(where, "A", sum.a, sum.c, sum.reads_a, where.state->summands[0]);
  summand b(where, "B", sum.b, sum.c, sum.reads_b, where.state->summands[1]);
  operand c{};
  refusal const own = refusal_of([&] {
    call.resolve();
    check_operand(op, "C", sum.c, *where.state);
    c = local_operand(sum.c, where.state->rank);
    a.check();
    b.check();
    launch_report report{};
    report.explain_only = true;
    execution local = where.local;
    local.report = &report;
    sum.sum.run(sum.sum.context, local, a.local(), b.local(), c);
  });
  agreement agreed(where, op);
  agreed.same_layout("C", sum.c.layout);
  agreed.same("the call", "bytes of an element", sum.c.bytes_per_element);
  agreed.same("the call", "bits of alpha and beta", static_cast<index>(sum.scalars));
  int const devices = agreed.largest(where.device != nullptr);
  a.add_to(agreed);
  b.add_to(agreed);
  agreed.settle(own);
  a.bring(agreed);
  b.bring(agreed);
  if (where.device == nullptr) {
    sum.sum.run(sum.sum.context, where.local, a.local(), b.local(), c);
  } else {
    try {
      sum.sum.run(sum.sum.context, where.local, a.local(), b.local(), c);
    } catch (...) {
      where.device->note_fault();
    }
  }
  settle_devices(where, op, agreed.result(devices) != 0);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
