// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Chooses the backend and the device of a call: from its policy, the residency of its operands, and
// what this machine can run.
#pragma once

#include <xpose/detail/request.hpp>

#include <initializer_list>
#include <string>

namespace xpose::detail {

struct named_operand {
  template <class Operand>
  named_operand(char const* given, Operand const& o)
      : name(given), data(o.data), has_elements(o.data != nullptr && !is_empty(o)) {}
  char const* name;
  void const* data;  // null: empty, or an iterator_view, which has no memory
  bool has_elements;
};
using named_operands = std::initializer_list<named_operand>;

/// The reason is a literal, which costs no allocation, or text built for this call.
struct backend_choice {
  backend_id id;
  char const* literal;
  std::string text = {};
  int device = -1;  // cuda: negative: the current one

  char const* reason() const { return text.empty() ? literal : text.c_str(); }
};

/// Throws residency_error for operands that the backend cannot access, backend_error where it
/// cannot run, and what CUDA throws.
backend_choice choose_backend(execution const& where, operation op, named_operands operands);

}  // namespace xpose::detail
