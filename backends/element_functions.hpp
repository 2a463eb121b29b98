// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The compiled element functions: from the numbers in a request to typed code. The one list of
// conjugations and casts, from which every backend makes its own table.
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class... Types>
struct type_list {};

using castable_reals =
    type_list<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
              std::int64_t, std::uint64_t, float16, bfloat16, float, double>;
using castable_complexes = type_list<complex_value<float>, complex_value<double>>;

using copy_function = void (*)(execution const&, operand const&, operand const&);

/// Runner::run<In, Out, F>(execution, in, out) for the pair of types with these numbers, or null if
/// it is not listed.
template <class Runner, class In, class... Outs>
copy_function cast_from(element_type out, type_list<Outs...>) {
  copy_function found = nullptr;
  (void)((element_type_of<Outs>() == out && !std::is_same_v<In, Outs>
              ? (found = Runner::template run<In, Outs, cast<Outs>>, true)
              : false) ||
         ...);
  return found;
}

template <class Runner, class... Ins>
copy_function cast_between(element_type in, element_type out, type_list<Ins...> types) {
  copy_function found = nullptr;
  (void)((element_type_of<Ins>() == in ? (found = cast_from<Runner, Ins>(out, types), true)
                                       : false) ||
         ...);
  return found;
}

template <class Runner>
void run_element_function(execution const& where, copy_request const& r) {
  copy_function run = nullptr;
  if (r.function == element_function::conjugate) {
    if (r.in.type == element_type::complex_f32)
      run = Runner::template run<complex_value<float>, complex_value<float>, conjugate>;
    else run = Runner::template run<complex_value<double>, complex_value<double>, conjugate>;
  } else {
    run = cast_between<Runner>(r.in.type, r.out.type, castable_reals{});
    if (run == nullptr) run = cast_between<Runner>(r.in.type, r.out.type, castable_complexes{});
  }
  run(where, r.in, r.out);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
