// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// preamble.hpp, and what ```cuda blocks need beyond it.
#pragma once

#include "preamble.hpp"

#include <xpose/thrust.hpp>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

extern thrust::device_vector<float> d_in;   // 300 x 200
extern thrust::device_vector<float> d_out;  // 200 x 300

struct square {
  __host__ __device__ float operator()(int x) const {
    return static_cast<float>(x) * static_cast<float>(x);
  }
};
