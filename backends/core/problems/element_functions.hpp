// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The compiled element functions: the one list of conjugations and casts, and the step from a
// request's type numbers to typed code. Every backend instantiates the list, or part of it and
// stand-ins.
#pragma once

#include <xpose/backends/core/checks/check.hpp>
#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class... Types>
struct type_list {};

/// run(type_tag<T>{}) for the type of the list that has this number; false if none has.
template <class... Types, class Run>
bool run_with_type(element_type asked, type_list<Types...>, Run const& run) {
  auto const run_if_asked = [&](auto type) {
    bool const is_asked = asked == element_type_of<typename decltype(type)::type>();
    if (is_asked) run(type);
    return is_asked;
  };
  return (run_if_asked(type_tag<Types>{}) || ...);
}

using castable_reals =
    type_list<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
              std::int64_t, std::uint64_t, float16, bfloat16, float, double>;
/// Casts go from either of these two lists to the other.
using castable_float8s = type_list<float8_e4m3, float8_e5m2>;
using castable_with_float8s = type_list<float16, bfloat16, float>;
using castable_complexes = type_list<complex_value<float>, complex_value<double>>;

struct cast_types {
  element_type in;
  element_type out;
};
constexpr bool operator==(cast_types const& x, cast_types const& y) {
  return x.in == y.in && x.out == y.out;
}

/// log2 of an integer's bytes: element_type lists integers by size, signed before unsigned.
constexpr int size_number(element_type t) {
  return (static_cast<int>(t) - static_cast<int>(element_type::i8)) / 2;
}
constexpr bool is_unsigned(element_type t) {
  return (static_cast<int>(t) - static_cast<int>(element_type::i8)) % 2 == 1;
}
constexpr bool is_integer(element_type t) {
  return t >= element_type::i8 && t <= element_type::u64;
}
constexpr element_type integer_of(element_type size, bool is_unsigned) {
  return static_cast<element_type>(static_cast<int>(element_type::i8) + 2 * size_number(size) +
                                   static_cast<int>(is_unsigned));
}

/// The representative of all casts that do the same to the bits. An integer cast keeps the low
/// bytes and, where it grows, extends by the sign of its input: the output's sign does not matter.
/// A cast between integers of one size is the cast of a type to itself.
constexpr cast_types same_bits(cast_types const& t) {
  if (!is_integer(t.in) || !is_integer(t.out)) return t;
  if (size_number(t.in) == size_number(t.out)) return {t.out, t.out};
  if (size_number(t.in) > size_number(t.out))
    return {integer_of(t.in, true), integer_of(t.out, true)};
  return {t.in, integer_of(t.out, is_unsigned(t.in))};
}

/// Whether another cast, or a bit copy, does the same as the request's cast.
inline bool has_stand_in(copy_request const& r) {
  cast_types const types{r.in.type, r.out.type};
  return r.function == element_function::cast && !(same_bits(types) == types);
}
/// The same copy with the representative of its cast.
inline copy_request by_stand_in(copy_request r) {
  cast_types const types = same_bits({r.in.type, r.out.type});
  if (types.in == types.out) r.function = element_function::copy_bits;
  r.in.type = types.in;
  r.out.type = types.out;
  return r;
}

/// What a backend instantiates: all casts, or only representatives (of 56 casts between integers 18
/// are left, and bit copies).
enum class compiled_casts { all, without_stand_in };

template <compiled_casts Which, class Ins, class Outs, class Run>
bool cast_between(copy_request const& r, Ins ins, Outs outs, Run const& run) {
  bool is_compiled = false;
  run_with_type(r.in.type, ins, [&](auto in) {
    run_with_type(r.out.type, outs, [&](auto out) {
      using In = typename decltype(in)::type;
      using Out = typename decltype(out)::type;
      constexpr cast_types types{element_type_of<In>(), element_type_of<Out>()};
      if constexpr (!std::is_same_v<In, Out> &&
                    (Which == compiled_casts::all || same_bits(types) == types)) {
        run(in, out, cast<Out>{});
        is_compiled = true;
      }
    });
  });
  return is_compiled;
}

/// run(type_tag<In>, type_tag<Out>, f) for the request's function; backend_error for functions that
/// are not listed. dispatch_copy sends none.
template <compiled_casts Which, class Run>
void run_element_function(copy_request const& r, Run const& run) {
  bool const is_listed =
      r.function == element_function::conjugate
          ? run_with_type(r.in.type, castable_complexes{},
                          [&](auto type) { run(type, type, conjugate{}); })
          : cast_between<Which>(r, castable_reals{}, castable_reals{}, run) ||
                cast_between<Which>(r, castable_complexes{}, castable_complexes{}, run) ||
                cast_between<Which>(r, castable_float8s{}, castable_with_float8s{}, run) ||
                cast_between<Which>(r, castable_with_float8s{}, castable_float8s{}, run);
  if (!is_listed) refuse_types(r.op);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
