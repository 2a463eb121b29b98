// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// copy, transpose, permute and casts whose operands lie in any memory. Pieces cross the bus in the
// order of the memory that is out of reach; the device rearranges them.

#include <xpose/backends/across/call.hpp>
#include <xpose/backends/across/drivers.hpp>
#include <xpose/backends/core/backend.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

struct copy_ways {
  bus_way in;
  bus_way out;
  bool is_straight;  // copy engines move it to its target, without buffers
};

/// Kernels take pinned memory whose rows are too short for copy engines as they lie: a buffer
/// would not make the bus faster.
bus_way way_of(char const* op, char const* name, tensor_operand const& o) {
  if (o.data == nullptr) return bus_way::in_reach;  // an iterator has no memory
  bus_way const r = reach_of(op, name, o);
  if (r != bus_way::pinned) return r;
  bool const is_long = has_long_rows(o, packed_as(o, const_cast<void*>(o.data)));
  return is_long ? bus_way::pinned : bus_way::in_reach;
}

copy_ways ways_of(copy_request const& r) {
  char const* const op = name_of(r.op);
  copy_ways ways{way_of(op, "in", r.in), way_of(op, "out", r.out), false};
  bool const is_one_way = (ways.in == bus_way::in_reach) != (ways.out == bus_way::in_reach);
  // An element that repeats in the input is one in memory, and several in the output.
  ways.is_straight = is_one_way && r.function == element_function::copy_bits &&
                     !has_repeats(r.in) && has_long_rows(r.in, r.out);
  index const largest = std::max(r.in.bytes_per_element, r.out.bytes_per_element);
  bool const packs = ways.in == bus_way::pageable || ways.out == bus_way::pageable;
  if (packs && largest > lanes::block_bytes)
    refuse<backend_error>(op, ": elements have ", largest, " bytes, and those of pageable memory ",
                          "pass through blocks of ", lanes::block_bytes, "; use pinned memory");
  return ways;
}

bool is_in_reach(copy_ways const& ways) {
  return ways.in == bus_way::in_reach && ways.out == bus_way::in_reach;
}

copy_request part_of(copy_request const& r, box const& b) {
  return {r.op, part_of(r.in, b), part_of(r.out, b), r.function};
}

void run_straight(call_part const& call, lanes& streams, copy_request const& r,
                  copy_ways const& ways) {
  box_grid const grid = cut(&r.out, 1, most_bytes_of_buffer);
  streamed_operand const in{ways.in, true, false, 0, 0};
  streamed_operand const out{ways.out, false, true, 0, 0};
  tile_engine engine(call, streams, {in, out});
  engine.move_straight({grid.boxes(),
                        [&](index tile, tile_engine::parts& parts) {
                          parts[0] = part_of(r.in, grid[tile]);
                          parts[1] = part_of(r.out, grid[tile]);
                        },
                        {}},
                       ways.in, ways.out);
}

void run_part(call_part const& call, copy_request const& r) {
  if (is_empty(r.out)) return;
  prefetch_managed(call.where, {r.in, r.out});
  copy_ways const ways = ways_of(r);
  if (is_in_reach(ways))
    return run_in_reach(call, bytes_of(r.out),
                        [&](execution const& where) { cuda_run_copy(where, r); });
  lanes streams;
  if (ways.is_straight) return run_straight(call, streams, r, ways);

  bool const moves_in = ways.in != bus_way::in_reach;
  bool const moves_out = ways.out != bus_way::in_reach;
  int const buffers = (moves_in ? 2 : 0) + (moves_out ? 2 : 0);
  index const bytes = buffer_bytes(name_of(r.op), call.device_bytes, buffers,
                                   std::max(r.in.bytes_per_element, r.out.bytes_per_element));
  tensor_operand const moved[] = {moves_in ? r.in : r.out, moves_out ? r.out : r.in};
  box_grid const grid = cut(moved, moves_in && moves_out ? 2 : 1, bytes);
  int const each = grid.boxes() > 1 ? 2 : 1;
  copy_request const largest = part_of(r, grid[0]);
  tile_engine engine(call, streams,
                     {{ways.in, true, false, packed_bytes(largest.in), each},
                      {ways.out, false, true, packed_bytes(largest.out), each}});
  engine.run({grid.boxes(),
              [&](index tile, tile_engine::parts& parts) {
                parts[0] = part_of(r.in, grid[tile]);
                parts[1] = part_of(r.out, grid[tile]);
              },
              [&](execution const& where, tile_engine::parts const& parts) {
                cuda_run_copy(where, {r.op, parts[0], parts[1], r.function});
              }});
}

}  // namespace

void run_across(execution const& where, across_terms const& terms, copy_request const& r,
                user_code const& code) {
  char const* const op = name_of(r.op);
  bool const has_devices = terms.device_count != 0;
  copy_ways const ways = ways_of(r);
  if (!has_devices && is_in_reach(ways)) {
    prefetch_managed(where, {r.in, r.out});
    return run_in_reach(op, where, terms, bytes_of(r.out), code,
                        [&](execution const& there) { cuda_run_copy(there, r); });
  }
  require_movable(op, where, code);
  if (explain_only(where, has_devices        ? "across_devices"
                          : ways.is_straight ? "across_straight"
                                             : "across_tiles"))
    return;
  progress_meter progress(terms, bytes_of(r.out));
  if (!has_devices) return run_part(whole_call(where, terms, progress), r);
  on_devices(op, where, terms, progress, [&](call_part const& call, int number) {
    run_part(call, part_of(r, part_of_device(r.out, number, terms.device_count)));
  });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
