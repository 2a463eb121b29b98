// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Every instruction set of this machine in turn, through XPOSE_ISA.
#pragma once

#include <xpose/backends/omp/runtime/isa.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

/// Pins an instruction set while it lives.
class pinned_isa {
 public:
  explicit pinned_isa(char const* name) {
    char const* const set = std::getenv("XPOSE_ISA");
    if (set != nullptr) before_ = set;
    was_set_ = set != nullptr;
    setenv("XPOSE_ISA", name, 1);
  }
  ~pinned_isa() {
    if (was_set_) setenv("XPOSE_ISA", before_.c_str(), 1);
    else unsetenv("XPOSE_ISA");
  }
  pinned_isa(pinned_isa const&) = delete;
  pinned_isa& operator=(pinned_isa const&) = delete;

 private:
  std::string before_;
  bool was_set_;
};

template <class Visit>
void for_each_isa(Visit const& visit) {
  for (xpose::detail::isa const target : xpose::detail::supported_isas()) {
    std::string const name = xpose::detail::isa_name(target);
    CAPTURE(name);
    pinned_isa const pinned(name.c_str());
    visit();
  }
}
