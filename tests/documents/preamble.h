// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The names that C code in the documents uses without declaring them. Only compiled, never linked.
#include <xpose/xpose.h>

#include <stdio.h>

extern float *p, *q, *r;  // 300 x 200, 200 x 300, 300 x 300
extern float const* biases;
extern void* stream;      // a cudaStream_t
extern xpose_policy policy;
extern xpose_matrix in, out, A, B, C;
