// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The one temporary file of this process: it never outlives it, whatever ends it.
#pragma once

#include <string>

namespace xpose::tools {

/// Makes the signals that end the command remove the file first. Called once, at the start.
void remove_unfinished_file_on_signals();

/// mkstemp on pattern, which becomes the file's name. Returns the descriptor, or -1 with errno set.
int create_unfinished_file(std::string& pattern);

/// Renames the file onto target. False with errno set: it still exists.
bool finish_unfinished_file(std::string const& target);

/// No-op if there is none.
void remove_unfinished_file() noexcept;

}  // namespace xpose::tools
