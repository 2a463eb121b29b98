// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Everything but the interop headers and layer_epilogue.hpp, whose <cmath> would cost 4000 lines.
// Includes no CUDA and no Thrust header.
#pragma once

#include <xpose/config.hpp>  // first: it refuses C++14

#include <xpose/add.hpp>
#include <xpose/batch_view.hpp>
#include <xpose/conjugated.hpp>
#include <xpose/copy.hpp>
#include <xpose/error.hpp>
#include <xpose/explain.hpp>
#include <xpose/float16.hpp>
#include <xpose/float8.hpp>
#include <xpose/functional.hpp>
#include <xpose/gemm.hpp>
#include <xpose/iterator_view.hpp>
#include <xpose/matrix_view.hpp>
#include <xpose/operands.hpp>
#include <xpose/permute.hpp>
#include <xpose/policy.hpp>
#include <xpose/semiring.hpp>
#include <xpose/tensor_view.hpp>
#include <xpose/traits.hpp>
#include <xpose/transpose.hpp>
#include <xpose/transpose_inplace.hpp>
#include <xpose/view.hpp>
