// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a conjugated mdspan must have elements that xpose can conjugate

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/mdspan.hpp>

struct quaternion {
  float parts[4];
};

void call(alike::mdspan<quaternion, 2> const& m) { xpose::view(alike::conjugated(m)); }
