// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: elements must be trivially copyable

#include <xpose/xpose.hpp>

#include <string>

xpose::index call(std::string* words) {
  return xpose::matrix_view<std::string>(words, 2, 3).rows();
}
