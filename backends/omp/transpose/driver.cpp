// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// omp's copies and transposes: plan, choose a kernel, split into tiles, hand each thread a
// contiguous range of tiles.

#include <xpose/backends/omp/transpose/driver.hpp>

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/problems/element_functions.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/backends/omp/runtime/workspace.hpp>
#include <xpose/backends/omp/transpose/element_moves.hpp>
#include <xpose/backends/omp/transpose/kernel_table.hpp>
#include <xpose/backends/omp/transpose/simd/moves.hpp>
#include <xpose/backends/omp/transpose/tile_walk.hpp>

#include <algorithm>
#include <cstring>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// One call of a kernel: the plan, its operands, and how it runs.
struct job {
  copy_plan const& plan;
  char const* in;
  char* out;
  int team;
  store_mode mode;
  tile_function const* function;  // null: a bit copy
  char* memory;                   // of copy_workspace_bytes(); null: the call takes its own

  index bytes() const { return plan.dimensions[0].extent; }
  /// The dimension that a tile spans besides dimension 1.
  int second() const { return plan.in_fastest > 1 ? plan.in_fastest : 2; }
  copy_plan::dimension dimension(int d) const {
    return d < plan.count ? plan.dimensions[d] : copy_plan::dimension{1, 0, 0};
  }
};

/// Runs task(first tile, last tile, range) on contiguous ranges of tiles, one per thread at most.
template <class Task>
void for_numbered_ranges(job const& j, tile_walk const& walk, Task const& task) {
  index const ranges = std::min<index>(j.team, walk.tiles);
  if (ranges == 1) return task(0, walk.tiles, 0);
  parallel_for(j.team, ranges, [&](index range) {
    task(walk.tiles * range / ranges, walk.tiles * (range + 1) / ranges, range);
  });
}

template <class Task>
void for_ranges(job const& j, tile_walk const& walk, Task const& task) {
  for_numbered_ranges(j, walk, [&](index first, index last, index) { task(first, last); });
}

/// Runs task(first tile, last tile, a SIMD transpose's workspace).
template <class Task>
void for_ranges_with_workspace(job const& j, tile_walk const& walk, Task const& task) {
  index const ranges = std::min<index>(j.team, walk.tiles);
  workspace const own(j.memory == nullptr ? ranges * transpose_workspace_bytes : 0, j.team);
  char* const memory = j.memory == nullptr ? own.data() : j.memory;
  for_numbered_ranges(j, walk, [&](index first, index last, index range) {
    task(first, last, memory + range * transpose_workspace_bytes);
  });
}

/// Adds every dimension of the plan from `first` on but `skipped`, without tiles.
void add_remaining_dimensions(tile_walk& walk, copy_plan const& plan, int first, int skipped) {
  for (int d = first; d < plan.count; ++d)
    if (d != skipped) walk.add(tiled(plan.dimensions[d], 1));
}

void copy_run(job const& j) {
  tile_walk walk;
  walk.add(tiled(j.plan.dimensions[0], ceil_div(j.plan.dimensions[0].extent, j.team), 4096));
  for_ranges(j, walk, [&](index first, index last) {
    walk.visit(first, last, [&](index in, index out, index bytes, index) {
      std::memcpy(j.out + out, j.in + in, static_cast<std::size_t>(bytes));
    });
  });
}

void copy_rows(job const& j) {
  auto const& run = j.plan.dimensions[0];
  auto const& rows = j.plan.dimensions[1];
  tile_walk walk;
  index const piece = std::min(run.extent, tuning.piece_bytes);
  walk.add(tiled(run, piece, 64));
  walk.add(tiled(rows, std::min(std::max<index>(1, tuning.piece_bytes / piece),
                                ceil_div(rows.extent, j.team))));
  add_remaining_dimensions(walk, j.plan, 2, 0);
  simd_kernels const& simd = active_simd_kernels();
  for_ranges(j, walk, [&](index first, index last) {
    walk.visit(first, last, [&](index in, index out, index bytes, index height) {
      simd.copy_rows(j.in + in, rows.in_stride, j.out + out, rows.out_stride, bytes, height,
                     j.mode);
    });
    if (j.mode == store_mode::streamed) simd.flush_stream();
  });
}

