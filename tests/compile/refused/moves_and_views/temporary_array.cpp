// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: the memory of a temporary array is gone when the view is used; give it a name

#include <xpose/xpose.hpp>

std::array<std::array<float, 4>, 3> made();
auto call() { return xpose::view(made()); }
