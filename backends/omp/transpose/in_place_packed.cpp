// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// omp's transpose_inplace of matrices that are not square. One of up to 48 MB passes through a
// workspace of its size, a batch of small ones through 4 MB. A larger one is cut along its longer
// side into panels of `across` rows or columns, which pass through the workspace one by one:
//
//   longer x shorter:    panels, from the last    -> slots: across elements each  -> permuted
//   shorter x longer:    slots, permuted          -> panels, from the first
//
// Both steps read and write the matrix once. What the panels leave over, fewer than `across` rows
// or columns, waits in the workspace and fills the end of every longer row, behind its slots.

#include <xpose/backends/omp/transpose/in_place.hpp>

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/core/given_memory.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/backends/omp/runtime/workspace.hpp>
#include <xpose/backends/omp/transpose/block_cycles.hpp>
#include <xpose/backends/omp/transpose/driver.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Temporary memory of a call: its policy's, or the thread's.
class call_memory {
 public:
  call_memory(execution const& where, index bytes, int team) {
    if (brings_memory(where, backend_id::omp)) given_.emplace(where, bytes);
    else own_.emplace(bytes, team);
  }
  char* data() const { return given_.has_value() ? given_->data() : own_->data(); }

 private:
  std::optional<given_memory> given_;
  std::optional<workspace> own_;
};

/// A packed matrix, by rows.
struct packed_matrix {
  char* data;
  index rows;
  index cols;
  operand like;  // element size, alignment and type

  index row_bytes() const { return cols * like.bytes_per_element; }
  index bytes() const { return rows * row_bytes(); }
};

/// Rows of elements with bytes from one to the next.
struct pitched {
  char* data;
  index row_bytes;
};

/// Whether the rows of a panel by columns share few sets of a cache: they are then written to the
/// workspace, which pads them, and copied. 4096x4097 of 4 bytes 14.5 ms, 9.4 so; 4096x8192 of 2
/// bytes 18.5, 12.4; but 2048x8192 of 4 bytes 10.4, 11.4 (Zen 5, one thread).
bool rows_share_sets(packed_matrix const& m) {
  index const shorter = std::min(m.rows, m.cols);
  index const row_bytes = shorter * m.like.bytes_per_element;
  bool const can_pad = 64 % m.like.bytes_per_element == 0;
  return can_pad && row_bytes % 4096 == 0 && shorter >= 4096;
}

/// How a matrix is cut along its longer side.
struct panels {
  index count;
  index across;  // rows or columns of a panel
  index left;    // rows or columns that no panel has
};

// 4097x4096 of 4 bytes, one thread, ms on Zen 5: panels of 512 KB to 8 MB are within 10 %; slots of
// 256 bytes 9.1, 128 bytes slower, of 1 KB 9.5.
// What a thread keeps for its next call (runtime/workspace.hpp). A copy of as much is faster:
// 4096x4097 of 2 bytes, 32 MB, 5.8 ms and 7.4 by panels; 4096x2048 of 4 bytes 3.5, 4.8. Fresh
// memory costs page faults: 4097x4096 of 4 bytes 10.4, 9.1.
constexpr index most_copied_bytes = 2 * kept_bytes_of_member;
constexpr index panel_bytes_of_member = index{1} << 20;
constexpr index most_panel_bytes = index{8} << 20;
constexpr index least_slot_bytes = 256;
// 1000000x16 of 4 bytes, ms with slots of 2, 4 and 8 KB: one thread 7.6, 8.8, 9.3;
// two 7.8, 7.5, 5.7.
constexpr index most_slot_bytes_of_one = 2048;
constexpr index most_slot_bytes = 8192;

std::atomic<index> copied_limit{0};
std::atomic<index> panel_limit{0};

index limit_or(std::atomic<index> const& limit, index built_in) {
  index const set = limit.load(std::memory_order_relaxed);
  return set > 0 ? set : built_in;
}

panels panels_of(packed_matrix const& m, int team) {
  index const shorter = std::min(m.rows, m.cols);
  index const longer = std::max(m.rows, m.cols);
  index const bytes = m.like.bytes_per_element;
  auto const elements_of = [=](index slot_bytes) { return std::max<index>(1, slot_bytes / bytes); };
  index const panel_bytes =
      limit_or(panel_limit, std::min(team * panel_bytes_of_member, most_panel_bytes));
  bool const is_staged = m.rows < m.cols && rows_share_sets(m);
  index const least = elements_of(is_staged ? 2 * least_slot_bytes : least_slot_bytes);
  index const most = elements_of(team == 1 ? most_slot_bytes_of_one : most_slot_bytes);
  index const wanted = std::clamp(panel_bytes / (shorter * bytes), least, most);
  index across = longer / ceil_div(longer, wanted);
  // Slots of full cache lines, if rows begin at cache lines.
  index unit = 1;
  while (unit * bytes % 64 != 0) unit *= 2;
  if (longer % unit == 0 && across > unit) across = across / unit * unit;
  return {longer / across, across, longer % across};
}