/// Copies rows that the input has in another order than the output, in strips of a few adjacent
/// output rows: each strip is read as that many streams, and written as one long stretch.
void reorder_rows(job const& j) {
  index const bytes = j.bytes();
  auto const written = j.dimension(1);
  auto const read = j.dimension(j.plan.in_fastest);
  tile_walk walk;
  walk.add(tiled(written, tuning.strip_rows));
  walk.add(tiled(read, std::max<index>(1, tuning.piece_bytes / bytes)));
  add_remaining_dimensions(walk, j.plan, 2, j.plan.in_fastest);
  auto const bits = reinterpret_cast<std::uintptr_t>(j.out) |
                    static_cast<std::uintptr_t>(bytes | written.out_stride | read.out_stride);
  store_mode const mode = bits % 64 == 0 ? j.mode : store_mode::cached;
  simd_kernels const& simd = active_simd_kernels();
  for_ranges(j, walk, [&](index first, index last) {
    walk.visit(first, last, [&](index in, index out, index width, index height) {
      for (index r = 0; r < height; ++r)
        simd.copy_rows(j.in + in + r * read.in_stride, written.in_stride,
                       j.out + out + r * read.out_stride, written.out_stride, bytes, width, mode);
    });
    if (mode == store_mode::streamed) simd.flush_stream();
  });
}

tile_walk strided_tiles(job const& j) {
  auto const inner = j.dimension(1);
  bool const is_turned = j.plan.in_fastest > 1;
  index const most = std::max<index>(1, tuning.piece_bytes / j.bytes());
  tile_walk walk;
  walk.add(tiled(inner, is_turned ? tuning.element_tile : most));
  walk.add(tiled(j.dimension(j.second()),
                 is_turned ? tuning.element_tile : std::max<index>(1, most / inner.extent)));
  add_remaining_dimensions(walk, j.plan, 2, j.second());
  return walk;
}

void move_strided(job const& j) {
  auto const inner = j.dimension(1);
  auto const outer = j.dimension(j.second());
  tile_walk const walk = strided_tiles(j);
  auto const& row = element_copy_for(j.bytes());
  for_ranges(j, walk, [&](index first, index last) {
    walk.visit(first, last, [&](index in, index out, index width, index height) {
      row.move({j.in + in, outer.in_stride, inner.in_stride, j.out + out, outer.out_stride,
                inner.out_stride, height, width},
               j.bytes());
    });
  });
}

/// Applies the function element by element, without scratch.
void apply_strided(job const& j) {
  auto const inner = j.dimension(1);
  auto const outer = j.dimension(j.second());
  tile_walk const walk = strided_tiles(j);
  for_ranges(j, walk, [&](index first, index last) {
    walk.visit(first, last, [&](index in, index out, index width, index height) {
      j.function->apply(j.function->f, {j.in + in, inner.in_stride, outer.in_stride, j.out + out,
                                        inner.out_stride, outer.out_stride, width, height});
    });
  });
}

/// One row through scratch, piece by piece; the first ends at a cache line of the output.
void apply_row_streamed(tile_function const& f, simd_kernels const& simd, function_tile row,
                        char* scratch) {
  index const bytes = f.out_bytes;
  index const line_offset = static_cast<index>(reinterpret_cast<std::uintptr_t>(row.to) % 64);
  index const scratch_elements = std::max<index>(1, tile_function_bytes / bytes);
  index piece = scratch_elements - line_offset / bytes;
  for (index left = row.width; left > 0; left -= piece, piece = scratch_elements) {
    piece = std::min(piece, left);
    f.apply(f.f, {row.in, row.in_step, 0, scratch, bytes, 0, piece, 1});
    simd.copy_rows(scratch, 0, row.to, 0, piece * bytes, 1, store_mode::streamed);
    row.in += piece * row.in_step;
    row.to += piece * bytes;
  }
}

