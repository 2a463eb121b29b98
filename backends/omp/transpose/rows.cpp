// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// omp's copies of contiguous rows, and element functions along contiguous output rows.

#include <xpose/backends/omp/transpose/copy_job.hpp>

#include <xpose/backends/omp/transpose/kernel_table.hpp>

#include <cstring>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

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

}  // namespace

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

/// In strips of a few adjacent output rows: each strip is read as that many streams, and written as
/// one contiguous range.
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

}  // namespace detail
}  // namespace v0
}  // namespace xpose
