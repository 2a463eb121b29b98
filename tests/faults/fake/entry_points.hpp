// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Calls of xpose that between them make every call of the CUDA runtime that the library makes.
#pragma once

#include "fake_runtime.hpp"

#include <xpose/xpose.hpp>

#include <array>
#include <vector>

/// Memory of a device for the operands of one call.
struct operands {
  static constexpr std::size_t bytes = std::size_t{10} << 20;
  explicit operands(int device = 0)
      : a(xpose::detail::residency::device, bytes, device),
        b(xpose::detail::residency::device, bytes, device),
        c(xpose::detail::residency::device, bytes, device) {}
  template <class T>
  xpose::matrix_view<T const> in(xpose::index rows, xpose::index cols) const {
    return {a.as<T>(), rows, cols};
  }
  template <class T>
  xpose::matrix_view<T> out(xpose::index rows, xpose::index cols) const {
    return {c.as<T>(), rows, cols};
  }
  fake::memory a, b, c;
};

struct entry_point {
  char const* name;
  void (*run)(xpose::cuda_policy const& policy, operands const& o);
  bool moves_operands = false;  // which no capture takes
};

/// C = A B.
template <class T, class C = T, class Options = xpose::gemm_options<>>
void multiply(xpose::cuda_policy const& policy, operands const& o, xpose::index rows,
              xpose::index cols, xpose::index depth, Options const& options = {}) {
  xpose::gemm(policy, o.in<T>(rows, depth), xpose::matrix_view<T const>(o.b.as<T>(), depth, cols),
              o.out<C>(rows, cols), options);
}

inline constexpr entry_point entry_points[] = {
    {"transpose",
     [](auto& policy, auto& o) {
       xpose::transpose(policy, o.template in<float>(300, 200), o.template out<float>(200, 300));
     }},
    {"transpose through a function",
     [](auto& policy, auto& o) {
       xpose::transpose(policy, o.template in<float>(300, 200), o.template out<double>(200, 300),
                        xpose::cast<double>{});
     }},
    {"transpose of a batch",
     [](auto& policy, auto& o) {
       xpose::transpose(policy, xpose::batch(o.a.template as<float>(), 64, 5, 7),
                        xpose::batch(o.c.template as<float>(), 64, 7, 5));
     }},
    {"copy",
     [](auto& policy, auto& o) {
       xpose::copy(policy, o.template in<char>(301, 200),
                   o.template out<char>(301, 256).submatrix(0, 0, 301, 200));
     }},
    {"permute",
     [](auto& policy, auto& o) {
       using tensor = xpose::tensor_view<float, 3>;
       xpose::permute(
           policy, tensor(o.a.template as<float>(), std::array<xpose::index, 3>{4, 5, 6}),
           tensor(o.c.template as<float>(), std::array<xpose::index, 3>{6, 4, 5}), {2, 0, 1});
     }},
    {"add",
     [](auto& policy, auto& o) {
       xpose::add(policy, 2.f, o.template in<float>(300, 200).transposed(), 1.f,
                  xpose::matrix_view<float const>(o.b.template as<float>(), 200, 300),
                  o.template out<float>(200, 300));
     }},
    {"transpose_inplace of a square",
     [](auto& policy, auto& o) {
       xpose::transpose_inplace(policy, o.template out<float>(300, 300));
     }},
    {"transpose_inplace of a rectangle",
     [](auto& policy, auto& o) {
       xpose::transpose_inplace(policy, o.template out<float>(300, 200));
     }},
    {"transpose_inplace of a large rectangle",
     [](auto& policy, auto& o) {
       xpose::transpose_inplace(policy, o.template out<float>(1000, 900));
     }},
    {"transpose_inplace of a batch",
     [](auto& policy, auto& o) {
       xpose::transpose_inplace(policy, xpose::batch(o.c.template as<float>(), 64, 5, 7));
     }},
    {"gemm", [](auto& policy, auto& o) { multiply<float>(policy, o, 300, 200, 100); }},
    {"gemm whose depth is split",
     [](auto& policy, auto& o) { multiply<float>(policy, o, 60, 50, 30000); }},
    {"gemm of a batch",
     [](auto& policy, auto& o) {
       xpose::gemm(policy, xpose::batch(o.a.template as<float>(), 8, 40, 30),
                   xpose::batch(o.b.template as<float>(), 8, 30, 50),
                   xpose::batch(o.c.template as<float>(), 8, 40, 50));
     }},
    {"gemm by warpgroups",
     [](auto& policy, auto& o) { multiply<xpose::float16>(policy, o, 1024, 1024, 1024); }},
    {"gemm with operands that are copied",
     [](auto& policy, auto& o) { multiply<xpose::float16>(policy, o, 1001, 1003, 1005); }},
    {"gemm in parts of f32",
     [](auto& policy, auto& o) {
       multiply<float>(policy, o, 1540, 1540, 1540, xpose::options().precision(xpose::fast_f32));
     }},
    {"gemm of f32 rounded to tf32",
     [](auto& policy, auto& o) {
       multiply<float>(policy, o, 1023, 1023, 1023, xpose::options().precision(xpose::tf32));
     }},
    {"gemm of float8",
     [](auto& policy, auto& o) {
       multiply<xpose::float8_e4m3, float>(policy, o, 1001, 1003, 1005);
     }},
    {"transpose from the host",
     [](auto& policy, auto& o) {
       static std::vector<float> const host(300 * 200);
       xpose::transpose(policy.across(), xpose::matrix_view<float const>(host.data(), 300, 200),
                        o.template out<float>(200, 300));
     },
     true},
    {"copy to the host",
     [](auto& policy, auto& o) {
       fake::memory const host(xpose::detail::residency::pinned_host, 300 * 200 * sizeof(float));
       xpose::copy(policy.across(), o.template in<float>(300, 256).submatrix(0, 0, 300, 200),
                   xpose::matrix_view<float>(host.as<float>(), 300, 200));
     },
     true},
    {"add of the host",
     [](auto& policy, auto& o) {
       static std::vector<float> host(300 * 200);
       xpose::matrix_view<float> const on_host(host.data(), 300, 200);
       xpose::add(policy.across(), 2.f, on_host, 1.f, o.template in<float>(300, 200), on_host);
     },
     true},
    {"gemm of the host",
     [](auto& policy, auto& o) {
       static std::vector<float> const host(200 * 100);
       fake::memory const managed(xpose::detail::residency::managed, 300 * 100 * sizeof(float));
       xpose::gemm(policy.across(), o.template in<float>(300, 200),
                   xpose::matrix_view<float const>(host.data(), 200, 100),
                   xpose::matrix_view<float>(managed.as<float>(), 300, 100));
     },
     true},
    {"gemm of the host in tiles, each with a workspace",
     [](auto& policy, auto& o) {
       static std::vector<float> const a(30 * 1000);
       xpose::gemm(policy.across(xpose::across_options().device_bytes(340000)),
                   xpose::matrix_view<float const>(a.data(), 30, 1000),
                   xpose::matrix_view<float const>(a.data(), 1000, 30),
                   o.template out<float>(30, 30));
     },
     true},
    {"explain",
     [](auto& policy, auto& o) {
       xpose::explain(policy, xpose::operation::gemm, o.template in<xpose::float16>(300, 200),
                      o.template in<xpose::float16>(200, 300),
                      o.template out<xpose::float16>(300, 300));
     }},
};