void apply_rows_streamed(tile_function const& f, simd_kernels const& simd,
                         function_tile const& tile, char* scratch) {
  index const row_bytes = tile.width * f.out_bytes;
  index const rows_in_scratch = tile_function_bytes / row_bytes;
  for (index j = 0; j < tile.height;) {
    function_tile rows = tile;
    rows.in += j * tile.in_pitch;
    rows.to += j * tile.to_pitch;
    if (rows_in_scratch <= 1) {
      apply_row_streamed(f, simd, rows, scratch);
      ++j;
      continue;
    }
    rows.height = std::min(rows_in_scratch, tile.height - j);
    char* const to = rows.to;
    rows.to = scratch;
    rows.to_pitch = row_bytes;
    f.apply(f.f, rows);
    simd.copy_rows(scratch, row_bytes, to, tile.to_pitch, row_bytes, rows.height,
                   store_mode::streamed);
    j += rows.height;
  }
}

/// Applies the function along contiguous output rows.
void apply_rows(job const& j) {
  auto const inner = j.dimension(1);
  auto const outer = j.dimension(2);
  index const most = std::max<index>(64, tuning.piece_bytes / j.bytes());
  tile_walk walk;
  walk.add(tiled(inner, std::min(most, ceil_div(inner.extent, j.team)), 64));
  walk.add(tiled(
      outer, std::min(std::max<index>(1, most / inner.extent), ceil_div(outer.extent, j.team))));
  add_remaining_dimensions(walk, j.plan, 3, 0);
  // Elements larger than scratch are stored directly.
  bool const is_streamed = j.mode == store_mode::streamed && j.bytes() <= tile_function_bytes;
  simd_kernels const& simd = active_simd_kernels();
  for_ranges(j, walk, [&](index first, index last) {
    alignas(64) char scratch[tile_function_bytes];
    walk.visit(first, last, [&](index in, index out, index width, index height) {
      function_tile const tile{j.in + in, inner.in_stride,  outer.in_stride, j.out + out,
                               j.bytes(), outer.out_stride, width,           height};
      if (!is_streamed) j.function->apply(j.function->f, tile);
      else if (j.function->apply_streamed != nullptr) j.function->apply_streamed(tile);
      else apply_rows_streamed(*j.function, simd, tile, scratch);
    });
    if (is_streamed) simd.flush_stream();
  });
}

/// Null: elements of that size have no SIMD transpose, and are copied one by one.
cpu_tile_config const* tile_config_for(index bytes) {
  if (bytes > max_simd_element_bytes) return nullptr;
  cpu_tile_config const* row = cpu_tile_table;
  while (row->bytes != bytes && row->bytes != 0) ++row;
  return row;
}

tile_walk transpose_walk(job const& j, cpu_tile_config const& row) {
  auto const lines = j.dimension(1);
  auto const columns = j.dimension(j.plan.in_fastest);
  bool const is_streamed = j.mode == store_mode::streamed;
  bool const is_aligned =
      (reinterpret_cast<std::uintptr_t>(j.out) | static_cast<std::uintptr_t>(columns.out_stride)) %
          64 ==
      0;
  index granule = 1;  // elements that fill whole cache lines
  while (granule * j.bytes() % 64 != 0) granule *= 2;
  index const most_columns = !is_streamed ? tuning.cached_tile_columns
                             : is_aligned ? row.columns
                                          : row.columns_unaligned;
  index others = 1;
  for (int d = 2; d < j.plan.count; ++d)
    if (d != j.plan.in_fastest) others *= j.plan.dimensions[d].extent;
  // Beyond the caches, tiles are columns of the full height; within them their height is bounded.
  // Where there are too few for the team, the height is split.
  index const wanted = j.team == 1 ? 1 : (is_streamed ? 4 : 1) * j.team;
  index const strips = others * ceil_div(columns.extent, most_columns);
  index const shared_height = ceil_div(lines.extent, ceil_div(wanted, strips));
  index const most_height =
      is_streamed ? std::max(shared_height, 16 * granule)
                  : std::min(std::max(shared_height, granule), tuning.cached_tile_lines * granule);
  tile_walk walk;
  walk.add(tiled(lines, most_height, granule));
  walk.add(tiled(columns, most_columns, granule));
  add_remaining_dimensions(walk, j.plan, 2, j.plan.in_fastest);
  return walk;
}