/// Asks for the next panel while this one is written: memory then reads and writes all the time
/// (above: 9.1 ms, 11.9 without).
void prefetch_to_read(char const* data, index bytes) {
  for (index b = 0; b < bytes; b += 64) __builtin_prefetch(data + b, 0, 2);
}

/// A large matrix, panel by panel. Its memory: a panel, what the panels leave, and that of the
/// permutation.
class panel_transpose {
 public:
  panel_transpose(execution const& where, packed_matrix const& m, panels const& cut, int team)
      : where_(where),
        cut_(cut),
        team_(team),
        m_(m),
        shorter_(std::min(m.rows, m.cols)),
        slots_{m.data, shorter_, cut.count, cut.across * m.like.bytes_per_element,
               std::max(m.rows, m.cols) * m.like.bytes_per_element},
        is_staged_(m.rows < m.cols && rows_share_sets(m)) {}

  index memory_bytes() const {
    return panel_bytes() + joined_bytes() + aligned(shorter_ * left_bytes()) +
           permute_blocks_bytes(slots_, team_);
  }

  void run(char* memory, char* copy_memory) {
    panel_ = memory;
    joined_ = panel_ + panel_bytes();
    left_ = joined_ + joined_bytes();
    copy_memory_ = copy_memory;
    char* const of_blocks = left_ + aligned(shorter_ * left_bytes());
    pitched const left{left_, left_bytes()};
    if (m_.rows > m_.cols) {
      transpose({panel_at(cut_.count), shorter_bytes()}, left, cut_.left, shorter_);
      // A panel's slots end where the panel behind it was, or the rows that are left.
      for (index k = cut_.count - 1; k >= 0; --k) split(k);
      permute_blocks({slots_, false}, team_, of_blocks);
    } else {
      for_rows([&](index j) { move_left(left_ + j * left_bytes(), end_of(j)); });
      permute_blocks({slots_, true}, team_, of_blocks);
      for (index k = 0; k < cut_.count; ++k) join(k);
      transpose(left, {panel_at(cut_.count), shorter_bytes()}, shorter_, cut_.left);
    }
  }

 private:
  static index aligned(index bytes) { return ceil_div(bytes, index{64}) * 64; }
  index bytes_per_element() const { return m_.like.bytes_per_element; }
  index shorter_bytes() const { return shorter_ * bytes_per_element(); }
  index left_bytes() const { return cut_.left * bytes_per_element(); }
  /// Of a slot's block in the workspace: its rows must not share few sets of the L1 cache.
  index pitch() const {
    index const bytes = slots_.block_bytes;
    return bytes % 256 == 0 && 64 % bytes_per_element() == 0 ? bytes + 64 : bytes;
  }
  index joined_bytes() const { return is_staged_ ? cut_.across * (shorter_bytes() + 64) : 0; }
  index panel_bytes() const { return aligned(shorter_ * pitch()); }
  char* panel_at(index k) const { return m_.data + k * shorter_ * slots_.block_bytes; }
  char* end_of(index row) const {
    return slots_.at(row * cut_.count) + cut_.count * slots_.block_bytes;
  }
  void move_left(char* to, char const* from) const {
    std::memcpy(to, from, static_cast<std::size_t>(left_bytes()));
  }

  /// out(j, i) = in(i, j), rows x cols.
  void transpose(pitched in, pitched out, index rows, index cols) const {
    if (rows == 0 || cols == 0) return;
    operand from = m_.like;
    from.data = in.data;
    from.batch = 1;
    from.batch_stride = 0;
    from.rows = rows;
    from.cols = cols;
    from.row_stride = in.row_bytes / bytes_per_element();
    from.col_stride = 1;
    operand to = from;
    to.data = out.data;
    to.row_stride = 1;
    to.col_stride = out.row_bytes / bytes_per_element();
    omp_copy_bits(where_, as_tensor(from), as_tensor(to), copy_memory_);
  }

  /// Each thread takes a range of the shorter side.
  template <class Visit>
  void for_rows(Visit const& visit) const {
    parallel_for(team_, team_, [&](index range) {
      for (index j = shorter_ * range / team_; j < shorter_ * (range + 1) / team_; ++j) visit(j);
    });
  }

