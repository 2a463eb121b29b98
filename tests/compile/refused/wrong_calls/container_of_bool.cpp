// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: std::vector<bool> packs its elements into bits; use std::vector<char>

#include <xpose/xpose.hpp>

#include <vector>

void call(std::vector<bool> const& v, std::vector<bool>& w) { xpose::transpose(xpose::omp, v, w); }
