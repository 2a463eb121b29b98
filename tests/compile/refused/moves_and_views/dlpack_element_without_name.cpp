// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: DLPack has no name for this element type

#include "interop/views_of_others/dlpack_structures.hpp"

#include <xpose/dlpack.hpp>

struct rgb {
  unsigned char channels[3];
};

auto call(DLTensor const& tensor) { return xpose::view<rgb>(tensor); }
