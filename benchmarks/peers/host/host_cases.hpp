// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the peers on the host share: which cases an interface can express, batches as loops, and the
// choice between two routines of one library.
#pragma once

#include "peers/peer.hpp"

#include <algorithm>
#include <chrono>
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

/// A routine that runs on one thread is compared with xpose on one thread only: with more, the case
/// is absent, since the comparison would be of threads.
inline bool has_one_thread(peer_context const& where) { return where.threads == 1; }

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

/// Of one call after another that warms it up. One call that takes long is not repeated.
inline double seconds_of(combine_runner& runner, void const* a, void const* b, void* c) {
  constexpr int most_calls = 5;
  constexpr double long_call = 0.02;
  double least = std::numeric_limits<double>::max();
  runner.run(a, b, c);
  for (int call = 0; call < most_calls && (call == 0 || least < long_call); ++call) {
    auto const start = std::chrono::steady_clock::now();
    runner.run(a, b, c);
    std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count());
  }
  return least;
}

/// Where a library has two routines for a product, the one that is faster on these operands.
/// Products beyond 2048 cubed (up to a second on one thread) are not tried: usual is taken.
inline std::unique_ptr<combine_runner> faster_of(gemm_case const& what,
                                                 std::unique_ptr<combine_runner> usual,
                                                 std::unique_ptr<combine_runner> other,
                                                 void const* a, void const* b, void* c) {
  constexpr double most_products = 2048.0 * 2048.0 * 2048.0;
  if (other == nullptr) return usual;
  double const products = static_cast<double>(what.batch) * static_cast<double>(what.m) *
                          static_cast<double>(what.n) * static_cast<double>(what.k);
  if (products > most_products) return usual;
  return seconds_of(*other, a, b, c) < seconds_of(*usual, a, b, c) ? std::move(other)
                                                                   : std::move(usual);
}

}  // namespace xpose::bench
