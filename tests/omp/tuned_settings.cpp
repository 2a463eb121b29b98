// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// No setting that tune() may change changes a bit of a result, at either end of what a file may
// say.

#include <xpose/backends/omp/runtime/named_settings.hpp>
#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

TEST_SUITE_BEGIN("omp.gemm");

namespace {

using xpose::index;
using xpose::detail::named_omp_setting;
using xpose::detail::named_omp_settings;
using xpose::detail::tuned;

/// A setting with another value, while it lives.
class other_value {
 public:
  other_value(named_omp_setting const& named, double value)
      : setting_(tuned.*named.setting), before_(setting_) {
    setting_.set(static_cast<index>(value));
  }
  other_value(other_value const&) = delete;
  other_value& operator=(other_value const&) = delete;
  ~other_value() { setting_.set(before_); }

 private:
  xpose::detail::omp_setting& setting_;
  index before_;
};

template <class T>
std::vector<T> numbers(index count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  std::uint32_t state = 1;
  for (T& value : values) {
    state = state * 1664525u + 1013904223u;
    if constexpr (std::is_integral_v<T>) value = static_cast<T>(state >> 24);
    else value = static_cast<T>(static_cast<float>(state >> 8) / 16777216.f - 0.5f);
  }
  return values;
}

/// The bytes of A B, whose sums round.
template <class T>
std::string product(index rows, index cols, index k, index batch, int threads) {
  using C = std::conditional_t<std::is_same_v<T, std::int8_t>, std::int32_t, T>;
  auto const a = numbers<T>(batch * rows * k);
  auto const b = numbers<T>(batch * k * cols);
  std::vector<C> c(static_cast<std::size_t>(batch * rows * cols));
  xpose::gemm(xpose::omp.with(xpose::threads{threads}), xpose::batch(a.data(), batch, rows, k),
              xpose::batch(b.data(), batch, k, cols), xpose::batch(c.data(), batch, rows, cols));
  return {reinterpret_cast<char const*>(c.data()), c.size() * sizeof(C)};
}

TEST_CASE_TEMPLATE("gemm on omp has the same bits whatever is tuned", T, float, double,
                   xpose::bfloat16, std::int8_t) {
  struct {
    index rows, cols, k, batch;
  } const shapes[] = {{60, 70, 80, 1},   {300, 290, 1100, 1}, {17, 33, 5000, 1},
                      {400, 16, 900, 1}, {8, 3000, 500, 1},   {1, 700, 900, 1},
                      {8, 8, 8, 40},     {70, 50, 300, 9},    {1500, 1300, 700, 1}};
  for (auto const& s : shapes) {
    CAPTURE(s.rows);
    CAPTURE(s.cols);
    for (int const threads : {1, 3}) {
      CAPTURE(threads);
      std::string const expected = product<T>(s.rows, s.cols, s.k, s.batch, threads);
      for (named_omp_setting const& named : named_omp_settings) {
        CAPTURE(named.name);
        for (double const value : {named.least, named.most}) {
          other_value const changed(named, value);
          CHECK((product<T>(s.rows, s.cols, s.k, s.batch, threads) == expected));
        }
      }
    }
  }
}

TEST_CASE("transposes on omp have the same bits whatever is tuned") {
  index const rows = 700, cols = 900;
  auto const in = numbers<float>(rows * cols);
  auto const transposed = [&] {
    std::vector<float> out(in.size());
    xpose::transpose(xpose::omp.with(xpose::threads{3}),
                     xpose::matrix_view<float const>(in.data(), rows, cols),
                     xpose::matrix_view<float>(out.data(), cols, rows));
    return out;
  };
  auto const expected = transposed();
  for (named_omp_setting const& named : named_omp_settings)
    for (double const value : {named.least, named.most}) {
      CAPTURE(named.name);
      other_value const changed(named, value);
      CHECK((transposed() == expected));
    }
}

}  // namespace

TEST_SUITE_END();
