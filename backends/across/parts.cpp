// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/across/parts.hpp>

#include <xpose/backends/core/ceil_div.hpp>

#include <algorithm>
#include <cstdlib>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr int max_rank = tensor_operand::max_rank;

/// Dimensions of more than one position, the smallest stride first; those of stride 0 are left out.
struct by_stride {
  explicit by_stride(tensor_operand const& o) {
    for (int d = 0; d < o.count; ++d)
      if (o.dimensions[d].extent > 1 && o.dimensions[d].stride != 0) order[count++] = d;
    std::stable_sort(order, order + count, [&o](int a, int b) {
      return std::abs(o.dimensions[a].stride) < std::abs(o.dimensions[b].stride);
    });
  }
  int const* begin() const { return order; }
  int const* end() const { return order + count; }

  int order[max_rank];
  int count = 0;
};

/// Contiguous bytes from the first position of the operand on.
index run_bytes(tensor_operand const& o) {
  index run = o.bytes_per_element;
  for (int const d : by_stride(o)) {
    if (std::abs(o.dimensions[d].stride) * o.bytes_per_element != run) break;
    run *= o.dimensions[d].extent;
  }
  return run;
}

tensor_operand with_extents(tensor_operand o, index const* extents) {
  for (int d = 0; d < o.count; ++d) o.dimensions[d].extent = extents[d];
  return o;
}

constexpr index tile_side = 64;

index half_of(index step) {
  index const half = ceil_div(step, index{2});
  return step > 2 * tile_side ? ceil_div(half, tile_side) * tile_side : half;
}

/// The operand's bytes a row are rounded up to it.
constexpr index row_alignment = 16;
constexpr index shortest_aligned_row = 1024;

/// Fills in the strides of a packed operand; the bytes that it takes.
index pack(tensor_operand const& o, tensor_operand& packed) {
  index bytes = o.bytes_per_element;
  auto const order = by_stride(o);
  for (int const d : order) {
    auto const [extent, stride] = o.dimensions[d];
    index const packed_stride = bytes / o.bytes_per_element;
    packed.dimensions[d].stride = stride < 0 ? -packed_stride : packed_stride;
    bytes *= extent;
    bool const is_row = d == order.order[0] && order.count > 1;
    if (is_row && bytes >= shortest_aligned_row && row_alignment % o.bytes_per_element == 0)
      bytes = ceil_div(bytes, row_alignment) * row_alignment;
  }
  for (int d = 0; d < o.count; ++d)
    if (o.dimensions[d].extent <= 1) packed.dimensions[d].stride = bytes / o.bytes_per_element;
  return bytes;
}

}  // namespace

tensor_operand part_of(tensor_operand const& o, box const& b) {
  tensor_operand part = o;
  index offset = 0;
  for (int d = 0; d < o.count; ++d) {
    part.dimensions[d].extent = b.extent[d];
    if (b.first[d] != 0) offset += b.first[d] * o.dimensions[d].stride;
  }
  part.data = static_cast<char const*>(o.data) + offset * o.bytes_per_element;
  return part;
}

index box_grid::boxes() const {
  index all = 1;
  for (int d = 0; d < count; ++d) all *= ceil_div(extent[d], step[d]);
  return all;
}

box box_grid::operator[](index number) const {
  box b{};
  for (int d = count; d-- > 0;) {
    index const steps = ceil_div(extent[d], step[d]);
    b.first[d] = number % steps * step[d];
    b.extent[d] = std::min(step[d], extent[d] - b.first[d]);
    number /= steps;
  }
  return b;
}

box_grid cut(tensor_operand const* operands, int count, index bytes) {
  tensor_operand const& shape = operands[0];
  box_grid grid{};
  grid.count = shape.count;
  for (int d = 0; d < shape.count; ++d) grid.extent[d] = grid.step[d] = shape.dimensions[d].extent;
  auto const exceeds = [&] {
    return std::any_of(operands, operands + count, [&](tensor_operand const& o) {
      return packed_bytes(with_extents(o, grid.step)) > bytes;
    });
  };
  while (exceeds()) {
    int best = -1;
    index longest = 0;
    for (int d = 0; d < grid.count; ++d) {
      if (grid.step[d] <= 1) continue;
      index const whole = grid.step[d];
      grid.step[d] = half_of(whole);
      index shortest = index{1} << 62;
      for (int n = 0; n < count; ++n)
        shortest = std::min(shortest, run_bytes(with_extents(operands[n], grid.step)));
      grid.step[d] = whole;
      bool const is_outer =
          best >= 0 && shortest == longest &&
          std::abs(shape.dimensions[d].stride) > std::abs(shape.dimensions[best].stride);
      if (best < 0 || shortest > longest || is_outer) {
        best = d;
        longest = shortest;
      }
    }
    if (best < 0) break;
    index const whole = grid.step[best];
    grid.step[best] = half_of(whole);
    if (exceeds()) continue;
    // Of the steps from there to the one that was too long, the longest that fits.
    index fits = grid.step[best];
    for (index too_long = whole; too_long - fits > 1;) {
      grid.step[best] = fits + (too_long - fits) / 2;
      (exceeds() ? too_long : fits) = grid.step[best];
    }
    index const in_tiles = fits / tile_side * tile_side;
    grid.step[best] = fits > 2 * tile_side ? in_tiles : fits;
  }
  return grid;
}

tensor_operand packed_as(tensor_operand const& o, void* memory) {
  tensor_operand packed = o;
  pack(o, packed);
  auto* first = static_cast<char*>(memory);
  for (int d = 0; d < o.count; ++d) {
    auto const [extent, stride] = packed.dimensions[d];
    if (stride < 0) first -= (extent - 1) * stride * o.bytes_per_element;
  }
  packed.data = first;
  return packed;
}

index packed_bytes(tensor_operand const& o) {
  tensor_operand packed = o;
  return pack(o, packed);
}

bool has_repeats(tensor_operand const& o) {
  return std::any_of(o.dimensions, o.dimensions + o.count,
                     [](dimension const& d) { return d.extent > 1 && d.stride == 0; });
}

void drop_repeats(tensor_operand& o, tensor_operand& other) {
  for (int d = 0; d < o.count; ++d)
    if (o.dimensions[d].stride == 0) o.dimensions[d].extent = other.dimensions[d].extent = 1;
}

index bytes_of(tensor_operand const& o) {
  index bytes = o.bytes_per_element;
  for (int d = 0; d < o.count; ++d) bytes *= o.dimensions[d].extent;
  return bytes;
}

operand matrix_of(tensor_operand const& t) {
  dimension const* const d = t.dimensions;
  return {t.data,      d[0].extent,         d[1].extent, d[2].extent, d[0].stride, d[1].stride,
          d[2].stride, t.bytes_per_element, t.alignment, t.type,      t.conjugated};
}

byte_span span_of(tensor_operand const& o) {
  auto const* first = static_cast<char const*>(o.data);
  char const* last = first + o.bytes_per_element - 1;
  for (int d = 0; d < o.count; ++d) {
    auto const [extent, stride] = o.dimensions[d];
    if (extent <= 1) continue;
    (stride < 0 ? first : last) += (extent - 1) * stride * o.bytes_per_element;
  }
  return {first, last};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
