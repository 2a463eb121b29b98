// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the peers on the host share: which cases an interface can express, and batches as loops.
#pragma once

#include "../peer.hpp"

#include <initializer_list>
#include <limits>

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

/// A transpose is one call for each matrix of the batch.
template <class Call>
class looped_transpose : public transpose_runner {
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
std::unique_ptr<transpose_runner> make_looped_transpose(transpose_case const& what,
                                                        std::string kernel, Call const& call) {
  return std::make_unique<looped_transpose<Call>>(what, std::move(kernel), call);
}

}  // namespace xpose::bench
