// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the cost model answered last: a call's choice takes 40 us of the host, a known one none.
#pragma once

#include <xpose/backends/cuda/gemm/config/config.hpp>

#include <cstdint>
#include <tuple>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A thread's last choices, two for each hash, as a call may ask two questions: while int8 of
/// 64x64x65536 and its transposed product shared one entry, every call took 40 us more of the host
/// (H100, 2026-11-26).
class choice_cache {
 public:
  struct question {
    gemm_config const* configs;
    int count;
    gemm_extents extents;
    gemm_gpu gpu;

    bool operator==(question const& o) const {
      auto const fields = [](question const& q) {
        return std::tie(q.configs, q.count, q.extents, q.gpu);
      };
      return fields(*this) == fields(o);
    }
    /// A call may ask several tables about a product of the same extents, as tf32 asks that of f32
    /// too, and one table about a product and its transposed product, or in several layouts.
    std::size_t hash() const {
      auto const of = [](index x) { return static_cast<std::uint64_t>(x); };
      std::uint64_t const of_table =
          reinterpret_cast<std::uintptr_t>(configs) / alignof(gemm_config);
      operand_copies const& copies = extents.copied_for_tma;
      std::uint64_t const of_layouts =
          of(copies.bytes) * 256 + (extents.a_is_mn_major ? 128u : 0u) +
          (extents.has_layer ? 64u : 0u) + (extents.b_is_mn_major ? 32u : 0u) +
          (extents.a_from_registers ? 16u : 0u) + (copies.transposes ? 8u : 0u) +
          (extents.stores_c_by_tma ? 4u : 0u) + (extents.a_loads_wide ? 2u : 0u) +
          (extents.b_loads_wide ? 1u : 0u);
      std::uint64_t const mixed = (((of(extents.rows) * 31 + of(extents.cols)) * 31 +
                                    of(extents.k_extent) * 7 + of(extents.batch)) *
                                       127 +
                                   of_layouts) *
                                      127 +
                                  of_table;
      return static_cast<std::size_t>((mixed * 0x9E3779B97F4A7C15u) >> 58);
    }
  };

  /// The answer known, or asked.
  template <class Ask>
  gemm_choice answer(question const& q, Ask const& ask) {
    slot& s = slots_[q.hash()];
    for (int e : {0, 1})
      if (s.entries[e].is_known && s.entries[e].asked == q) {
        s.last = e;
        return s.entries[e].choice;
      }
    s.last = 1 - s.last;
    s.entries[s.last] = {true, q, ask()};
    return s.entries[s.last].choice;
  }

 private:
  struct entry {
    bool is_known;
    question asked;
    gemm_choice choice;
  };
  struct slot {
    entry entries[2];
    int last;  // the entry of the last answer
  };
  slot slots_[64] = {};
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
