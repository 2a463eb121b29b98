// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a view of an iterator is read only; the output needs memory, as a matrix_view

#include <xpose/xpose.hpp>

#include <vector>

using numbers = xpose::iterator_view<std::vector<bool>::const_iterator>;

void call(xpose::matrix_view<bool const> in, numbers out) { xpose::transpose(xpose::omp, in, out); }
