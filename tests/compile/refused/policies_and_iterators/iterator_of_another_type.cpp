// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: input and output have different element types; pass xpose::cast<T>{} or a
// function

#include <xpose/xpose.hpp>

#include <vector>

using numbers = xpose::iterator_view<std::vector<bool>::const_iterator>;

void call(numbers in, xpose::matrix_view<float> out) { xpose::copy(xpose::seq, in, out); }
