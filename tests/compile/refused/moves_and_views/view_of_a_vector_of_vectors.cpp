// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: the rows of a vector of vectors lie apart; keep the matrix in one std::vector<T>

#include <xpose/xpose.hpp>

#include <vector>

auto call(std::vector<std::vector<float>>& rows) { return xpose::view(rows, 3, 4); }
