// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The axes of xpose permute, by the rules of numpy.transpose.
#pragma once

#include <xpose/config.hpp>

#include <string>
#include <vector>

namespace xpose::tools {

/// "2,0,-1", or nothing for an empty text. False if it is no list of integers.
bool read_axes(std::string const& text, std::vector<int>& axes);

/// The axes for an array of this shape, none negative; an empty text reverses them. Throws failure,
/// naming the file, unless they are a permutation of its axes.
std::vector<int> axes_for(std::string const& text, std::string const& path,
                          std::vector<index> const& shape);

}  // namespace xpose::tools