void transpose(job const& j) {
  auto const lines = j.dimension(1);
  auto const columns = j.dimension(j.plan.in_fastest);
  tile_walk const walk = transpose_walk(j, *tile_config_for(j.bytes()));
  simd_kernels const& simd = active_simd_kernels();
  simd_transpose const move = simd.transposes_for(j.bytes()).transpose;
  for_ranges_with_workspace(j, walk, [&](index first, index last, char* workspace) {
    walk.visit(first, last, [&](index in, index out, index height, index width) {
      move({j.in + in, lines.in_stride, j.out + out, columns.out_stride, width, height, j.function,
            j.bytes()},
           j.mode, workspace);
    });
    if (j.mode == store_mode::streamed) simd.flush_stream();
  });
}

/// The dimension of a batch of small matrices; 0: there is none.
int batch_dimension(copy_plan const& plan) {
  if (plan.count < 4) return 0;
  index const bytes = plan.dimensions[0].extent * plan.dimensions[1].extent *
                      plan.dimensions[plan.in_fastest].extent;
  int const d = plan.in_fastest == 2 ? 3 : 2;
  return bytes <= max_small_matrix_bytes && plan.dimensions[d].extent >= tuning.min_batch_count ? d
                                                                                                : 0;
}

void transpose_batch(job const& j) {
  auto const lines = j.dimension(1);
  auto const columns = j.dimension(j.plan.in_fastest);
  int const d = batch_dimension(j.plan);
  auto const matrices = j.dimension(d);
  tile_walk walk;
  walk.add(tiled(matrices, ceil_div(matrices.extent, j.team)));
  walk.add(tiled({1, 0, 0}, 1));
  for (int other = 2; other < j.plan.count; ++other)
    if (other != d && other != j.plan.in_fastest) walk.add(tiled(j.dimension(other), 1));
  simd_kernels const& simd = active_simd_kernels();
  auto const move = simd.transposes_for(j.bytes()).transpose_batch;
  for_ranges_with_workspace(j, walk, [&](index first, index last, char* workspace) {
    walk.visit(first, last, [&](index in, index out, index count, index) {
      move({{j.in + in, lines.in_stride, j.out + out, columns.out_stride, columns.extent,
             lines.extent, nullptr, j.bytes()},
            count,
            matrices.in_stride,
            matrices.out_stride},
           j.mode, workspace);
    });
    if (j.mode == store_mode::streamed) simd.flush_stream();
  });
}

struct kernel_config {
  shape_class shape;
  char const* name;  // as explain() shows it; null: that of cpu_tile_table
  void (*run)(job const& j);
};
constexpr kernel_config bit_kernels[] = {
    {shape_class::run, "copy_run", copy_run},
    {shape_class::rows, "copy_rows", copy_rows},
    {shape_class::transposed, nullptr, transpose},
    {shape_class::strided, "move_strided", move_strided},
};
constexpr kernel_config batch_kernel = {shape_class::transposed, "turn_matrices", transpose_batch};
constexpr kernel_config reordering_kernel = {shape_class::rows, "reorder_rows", reorder_rows};
constexpr kernel_config function_kernels[] = {
    {shape_class::run, "copy_rows<function>", apply_rows},
    {shape_class::rows, "copy_rows<function>", apply_rows},
    {shape_class::transposed, "turn_lines<function>", transpose},
    {shape_class::strided, "move_strided<function>", apply_strided},
};

