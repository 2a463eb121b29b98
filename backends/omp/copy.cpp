// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Bit copies on the cores: plan, choose tiles, hand contiguous ranges of tiles to threads.

#include <xpose/backends/omp/copy.hpp>

#include <xpose/backends/backend.hpp>
#include <xpose/backends/element_functions.hpp>
#include <xpose/backends/omp/copy_table.hpp>
#include <xpose/backends/omp/element_moves.hpp>
#include <xpose/backends/omp/tile_walk.hpp>
#include <xpose/backends/omp/vector_moves.hpp>

#include <unistd.h>

#include <cstring>
#include <memory>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// A plan's memory and what is known of it.
struct job {
  copy_plan const& plan;
  char const* in;
  char* out;
  int team;
  store_mode mode;
};

index second_level_cache_bytes() {
  static long const bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? bytes : index{1} << 20;
}

/// task(first tile, last tile, number of the range) on contiguous ranges of the walk's tiles.
template <class Task>
void for_ranges(job const& j, tile_walk const& walk, Task const& task) {
  index const ranges = std::min<index>(j.team, walk.tiles);
  parallel_for(j.team, ranges, [&](index range) {
    task(walk.tiles * range / ranges, walk.tiles * (range + 1) / ranges, range);
  });
}

/// Every dimension of the plan from `first` on but `skipped`, one by one.
void add_others(tile_walk& walk, copy_plan const& plan, int first, int skipped) {
  for (int d = first; d < plan.count; ++d)
    if (d != skipped) walk.add(cut(plan.dimensions[d], 1));
}

void copy_run(job const& j) {
  tile_walk walk;
  walk.add(cut(j.plan.dimensions[0], quotient_up(j.plan.dimensions[0].extent, j.team), 4096));
  for_ranges(j, walk, [&](index first, index last, index) {
    walk.visit(first, last, [&](index in, index out, index bytes, index) {
      std::memcpy(j.out + out, j.in + in, static_cast<std::size_t>(bytes));
    });
  });
}

void copy_rows(job const& j) {
  auto const& run = j.plan.dimensions[0];
  auto const& rows = j.plan.dimensions[1];
  tile_walk walk;
  index const piece = std::min(run.extent, limits.piece_bytes);
  walk.add(cut(run, piece, 64));
  walk.add(cut(rows, std::min(std::max<index>(1, limits.piece_bytes / piece),
                              quotient_up(rows.extent, j.team))));
  add_others(walk, j.plan, 2, 0);
  vector_moves const& moves = vector_moves_here();
  for_ranges(j, walk, [&](index first, index last, index) {
    walk.visit(first, last, [&](index in, index out, index bytes, index height) {
      moves.copy_rows(j.in + in, rows.in_stride, j.out + out, rows.out_stride, bytes, height,
                      j.mode);
    });
    if (j.mode == store_mode::streamed) moves.finish_streaming();
  });
}

void move_strided(job const& j) {
  index const bytes = j.plan.dimensions[0].extent;
  auto const& inner = j.plan.dimensions[1];
  int const second = j.plan.in_fastest > 1 ? j.plan.in_fastest : 2;
  copy_plan::dimension const none{1, 0, 0};
  auto const& outer = second < j.plan.count ? j.plan.dimensions[second] : none;
  bool const is_turned = j.plan.in_fastest > 1;
  tile_walk walk;
  walk.add(cut(inner, is_turned ? limits.element_tile : limits.piece_bytes / bytes));
  walk.add(cut(outer, is_turned ? limits.element_tile
                                : std::max<index>(1, limits.piece_bytes / bytes / inner.extent)));
  add_others(walk, j.plan, 2, second);
  auto const& row = element_moves_for(bytes);
  for_ranges(j, walk, [&](index first, index last, index) {
    walk.visit(first, last, [&](index in, index out, index width, index height) {
      row.move({j.in + in, outer.in_stride, inner.in_stride, j.out + out, outer.out_stride,
                inner.out_stride, height, width},
               bytes);
    });
  });
}

turn_row const* turn_row_for(index bytes) {
  for (turn_row const& row : turn_table)
    if (row.bytes == bytes) return &row;
  return nullptr;
}

