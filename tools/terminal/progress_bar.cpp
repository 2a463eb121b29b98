// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "terminal/progress_bar.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace xpose::tools {

progress_bar::progress_bar(std::string label)
    : label_(std::move(label)),
      is_terminal_(isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()) {
  char const* const set = std::getenv("XPOSE_PROGRESS_AFTER");
  silent_seconds_ = set != nullptr ? std::atof(set) : 1.0;
}

progress_bar::~progress_bar() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
}

void progress_bar::show(double done) {
  if (!is_terminal_) return;
  std::chrono::duration<double> const passed = std::chrono::steady_clock::now() - start_;
  if (passed.count() < silent_seconds_) return;
  constexpr int width = 40;
  int const filled = static_cast<int>(done * width);
  std::string const bar = std::string(static_cast<std::size_t>(filled), '#') +
                          std::string(static_cast<std::size_t>(width - filled), '.');
  double const here = done - done_before_;
  double const left = here > 0 ? passed.count() * (1 - done) / here : 0;
  std::fprintf(stderr, "\r%s [%s] %3d %%  %.0f s, about %.0f s left\033[K", label_.c_str(),
               bar.c_str(), static_cast<int>(done * 100), passed.count(), left);
  std::fflush(stderr);
  is_shown_ = true;
}

}  // namespace xpose::tools
