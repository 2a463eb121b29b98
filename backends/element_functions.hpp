// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The compiled element functions: from the numbers in a request to typed code. The one list of
// conjugations and casts, which every backend instantiates.
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
/// And from either of these lists to the other.
using castable_float8s = type_list<float8_e4m3, float8_e5m2>;
using castable_with_float8s = type_list<float16, bfloat16, float>;
using castable_complexes = type_list<complex_value<float>, complex_value<double>>;

template <class In, class Out, class Run>
bool cast_if_asked(copy_request const& r, Run const& run) {
  if constexpr (!std::is_same_v<In, Out>) {
    if (r.in.type == element_type_of<In>() && r.out.type == element_type_of<Out>()) {
      run(type_tag<In>{}, type_tag<Out>{}, cast<Out>{});
      return true;
    }
  }
  return false;
}

template <class In, class Run, class... Outs>
bool cast_from(copy_request const& r, type_list<Outs...>, Run const& run) {
  return (cast_if_asked<In, Outs>(r, run) || ...);
}

template <class Run, class... Ins, class Outs>
bool cast_between(copy_request const& r, type_list<Ins...>, Outs outs, Run const& run) {
  return (cast_from<Ins>(r, outs, run) || ...);
}

template <class Complex, class Run>
bool conjugate_if_asked(copy_request const& r, Run const& run) {
  if (r.in.type != element_type_of<Complex>()) return false;
  run(type_tag<Complex>{}, type_tag<Complex>{}, conjugate{});
  return true;
}

/// run(type_tag<In>, type_tag<Out>, f) for the request's function. dispatch_copy sends only listed
/// functions here, so one always fits.
template <class Run>
void run_element_function(copy_request const& r, Run const& run) {
  if (r.function == element_function::conjugate)
    (void)(conjugate_if_asked<complex_value<float>>(r, run) ||
           conjugate_if_asked<complex_value<double>>(r, run));
  else
    (void)(cast_between(r, castable_reals{}, castable_reals{}, run) ||
           cast_between(r, castable_complexes{}, castable_complexes{}, run) ||
           cast_between(r, castable_float8s{}, castable_with_float8s{}, run) ||
           cast_between(r, castable_with_float8s{}, castable_float8s{}, run));
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
