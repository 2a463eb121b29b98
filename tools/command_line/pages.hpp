// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Man pages and completions of shells, written from the description of the command line.
#pragma once

#include "command_line/description.hpp"

namespace xpose::tools {

/// The man page of xpose, or of a subcommand, in roff's macros `man`.
std::string man_page(command_description const& command);
std::string man_page(command_description const& command, command_description const& sub);

std::string bash_completion(command_description const& command);
std::string zsh_completion(command_description const& command);
std::string fish_completion(command_description const& command);

}  // namespace xpose::tools
