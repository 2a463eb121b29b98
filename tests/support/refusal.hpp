// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a call refuses, and in which words.
#pragma once

#include <xpose/error.hpp>

#include <string>

/// The message of the Error that call() throws.
template <class Error, class Call>
std::string refusal(Call const& call) {
  try {
    call();
  } catch (Error const& e) {
    return static_cast<xpose::error const&>(e).what();
  } catch (std::exception const& e) {
    return std::string("another exception: ") + e.what();
  }
  return "nothing thrown";
}
