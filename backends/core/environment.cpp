// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/core/environment.hpp>

#include <xpose/policy.hpp>

namespace xpose::detail {
std::atomic<unsigned> environment_generation{1};
}

void xpose::reload_environment() noexcept { ++detail::environment_generation; }
