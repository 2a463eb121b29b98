// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a wrong word of the command line may have been meant for.
#pragma once

#include "command_line/description.hpp"

namespace xpose::tools {

/// The candidate that is a slip or two of the keyboard away from the word, or "".
std::string nearest(std::string const& word, std::vector<std::string> const& candidates);

/// What is wrong with a command line that could not be parsed, if it is a subcommand or an option
/// that does not exist or a file too many; else "". `words` are those behind the command's name.
std::string explain_wrong_words(command_description const& command,
                                std::vector<std::string> const& words);

}  // namespace xpose::tools
