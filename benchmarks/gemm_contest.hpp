// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Everybody who can do one gemm, and the memory they do it on.
#pragma once

#include "contest.hpp"
#include "gemm_type.hpp"
#include "ladder/ladder.hpp"
#include "operations.hpp"
#include "shape.hpp"

namespace xpose::bench {

double operations_of(gemm_case const& what, gemm_type const& type);

class gemm_operands {
 public:
  gemm_operands(place& where, gemm_case const& what, index offset)
      : where_(where),
        a_offset_(static_cast<std::size_t>(offset) * what.type.bytes),
        c_offset_(static_cast<std::size_t>(offset) * what.c_type.bytes),
        a_bytes_(bytes_of(what.batch, what.transposed_a ? what.k : what.m, what.lda, what.type)),
        b_bytes_(bytes_of(what.batch, what.transposed_b ? what.n : what.k, what.ldb, what.type)),
        c_bytes_(bytes_of(what.batch, what.m, what.ldc, what.c_type)),
        rotation_(rotate_past_cache(where, a_bytes_ + b_bytes_ + c_bytes_)) {
    auto const slots = static_cast<std::size_t>(rotation_.slots);
    require_memory(where, slots * (a_bytes_ + b_bytes_ + c_bytes_ + 3 * guard_bytes));
    for (std::size_t s = 0; s < slots; ++s) {
      a_.emplace_back(where, a_bytes_ + a_offset_);
      b_.emplace_back(where, b_bytes_ + a_offset_);
      c_.emplace_back(where, c_bytes_ + c_offset_ + guard_bytes);
      where.fill_random(a_[s].at(0), what.type.kind, a_[s].bytes(), 2 * s + 1);
      where.fill_random(b_[s].at(0), what.type.kind, b_[s].bytes(), 2 * s + 2);
      where.fill_poison(c_[s].at(0), c_[s].bytes());
    }
  }

  void* a(int slot) const { return a_[static_cast<std::size_t>(slot)].at(a_offset_); }
  void* b(int slot) const { return b_[static_cast<std::size_t>(slot)].at(a_offset_); }
  void* c(int slot) const { return c_[static_cast<std::size_t>(slot)].at(c_offset_); }
  void poison_c() { where_.fill_poison(c_[0].at(0), c_[0].bytes()); }

  std::size_t a_bytes() const { return a_bytes_; }
  std::size_t b_bytes() const { return b_bytes_; }
  std::size_t c_bytes() const { return c_bytes_; }
  rotation const& rotates() const { return rotation_; }

 private:
  static std::size_t bytes_of(index batch, index rows, index ld, element_type const& type) {
    return static_cast<std::size_t>(batch * rows * ld) * type.bytes;
  }

  place& where_;
  std::size_t a_offset_;
  std::size_t c_offset_;
  std::size_t a_bytes_;
  std::size_t b_bytes_;
  std::size_t c_bytes_;
  rotation rotation_;
  std::vector<place_memory> a_;
  std::vector<place_memory> b_;
  std::vector<place_memory> c_;
};

/// The contenders of one gemm.
class gemm_contest {
 public:
  /// common: what the rows share beyond the case itself. offset: of every operand, in elements.
  gemm_contest(work_site const& site, row common, gemm_type const& type, gemm_case const& what,
               index offset);

  /// xpose, the ceilings and the peers that the settings ask for.
  void enter_all();
  /// A kernel of the ladder, for packed f32.
  void enter_rung(ladder::rung const& r, json const& extra);
  void run() { contest_.run(); }

 private:
  bool is_semiring() const { return type_.semiring != semiring_choice::plus_times; }
  verdict check() const;
  void enter_xpose(char const* name, role part);
  void enter_peer(loaded_peer const& p);
  std::optional<contender> make_script(script_peer& script);

  work_site site_;
  gemm_type type_;
  gemm_case what_;
  gemm_operands operands_;
  contest contest_;
};

}  // namespace xpose::bench
