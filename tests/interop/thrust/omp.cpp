// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Thrust policies from a plain C++ compiler with THRUST_DEVICE_SYSTEM=OMP: no CUDA header is
// needed.

#include <doctest/doctest.h>

#include "allocators.hpp"
#include "host_policies.hpp"

#include <array>
#include <complex>

#include <thrust/complex.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/universal_vector.h>

static_assert(THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_OMP);

namespace {

struct user_device_policy : thrust::device_execution_policy<user_device_policy> {};

TEST_CASE("Thrust's serial policies run as xpose::seq") {
  for_each_serial_policy(runs_as{"xpose::seq"});
}

TEST_CASE("Thrust's OpenMP policies run on omp") { for_each_omp_policy(runs_as{"xpose::omp"}); }

TEST_CASE("thrust::device means omp where the device system is OpenMP") {
  runs_as{"xpose::omp"}("thrust::device", thrust::device);
  runs_as{"xpose::omp"}("thrust::device_system_tag", thrust::device_system_tag{});
  runs_as{"xpose::omp"}("a policy derived from thrust::device_execution_policy",
                        user_device_policy{});
}

TEST_CASE("temporary memory comes from the allocator, or the policy, that brings some") {
  for_each_host_policy_with_memory(takes_given_memory{});
  static_assert(takes_own_memory<decltype(thrust::seq)>);
  static_assert(takes_own_memory<decltype(thrust::device)>);
  static_assert(takes_own_memory<user_device_policy>);
}

TEST_CASE("a policy that gives less memory than asked gets it back, and the call throws") {
  ledger book;
  book.most = 100;
  CHECK_THROWS_AS(turns_in_place(policy_with_memory<thrust::omp::execution_policy>(book)),
                  std::bad_alloc);
  CHECK(book.taken == 1);
  CHECK(book.returned == 1);
  CHECK(book.same_came_back);
}

TEST_CASE("copy and gemm take Thrust's policies as transpose does") {
  thrust::host_vector<float> a(6, 2.f), b(6, 3.f), c(4, 0.f);
  CHECK(contains(verbose_lines([&] {
                   xpose::copy(thrust::omp::par, xpose::view(a, 2, 3),
                               xpose::view(b, 2, 3, xpose::col_major));
                 }),
                 "copy to 2x3 of 4 bytes: backend omp,"));
  CHECK(contains(verbose_lines([&] {
                   xpose::gemm(thrust::seq, xpose::view(a, 2, 3), xpose::view(b, 3, 2),
                               xpose::view(c, 2, 2));
                 }),
                 "gemm to 2x2 of 4 bytes: backend omp,"));
  CHECK(c == thrust::host_vector<float>(4, 12.f));
}

TEST_CASE("permute, transpose_inplace and add take Thrust's policies as transpose does") {
  thrust::host_vector<float> a(6, 2.f), b(6, 3.f);
  auto const square = xpose::view(a, 2, 2);
  xpose::tensor_view<float, 2> const in(square.data(), {2, 3});
  xpose::tensor_view<float, 2> const out(xpose::view(b, 3, 2).data(), {3, 2});
  std::array<int, 2> const swapped{1, 0};
  CHECK(contains(verbose_lines([&] { xpose::permute(thrust::omp::par, in, out, swapped); }),
                 "permute to 3x2 of 4 bytes: backend omp,"));
  CHECK(contains(verbose_lines([&] { xpose::transpose_inplace(thrust::seq, square); }),
                 "transpose_inplace to 2x2 of 4 bytes: backend omp,"));
  CHECK(contains(verbose_lines([&] {
                   xpose::add(thrust::omp::par, 2, square, 3, square, xpose::view(b, 2, 2));
                 }),
                 "add to 2x2 of 4 bytes: backend omp,"));
  CHECK(b[0] == 10.f);
  CHECK(b[5] == 2.f);
}

TEST_CASE("a user's function runs under Thrust's policies") {
  thrust::host_vector<float> in(6, 1.25f);
  thrust::host_vector<int> out(6, 0);
  xpose::transpose(thrust::omp::par, xpose::view(in, 2, 3), xpose::view(out, 3, 2),
                   [](float x) { return static_cast<int>(4 * x); });
  CHECK(out == thrust::host_vector<int>(6, 5));
}

template <class Vector, bool Const>
using element_seen = typename decltype(xpose::view(
    std::declval<std::conditional_t<Const, Vector const, Vector>&>(), 1, 1))::element_type;

TEST_CASE_TEMPLATE("view takes Thrust's containers, and a const one gives a const view", Vector,
                   thrust::host_vector<float>, thrust::device_vector<float>,
                   thrust::universal_vector<float>) {
  static_assert(std::is_same_v<element_seen<Vector, false>, float>);
  static_assert(std::is_same_v<element_seen<Vector, true>, float const>);
  matrices<Vector> m;
  xpose::transpose(thrust::device, m.in_view(), m.out_view());
  CHECK(m.are_transposed());
  CHECK(m.in_view().data() == thrust::raw_pointer_cast(m.in.data()));
}

TEST_CASE("view takes a device_ptr and keeps its constness") {
  thrust::device_vector<float> memory(6, 1.f);
  thrust::device_ptr<float> const pointer = memory.data();
  thrust::device_ptr<float const> const to_const = pointer;
  auto const v = xpose::view(pointer, 2, 3);
  auto const w = xpose::view(to_const, 2, 3, xpose::col_major, 2);
  static_assert(std::is_same_v<decltype(v), xpose::matrix_view<float> const>);
  static_assert(std::is_same_v<decltype(w), xpose::matrix_view<float const> const>);
  CHECK(v.data() == pointer.get());
  CHECK(w.col_stride() == 2);
}

template <class Call>
std::string shape_message(Call const& call) {
  try {
    call();
  } catch (xpose::shape_error const& e) {
    return e.what();
  }
  return "no shape_error";
}

TEST_CASE("view of an empty container has no elements, or is refused") {
  thrust::host_vector<float> nothing;
  CHECK(xpose::view(nothing, 0, 5).empty());
  CHECK(contains(shape_message([&] { xpose::view(nothing, 1, 1); }), "of a container of 0"));
}

TEST_CASE("view leaves bad extents and leading dimensions to matrix_view") {
  thrust::host_vector<float> memory(100);
  CHECK_THROWS_AS(xpose::view(memory, -1, 5), xpose::shape_error);
  CHECK_THROWS_AS(xpose::view(memory, 3, 5, xpose::row_major, 4), xpose::layout_error);
  CHECK_THROWS_AS(xpose::view(memory, xpose::index(1) << 40, xpose::index(1) << 40),
                  xpose::overflow_error);
}

TEST_CASE("thrust::complex is the complex number that std::complex is") {
  using complex = thrust::complex<double>;
  thrust::host_vector<complex> a(4), out(4);
  for (std::size_t i = 0; i < 4; ++i) a[i] = complex(double(i), 1.);
  CHECK(contains(verbose_lines([&] {
                   xpose::transpose(thrust::host, xpose::view(a, 2, 2), xpose::view(out, 2, 2),
                                    xpose::conjugate{});
                 }),
                 "transpose to 2x2 of 16 bytes"));
  CHECK(out[1] == complex(2., -1.));

  // (0+i 1+i; 2+i 3+i) squared, and alpha as the user writes it
  xpose::gemm(thrust::host, complex(2.), xpose::view(a, 2, 2), xpose::view(a, 2, 2), complex(0.),
              xpose::view(out, 2, 2));
  CHECK(out[0] == complex(0., 6.));
  CHECK(out[3] == complex(18., 18.));
}

}  // namespace
