// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add whose operands lie in any memory: tiles of all three that are as long as they are wide where
// orders differ. C may be A or B: a tile is loaded before it is stored, and no other tile has it.

#include <xpose/backends/across/call.hpp>
#include <xpose/backends/across/drivers.hpp>
#include <xpose/backends/core/backend.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

struct sum {
  tensor_operand operands[3];  // A, B, C
  bool is_read[2];
};

sum sum_of(add_request const& r) {
  return {{as_tensor(r.a), as_tensor(r.b), as_tensor(r.c)},
          {r.alpha_kind != scalar_kind::zero, r.beta_kind != scalar_kind::zero}};
}

/// What is not read is in reach wherever it lies.
bus_way way_of(sum const& s, int n) {
  constexpr char const* names[] = {"A", "B", "C"};
  return n < 2 && !s.is_read[n] ? bus_way::in_reach : reach_of("add", names[n], s.operands[n]);
}

bool is_in_reach(sum const& s) {
  return way_of(s, 0) == bus_way::in_reach && way_of(s, 1) == bus_way::in_reach &&
         way_of(s, 2) == bus_way::in_reach;
}

void run_part(call_part const& call, add_request const& r) {
  if (is_empty(r.c)) return;
  sum const s = sum_of(r);
  prefetch_managed(call.where, {s.operands[0], s.operands[1], s.operands[2]});
  lanes streams;
  tensor_operand moved[3];
  bus_way ways[3];
  int moved_count = 0;
  for (int n = 0; n < 3; ++n) {
    ways[n] = way_of(s, n);
    if (ways[n] != bus_way::in_reach) moved[moved_count++] = s.operands[n];
  }
  if (moved_count == 0)
    return run_in_reach(call, bytes_of(s.operands[2]),
                        [&](execution const& where) { cuda_run_add(where, r); });
  index const bytes =
      buffer_bytes("add", call.device_bytes, 2 * moved_count, r.c.bytes_per_element);
  box_grid const grid = cut(moved, moved_count, bytes);
  auto const streamed = [&](int n) {
    index const largest = packed_bytes(part_of(s.operands[n], grid[0]));
    return streamed_operand{ways[n], n<2, n == 2, largest, grid.boxes()> 1 ? 2 : 1};
  };
  tile_engine engine(call, streams, {streamed(0), streamed(1), streamed(2)});
  engine.run({grid.boxes(),
              [&](index tile, tile_engine::parts& parts) {
                for (int n = 0; n < 3; ++n) parts[n] = part_of(s.operands[n], grid[tile]);
              },
              [&](execution const& where, tile_engine::parts const& parts) {
                add_request piece = r;
                piece.a = matrix_of(parts[s.is_read[0] ? 0 : 2]);
                piece.b = matrix_of(parts[s.is_read[1] ? 1 : 2]);
                piece.c = matrix_of(parts[2]);
                cuda_run_add(where, piece);
              }});
}

}  // namespace

void run_across(execution const& where, across_terms const& terms, add_request const& r,
                user_code const& code) {
  bool const has_devices = terms.device_count != 0;
  sum const s = sum_of(r);
  if (!has_devices && is_in_reach(s)) {
    prefetch_managed(where, {s.operands[0], s.operands[1], s.operands[2]});
    return run_in_reach("add", where, terms, bytes_of(as_tensor(r.c)), code,
                        [&](execution const& there) { cuda_run_add(there, r); });
  }
  require_movable("add", where, code);
  if (explain_only(where, has_devices ? "across_devices" : "across_tiles")) return;
  progress_meter progress(terms, bytes_of(as_tensor(r.c)));
  if (!has_devices) return run_part(whole_call(where, terms, progress), r);
  on_devices("add", where, terms, progress, [&](call_part const& call, int number) {
    tensor_operand const c = as_tensor(r.c);
    box const b = part_of_device(c, number, terms.device_count);
    add_request piece = r;
    piece.a = matrix_of(part_of(as_tensor(r.a), b));
    piece.b = matrix_of(part_of(as_tensor(r.b), b));
    piece.c = matrix_of(part_of(c, b));
    run_part(call, piece);
  });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
