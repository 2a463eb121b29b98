// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the command writes to standard output and standard error: all of it goes through here, but
// for the progress bar, which holds no text of files.
#pragma once

#include <cstdio>
#include <string>

namespace xpose::tools {

class json_object;

/// Puts something at descriptors 0 to 2 that are closed, so that no file that is opened later gets
/// their numbers and, with them, what is written to the streams. Using the stream stays an error.
void open_standard_streams();

/// printable(text) and the end of the line.
void print_line(std::FILE* to, std::string const& text);

/// The command's own text, of many lines, to standard output.
void print_text(std::string const& text);

/// In full: JSON escapes what is unprintable.
void print_json(json_object const& object, std::FILE* to = stdout);

}  // namespace xpose::tools
