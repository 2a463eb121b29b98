// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The calls of compile/api_block/nvcc.cu in C++20.
#include "nvcc.cu"

static_assert(__cplusplus >= 202002L, "this file is compiled as C++20");
