// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The names that code in the documents uses without declaring them. Only compiled, never linked.
#pragma once

#include <xpose/plan.hpp>
#include <xpose/xpose.hpp>

#include <array>
#include <complex>
#include <cstdio>
#include <memory_resource>
#include <thread>
#include <vector>

namespace xp = xpose;

extern float* p;  // 300 x 200
extern float* q;  // 200 x 300
extern float* r;
extern std::complex<float>* z;

extern xp::matrix_view<float> A;  // m x k
extern xp::matrix_view<float> B;  // k x n
extern xp::matrix_view<float> C;  // m x n
extern xp::matrix_view<float> in;
extern xp::matrix_view<float> out;
extern xp::tensor_view<float, 4> in4;
extern xp::tensor_view<float, 4> out4;
extern xp::matrix_view<xp::bfloat16> H;
extern xp::matrix_view<std::complex<float>> Z;
extern xp::matrix_view<std::complex<float>> W;

extern xp::stream_handle stream;  // a cudaStream_t
extern std::pmr::memory_resource& pool;
