// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: an iterator on xpose::cuda must be compiled by nvcc (name this file .cu)

#include <xpose/xpose.hpp>

#include <vector>

using numbers = xpose::iterator_view<std::vector<bool>::const_iterator>;

void call(numbers in, xpose::matrix_view<bool> out) { xpose::transpose(xpose::cuda, in, out); }
