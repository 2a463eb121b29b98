// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Mistakes that one process makes, and what all of them must throw.
#pragma once

#include "processes.hpp"

#include <doctest/doctest.h>

#include <exception>
#include <string>

/// The process that makes the mistake. The others call as they should.
inline int culprit() { return context().size() - 1; }
inline bool is_culprit() { return context().rank() == culprit(); }

/// What call() throws must be an Error, with the sentence, on every process.
template <class Error, class Call>
void everyone_throws(std::string const& sentence, Call const& call) {
  std::string text = "nothing was thrown";
  try {
    call();
  } catch (Error const& e) {
    text = e.what();
  } catch (std::exception const& e) {
    text = std::string("another exception: ") + e.what();
  }
  CAPTURE(sentence);
  CAPTURE(text);
  CHECK(text.find(sentence) != std::string::npos);
}
