// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a container has no rows and columns; name it v and write xpose::view(v, rows,
// cols)

#include <xpose/xpose.hpp>

#include <vector>

void call(xpose::matrix_view<float> out) { xpose::copy(xpose::omp, std::vector<float>(12), out); }