  void split(index k) const {
    transpose({panel_at(k), shorter_bytes()}, {panel_, pitch()}, cut_.across, shorter_);
    index const bytes = slots_.block_bytes;
    for_rows([&](index j) {
      index const slot = k * shorter_ + j;
      std::memcpy(slots_.at(slot), panel_ + j * pitch(), static_cast<std::size_t>(bytes));
      if (k > 0) prefetch_to_read(panel_at(k - 1) + j * bytes, bytes);
      if (cut_.left == 0) return;
      index const row = quotient(slot + 1, cut_.count);
      if (row * cut_.count == slot + 1)
        move_left(end_of(row - 1), left_ + (row - 1) * left_bytes());
    });
  }
  void join(index k) const {
    auto const size = static_cast<std::size_t>(slots_.block_bytes);
    for_rows([&](index j) {
      index const slot = k * shorter_ + j;
      std::memcpy(panel_ + j * pitch(), slots_.at(slot), size);
      if (k + 1 < cut_.count) prefetch_to_read(slots_.at(slot + shorter_), slots_.block_bytes);
    });
    pitched const to{panel_at(k), shorter_bytes()};
    pitched const staged{joined_, shorter_bytes() + 64};
    transpose({panel_, pitch()}, is_staged_ ? staged : to, shorter_, cut_.across);
    if (!is_staged_) return;
    parallel_for(team_, cut_.across, [&](index i) {
      std::memcpy(to.data + i * to.row_bytes, staged.data + i * staged.row_bytes,
                  static_cast<std::size_t>(shorter_bytes()));
    });
  }

  execution const& where_;
  panels cut_;
  int team_;
  packed_matrix m_;
  index shorter_;
  block_slots slots_;
  bool is_staged_;
  char* panel_ = nullptr;
  char* joined_ = nullptr;
  char* left_ = nullptr;
  char* copy_memory_ = nullptr;
};

/// Copies as many matrices as fit 4 MB, one at least, to the workspace, and transposes them back.
void transpose_through_copy(execution const& where, operand const& view) {
  constexpr index bytes_in_workspace = index{4} << 20;
  index const elements = view.rows * view.cols;
  index const bytes = elements * view.bytes_per_element;
  index const in_workspace = std::min(view.batch, std::max<index>(1, bytes_in_workspace / bytes));
  call_memory const memory(where, in_workspace * bytes, 1);
  workspace const of_copies(copy_workspace_bytes(where.threads), team_for(where.threads, bytes));
  auto const copy_bits = [&](operand const& in, operand const& out) {
    omp_copy_bits(where, as_tensor(in), as_tensor(out), of_copies.data());
  };

  operand part = view;
  operand transposed = view;
  std::swap(transposed.rows, transposed.cols);
  if (is_packed_row_major(view.cols, view.row_stride, view.col_stride))
    transposed.row_stride = view.rows;
  else transposed.col_stride = view.cols;
  for (index first = 0; first < view.batch; first += in_workspace) {
    part.batch = transposed.batch = std::min(in_workspace, view.batch - first);
    part.data = transposed.data =
        static_cast<char const*>(view.data) + first * view.batch_stride * view.bytes_per_element;
    operand saved = part;
    saved.data = memory.data();
    saved.batch_stride = elements;
    copy_bits(part, saved);
    std::swap(saved.rows, saved.cols);
    std::swap(saved.row_stride, saved.col_stride);
    copy_bits(saved, transposed);
  }
}

/// One by one, each by panels.
void transpose_by_panels(execution const& where, operand const& view) {
  bool const is_by_rows = is_packed_row_major(view.cols, view.row_stride, view.col_stride);
  packed_matrix m{static_cast<char*>(const_cast<void*>(view.data)),
                  is_by_rows ? view.rows : view.cols, is_by_rows ? view.cols : view.rows, view};
  int const team = team_for(where.threads, m.bytes());
  panels const cut = panels_of(m, team);
  call_memory const memory(where, panel_transpose(where, m, cut, team).memory_bytes(), team);
  workspace const of_copies(copy_workspace_bytes(where.threads), team);
  for (index k = 0; k < view.batch; ++k) {
    panel_transpose(where, m, cut, team).run(memory.data(), of_copies.data());
    m.data += view.batch_stride * view.bytes_per_element;
  }
}

}  // namespace

void set_in_place_limits(index most_copied, index most_in_panel) {
  copied_limit.store(most_copied, std::memory_order_relaxed);
  panel_limit.store(most_in_panel, std::memory_order_relaxed);
}

void transpose_packed(execution const& where, operand const& view) {
  index const bytes = view.rows * view.cols * view.bytes_per_element;
  bool const is_copied = bytes <= limit_or(copied_limit, most_copied_bytes);
  if (explain_only(where,
                   is_copied ? "transpose_through_workspace" : "transpose_panels_and_blocks"))
    return;
  if (is_copied) transpose_through_copy(where, view);
  else transpose_by_panels(where, view);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
