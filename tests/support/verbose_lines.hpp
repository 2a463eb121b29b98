// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What really ran: the lines that the library prints under XPOSE_VERBOSE=1 while a call is made.
// They are printed by the driver that launches the kernel, so a policy that is misrouted shows
// here.
#pragma once

#include "environment_variable.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

/// Runs call() and returns what it wrote to standard error, with XPOSE_VERBOSE=1 set meanwhile.
template <class Call>
std::string verbose_lines(Call const& call) {
  struct redirection {
    redirection() {
      std::fflush(stderr);
      char name[] = "/tmp/xpose-verbose-XXXXXX";
      file = mkstemp(name);
      unlink(name);
      saved = dup(2);
      dup2(file, 2);
    }
    ~redirection() {
      std::fflush(stderr);
      dup2(saved, 2);
      close(saved);
      close(file);
    }
    std::string text() const {
      std::fflush(stderr);
      std::string all(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
      return pread(file, all.data(), all.size(), 0) < 0 ? std::string() : all;
    }
    int file;
    int saved;
    environment_variable verbose{"XPOSE_VERBOSE", "1"};
  };
  redirection const r;
  call();
  return r.text();
}

inline bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}
