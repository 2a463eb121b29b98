// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/copy_plan.hpp>

#include <algorithm>
#include <cstdlib>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

using dimension = copy_plan::dimension;

/// A dimension with strides in units of `bytes`; where there is no second element its strides mean
/// nothing.
dimension dimension_of(index extent, index in_stride, index out_stride, index bytes) {
  return extent > 1 ? dimension{extent, in_stride * bytes, out_stride * bytes}
                    : dimension{extent, 0, 0};
}

void remove(copy_plan& plan, int d) {
  for (int e = d; e + 1 < plan.count; ++e) plan.dimensions[e] = plan.dimensions[e + 1];
  --plan.count;
}

void drop_extents_of_one(copy_plan& plan, int first) {
  for (int d = plan.count - 1; d >= first; --d)
    if (plan.dimensions[d].extent == 1 && plan.count > 1) remove(plan, d);
}

/// Walks a dimension backwards where the output does, so that output strides are positive.
void turn_forward(copy_plan& plan) {
  for (int d = 0; d < plan.count; ++d) {
    auto& dim = plan.dimensions[d];
    if (dim.out_stride >= 0) continue;
    plan.in_offset += (dim.extent - 1) * dim.in_stride;
    plan.out_offset += (dim.extent - 1) * dim.out_stride;
    dim.in_stride = -dim.in_stride;
    dim.out_stride = -dim.out_stride;
  }
}

bool is_product(index value, index a, index b) {
  index product = 0;
  return !__builtin_mul_overflow(a, b, &product) && product == value;
}

/// Two dimensions are one where stepping over the whole inner one equals a step of the outer one,
/// on both sides.
void merge(copy_plan& plan) {
  for (int d = 0; d + 1 < plan.count;) {
    auto& inner = plan.dimensions[d];
    auto const& outer = plan.dimensions[d + 1];
    if (is_product(outer.in_stride, inner.extent, inner.in_stride) &&
        is_product(outer.out_stride, inner.extent, inner.out_stride)) {
      inner.extent *= outer.extent;
      remove(plan, d + 1);
    } else {
      ++d;
    }
  }
}

/// Input strides of 0 repeat an element and ask for nothing, so they do not count as fast.
int fastest_input_dimension(copy_plan const& plan) {
  int fastest = 0;
  index smallest = 0;
  for (int d = 0; d < plan.count; ++d) {
    index const stride = std::abs(plan.dimensions[d].in_stride);
    if (stride != 0 && (smallest == 0 || stride < smallest)) {
      smallest = stride;
      fastest = d;
    }
  }
  return fastest;
}

void normalise(copy_plan& plan, int first_dropped) {
  drop_extents_of_one(plan, first_dropped);
  turn_forward(plan);
  std::stable_sort(
      plan.dimensions, plan.dimensions + plan.count,
      [](dimension const& a, dimension const& b) { return a.out_stride < b.out_stride; });
  merge(plan);
}

void finish(copy_plan& plan) {
  drop_extents_of_one(plan, 0);
  plan.in_fastest = fastest_input_dimension(plan);
  plan.second = plan.in_fastest != 0 ? plan.in_fastest : 1;
  plan.units = 1;
  for (int d = 0; d < plan.count; ++d) plan.units *= plan.dimensions[d].extent;
}

/// The widest word that divides the contiguous run, every other stride and both addresses.
int widest_word(copy_plan const& plan, operand const& in, operand const& out) {
  auto const address = [](void const* data, index offset) {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(data)) +
           static_cast<std::uint64_t>(offset);
  };
  std::uint64_t bits = address(in.data, plan.in_offset) | address(out.data, plan.out_offset) |
                       static_cast<std::uint64_t>(plan.dimensions[0].extent);
  for (int d = 1; d < plan.count; ++d)
    bits |= static_cast<std::uint64_t>(plan.dimensions[d].in_stride) |
            static_cast<std::uint64_t>(plan.dimensions[d].out_stride);
  int word = 16;
  while (bits % static_cast<std::uint64_t>(word) != 0) word /= 2;
  return word;
}

}  // namespace

bool copy_plan::is_narrow() const {
  constexpr index limit =
      (index{1} << 31) - (index{1} << 16);  // room for the last block's unused indices
  index in_reach = 0;
  index out_reach = 0;
  // Extents times strides fit 63 bits: the views were checked when they were built.
  for (int d = 0; d < count; ++d) {
    in_reach += (dimensions[d].extent - 1) * std::abs(dimensions[d].in_stride);
    out_reach += (dimensions[d].extent - 1) * dimensions[d].out_stride;
  }
  return units < limit && in_reach < limit && out_reach < limit;
}

copy_plan plan_words(operand const& in, operand const& out) {
  copy_plan plan{};
  plan.bytes_per_unit = 1;
  plan.count = 4;
  index const bytes = out.bytes_per_element;
  plan.dimensions[0] = {bytes, 1, 1};
  if (out.cols == 0 || out.rows == 0 || out.batch == 0) return plan;
  plan.dimensions[1] = dimension_of(out.cols, in.col_stride, out.col_stride, bytes);
  plan.dimensions[2] = dimension_of(out.rows, in.row_stride, out.row_stride, bytes);
  plan.dimensions[3] = dimension_of(out.batch, in.batch_stride, out.batch_stride, bytes);
  normalise(plan, 1);

  // Dimension 0 is the run of contiguous bytes: an element at least, and merged as far as both
  // sides allow.
  int const word = widest_word(plan, in, out);
  plan.bytes_per_unit = word;
  plan.dimensions[0].extent /= word;
  for (int d = 1; d < plan.count; ++d) {
    plan.dimensions[d].in_stride /= word;
    plan.dimensions[d].out_stride /= word;
  }
  finish(plan);
  return plan;
}

copy_plan plan_elements(operand const& in, operand const& out) {
  copy_plan plan{};
  plan.bytes_per_unit = out.bytes_per_element;
  plan.count = 3;
  if (out.cols == 0 || out.rows == 0 || out.batch == 0) return plan;
  plan.dimensions[0] = dimension_of(out.cols, in.col_stride, out.col_stride, 1);
  plan.dimensions[1] = dimension_of(out.rows, in.row_stride, out.row_stride, 1);
  plan.dimensions[2] = dimension_of(out.batch, in.batch_stride, out.batch_stride, 1);
  normalise(plan, 0);
  plan.in_offset *= in.bytes_per_element;
  plan.out_offset *= out.bytes_per_element;
  finish(plan);
  return plan;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
