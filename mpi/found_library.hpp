// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Functions of libraries that are found when they are needed: neither their headers nor they
// themselves are needed to build.
#pragma once

#include <xpose/backends/core/message.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace xpose::detail {

/// Null if the library has none of that name.
template <class Function>
void find(void* library, char const* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

/// functions_of(library, from) of the program itself, else of the first of these libraries, or of
/// the one that the environment variable names, that has them all. None: incomplete, with the names
/// in `from`.
template <class FunctionsOf>
auto look_for(FunctionsOf const& functions_of, char const* variable,
              std::vector<std::string> names) {
  auto found = functions_of(RTLD_DEFAULT, "the program");
  if (found.is_complete()) return found;
  if (char const* const asked = std::getenv(variable)) names = {asked};
  for (std::string const& name : names) {
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) continue;
    found = functions_of(library, name);
    if (found.is_complete()) return found;
  }
  found = {};
  for (std::string const& name : names) found.from += message(found.from.empty() ? "" : ", ", name);
  return found;
}

}  // namespace xpose::detail
