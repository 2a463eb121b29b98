// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A table's rungs once each, for a profiler that looks at every launch.

#include "core/machine.hpp"
#include "ladder/ladder.hpp"

namespace xpose::bench::ladder {

void run_rungs_once(table const& which, std::vector<index> const& extents) {
  auto const where = make_cuda_machine();
  constexpr std::size_t element_bytes = 4;  // of all rungs
  bool const is_gemm = extents.size() == 3;
  index const a_elements = is_gemm ? extents[0] * extents[2] : extents[0] * extents[1];
  index const b_elements = is_gemm ? extents[2] * extents[1] : 1;
  index const out_elements = extents[0] * extents[1];
  auto const bytes_of = [](index elements) {
    return static_cast<std::size_t>(elements) * element_bytes;
  };
  machine_memory const a(*where, bytes_of(a_elements));
  machine_memory const b(*where, bytes_of(b_elements));
  machine_memory const out(*where, bytes_of(out_elements));
  where->fill_random(a.at(0), element_kind::f32, a.bytes(), 1);
  where->fill_random(b.at(0), element_kind::f32, b.bytes(), 2);
  for (auto const& figure : which.rungs) {
    rung const* const r = find_rung(figure.rung);
    if (r == nullptr) continue;
    if (is_gemm)
      r->multiply(a.at(0), b.at(0), out.at(0), extents[0], extents[1], extents[2], where->stream());
    else r->move(a.at(0), out.at(0), extents[0], extents[1], where->stream());
    where->synchronize();
  }
}

}  // namespace xpose::bench::ladder
