// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// omp's copies and transposes: plan, choose a kernel, split into tiles, hand each thread a
// contiguous range of tiles.

#include <xpose/backends/omp/transpose/driver.hpp>

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/problems/element_functions.hpp>
#include <xpose/backends/omp/runtime/settings.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/backends/omp/runtime/workspace.hpp>
#include <xpose/backends/omp/transpose/kernel_table.hpp>
#include <xpose/backends/omp/transpose/simd/moves.hpp>
#include <xpose/backends/omp/transpose/small.hpp>
#include <xpose/backends/omp/transpose/tile_walk.hpp>

#include <algorithm>
#include <cstring>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// One call: what is copied, and how.
struct copy_job {
  copy_plan const& plan;
  shape_class shape;
  char const* in;
  char* out;
  tile_function const* function;  // null: a bit copy
  char* memory;                   // of copy_workspace_bytes(); null: the call takes its own
  int team = 1;
  store_mode mode = store_mode::cached;

  index bytes() const { return plan.dimensions[0].extent; }
  /// The dimension that a tile spans besides dimension 1.
  int second() const { return plan.in_fastest > 1 ? plan.in_fastest : 2; }
  copy_plan::dimension dimension(int d) const {
    return d < plan.count ? plan.dimensions[d] : copy_plan::dimension{1, 0, 0};
  }
};

/// Calls visit(in, out, extent along axis 0, along axis 1, range) for every tile. Each thread takes
/// one contiguous range of them. `simd`: the kernels that streamed; null: none did.
template <class Visit>
void for_each_tile(copy_job const& job, tile_walk const& walk, simd_kernels const* simd,
                   Visit const& visit) {
  index const ranges = std::min<index>(job.team, walk.tiles);
  auto const visit_range = [&](index first, index last, index range) {
    walk.visit(first, last, [&](index in, index out, index extent_0, index extent_1) {
      visit(job.in + in, job.out + out, extent_0, extent_1, range);
    });
    if (simd != nullptr && job.mode == store_mode::streamed) simd->flush_stream();
  };
  if (ranges == 1) return visit_range(0, walk.tiles, 0);
  parallel_for(job.team, ranges, [&](index range) {
    visit_range(walk.tiles * range / ranges, walk.tiles * (range + 1) / ranges, range);
  });
}

/// The same with workspace for the SIMD transposes: visit(.., workspace).
template <class Visit>
void for_each_transposed_tile(copy_job const& job, tile_walk const& walk, simd_kernels const& simd,
                              Visit const& visit) {
  index const own_ranges = job.memory != nullptr ? 0 : std::min<index>(job.team, walk.tiles);
  workspace const own(own_ranges * transpose_workspace_bytes, job.team);
  char* const memory = job.memory != nullptr ? job.memory : own.data();
  for_each_tile(job, walk, &simd, [&](char const* in, char* out, index a, index b, index range) {
    visit(in, out, a, b, memory + range * transpose_workspace_bytes);
  });
}

/// Whether an address is that of a cache line, and stays so at any multiple of the strides.
bool is_line_aligned(char const* address, index strides) {
  return (reinterpret_cast<std::uintptr_t>(address) | static_cast<std::uintptr_t>(strides)) % 64 ==
         0;
}

/// Adds every dimension of the plan from `first` on but `skipped`, without tiles.
void add_remaining_dimensions(tile_walk& walk, copy_plan const& plan, int first, int skipped) {
  for (int d = first; d < plan.count; ++d)
    if (d != skipped) walk.add(tiled(plan.dimensions[d], 1));
}

void copy_run(copy_job const& job) {
  auto const& run = job.plan.dimensions[0];
  tile_walk walk;
  walk.add(tiled(run, ceil_div(run.extent, job.team), 4096));
  for_each_tile(job, walk, nullptr, [](char const* in, char* out, index bytes, index, index) {
    std::memcpy(out, in, static_cast<std::size_t>(bytes));
  });
}

void copy_rows(copy_job const& job) {
  auto const& run = job.plan.dimensions[0];
  auto const& rows = job.plan.dimensions[1];
  tile_walk walk;
  index const piece = std::min(run.extent, tuning.piece_bytes);
  walk.add(tiled(run, piece, 64));
  walk.add(tiled(rows, std::min(std::max<index>(1, tuning.piece_bytes / piece),
                                ceil_div(rows.extent, job.team))));
  add_remaining_dimensions(walk, job.plan, 2, 0);
  simd_kernels const& simd = active_simd_kernels();
  for_each_tile(job, walk, &simd, [&](char const* in, char* out, index bytes, index height, index) {
    simd.copy_rows(in, rows.in_stride, out, rows.out_stride, bytes, height, job.mode);
  });
}

