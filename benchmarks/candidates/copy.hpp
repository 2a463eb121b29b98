// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The comparison of one transpose, copy or permutation: its candidates and their operands.
#pragma once

#include "candidates/comparison.hpp"
#include "candidates/copy_task.hpp"
#include "core/work_site.hpp"
#include "ladder/ladder.hpp"

#include <algorithm>

namespace xpose::bench {

/// The operand sets of a case, one for each slot. In place, out is memory for copies of the matrix.
class copy_operands {
 public:
  copy_operands(machine& where, operand_state state, copy_task const& task, index offset)
      : where_(where),
        kind_(task.in_type().kind),
        in_offset_(static_cast<std::size_t>(offset) * task.in_type().bytes),
        out_offset_(static_cast<std::size_t>(offset) * task.out_type().bytes),
        in_bytes_(static_cast<std::size_t>(task.sizes().in) * task.in_type().bytes),
        out_bytes_(static_cast<std::size_t>(task.sizes().out) * task.out_type().bytes),
        payload_(static_cast<std::size_t>(task.sizes().moved) *
                 (task.in_type().bytes + task.out_type().bytes) / 2),
        rotation_(rotate_operands(where, state, (task.is_in_place() ? 1 : 2) * payload_)) {
    auto const slots = static_cast<std::size_t>(rotation_.slots);
    std::size_t const in_memory = std::max(in_bytes_, payload_) + in_offset_ + guard_bytes;
    std::size_t const out_memory = std::max(out_bytes_, payload_) + out_offset_ + guard_bytes;
    require_memory(where, slots * (in_memory + out_memory));
    for (std::size_t s = 0; s < slots; ++s) {
      ins_.emplace_back(where, in_memory);
      outs_.emplace_back(where, out_memory);
      fill_in(static_cast<int>(s));
      poison_out(static_cast<int>(s));
    }
  }

  void* in(int slot) const { return ins_[static_cast<std::size_t>(slot)].at(in_offset_); }
  void* out(int slot) const { return outs_[static_cast<std::size_t>(slot)].at(out_offset_); }
  /// Without the offset: where a plain copy of the same bytes is fastest.
  void* aligned_in(int slot) const { return ins_[static_cast<std::size_t>(slot)].at(0); }
  void* aligned_out(int slot) const { return outs_[static_cast<std::size_t>(slot)].at(0); }

  void fill_in(int slot) {
    auto const& memory = ins_[static_cast<std::size_t>(slot)];
    where_.fill_random(memory.at(0), kind_, memory.bytes() - guard_bytes,
                       static_cast<std::uint64_t>(slot) + 1);
    where_.fill_poison(memory.at(memory.bytes() - guard_bytes), guard_bytes);
  }
  void poison_out(int slot) {
    auto const& memory = outs_[static_cast<std::size_t>(slot)];
    where_.fill_poison(memory.at(0), memory.bytes());
  }

  std::size_t in_bytes() const { return in_bytes_; }
  std::size_t out_bytes() const { return out_bytes_; }
  /// What a plain copy moves to read and write as many bytes.
  std::size_t payload() const { return payload_; }
  rotation const& rotates() const { return rotation_; }

 private:
  machine& where_;
  element_kind kind_;
  std::size_t in_offset_;
  std::size_t out_offset_;
  std::size_t in_bytes_;
  std::size_t out_bytes_;
  std::size_t payload_;
  rotation rotation_;
  std::vector<machine_memory> ins_;
  std::vector<machine_memory> outs_;
};

class copy_comparison {
 public:
  /// common: what the results share beyond the case itself (operation, extra). offset: of every
  /// operand, in elements. The task outlives the comparison.
  copy_comparison(work_site const& site, bench_result common, copy_task const& task, index offset);

  /// xpose, the ceilings and the peers that the settings ask for.
  void enter_all();
  /// A kernel of the ladder, for the transpose that is the task or a copy of its operand.
  void enter_rung(ladder::rung const& r, transpose_case const& what, json const& extra);
  void run() { comparison_.run(); }

 private:
  /// Where a call puts its result.
  void* target(int slot) const {
    return task_.is_in_place() ? operands_.in(slot) : operands_.out(slot);
  }
  /// Slot 0, whatever ran on it before.
  void make_ready();
  /// Of the result in slot 0.
  verdict check_result();
  void enter_xpose(char const* name, role part);
  void enter_alternative();
  /// A plain copy of as many bytes.
  void enter_copy(copy_ceiling const& c, role part);
  copy_ceiling xpose_plain_copy() const;
  transpose_case flat_copy() const;
  void enter_peer(loaded_peer const& p);
  std::optional<prepared_candidate> make_script(script_peer& script);

  work_site site_;
  copy_task const& task_;
  copy_operands operands_;
  comparison comparison_;
};

}  // namespace xpose::bench