void turn(job const& j) {
  index const bytes = j.plan.dimensions[0].extent;
  turn_row const* const row = turn_row_for(bytes);
  if (row == nullptr) return move_strided(j);
  auto const& lines = j.plan.dimensions[1];
  auto const& columns = j.plan.dimensions[j.plan.in_fastest];
  bool const is_streamed = j.mode == store_mode::streamed;
  bool const is_aligned = (reinterpret_cast<std::uintptr_t>(j.out) |
                           static_cast<std::uintptr_t>(columns.out_stride)) % 64 == 0;
  index const granule = 64 / bytes;
  index most_columns = !is_streamed ? limits.cached_columns
                       : is_aligned ? row->columns
                                    : row->columns_misaligned;
  index others = 1;
  for (int d = 2; d < j.plan.count; ++d)
    if (d != j.plan.in_fastest) others *= j.plan.dimensions[d].extent;
  // Tiles are columns of whole height; where there are too few for the team, pieces of height.
  index const wanted = j.team == 1 ? 1 : 4 * j.team;
  index const strips = others * quotient_up(columns.extent, most_columns);
  index const most_height =
      is_streamed ? std::max(quotient_up(lines.extent, quotient_up(wanted, strips)), 16 * granule)
                  : limits.cached_lines * granule;
  tile_walk walk;
  walk.add(cut(lines, most_height, granule));
  walk.add(cut(columns, most_columns, granule));
  add_others(walk, j.plan, 2, j.plan.in_fastest);

  index const ranges = std::min<index>(j.team, walk.tiles);
  auto const workspace = std::make_unique<char[]>(
      is_streamed ? static_cast<std::size_t>(ranges * turn_workspace_bytes + 64) : 0);
  vector_moves const& moves = vector_moves_here();
  auto const move = moves.turn[__builtin_ctzll(static_cast<unsigned long long>(bytes))];
  for_ranges(j, walk, [&](index first, index last, index range) {
    alignas(64) char small[64 * limits.cached_columns + 64 * 64];
    auto const aligned = (reinterpret_cast<std::uintptr_t>(workspace.get()) + 63) / 64 * 64;
    char* const own =
        is_streamed ? reinterpret_cast<char*>(aligned) + range * turn_workspace_bytes : small;
    walk.visit(first, last, [&](index in, index out, index height, index width) {
      move({j.in + in, lines.in_stride, j.out + out, columns.out_stride, width, height}, j.mode,
           own);
    });
    if (is_streamed) moves.finish_streaming();
  });
}

struct copy_row {
  shape_class shape;
  void (*run)(job const& j);
};
constexpr copy_row table[] = {
    {shape_class::run, copy_run},
    {shape_class::rows, copy_rows},
    {shape_class::turned, turn},
    {shape_class::strided, move_strided},
};

void copy_bits(int threads, tensor_operand const& in, tensor_operand const& out) {
  copy_plan const plan = plan_runs(in, out);
  if (plan.units == 0) return;
  int const team = plan.units <= limits.serial_bytes ? 1 : team_size(threads, plan.units);
  bool const is_streamed = static_cast<double>(2 * plan.units) >
                           limits.streamed_from * static_cast<double>(team * second_level_cache_bytes());
  job const j{plan, first_unit<char const>(in, plan.in_offset),
              first_unit<char>(out, plan.out_offset), team,
              is_streamed ? store_mode::streamed : store_mode::cached};
  for (copy_row const& row : table)
    if (row.shape == class_of(plan)) row.run(j);
}

}  // namespace

char const* omp_copy_kernel(copy_request const& r) {
  if (r.function != element_function::copy_bits)
    return plan_elements(r.in, r.out).turns() ? "transpose_tiles<function>" : "copy_runs<function>";
  copy_plan const plan = plan_runs(r.in, r.out);
  turn_row const* const row = turn_row_for(plan.dimensions[0].extent);
  switch (class_of(plan)) {
    case shape_class::nothing:
      return "none";
    case shape_class::run:
      return "copy_run";
    case shape_class::rows:
      return "copy_rows";
    case shape_class::turned:
      return row != nullptr ? row->kernel : "move_strided";
    case shape_class::strided:
      return "move_strided";
  }
  return "none";
}

void omp_run_copy(execution const& where, copy_request const& r) {
  if (r.function == element_function::copy_bits) return copy_bits(where.threads, r.in, r.out);
  run_element_function(r, [&](auto from, auto to, auto f) {
    omp_copy<typename decltype(from)::type, typename decltype(to)::type>(where.threads, r.in, r.out,
                                                                         f);
  });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
