// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Functions of libraries that are found when they are needed: neither their headers nor they
// themselves are needed to build.
#pragma once

#include <xpose/backends/core/message.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Null if the library has none of that name.
template <class Function>
void find(void* library, char const* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

/// What to say of a library that did not load: its name alone if there is no such file.
inline std::string not_loaded(std::string const& name) {
  char const* const why = dlerror();
  bool const is_missing =
      why == nullptr || why == name + ": cannot open shared object file: No such file or directory";
  return is_missing ? name : message(name, " (", why, ')');
}

/// Why functions of a library that loaded are not used; overloaded where there are other reasons.
template <class Functions>
std::string why_incomplete(Functions const&) {
  return "lacks functions";
}

/// functions_of(library, from) of the program itself, else of the first of these libraries, or of
/// the one that the environment variable names, that has them all. None: incomplete, with the names
/// in `from`, and why each was not taken.
template <class FunctionsOf>
auto look_for(FunctionsOf const& functions_of, char const* variable,
              std::vector<std::string> names) {
  auto found = functions_of(RTLD_DEFAULT, "the program");
  if (found.is_complete()) return found;
  if (char const* const asked = std::getenv(variable)) names = {asked};
  std::string tried;
  for (std::string const& name : names) {
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library != nullptr) found = functions_of(library, name);
    if (library != nullptr && found.is_complete()) return found;
    tried += message(
        tried.empty() ? "" : ", ",
        library == nullptr ? not_loaded(name) : message(name, " (", why_incomplete(found), ')'));
  }
  found = {};
  found.from = tried;
  return found;
}

/// What look_for() found, and what to say where that is not complete. Kept for good, as what a
/// library keeps is: held by a static reference to one that nobody deletes.
template <class Functions>
class kept_library {
 public:
  kept_library(Functions found, char const* name, char const* variable)
      : functions_(std::move(found)),
        why_not_(
            message(name, " was not found as ", functions_.from, " (", variable, " names it)")) {}

  /// Null if not complete.
  Functions const* functions() const { return functions_.is_complete() ? &functions_ : nullptr; }
  char const* why_not() const { return why_not_.c_str(); }

 private:
  Functions functions_;
  std::string why_not_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
