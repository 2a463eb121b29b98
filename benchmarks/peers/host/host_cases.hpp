// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the peers on the host share: which cases an interface can express, and batches as loops.
#pragma once

#include "peers/peer.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <vector>

namespace xpose::bench {

/// With a 32-bit interface a larger number does not exist.
inline bool fit_int(std::initializer_list<index> values) {
  for (index const value : values)
    if (value > std::numeric_limits<int>::max()) return false;
  return true;
}

inline bool is_blas_kind(element_kind kind) {
  return kind == element_kind::f32 || kind == element_kind::f64 || kind == element_kind::c64 ||
         kind == element_kind::c128;
}

/// One dimension of a copy between two strided layouts, in elements.
struct copied_dimension {
  index extent;
  index in_stride;
  index out_stride;
};

inline std::vector<copied_dimension> dimensions_of(transpose_case const& what) {
  return {{what.batch, what.in_batch_stride, what.out_batch_stride},
          {what.rows, what.in_ld, 1},
          {what.cols, 1, what.out_ld}};
}

/// In the order of in's.
inline std::vector<copied_dimension> dimensions_of(permute_case const& what) {
  std::size_t const rank = what.extents.size();
  std::vector<copied_dimension> dimensions(rank);
  index in_stride = 1;
  index out_stride = 1;
  for (std::size_t d = rank; d-- > 0;) {
    auto const from = static_cast<std::size_t>(what.permutation[d]);
    dimensions[d].extent = what.extents[d];
    dimensions[d].in_stride = in_stride;
    dimensions[from].out_stride = out_stride;
    in_stride *= what.extents[d];
    out_stride *= what.extents[from];
  }
  return dimensions;
}

/// Elements from the first of in's or out's memory to behind the last.
inline index reach_of(std::vector<copied_dimension> const& dimensions) {
  index in = 1;
  index out = 1;
  for (auto const& d : dimensions) {
    in += (d.extent - 1) * d.in_stride;
    out += (d.extent - 1) * d.out_stride;
  }
  return std::max(in, out);
}

/// A transpose is one call for each matrix of the batch.
template <class Call>
class looped_transpose : public copy_runner {
 public:
  looped_transpose(transpose_case const& what, std::string kernel, Call const& call)
      : what_(what), kernel_(std::move(kernel)), call_(call) {}

  void run(void const* in, void* out) override {
    auto const bytes = static_cast<index>(what_.type.bytes);
    for (index matrix = 0; matrix < what_.batch; ++matrix)
      call_(static_cast<char const*>(in) + matrix * what_.in_batch_stride * bytes,
            static_cast<char*>(out) + matrix * what_.out_batch_stride * bytes);
  }
  std::string kernel() const override { return kernel_; }

 private:
  transpose_case what_;
  std::string kernel_;
  Call call_;
};

template <class Call>
std::unique_ptr<copy_runner> make_looped_transpose(transpose_case const& what, std::string kernel,
                                                   Call const& call) {
  return std::make_unique<looped_transpose<Call>>(what, std::move(kernel), call);
}

}  // namespace xpose::bench
