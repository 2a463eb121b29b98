// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/axes.hpp"

#include "npy/npy_header.hpp"
#include "terminal/failure.hpp"

#include <charconv>

namespace xpose::tools {

bool read_axes(std::string const& text, std::vector<int>& axes) {
  char const* at = text.data();
  char const* const end = at + text.size();
  while (at != end) {
    int axis = 0;
    auto const [behind, error] = std::from_chars(at, end, axis);
    if (error != std::errc() || (behind != end && (*behind != ',' || behind + 1 == end)))
      return false;
    axes.push_back(axis);
    at = behind == end ? end : behind + 1;
  }
  return true;
}

std::vector<int> axes_for(std::string const& text, std::string const& path,
                          std::vector<index> const& shape) {
  auto const count = static_cast<int>(shape.size());
  std::vector<int> axes;
  read_axes(text, axes);
  if (text.empty())
    for (int d = count; d-- > 0;) axes.push_back(d);
  std::vector<bool> is_used(shape.size());
  bool is_permutation = axes.size() == shape.size();
  for (int& axis : axes) {
    if (axis < 0) axis += count;
    is_permutation =
        is_permutation && axis >= 0 && axis < count && !is_used[static_cast<std::size_t>(axis)];
    if (is_permutation) is_used[static_cast<std::size_t>(axis)] = true;
  }
  if (!is_permutation)
    throw failure(path, "--axes ", text, " are not the axes of shape ", shape_text(shape),
                  ", each once: ", count, " numbers from 0 to ", count - 1);
  return axes;
}

}  // namespace xpose::tools
