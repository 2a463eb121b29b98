// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The table of kernels of element functions, and what each requires of sizes, strides and
// addresses. Assumes checked operands. Host code only.

#include <xpose/backends/cuda/elementwise/select.hpp>

#include <xpose/backends/cuda/memory/access_bytes.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Whether the address and the strides of a side are multiples of `bytes`, except stride `along`.
bool is_multiple(copy_plan const& plan, void const* first, index copy_plan::dimension::*stride,
                 int along, index bytes) {
  std::uint64_t bits = reinterpret_cast<std::uintptr_t>(first);
  for (int d = 0; d < plan.count; ++d)
    if (d != along) bits |= static_cast<std::uint64_t>(plan.dimensions[d].*stride);
  return bits % static_cast<std::uint64_t>(bytes) == 0;
}

bool keeps_order(function_copy const& c) { return !c.plan.transposes(); }

bool is_vectorizable(function_copy const& c) {
  index const vector = elements_in_vector(c.in_bytes, c.out_bytes);
  auto const& run = c.plan.dimensions[0];
  return keeps_order(c) && vector > 1 && (c.plan.count == 1 || run.extent % vector == 0) &&
         run.in_stride == c.in_bytes && run.out_stride == c.out_bytes &&
         is_multiple(c.plan, c.in, &copy_plan::dimension::in_stride, 0, vector * c.in_bytes) &&
         is_multiple(c.plan, c.out, &copy_plan::dimension::out_stride, 0, vector * c.out_bytes);
}

// Below so many elements the kernel with the lowest latency wins.
constexpr index small = index{1} << 18;
constexpr index small_unaligned = index{1} << 20;

/// Whether rows are contiguous on both sides, at multiples of these alignments in bytes.
bool has_rows_at(function_copy const& c, index in_alignment, index out_alignment) {
  return c.plan.dimensions[0].out_stride == c.out_bytes &&
         c.plan.dimensions[c.plan.in_fastest].in_stride == c.in_bytes &&
         is_multiple(c.plan, c.in, &copy_plan::dimension::in_stride, c.plan.in_fastest,
                     in_alignment) &&
         is_multiple(c.plan, c.out, &copy_plan::dimension::out_stride, 0, out_alignment);
}

bool has_contiguous_rows(function_copy const& c) {
  return has_unaligned_tile(c.in_bytes, c.out_bytes) && has_rows_at(c, c.in_bytes, c.out_bytes);
}

template <skinny_side Side>
bool is_skinny(function_copy const& c) {
  auto const& rows = c.plan.dimensions[0];
  auto const& cols = c.plan.dimensions[c.plan.in_fastest];
  return c.plan.units >= min_skinny_elements && has_contiguous_rows(c) &&
         skinny_side_of(rows.extent, cols.extent, c.in_bytes, c.out_bytes, rows.in_stride) == Side;
}

double filled_of(function_copy const& c, tile_extents const& tile) {
  return filled(c.plan.dimensions[0].extent, tile.rows) *
         filled(c.plan.dimensions[c.plan.in_fastest].extent, tile.cols);
}

/// Whether matrices fill so large a share of a tile, in what they fill of the strided ones.
bool fills(function_copy const& c, tile_extents const& tile, double share) {
  constexpr tile_extents strided{32, 32};
  return filled_of(c, tile) >= share * filled_of(c, strided);
}

/// In us, aligned and strided: 8 to 4 bytes, 2127 of 96x48 55.2 and 44.1, 301 of 200x136 44.1 and
/// 38.7, 2000 of 128x64 alike; 4 to 2 bytes, 2127 of 64x32 14.7 and 12.9, of 96x48 25.5 and
/// 30.6 (H100, 2026-11-27).
bool is_aligned(function_copy const& c) {
  double const least = c.in_bytes == 8 && c.out_bytes == 4 ? 0.8 : 0.6;
  return has_aligned_tile(c.in_bytes, c.out_bytes) && c.plan.units >= small &&
         has_rows_at(c, elements_in_vector(c.in_bytes, c.out_bytes) * c.in_bytes, sector_bytes) &&
         fills(c, aligned_tile_extents(c.out_bytes), least);
}

/// 2127 of 96x48 bfloat16 to f32 had 0.68 of a copy in tiles of 64x128, of 44x24 f64 to f32 0.55
/// (H100, 2026-11-26).
bool is_unaligned(function_copy const& c) {
  constexpr double least = 0.6;
  return c.plan.units >= small_unaligned && has_contiguous_rows(c) &&
         fills(c, unaligned_tile_extents(c.in_bytes, c.out_bytes), least);
}

