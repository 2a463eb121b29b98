// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/error.hpp>

#include <xpose/backends/core/availability.hpp>

#include <algorithm>
#include <iterator>
#include <new>
#include <string>

namespace xpose {
inline namespace v0 {

// Destructors are defined here so that the type information has one home, whichever library throws
// or catches.
error::~error() = default;

argument_error::argument_error(char const* message) : std::invalid_argument(message) {}
argument_error::~argument_error() = default;
char const* argument_error::what() const noexcept { return std::invalid_argument::what(); }

shape_error::~shape_error() = default;
layout_error::~layout_error() = default;
alias_error::~alias_error() = default;
overflow_error::~overflow_error() = default;
residency_error::~residency_error() = default;

backend_error::backend_error(char const* message) : std::runtime_error(message) {}
backend_error::~backend_error() = default;
char const* backend_error::what() const noexcept { return std::runtime_error::what(); }

cuda_error::cuda_error(int code, char const* call)
    : std::system_error(code, cuda_category(), call) {}
cuda_error::~cuda_error() = default;
char const* cuda_error::what() const noexcept { return std::system_error::what(); }

device_lost::~device_lost() = default;

std::error_category const& cuda_category() noexcept {
  class cuda_error_category final : public std::error_category {
   public:
    char const* name() const noexcept override { return "cuda"; }
    std::string message(int code) const override { return detail::cuda_error_text(code); }
  };
  static cuda_error_category const category;
  return category;
}

namespace detail {

bool means_device_lost(int code) {
  // Codes after which, says driver_types.h (CUDA 13.0), the process must be terminated.
  constexpr int losses[] = {226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911};
  return std::find(std::begin(losses), std::end(losses), code) != std::end(losses);
}

void throw_cuda_error(int code, char const* call) {
  constexpr int no_memory = 2;  // cudaErrorMemoryAllocation
  if (code == no_memory) throw std::bad_alloc();
  if (means_device_lost(code)) throw device_lost(code, call);
  throw cuda_error(code, call);
}

}  // namespace detail

}  // namespace v0
}  // namespace xpose
