// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: arrays of two dimensions are a matrix and of three a batch

#include <xpose/xpose.hpp>

auto call(float (&a)[2][3][4][5]) { return xpose::view(a); }
