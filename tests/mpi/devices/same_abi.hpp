// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Whether a function of a library's header may be called through a pointer of a type of ours, which
// has int for its enumerations and void* for its objects.
#pragma once

#include <type_traits>

template <class Ours, class Theirs>
constexpr bool is_same_argument =
    sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> ==
                                          std::is_pointer_v<Theirs>&& std::is_class_v<Ours> ==
                                          std::is_class_v<Theirs>;

template <class Ours, class Theirs>
constexpr bool is_same_abi = false;
template <class R, class... Ours, class S, class... Theirs>
constexpr bool is_same_abi<R (*)(Ours...), S(Theirs...)> = [] {
  if constexpr (sizeof...(Ours) == sizeof...(Theirs))
    return is_same_argument<R, S> && (is_same_argument<Ours, Theirs> && ...);
  else return false;
}();

/// Of a member of a struct of function pointers.
template <class Theirs, class Ours, class Struct>
constexpr bool fits(Ours Struct::*) {
  return is_same_abi<Ours, Theirs>;
}