/// Copies rows that the input has in another order than the output, in strips of a few adjacent
/// output rows: each strip is read as that many streams, and written as one long stretch.
void reorder_rows(copy_job const& given) {
  index const bytes = given.bytes();
  auto const written = given.dimension(1);
  auto const read = given.dimension(given.plan.in_fastest);
  tile_walk walk;
  walk.add(tiled(written, tuning.strip_rows));
  walk.add(tiled(read, std::max<index>(1, tuning.piece_bytes / bytes)));
  add_remaining_dimensions(walk, given.plan, 2, given.plan.in_fastest);
  copy_job job = given;
  if (!is_line_aligned(job.out, bytes | written.out_stride | read.out_stride))
    job.mode = store_mode::cached;
  simd_kernels const& simd = active_simd_kernels();
  for_each_tile(job, walk, &simd, [&](char const* in, char* out, index width, index height, index) {
    for (index r = 0; r < height; ++r)
      simd.copy_rows(in + r * read.in_stride, written.in_stride, out + r * read.out_stride,
                     written.out_stride, bytes, width, job.mode);
  });
}

/// Copies elements one by one, or applies the function to them, between any strides.
void copy_strided(copy_job const& job) {
  index const bytes = job.bytes();
  tile_function const f = job.function != nullptr ? *job.function : element_copy_of(bytes);
  auto const inner = job.dimension(1);
  auto const outer = job.dimension(job.second());
  bool const is_transposed = job.plan.in_fastest > 1;
  index const max = std::max<index>(1, tuning.piece_bytes / bytes);
  tile_walk walk;
  walk.add(tiled(inner, is_transposed ? tuning.element_tile : max));
  walk.add(
      tiled(outer, is_transposed ? tuning.element_tile : std::max<index>(1, max / inner.extent)));
  add_remaining_dimensions(walk, job.plan, 2, job.second());
  for_each_tile(job, walk, nullptr,
                [&](char const* in, char* out, index width, index height, index) {
                  f.apply(f.f, {in, inner.in_stride, outer.in_stride, out, inner.out_stride,
                                outer.out_stride, width, height});
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
                         function_tile const& tile) {
  alignas(64) char scratch[tile_function_bytes];
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
void apply_rows(copy_job const& given) {
  auto const inner = given.dimension(1);
  auto const outer = given.dimension(2);
  index const max = std::max<index>(64, tuning.piece_bytes / given.bytes());
  tile_walk walk;
  walk.add(tiled(inner, std::min(max, ceil_div(inner.extent, given.team)), 64));
  walk.add(tiled(
      outer, std::min(std::max<index>(1, max / inner.extent), ceil_div(outer.extent, given.team))));
  add_remaining_dimensions(walk, given.plan, 3, 0);
  copy_job job = given;
  // Elements larger than scratch are stored directly.
  if (job.bytes() > tile_function_bytes) job.mode = store_mode::cached;
  tile_function const& f = *job.function;
  simd_kernels const& simd = active_simd_kernels();
  for_each_tile(job, walk, &simd, [&](char const* in, char* out, index width, index height, index) {
    function_tile const tile{in,          inner.in_stride,  outer.in_stride, out,
                             job.bytes(), outer.out_stride, width,           height};
    if (job.mode == store_mode::cached) f.apply(f.f, tile);
    else if (f.apply_streamed != nullptr) f.apply_streamed(tile);
    else apply_rows_streamed(f, simd, tile);
  });
}

/// Elements that fill whole cache lines.
index granule_of(index bytes) {
  index granule = 1;
  while (granule * bytes % 64 != 0) granule *= 2;
  return granule;
}

/// Whether a transpose has wide_tile. Not if output rows share sets of a cache: groups of cache
/// lines are far ahead there. Nor for 1 and 2 bytes if output rows are whole cache lines (bytes
/// 704x1000 188, 236 us from memory; 2 bytes 608x900 323, 363).
bool has_wide_tiles(copy_job const& job) {
  index const bytes = job.bytes();
  auto const lines = job.dimension(1);
  auto const columns = job.dimension(job.plan.in_fastest);
  return job.mode == store_mode::cached && job.function == nullptr &&
         first_that_takes(cpu_tile_table, bytes).wide.columns > 0 &&
         columns.extent >= tuning.min_wide_columns &&
         lines.extent >= tuning.min_wide_lines * granule_of(bytes) * job.team &&
         columns.out_stride % 512 != 0 &&
         (bytes > 2 || !is_line_aligned(job.out, columns.out_stride));
}

/// Tiles of a transpose. Beyond the caches they are columns of the full height; within them their
/// height is bounded. Where there are too few for the team, the height is split.
tile_walk transpose_walk(copy_job const& job, bool is_wide) {
  auto const lines = job.dimension(1);
  auto const columns = job.dimension(job.plan.in_fastest);
  auto const& config = first_that_takes(cpu_tile_table, job.bytes());
  bool const is_streamed = job.mode == store_mode::streamed;
  index const granule = granule_of(job.bytes());
  // Tiles of rows shorter than a cache line are wider, as long as every thread has one.
  index const cached_columns = std::max(
      tuning.cached_tile_columns, std::min(tuning.cached_tile_columns * granule / lines.extent,
                                           ceil_div(columns.extent, job.team)));
  index const max_columns = is_wide        ? config.wide.columns
                            : !is_streamed ? cached_columns
                            : is_line_aligned(job.out, columns.out_stride)
                                ? config.aligned.columns
                                : config.unaligned.columns;
  index others = 1;
  for (int d = 2; d < job.plan.count; ++d)
    if (d != job.plan.in_fastest) others *= job.plan.dimensions[d].extent;
  index const wanted = job.team == 1 ? 1 : (is_streamed || is_wide ? 4 : 1) * job.team;
  index const strips = others * ceil_div(columns.extent, max_columns);
  index const shared_height = ceil_div(lines.extent, ceil_div(wanted, strips));
  index const max_height =
      is_streamed ? std::max(shared_height, 16 * granule)
                  : std::min(std::max(shared_height, granule), tuning.cached_tile_lines * granule);
  tile_walk walk;
  walk.add(tiled(lines, max_height, granule));
  walk.add(tiled(columns, max_columns, granule));
  add_remaining_dimensions(walk, job.plan, 2, job.plan.in_fastest);
  return walk;
}

void transpose_tiles(copy_job const& job) {
  auto const lines = job.dimension(1);
  auto const columns = job.dimension(job.plan.in_fastest);
  simd_kernels const& simd = active_simd_kernels();
  simd_transpose transpose = simd.transposes_for(job.bytes()).transpose;
  bool const is_one_tile = job.plan.count == 3 && job.plan.units <= tuning.single_tile_bytes;
  if (is_one_tile && job.memory == nullptr && job.mode == store_mode::cached) {  // without a walk
    workspace const memory(transpose_workspace_bytes, 1);
    return transpose({job.in, lines.in_stride, job.out, columns.out_stride, columns.extent,
                      lines.extent, job.function, job.bytes()},
                     job.mode, memory.data());
  }
  bool const is_wide = has_wide_tiles(job);
  if (is_wide) transpose = wide_tile_kernels(job.bytes()).transposes_for(job.bytes()).transpose;
  tile_walk const walk = transpose_walk(job, is_wide);
  for_each_transposed_tile(job, walk, simd,
                           [&](char const* in, char* out, index height, index width, char* memory) {
                             transpose({in, lines.in_stride, out, columns.out_stride, width, height,
                                        job.function, job.bytes(), is_wide},
                                       job.mode, memory);
                           });
}

/// The dimension of a batch of small matrices; 0: there is none.
int batch_dimension(copy_plan const& plan) {
  if (plan.count < 4) return 0;
  index const bytes = plan.dimensions[0].extent * plan.dimensions[1].extent *
                      plan.dimensions[plan.in_fastest].extent;
  int const d = plan.in_fastest == 2 ? 3 : 2;
  bool const is_batch =
      bytes <= max_small_matrix_bytes && plan.dimensions[d].extent >= tuning.min_batch_count;
  return is_batch ? d : 0;
}

void transpose_batch(copy_job const& job) {
  auto const lines = job.dimension(1);
  auto const columns = job.dimension(job.plan.in_fastest);
  int const d = batch_dimension(job.plan);
  auto const matrices = job.dimension(d);
  tile_walk walk;
  walk.add(tiled(matrices, ceil_div(matrices.extent, job.team)));
  walk.add(tiled({1, 0, 0}, 1));
  for (int other = 2; other < job.plan.count; ++other)
    if (other != d && other != job.plan.in_fastest) walk.add(tiled(job.dimension(other), 1));
  simd_kernels const& simd = active_simd_kernels();
  auto const transpose = simd.transposes_for(job.bytes()).transpose_batch;
  for_each_transposed_tile(job, walk, simd,
                           [&](char const* in, char* out, index count, index, char* memory) {
                             transpose({{in, lines.in_stride, out, columns.out_stride,
                                         columns.extent, lines.extent, nullptr, job.bytes()},
                                        count,
                                        matrices.in_stride,
                                        matrices.out_stride},
                                       job.mode, memory);
                           });
}

bool is_run(copy_job const& job) { return job.shape == shape_class::run; }
bool has_rows(copy_job const& job) {
  return job.shape == shape_class::run || job.shape == shape_class::rows;
}
bool has_other_row_order(copy_job const& job) {
  return job.plan.in_fastest > 1 && job.bytes() >= tuning.min_reordered_bytes &&
         job.bytes() <= tuning.max_reordered_bytes;
}
bool is_transposed(copy_job const& job) {
  return job.shape == shape_class::transposed && job.bytes() <= max_simd_element_bytes;
}
bool is_small_batch(copy_job const& job) {
  return is_transposed(job) && batch_dimension(job.plan) != 0;
}

struct kernel_config {
  bool (*takes)(copy_job const& job);  // null: all others
  char const* name;                    // as explain() shows it; null: that of cpu_tile_table
  void (*run)(copy_job const& job);
};
constexpr kernel_config bit_kernels[] = {
    {is_run, "copy_run", copy_run},
    {is_small_batch, small_batch_kernel, transpose_batch},
    {is_transposed, nullptr, transpose_tiles},
    {has_other_row_order, "reorder_rows", reorder_rows},
    {has_rows, "copy_rows", copy_rows},
    {nullptr, "copy_strided", copy_strided},
};
constexpr kernel_config function_kernels[] = {
    {has_rows, "copy_rows<function>", apply_rows},
    {is_transposed, "transpose_tile<function>", transpose_tiles},
    {nullptr, "copy_strided<function>", copy_strided},
};

template <std::size_t Count>
void launch(execution const& where, kernel_config const (&kernels)[Count], copy_job job) {
  if (job.shape == shape_class::nothing) return;
  kernel_config const& kernel = first_that_takes(kernels, job);
  char const* const name =
      kernel.name != nullptr ? kernel.name : first_that_takes(cpu_tile_table, job.bytes()).kernel;
  if (explain_only(where, name)) return;
  index const out_bytes = job.plan.units;
  index const in_bytes = job.function == nullptr
                             ? out_bytes
                             : out_bytes / job.function->out_bytes * job.function->in_bytes;
  job.team = out_bytes <= tuned.move_team_bytes ? 1 : team_size(where.threads, out_bytes);
  bool const is_matrix =
      job.shape == shape_class::transposed && job.plan.count == 3 && job.function == nullptr;
  if (exceeds_caches(job.team, in_bytes + out_bytes) &&
      (!is_matrix || exceeds_l3_share(in_bytes + out_bytes)))
    job.mode = store_mode::streamed;
  kernel.run(job);
}

}  // namespace

void omp_copy_tiles(execution const& where, tensor_operand const& in, tensor_operand const& out,
                    tile_function const& function) {
  copy_plan const plan = plan_function(in, out);
  launch(
      where, function_kernels,
      {plan, class_of_function(plan, function.in_bytes), first_unit<char const>(in, plan.in_offset),
       first_unit<char>(out, plan.out_offset), &function, nullptr});
}

void omp_copy_bits(execution const& where, tensor_operand const& in, tensor_operand const& out,
                   char* memory) {
  copy_plan const plan = plan_runs(in, out);
  launch(where, bit_kernels,
         {plan, class_of(plan), first_unit<char const>(in, plan.in_offset),
          first_unit<char>(out, plan.out_offset), nullptr, memory});
}

index copy_workspace_bytes(int threads) {
  constexpr index several = 2;  // tiles; more do not matter
  return team_for(threads, several) * transpose_workspace_bytes;
}

void omp_run_copy(execution const& where, copy_request const& r) {
  if (has_stand_in(r)) return omp_run_copy(where, by_stand_in(r));
  if (r.function == element_function::copy_bits) {
    if (!transpose_small(where, r)) omp_copy_bits(where, r.in, r.out, nullptr);
    return;
  }
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
