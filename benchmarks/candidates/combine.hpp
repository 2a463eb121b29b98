// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The comparison of one C made from A and B (gemm, add): its candidates and their operands.
#pragma once

#include "candidates/combine_task.hpp"
#include "candidates/comparison.hpp"
#include "core/work_site.hpp"
#include "ladder/ladder.hpp"

namespace xpose::bench {

/// The operand sets of a case, one for each slot.
class combine_operands {
 public:
  combine_operands(machine& where, operand_state state, combine_sizes const& sizes, index offset);

  void* a(int slot) const { return a_[static_cast<std::size_t>(slot)].at(a_offset_); }
  void* b(int slot) const { return b_[static_cast<std::size_t>(slot)].at(a_offset_); }
  void* c(int slot) const { return c_[static_cast<std::size_t>(slot)].at(c_offset_); }
  /// The same memory from its beginning, for ceilings: aligned to 4096 bytes.
  void* aligned_a(int slot) const { return a_[static_cast<std::size_t>(slot)].at(0); }
  void* aligned_b(int slot) const { return b_[static_cast<std::size_t>(slot)].at(0); }
  void* aligned_c(int slot) const { return c_[static_cast<std::size_t>(slot)].at(0); }
  void poison_c() { where_.fill_poison(c_[0].at(0), c_[0].bytes()); }

  std::size_t a_bytes() const { return a_bytes_; }
  std::size_t b_bytes() const { return b_bytes_; }
  std::size_t c_bytes() const { return c_bytes_; }
  std::size_t all_bytes() const { return a_bytes_ + b_bytes_ + c_bytes_; }
  rotation const& rotates() const { return rotation_; }

 private:
  machine& where_;
  std::size_t a_offset_;
  std::size_t c_offset_;
  std::size_t a_bytes_;
  std::size_t b_bytes_;
  std::size_t c_bytes_;
  rotation rotation_;
  std::vector<machine_memory> a_;
  std::vector<machine_memory> b_;
  std::vector<machine_memory> c_;
};

class combine_comparison {
 public:
  /// common: what the results share beyond the case itself. offset: of every operand, in elements.
  /// The task outlives the comparison.
  combine_comparison(work_site const& site, bench_result common, combine_task const& task,
                     index offset);

  /// xpose, the ceilings and the peers that the settings ask for.
  void enter_all();
  /// A kernel of the ladder, for packed products of f32.
  void enter_rung(ladder::rung const& r, gemm_case const& what, json const& extra);
  void run() { comparison_.run(); }

 private:
  verdict check() const;
  void enter_xpose(char const* name, role part);
  void enter_ceiling(combine_ceiling const& c);
  void enter_peer(loaded_peer const& p);
  std::optional<prepared_candidate> make_script(script_peer& script);

  work_site site_;
  combine_task const& task_;
  combine_operands operands_;
  comparison comparison_;
};

}  // namespace xpose::bench
