// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: // name the temporary container first

#include <xpose/xpose.hpp>

#include <vector>

auto call() { return xpose::view(std::vector<float>(6), 2, 3); }
