// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Functions fused into transpose and copy: every named cast, conjugation, and functions of the
// user's on the host.

#include "cases/copy_case.hpp"
#include "cases/gemm_cases.hpp"
#include "support/small_tests.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <vector>

TEST_SUITE_BEGIN("element_functions");

namespace {

using gemm_cases::index;

template <class T>
T sample(index i, index j) {
  int const value = static_cast<int>((i * 37 + j * 11) % 100);  // fits every type, exact in float16
  if constexpr (gemm_cases::is_complex<T>::value)
    return T(static_cast<typename T::value_type>(value),
             static_cast<typename T::value_type>(-value - 1));
  else if constexpr (std::is_integral_v<T>) return static_cast<T>(value);
  else return T(static_cast<float>(value) + 0.5f);
}

template <class From, class To>
void check_cast(backend const& on) {
  for (auto const out_pattern : {cases::pattern::row_major, cases::pattern::padded_cols}) {
    matrix<From> in(on.where, 45, 70, cases::pattern::padded_rows);
    matrix<To> out(on.where, 70, 45, out_pattern);
    in.fill([](index, index i, index j) { return sample<From>(i, j); });
    xpose::transpose(on.policy, in.there(), out.there(), xpose::cast<To>{});
    bool const is_right =
        out.holds([](index, index i, index j) { return xpose::cast<To>{}(sample<From>(j, i)); });
    CHECK(is_right);
  }
}

using reals =
    std::tuple<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
               std::int64_t, std::uint64_t, xpose::float16, xpose::bfloat16, float, double>;

template <class From, class... To>
void check_casts_from(backend const& on, std::tuple<To...> const&) {
  (check_cast<From, To>(on), ...);
}
template <class... From>
void check_all_casts(backend const& on, std::tuple<From...> const& types) {
  (check_casts_from<From>(on, types), ...);
}

TEST_CASE_TEMPLATE("cast converts between all built-in types as static_cast does", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  check_all_casts(on, reals{});
  check_cast<std::complex<float>, std::complex<double>>(on);
  check_cast<std::complex<double>, std::complex<float>>(on);
}

using integers = std::tuple<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                            std::uint32_t, std::int64_t, std::uint64_t>;

template <class From>
From integer_of_either_sign(index i, index j) {
  return static_cast<From>((i * 37 + j * 11) % 301 * (j % 2 == 0 ? 1 : -1));
}

template <class From, class To>
void check_integer_cast(backend const& on) {
  matrix<From> in(on.where, 45, 70, cases::pattern::padded_rows);
  matrix<To> turned(on.where, 70, 45, cases::pattern::odd_offset);
  matrix<To> copied(on.where, 45, 70, cases::pattern::padded_cols);
  in.fill([](index, index i, index j) { return integer_of_either_sign<From>(i, j); });
  xpose::transpose(on.policy, in.there(), turned.there(), xpose::cast<To>{});
  xpose::copy(on.policy, in.there(), copied.there(), xpose::cast<To>{});
  bool const is_right = turned.holds([](index, index i, index j) {
    return static_cast<To>(integer_of_either_sign<From>(j, i));
  }) && copied.holds([](index, index i, index j) {
    return static_cast<To>(integer_of_either_sign<From>(i, j));
  });
  CAPTURE(sizeof(From));
  CAPTURE(std::is_signed_v<From>);
  CAPTURE(sizeof(To));
  CAPTURE(std::is_signed_v<To>);
  CHECK(is_right);
}

template <class From, class... To>
void check_integer_casts_from(backend const& on, std::tuple<To...> const&) {
  (check_integer_cast<From, To>(on), ...);
}
template <class... From>
void check_integer_casts(backend const& on, std::tuple<From...> const& types) {
  (check_integer_casts_from<From>(on, types), ...);
}

TEST_CASE_TEMPLATE(
    "casts between integers keep the low bytes and repeat the sign of what they read", Backend,
    ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  check_integer_casts(Backend::get(), integers{});
}

TEST_CASE_TEMPLATE("a cast between integers of one size runs on the kernel of a transpose without",
                   Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  matrix<std::int32_t> in(on.where, 700, 1003, cases::pattern::row_major);
  matrix<std::int32_t> same(on.where, 1003, 700, cases::pattern::row_major);
  matrix<std::uint32_t> other(on.where, 1003, 700, cases::pattern::row_major);
  auto const op = xpose::operation::transpose;
  CHECK(xpose::explain(on.policy, op, in.there(), other.there(), xpose::cast<std::uint32_t>{})
            .kernel == xpose::explain(on.policy, op, in.there(), same.there()).kernel);
}

TEST_CASE_TEMPLATE("cast converts between the float8s and float, float16 and bfloat16", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  std::tuple<xpose::float8_e4m3, xpose::float8_e5m2> const shorter;
  std::tuple<xpose::float16, xpose::bfloat16, float> const longer;
  check_casts_from<xpose::float8_e4m3>(on, longer);
  check_casts_from<xpose::float8_e5m2>(on, longer);
  check_casts_from<xpose::float16>(on, shorter);
  check_casts_from<xpose::bfloat16>(on, shorter);
  check_casts_from<float>(on, shorter);
}

TEST_CASE_TEMPLATE("conjugate negates the imaginary part and leaves real types alone", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  auto const check = [&on](auto zero) {
    using T = decltype(zero);
    matrix<T> in(on.where, 33, 50, cases::pattern::row_major, 3);
    matrix<T> out(on.where, 50, 33, cases::pattern::spread, 3);
    in.fill([](index b, index i, index j) { return sample<T>(i + b, j); });
    auto const expected = [](index b, index i, index j) {
      return gemm_cases::conjugate_if(true, sample<T>(j + b, i));
    };
    xpose::transpose(on.policy, in.batch_there(), out.batch_there(), xpose::conjugate{});
    CHECK(out.holds(expected));
    out.fill([](index, index, index) { return T{}; });
    xpose::transpose(on.policy, xpose::conjugated(in.batch_there()), out.batch_there());
    CHECK(out.holds(expected));
  };
  check(std::complex<float>{});
  check(std::complex<double>{});
  check(double{});
}

/// transpose and copy through f of `sample`, between all layouts and shapes.
template <class In, class Out, class F, class Sample>
void check_all_layouts(backend const& on, F const& f, Sample const& sample_of) {
  using cases::pattern;
  for (auto const& [rows, cols] : cases::shapes())
    for (auto const in_pattern : cases::input_patterns) {
      matrix<In> in(on.where, rows, cols, in_pattern);
      sample_of(in);
      for (auto const out : cases::output_patterns) {
        if (is_left_out()) continue;
        check_copy<Out>(on, transpose_case(in_pattern, out, rows, cols), in, f);
        check_copy<Out>(on, plain_copy_case(in_pattern, out, rows, cols), in, f);
      }
    }
}

template <class Bits, class T>
std::vector<T> with_bits(std::vector<Bits> const& patterns) {
  std::vector<T> values(patterns.size());
  std::memcpy(static_cast<void*>(values.data()), patterns.data(), patterns.size() * sizeof(T));
  return values;
}

/// copied and turned, against the cast of one element after the other.
template <class To, class From>
void check_bits(backend const& on, std::vector<From> const& from, index cols) {
  index const rows = static_cast<index>(from.size()) / cols;
  std::vector<To> copied(from.size());
  std::vector<To> turned(from.size());
  xpose::matrix_view<From const> const in(from.data(), rows, cols);
  xpose::copy(on.policy, in, xpose::matrix_view<To>(copied.data(), rows, cols), xpose::cast<To>{});
  xpose::transpose(on.policy, in, xpose::matrix_view<To>(turned.data(), cols, rows),
                   xpose::cast<To>{});
  int wrong = 0;
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < cols; ++j) {
      To const expected = xpose::cast<To>{}(in(i, j));
      for (To const* to : {&copied[static_cast<std::size_t>(i * cols + j)],
                           &turned[static_cast<std::size_t>(j * rows + i)]})
        wrong += std::memcmp(to, &expected, sizeof(To)) != 0;
    }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("casts to and from the short floats give the bits of float16.hpp and float8.hpp",
                   Backend, HOST_BACKENDS) {
  backend const on = Backend::get();
  // Every pattern of the upper half, which has sign, exponent and what bfloat16 keeps, around
  // every place where either type rounds; infinities and NaN of both kinds among them.
  std::vector<std::uint16_t> halves(65536);
  std::vector<std::uint32_t> floats;
  for (std::uint32_t upper = 0; upper < 65536; ++upper) {
    halves[upper] = static_cast<std::uint16_t>(upper);
    for (std::uint32_t const lower :
         {0x0u, 0x1u, 0xfffu, 0x1000u, 0x1001u, 0x3000u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      floats.push_back(upper << 16 | lower);
  }
  std::vector<std::uint8_t> quarters(1024);
  for (std::size_t q = 0; q < quarters.size(); ++q) quarters[q] = static_cast<std::uint8_t>(q);
  for (index const cols : {256, 1024}) {
    check_bits<float>(on, with_bits<std::uint8_t, xpose::float8_e4m3>(quarters), cols);
    check_bits<float>(on, with_bits<std::uint8_t, xpose::float8_e5m2>(quarters), cols);
    check_bits<xpose::float8_e4m3>(on, with_bits<std::uint32_t, float>(floats), cols);
    check_bits<xpose::float8_e5m2>(on, with_bits<std::uint32_t, float>(floats), cols);
    check_bits<float>(on, with_bits<std::uint16_t, xpose::float16>(halves), cols);
    check_bits<float>(on, with_bits<std::uint16_t, xpose::bfloat16>(halves), cols);
    check_bits<xpose::float16>(on, with_bits<std::uint32_t, float>(floats), cols);
    check_bits<xpose::bfloat16>(on, with_bits<std::uint32_t, float>(floats), cols);
  }
}

/// Values around every place where a cast from T rounds, overflows or loses its sign; NaN and
/// infinities of floating-point types. A multiple of 1024.
template <class T>
std::vector<T> values_to_cast() {
  std::vector<T> values;
  if constexpr (std::is_integral_v<T>) {
    using limits = std::numeric_limits<T>;
    using word = std::make_unsigned_t<T>;  // wraps around
    for (int bit = 0; bit < limits::digits; ++bit)
      for (int more = -2; more <= 2; ++more) {
        auto const value = static_cast<word>((word{1} << bit) + static_cast<word>(more));
        auto const least = static_cast<word>(limits::min());
        auto const most = static_cast<word>(limits::max());
        for (auto const bits :
             {value, static_cast<word>(most - value), static_cast<word>(least + value)})
          values.push_back(static_cast<T>(bits));
      }
  } else {
    constexpr double edges[] = {0x1p-1074,      0x1.8p-150, 0x1p-149,  0x1.fffffep-127,
                                0x1p-126,       0x1p-25,    0x1.8p-25, 0x1p-24,
                                0x1.ffcp-15,    0x1p-14,    0.5,       1.,
                                127.,           255.,       2048.,     32767.,
                                65504.,         65519.,     65520.,    65535.,
                                0x1p24,         0x1.fffp30, 0x1p31,    0x1.fffffep127,
                                0x1.ffffffp127, 0x1p128,    1e300,     0.};
    constexpr double factors[] = {
        1.,          1 + 0x1p-24, 1 + 0x1p-23, 1 + 0x1p-11, 1 + 0x1.004p-11,
        1 + 0x3p-11, 1 + 0x1p-8,  1 + 0x3p-8,  1 + 0x1p-52, 0x1.004p0};
    for (double const edge : edges)
      for (double const factor : factors)
        for (double const sign : {1., -1.}) {
          if constexpr (std::is_same_v<T, double>) values.push_back(sign * edge * factor);
          else values.push_back(T(static_cast<float>(sign * edge * factor)));
        }
    float const infinity = std::numeric_limits<float>::infinity();
    for (float const special : {infinity, -infinity, std::nanf("5"), -std::nanf("")})
      values.push_back(T(special));
  }
  std::size_t const count = (values.size() + 1023) / 1024 * 1024;
  for (std::size_t i = 0; values.size() < count; ++i) values.push_back(values[i]);
  return values;
}

/// Those of the values that an integer of type To has; any number of a floating-point type.
template <class To, class From>
std::vector<From> castable_to(std::vector<From> values) {
  if constexpr (std::is_integral_v<To>)
    for (From& value : values) {
      double number;
      if constexpr (std::is_integral_v<From>) number = 0;  // whatever their value
      else number = static_cast<double>(value);
      bool const is_within = number > static_cast<double>(std::numeric_limits<To>::min()) - 1 &&
                             number < static_cast<double>(std::numeric_limits<To>::max());
      if (!is_within) value = From(0.75f);
    }
  return values;
}

template <class From, class... To>
void check_value_casts_from(backend const& on, std::tuple<To...> const&) {
  auto const values = values_to_cast<From>();
  for (index const cols : {16, 128, 1024}) (check_bits<To>(on, castable_to<To>(values), cols), ...);
}
template <class... From>
void check_value_casts(backend const& on, std::tuple<From...> const& types) {
  (check_value_casts_from<From>(on, types), ...);
}

TEST_CASE_TEMPLATE("casts between all built-in types give the bits of cast for single values",
                   Backend, HOST_BACKENDS) {
  check_value_casts(Backend::get(), reals{});
}

/// A cast of numbers, which every backend has.
template <class From, class To>
void check_cast_between_all_layouts(backend const& on) {
  check_all_layouts<From, To>(on, xpose::cast<To>{}, [](matrix<From>& in) {
    in.fill([](index, index i, index j) { return sample<From>(i, j); });
  });
}

TEST_CASE_TEMPLATE(
    "casts to types of other sizes and of the same run between all layouts and "
    "shapes",
    Backend, GUARDED_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  check_cast_between_all_layouts<float, xpose::bfloat16>(on);
  check_cast_between_all_layouts<xpose::bfloat16, float>(on);
  check_cast_between_all_layouts<float, xpose::float16>(on);
  check_cast_between_all_layouts<xpose::float16, float>(on);
  check_cast_between_all_layouts<double, xpose::bfloat16>(on);
  check_cast_between_all_layouts<float, double>(on);
  check_cast_between_all_layouts<float, std::uint8_t>(on);
  check_cast_between_all_layouts<std::uint8_t, double>(on);
  check_cast_between_all_layouts<std::int64_t, std::int8_t>(on);
  check_cast_between_all_layouts<std::int32_t, float>(on);
  check_cast_between_all_layouts<std::complex<double>, std::complex<float>>(on);
}

/// Every byte of the output tells which element it is from.
template <class In, class Out>
struct mixed_bytes {
  Out operator()(In const& x) const {
    unsigned char from[sizeof(In)];
    unsigned char to[sizeof(Out)];
    std::memcpy(from, &x, sizeof(In));
    for (std::size_t i = 0; i < sizeof(Out); ++i)
      to[i] = static_cast<unsigned char>(from[i % sizeof(In)] ^ (0x5A + i));
    Out y;
    std::memcpy(&y, to, sizeof(Out));
    return y;
  }
};

template <class In, class Out>
void check_mixed_bytes(backend const& on) {
  check_all_layouts<In, Out>(on, mixed_bytes<In, Out>{},
                             [](matrix<In>& in) { in.fill_with_bytes(); });
}

TEST_CASE_TEMPLATE(
    "a user's function of elements of every size runs between all layouts and shapes", Backend,
    GUARDED_HOST_BACKENDS) {
  backend const on = Backend::get();
  for_each_element_size([&](auto sample) {
    using T = typename decltype(sample)::type;
    check_mixed_bytes<T, T>(on);
  });
  check_mixed_bytes<std::uint8_t, aligned_element<16>>(on);
  check_mixed_bytes<std::uint64_t, std::uint8_t>(on);
  check_mixed_bytes<element<3>, std::uint32_t>(on);
}

}  // namespace

TEST_SUITE_END();
