// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// cuda::std::complex as the complex number that std::complex is: include this where it is an
// element type. cuda::std::linalg::conjugated of CUDA 13.0 conjugates no other one, so a conjugated
// cuda::std::mdspan needs it. Needs CCCL 3 (CUDA 13); costs 0.9 s of g++ time, 3.9 s of nvcc's.
#pragma once

#include <xpose/detail/complex_value.hpp>

#include <cuda/std/complex>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class Real>
struct kernel_type<cuda::std::complex<Real>> {
  using type = complex_value<Real>;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
