// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/error.hpp>

#include <xpose/backends/availability.hpp>

#include <string>

namespace xpose {
inline namespace v0 {

// The destructors are here so that type information has one home, whichever library throws or
// catches.
error::~error() = default;

argument_error::argument_error(char const* message) : std::invalid_argument(message) {}
argument_error::~argument_error() = default;
char const* argument_error::what() const noexcept {
  return std::invalid_argument::what();
}

shape_error::~shape_error() = default;
layout_error::~layout_error() = default;
alias_error::~alias_error() = default;
overflow_error::~overflow_error() = default;
residency_error::~residency_error() = default;

backend_error::backend_error(char const* message) : std::runtime_error(message) {}
backend_error::~backend_error() = default;
char const* backend_error::what() const noexcept {
  return std::runtime_error::what();
}

cuda_error::cuda_error(int code, char const* call)
    : std::system_error(code, cuda_category(), call) {}
cuda_error::~cuda_error() = default;
char const* cuda_error::what() const noexcept {
  return std::system_error::what();
}

namespace {

class cuda_error_category final : public std::error_category {
 public:
  char const* name() const noexcept override { return "cuda"; }
  std::string message(int code) const override { return detail::cuda_error_text(code); }
};

}  // namespace

std::error_category const& cuda_category() noexcept {
  static cuda_error_category const category;
  return category;
}

}  // namespace v0
}  // namespace xpose
