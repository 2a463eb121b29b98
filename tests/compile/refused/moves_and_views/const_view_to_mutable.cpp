// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: conversion from

#include <xpose/xpose.hpp>

xpose::matrix_view<float> call(xpose::matrix_view<float const> in) {
  xpose::matrix_view<float> out = in;
  return out;
}
