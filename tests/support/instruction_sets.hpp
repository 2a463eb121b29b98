// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Every instruction set of this machine in turn, through XPOSE_ISA.
#pragma once

#include "environment_variable.hpp"

#include <xpose/backends/omp/runtime/isa.hpp>

#include <doctest/doctest.h>

#include <string>

template <class Visit>
void for_each_isa(Visit const& visit) {
  for (xpose::detail::isa const target : xpose::detail::supported_isas()) {
    std::string const name = xpose::detail::isa_name(target);
    CAPTURE(name);
    environment_variable const pinned("XPOSE_ISA", name.c_str());
    visit();
  }
}
