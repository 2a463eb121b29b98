// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Every operation of xpose as a call that a test makes from within another one, and its result.
#pragma once

#include <xpose/xpose.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory_resource>
#include <thread>
#include <utility>
#include <vector>

namespace calls_within {

using xpose::index;

/// Small integers, so that every sum below is exact and every element of a row differs.
template <class T>
std::vector<T> numbered(index count, int modulus) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = T(static_cast<float>(static_cast<int>(i * 7 % 113) % modulus - modulus / 2));
  return values;
}

template <class T>
auto view(std::vector<T>& values, index rows, index cols) {
  return xpose::matrix_view<T>(values.data(), rows, cols);
}
template <class T>
auto view(std::vector<T> const& values, index rows, index cols) {
  return xpose::matrix_view<T const>(values.data(), rows, cols);
}

// The inner calls. Each makes operands of its own and returns its output as bytes.

using bytes = std::vector<char>;

template <class T>
bytes bytes_of(std::vector<T> const& values) {
  auto const* const first = reinterpret_cast<char const*>(values.data());
  return {first, first + values.size() * sizeof(T)};
}

template <class A, class C, class Policy, class Options>
bytes inner_gemm(Policy const& policy, index rows, index cols, index k, Options const& options) {
  auto const a = numbered<A>(rows * k, 11);
  auto const b = numbered<A>(k * cols, 13);
  std::vector<C> c(static_cast<std::size_t>(rows * cols));
  xpose::gemm(policy, view(a, rows, k), view(b, k, cols), view(c, rows, cols), options);
  return bytes_of(c);
}

enum class host_policy { reference, seq, omp };

struct inner_call {
  char const* name;
  /// side: of a matrix, roughly.
  bytes (*run)(host_policy policy, index side);
};

template <class Call>
bytes on(host_policy policy, Call const& call) {
  if (policy == host_policy::reference) return call(xpose::reference);
  return policy == host_policy::seq ? call(xpose::seq) : call(xpose::omp);
}

inline constexpr inner_call inner_calls[] = {
    {"transpose",
     [](host_policy where, index side) {
       return on(where, [&](auto policy) {
         auto const in = numbered<float>(side * (side + 3), 101);
         std::vector<float> out(in.size());
         xpose::transpose(policy, view(in, side, side + 3), view(out, side + 3, side));
         return bytes_of(out);
       });
     }},
    {"transpose with a function",
     [](host_policy where, index side) {
       return on(where, [&](auto policy) {
         auto const in = numbered<double>(side * (side + 3), 101);
         std::vector<float> out(in.size());
         xpose::transpose(policy, view(in, side, side + 3), view(out, side + 3, side),
                          [](double x) { return static_cast<float>(x + 1); });
         return bytes_of(out);
       });
     }},
    {"transpose_inplace, square",
     [](host_policy where, index side) {
       return on(where, [&](auto policy) {
         auto values = numbered<std::uint8_t>(side * side, 101);
         xpose::transpose_inplace(policy, view(values, side, side));
         return bytes_of(values);
       });
     }},
    {"transpose_inplace, packed",
     [](host_policy where, index side) {
       return on(where, [&](auto policy) {
         auto values = numbered<std::int64_t>(side * (side + 5), 101);
         xpose::transpose_inplace(policy, view(values, side, side + 5));
         return bytes_of(values);
       });
     }},
    {"add",
     [](host_policy where, index side) {
       return on(where, [&](auto policy) {
         auto const a = numbered<float>(side * side, 31);
         std::vector<float> c(a.size());
         xpose::add(policy, 2.f, view(a, side, side).transposed(), 1.f, view(a, side, side),
                    view(c, side, side));
         return bytes_of(c);
       });
     }},
    {"gemm of float",
     [](host_policy where, index side) {
       return on(where, [&](auto policy) {
         return inner_gemm<float, float>(policy, side, side + 1, side, xpose::options());
       });
     }},
    {"gemm of int8",
     [](host_policy where, index side) {
       return on(where, [&](auto policy) {
         return inner_gemm<std::int8_t, std::int32_t>(policy, side, side, side, xpose::options());
       });
     }},
    {"gemm of bfloat16",
     [](host_policy where, index side) {
       return on(where, [&](auto policy) {
         return inner_gemm<xpose::bfloat16, float>(policy, side, side, side, xpose::options());
       });
     }},
    {"gemm of long k",
     [](host_policy where, index side) {
       return on(where, [&](auto policy) {
         return inner_gemm<float, float>(policy, 16, 16, side * 32, xpose::options());
       });
     }},
    {"matrix times vector",
     [](host_policy where, index side) {
       return on(where, [&](auto policy) {
         return inner_gemm<double, double>(policy, side, 1, side * 2, xpose::options());
       });
     }},
    {"gemm over min_plus with an epilogue",
     [](host_policy where, index side) {
       return on(where, [&](auto policy) {
         return inner_gemm<float, float>(
             policy, side, side, side,
             xpose::options().over(xpose::min_plus{}).epilogue([](float x) { return x + 1; }));
       });
     }},
};

}  // namespace calls_within