/// Matrices of which a strided tile holds one each, most of it idle. Shares of a copy so and by
/// skinny or strided tiles, 4 to 2 bytes and 8 to 4: 100000 of 8x16 0.42, 0.12 and 0.81, 0.24;
/// 50000 of 12x60 0.39, 0.34 and 0.77, 0.63; 20000 of 20x20 0.44, 0.37 and 0.81, 0.73; but of 24x24
/// 0.43, 0.49 and 0.78, 0.89, of 100x12 0.39, 0.48 and 0.73, 1.05 (H200, 2026-11-28).
bool is_small_batch(function_copy const& c) {
  constexpr index most_elements = 1024;
  constexpr double max_filled = 0.45;
  index const area = c.plan.dimensions[0].extent * c.plan.dimensions[c.plan.in_fastest].extent;
  return c.plan.count > 2 && std::max(c.in_bytes, c.out_bytes) <= max_tile_element_bytes &&
         area <= most_elements && filled_of(c, {32, 32}) < max_filled;
}

/// Without gaps between rows and matrices on either side.
bool is_packed_batch(function_copy const& c) {
  if (c.plan.count != 3 || !has_contiguous_rows(c)) return false;
  auto const& rows = c.plan.dimensions[0];
  auto const& cols = c.plan.dimensions[c.plan.in_fastest];
  auto const& batch = c.plan.dimensions[c.plan.in_fastest == 1 ? 2 : 1];
  index const area = rows.extent * cols.extent;
  return rows.in_stride == cols.extent * c.in_bytes &&
         cols.out_stride == rows.extent * c.out_bytes && batch.in_stride == area * c.in_bytes &&
         batch.out_stride == area * c.out_bytes;
}

/// Packed batches of matrices of up to 16 KB. Shares of a copy by other kernels and so: small
/// matrices, 1.37 times as fast over 141 batches, 51556 of 42x11 f32 to bfloat16 0.39, 0.79; 187364
/// of 4x28 bfloat16 to f32 0.41, 0.96; 57567 of 10x26 f32 to bytes 0.38, 0.83. Larger ones from
/// 2^20 elements on, but for long skinny columns: 3056 of 115x33 f32 to bfloat16 by unaligned tiles
/// 0.38, 0.77; 24906 of 22x47 f64 to f32 by strided ones 0.86, 0.98; 7519 of 4x294 as skinny rows
/// 0.87, 1.00; but 280 of 419x16 bfloat16 to f32 1.08, 0.90; 287 of 106x31 f32 to bytes, 2^19.8,
/// 1.64, 1.33 (H200, 2026-11-30).
bool is_small_packed_batch(function_copy const& c) {
  constexpr index min_units = index{1} << 20, most_bytes_of_skinny_cols = 8 << 10;
  if (!is_packed_batch(c)) return false;
  index const bytes =
      c.plan.dimensions[0].extent * c.plan.dimensions[c.plan.in_fastest].extent * c.in_bytes;
  if (bytes > most_bytes_of_small_batched - vec16_bytes) return false;
  return is_small_batch(c) || (c.plan.units >= min_units && !(bytes > most_bytes_of_skinny_cols &&
                                                              is_skinny<skinny_side::cols>(c)));
}

bool fits_tile(function_copy const& c) { return c.out_bytes <= max_tile_element_bytes; }

constexpr function_config function_configs[] = {
    {"copy_vectors<function>", function_kernel::vectors, is_vectorizable},
    {"copy_direct<function>", function_kernel::direct, keeps_order},
    {"transpose_small_batched<function>", function_kernel::small_batched, is_small_packed_batch},
    {"transpose_small_scattered<function>", function_kernel::small_scattered, is_small_batch},
    {"transpose_skinny_cols<function>", function_kernel::skinny_cols, is_skinny<skinny_side::cols>},
    {"transpose_skinny_rows<function>", function_kernel::skinny_rows, is_skinny<skinny_side::rows>},
    {"transpose_tile_aligned<function>", function_kernel::aligned, is_aligned},
    {"transpose_tile_unaligned<function>", function_kernel::unaligned, is_unaligned},
    {"transpose_tile_strided<function>", function_kernel::strided, fits_tile},
    {"copy_direct<function>", function_kernel::direct, [](function_copy const&) { return true; }},
};

}  // namespace

function_copy plan_function_copy(tensor_operand const& in, tensor_operand const& out) {
  function_copy c{plan_elements(in, out), nullptr, nullptr, in.bytes_per_element,
                  out.bytes_per_element};
  for (int d = 0; d < c.plan.count; ++d) {
    c.plan.dimensions[d].in_stride *= c.in_bytes;
    c.plan.dimensions[d].out_stride *= c.out_bytes;
  }
  c.in = first_unit<char const>(in, c.plan.in_offset);
  c.out = first_unit<char>(out, c.plan.out_offset);
  return c;
}

function_config const& select_function_kernel(function_copy const& c) {
  function_config const* entry = function_configs;
  while (!entry->suits(c)) ++entry;
  return *entry;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
