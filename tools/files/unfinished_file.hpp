// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The one file of this process that is being written. Where the file system can make a file without
// a name (O_TMPFILE) it has none until it is complete, so that nothing is left behind however the
// process ends; elsewhere it has a temporary name, which signals and exit() remove.
#pragma once

#include <sys/types.h>

#include <string>

namespace xpose::tools {

/// Makes the signals that end the command, and exit(), remove the file first. Called once, at the
/// start.
void remove_unfinished_file_at_the_end();

/// An empty file in the folder, open for reading and writing. Returns the descriptor, which stays
/// ours, or -1 with errno set. XPOSE_TEMPORARY_NAME in the environment gives it a name at once
/// (tests do, on file systems that need none).
int create_unfinished_file(std::string const& folder, mode_t mode);

/// Closes the file and puts it in place of the one called `name` in its folder. False with errno
/// set: it is still unfinished.
bool finish_unfinished_file(std::string const& name);

/// Closes the file. No-op if there is none.
void remove_unfinished_file() noexcept;

}  // namespace xpose::tools
