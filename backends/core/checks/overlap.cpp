// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/core/checks/overlap.hpp>

#include <xpose/backends/core/ceil_div.hpp>

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Byte i of an element of x and byte j of an element of y coincide if
///     x.begin + sum a_k s_k + i == y.begin + sum b_k t_k + j,  a_k, b_k below the extents.
/// Counting the b_k from the highest element down inverts their signs: does
///     sum c_k w_k,  0 <= c_k <= most_k,  w = all strides of x and y,
/// meet an interval? This is a bounded subset sum, searched from the largest stride on. Equal
/// strides are one term, so two blocks of one matrix have two terms. Nested strides leave one or
/// two choices of c_k; where one stride is a small multiple of another, the interval modulo both
/// decides.
class sums_of_steps {
 public:
  void add(tensor_operand const& o) {
    for (int d = 0; d < o.count; ++d) {
      auto const [extent, stride] = o.dimensions[d];
      if (extent > 1 && stride != 0) add(std::abs(stride) * o.bytes_per_element, extent - 1);
    }
  }

  /// Whether a sum lies in [low, low + width].
  overlap meet(index low, index width) {
    width_ = width;
    terms_[count_] = {0, 0, 0, 0, true};
    for (int k = count_; k-- > 0;) {
      term& t = terms_[k];
      term const& next = terms_[k + 1];
      t.reach = t.most * t.step + next.reach;
      t.divisor = std::gcd(t.step, next.divisor);
      bool const is_last = k + 1 == count_;
      t.is_dense = is_last || (next.is_dense && t.step % next.divisor == 0 &&
                               t.step <= next.reach + next.divisor);
    }
    return keeps_apart(low) ? overlap::none : meets(0, low);
  }

 private:
  struct term {
    index step;     // w_k in bytes; the largest first
    index most;     // bound of c_k
    index reach;    // the largest sum of this term and those after it
    index divisor;  // gcd of those sums
    bool is_dense;  // whether every multiple of the divisor up to the reach is such a sum
  };

  /// Whether the interval is in a gap, if larger steps are multiples of d and smaller ones reach r:
  ///     |0 .. r|  gap  |d .. d + r|  gap  |2d ..
  /// This decides blocks of columns of one matrix, whatever their rows.
  bool keeps_apart(index low) const {
    index divisor = 0;
    for (int k = 0; k < count_; ++k) {
      divisor = std::gcd(divisor, terms_[k].step);
      index const beyond = (low % divisor + divisor) % divisor;
      if (beyond > terms_[k + 1].reach && beyond + width_ < divisor) return true;
    }
    return false;
  }

  void add(index step, index most) {
    int k = 0;
    while (k < count_ && terms_[k].step > step) ++k;
    if (k < count_ && terms_[k].step == step) {
      terms_[k].most += most;
      return;
    }
    std::copy_backward(terms_ + k, terms_ + count_, terms_ + count_ + 1);
    terms_[k] = {step, most, 0, 0, false};
    ++count_;
  }

  /// Whether a sum of the terms from k on lies in [low, low + width_].
  overlap meets(int k, index low) {
    term const& t = terms_[k];
    index const high = low + width_;
    if (high < 0 || low > t.reach) return overlap::none;
    if (low <= 0 || high >= t.reach) return overlap::some;  // zero, or all of it
    if (high / t.divisor * t.divisor < low) return overlap::none;
    if (t.is_dense) return overlap::some;
    index const rest = terms_[k + 1].reach;
    index const first = low <= rest ? 0 : ceil_div(low - rest, t.step);
    index const last = std::min(t.most, high / t.step);
    for (index c = first; c <= last; ++c) {
      if (steps_left_-- == 0) return overlap::undecided;
      overlap const found = meets(k + 1, low - c * t.step);
      if (found != overlap::none) return found;
    }
    return overlap::none;
  }

  term terms_[2 * tensor_operand::max_rank + 1];  // one more ends them
  int count_ = 0;
  index width_ = 0;
  int steps_left_ = 4096;
};

}  // namespace

byte_range range_of(tensor_operand const& o) {
  index below = 0;  // elements from the lowest one to element 0
  index span = 1;
  for (int d = 0; d < o.count; ++d) {
    auto const [extent, stride] = o.dimensions[d];
    if (extent <= 1) continue;  // its stride means nothing, and may have no absolute value
    index const reach = (extent - 1) * std::abs(stride);
    span += reach;
    if (stride < 0) below += reach;
  }
  auto const first = reinterpret_cast<std::uintptr_t>(o.data);
  return {first - static_cast<std::uint64_t>(below * o.bytes_per_element),
          span * o.bytes_per_element};
}

overlap overlap_of(tensor_operand const& x, tensor_operand const& y) {
  bool const has_memory = x.data != nullptr && y.data != nullptr;  // an iterator_view has none
  if (!has_memory || is_empty(x) || is_empty(y)) return overlap::none;
  byte_range const of_x = range_of(x);
  byte_range const of_y = range_of(y);
  if (of_x.end() <= of_y.begin || of_y.end() <= of_x.begin) return overlap::none;

  constexpr index most_bytes = index{1} << 61;  // of each, so that sums of both fit an index
  if (of_x.bytes > most_bytes || of_y.bytes > most_bytes) return overlap::undecided;
  index const ahead = static_cast<index>(of_y.begin - of_x.begin);
  index const y_reach = of_y.bytes - y.bytes_per_element;
  sums_of_steps sums;
  sums.add(x);
  sums.add(y);
  return sums.meet(ahead + y_reach - (x.bytes_per_element - 1),
                   index{x.bytes_per_element} + y.bytes_per_element - 2);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
