// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: this combination of types, semiring and epilogue is not compiled into xpose

#include <xpose/xpose.hpp>

struct modular {
  unsigned value;
  friend modular operator+(modular a, modular b) { return {(a.value + b.value) % 97u}; }
  friend modular operator*(modular a, modular b) { return {(a.value * b.value) % 97u}; }
};

void call(xpose::matrix_view<modular const> a, xpose::matrix_view<modular> c) {
  xpose::gemm(xpose::cuda, a, a, c);
}
