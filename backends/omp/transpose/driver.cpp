// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// omp's copies and transposes: plan, choose a kernel, split into tiles, hand each thread a
// contiguous range of tiles.

#include <xpose/backends/omp/transpose/driver.hpp>

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/problems/element_functions.hpp>
#include <xpose/backends/omp/runtime/settings.hpp>
#include <xpose/backends/omp/transpose/copy_job.hpp>
#include <xpose/backends/omp/transpose/kernel_table.hpp>
#include <xpose/backends/omp/transpose/small.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

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

/// Elements that fill whole cache lines.
index granule_of(index bytes) {
  index granule = 1;
  while (granule * bytes % 64 != 0) granule *= 2;
  return granule;
}

/// Whether tiles of a transpose within the caches may have more than cached_tile_columns: elements
/// of 1, 2, 4, 8 and 16 bytes, and lines for every thread. Not if output rows share sets of a
/// cache: groups of cache lines are far ahead there.
bool may_have_large_tiles(copy_job const& job) {
  index const bytes = job.bytes();
  return job.mode == store_mode::cached && job.function == nullptr &&
         first_that_takes(cpu_tile_table, bytes).wide.columns > 0 &&
         job.dimension(1).extent >= tuning.min_wide_lines * granule_of(bytes) * job.team &&
         job.dimension(job.plan.in_fastest).out_stride % 512 != 0;
}

/// Whether a transpose has wide_tile. Not for 1 and 2 bytes if output rows are whole cache lines
/// (bytes 704x1000 188, 236 us from memory; 2 bytes 608x900 323, 363).
bool has_wide_tiles(copy_job const& job) {
  auto const columns = job.dimension(job.plan.in_fastest);
  return !register_lines_pay() && may_have_large_tiles(job) &&
         columns.extent >= tuning.min_wide_columns &&
         (job.bytes() > 2 || !is_line_aligned(job.out, columns.out_stride));
}

/// Tiles of a transpose. Beyond the caches they are columns of the full height; within them their
/// height is bounded. Where there are too few for the team, the height is split.
tile_walk transpose_walk(copy_job const& job, bool is_wide) {
  auto const lines = job.dimension(1);
  auto const columns = job.dimension(job.plan.in_fastest);
  auto const& config = first_that_takes(cpu_tile_table, job.bytes());
  bool const is_streamed = job.mode == store_mode::streamed;
  index const granule = granule_of(job.bytes());
  bool const has_register_lines = register_lines_pay() && may_have_large_tiles(job);
  // Tiles of rows shorter than a cache line are wider, as long as every thread has one.
  index const cached_columns =
      has_register_lines ? tuning.register_tile_columns
                         : std::max(tuning.cached_tile_columns,
                                    std::min(tuning.cached_tile_columns * granule / lines.extent,
                                             ceil_div(columns.extent, job.team)));
  index const max_columns = is_wide        ? config.wide.columns
                            : !is_streamed ? cached_columns
                            : is_line_aligned(job.out, columns.out_stride)
                                ? config.aligned.columns
                                : config.unaligned.columns;
  index others = 1;
  for (int d = 2; d < job.plan.count; ++d)
    if (d != job.plan.in_fastest) others *= job.plan.dimensions[d].extent;
  index const wanted =
      job.team == 1 ? 1 : (is_streamed || is_wide || has_register_lines ? 4 : 1) * job.team;
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
  for_each_transposed_tile(
      job, walk, simd, [&](char const* in, char* out, index height, index width, char* memory) {
        transpose({in, lines.in_stride, out, columns.out_stride, width, height, job.function,
                   job.bytes(), is_wide, job.plan.units / job.team},
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
