// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: no matching function for call to

#include <xpose/xpose.hpp>

xpose::index call(float* p) { return xpose::matrix_view<float>(p, 3, 5, 8).rows(); }
