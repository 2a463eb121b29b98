// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <xpose/policy.hpp>

#include <cstdlib>
#include <string>

/// Sets a variable of the environment while it lives, for xpose too.
class environment_variable {
 public:
  environment_variable(char const* name, char const* value) : name_(name) {
    char const* const before = std::getenv(name);
    was_set_ = before != nullptr;
    if (was_set_) before_ = before;
    setenv(name, value, 1);
    xpose::reload_environment();
  }
  ~environment_variable() {
    if (was_set_) setenv(name_, before_.c_str(), 1);
    else unsetenv(name_);
    xpose::reload_environment();
  }
  environment_variable(environment_variable const&) = delete;
  environment_variable& operator=(environment_variable const&) = delete;

 private:
  char const* name_;
  std::string before_;
  bool was_set_;
};