/// The kernel of a plan; null if there is nothing to do.
template <std::size_t Count>
kernel_config const* kernel_for(copy_plan const& plan, shape_class shape,
                                kernel_config const (&table)[Count]) {
  bool const has_no_simd =
      shape == shape_class::transposed && tile_config_for(plan.dimensions[0].extent) == nullptr;
  for (kernel_config const& row : table)
    if (row.shape == (has_no_simd ? shape_class::strided : shape)) return &row;
  return nullptr;
}

kernel_config const* bit_kernel(copy_plan const& runs) {
  kernel_config const* const kernel = kernel_for(runs, class_of(runs), bit_kernels);
  if (kernel == nullptr || runs.in_fastest <= 1) return kernel;
  if (kernel->run == transpose) return batch_dimension(runs) != 0 ? &batch_kernel : kernel;
  index const run = runs.dimensions[0].extent;
  return run >= tuning.min_reordered_bytes && run <= tuning.max_reordered_bytes ? &reordering_kernel
                                                                                : kernel;
}
kernel_config const* function_kernel(copy_plan const& elements, index in_bytes) {
  return kernel_for(elements, class_of_function(elements, in_bytes), function_kernels);
}

bool has_set_conflicts(copy_plan const& plan) {
  return std::any_of(plan.dimensions + 1, plan.dimensions + plan.count,
                     [](copy_plan::dimension const& d) {
                       return d.in_stride % 4096 == 0 || d.out_stride % 4096 == 0;
                     });
}

void launch(kernel_config const* kernel, execution const& where, copy_plan const& plan,
            tensor_operand const& in, tensor_operand const& out, tile_function const* function,
            char* memory) {
  if (kernel == nullptr) return;
  char const* const name =
      kernel->name != nullptr ? kernel->name : tile_config_for(plan.dimensions[0].extent)->kernel;
  if (explain_only(where, name)) return;
  int const team =
      plan.units <= tuning.single_thread_bytes ? 1 : team_size(where.threads, plan.units);
  index const in_bytes =
      function == nullptr ? plan.units : plan.units / function->out_bytes * function->in_bytes;
  index const set_conflict_factor = has_set_conflicts(plan) ? tuning.set_conflict_factor : 1;
  bool const is_streamed = exceeds_caches(team, (in_bytes + plan.units) * set_conflict_factor);
  kernel->run({plan, first_unit<char const>(in, plan.in_offset),
               first_unit<char>(out, plan.out_offset), team,
               is_streamed ? store_mode::streamed : store_mode::cached, function, memory});
}

}  // namespace

void omp_copy_tiles(execution const& where, tensor_operand const& in, tensor_operand const& out,
                    tile_function const& function) {
  copy_plan const plan = plan_function(in, out);
  launch(function_kernel(plan, function.in_bytes), where, plan, in, out, &function, nullptr);
}

index copy_workspace_bytes(int threads) {
  constexpr index several = 2;  // tiles; more do not matter
  return team_for(threads, several) * transpose_workspace_bytes;
}

void omp_copy_bits(execution const& where, tensor_operand const& in, tensor_operand const& out,
                   char* memory) {
  copy_plan const plan = plan_runs(in, out);
  launch(bit_kernel(plan), where, plan, in, out, nullptr, memory);
}

void omp_run_copy(execution const& where, copy_request const& r) {
  if (has_stand_in(r)) return omp_run_copy(where, by_stand_in(r));
  if (r.function == element_function::copy_bits) return omp_copy_bits(where, r.in, r.out, nullptr);
  if (r.function == element_function::cast) {
    tile_function const cast = active_simd_kernels().cast_of(r.in.type, r.out.type);
    if (cast.apply != nullptr) return omp_copy_tiles(where, r.in, r.out, cast);
  }
  constexpr auto casts = compiled_casts::without_stand_in;
  run_element_function<casts>(r, [&](auto from, auto to, auto f) {
    omp_copy<typename decltype(from)::type, typename decltype(to)::type>(where, r.in, r.out, f);
  });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
