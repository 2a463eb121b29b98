// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What only a device can show: streams, synchronisation, graphs, residency. Every case needs a GPU.

#include "cases/gemm_cases.hpp"
#include "support/replay.hpp"
#include "support/verbose_lines.hpp"

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

TEST_SUITE_BEGIN("cuda.runtime");

namespace {

using gemm_cases::index;

constexpr index rows = 300;
constexpr index cols = 200;

float first_values(index, index i, index j) { return static_cast<float>(i * 1000 + j); }
float second_values(index, index i, index j) { return static_cast<float>(-i - j * 1000); }

/// A float matrix on the device and its transpose.
struct operands {
  matrix<float> in{place::device, rows, cols, cases::pattern::row_major};
  matrix<float> out{place::device, cols, rows, cases::pattern::padded_rows};
  operands() { in.fill(first_values); }
  bool out_is_transposed(float (*value)(index, index, index)) {
    return out.holds([value](index b, index i, index j) { return value(b, j, i); });
  }
};

TEST_CASE("a call runs on the stream it is given, and waits unless told not to") {
  if (!needs_gpu()) return;
  stream s;
  operands o;
  auto const ran = [&](auto const& policy) {
    return verbose_lines([&] { xpose::transpose(policy, o.in.there(), o.out.there()); });
  };
  std::ostringstream handle;
  handle << "stream " << static_cast<void*>(s.handle);
  CHECK(contains(ran(xpose::cuda), "stream 0x1, sync"));
  CHECK(contains(ran(xpose::cuda.on(s.handle)), handle.str() + ", sync"));
  CHECK(cudaStreamQuery(s.handle) == cudaSuccess);
  CHECK(contains(ran(xpose::cuda.on(s.handle).nosync()), handle.str() + ", nosync"));
  CHECK(cudaStreamSynchronize(s.handle) == cudaSuccess);
  CHECK(o.out_is_transposed(first_values));
}

TEST_CASE("a blocking call returns when its output is ready") {
  if (!needs_gpu()) return;
  stream s;
  constexpr index side = 8192;
  place_memory in(place::device, side * side * 4);
  place_memory out(place::device, side * side * 4);
  for (int run = 0; run < 5; ++run) {
    xpose::transpose(xpose::cuda.on(s.handle),
                     xpose::matrix_view<int>(reinterpret_cast<int*>(in.data()), side, side),
                     xpose::matrix_view<int>(reinterpret_cast<int*>(out.data()), side, side));
    CHECK(cudaStreamQuery(s.handle) == cudaSuccess);
  }
}

/// replay() twice.
template <class Call, class Change, class Check>
void replay_twice(stream const& s, Call const& call, Change const& change, Check const& check) {
  replay(s, 2, call, change, check);
}

TEST_CASE(
    "transpose, copy, permute, add, transpose_inplace, gemm and functions with nosync are captured "
    "in a graph and replayed") {
  if (!needs_gpu()) return;
  stream s;
  auto const policy = xpose::cuda.on(s.handle).nosync();
  operands o;
  matrix<double> cast_out(place::device, rows, cols, cases::pattern::row_major);
  matrix<double> cast_turned(place::device, cols, rows, cases::pattern::row_major);
  matrix<float> copied(place::device, rows, cols, cases::pattern::row_major);
  matrix<float> permuted(place::device, cols, rows, cases::pattern::row_major);
  matrix<float> total(place::device, rows, cols, cases::pattern::row_major);
  matrix<float> square(place::device, 100, 100, cases::pattern::row_major);
  matrix<float> there_and_back(place::device, 70, 30, cases::pattern::row_major);
  matrix<float> a(place::device, 40, 30, cases::pattern::row_major);
  matrix<float> c(place::device, 40, 40, cases::pattern::row_major);
  auto const value = [](int replay) { return replay == 0 ? first_values : second_values; };
  replay_twice(
      s,
      [&] {
        xpose::transpose(policy, o.in.there(), o.out.there());
        xpose::copy(policy, o.in.there(), cast_out.there(), xpose::cast<double>{});
        xpose::transpose(policy, o.in.there(), cast_turned.there(), xpose::cast<double>{});
        xpose::copy(policy, o.in.there(), copied.there());
        // {10, 30, 200} by {2, 0, 1}: the transpose.
        xpose::permute(
            policy,
            xpose::tensor_view<float, 3>(o.in.there().data(), std::array<index, 3>{10, 30, cols}),
            xpose::tensor_view<float, 3>(permuted.there().data(),
                                         std::array<index, 3>{cols, 10, 30}),
            {2, 0, 1});
        xpose::add(policy, 2, o.in.there(), 3, o.in.there(), total.there());
        xpose::transpose_inplace(policy, square.there());
        xpose::transpose_inplace(policy, xpose::transpose_inplace(policy, there_and_back.there()));
        xpose::gemm(policy, a.there(), a.there().transposed(), c.there());
      },
      [&](int replay) {
        o.in.fill(value(replay));
        square.fill(value(replay));
        there_and_back.fill(value(replay));
        a.fill(
            [replay](index, index i, index j) { return static_cast<float>((i + j * replay) % 5); });
      },
      [&](int replay) {
        CHECK(o.out_is_transposed(value(replay)));
        CHECK(cast_out.holds(value(replay)));
        auto const turned = [&](index b, index i, index j) { return value(replay)(b, j, i); };
        CHECK(cast_turned.holds(turned));
        CHECK(copied.holds(value(replay)));
        CHECK(permuted.holds(turned));
        CHECK(total.holds([&](index b, index i, index j) { return 5 * value(replay)(b, i, j); }));
        CHECK(square.holds(turned));
        CHECK(there_and_back.holds(value(replay)));
        CHECK(c.holds([&](index, index i, index j) {
          float sum = 0;
          for (index k = 0; k < 30; ++k) sum += a.here()(i, k) * a.here()(j, k);
          return sum;
        }));
      });
}

TEST_CASE("batches, conjugates and gemm of every kind with nosync are captured and replayed") {
  if (!needs_gpu()) return;
  using complex = std::complex<float>;
  stream s;
  auto const policy = xpose::cuda.on(s.handle).nosync();
  matrix<float> in(place::device, 30, 40, cases::pattern::row_major, 50);
  matrix<float> out(place::device, 40, 30, cases::pattern::padded_rows, 50);
  matrix<float> turned(place::device, 9, 7, cases::pattern::row_major, 50);
  matrix<complex> z(place::device, 30, 40, cases::pattern::row_major);
  matrix<complex> h(place::device, 40, 30, cases::pattern::row_major);
  matrix<float> products(place::device, 30, 30, cases::pattern::row_major, 50);
  matrix<complex> square(place::device, 30, 30, cases::pattern::row_major);
  matrix<xpose::float16> halves(place::device, 131, 133, cases::pattern::row_major);
  matrix<xpose::float16> of_halves(place::device, 131, 131, cases::pattern::row_major);
  matrix<double> doubles(place::device, 20, 5000, cases::pattern::row_major);
  matrix<double> of_doubles(place::device, 20, 20, cases::pattern::row_major);
  matrix<float> nearest(place::device, 30, 30, cases::pattern::row_major);
  auto const small = [](int replay) {
    return [replay](index b, index i, index j) {
      return static_cast<float>((b + 3 * i + (5 + replay) * j) % 4);
    };
  };
  auto const imaginary = [&](int replay) {
    return [=](index b, index i, index j) {
      return complex(small(replay)(b, i, j), small(replay)(b, j, i));
    };
  };
  auto const dot = [](auto& a, index b, index i, index j, auto const& term) {
    auto sum = term(a.batch_here()[b](i, 0), a.batch_here()[b](j, 0));
    for (index k = 1; k < a.batch_here().cols(); ++k)
      sum += term(a.batch_here()[b](i, k), a.batch_here()[b](j, k));
    return sum;
  };
  replay_twice(
      s,
      [&] {
        xpose::transpose(policy, in.batch_there(), out.batch_there());
        xpose::transpose_inplace(policy, xpose::transpose_inplace(policy, turned.batch_there()));
        xpose::transpose(policy, z.there(), h.there(), xpose::conjugate{});
        xpose::gemm(policy, in.batch_there(), in.batch_there().transposed(),
                    products.batch_there());
        xpose::gemm(policy, z.there(), xpose::conjugated(z.there()).transposed(), square.there());
        xpose::gemm(policy, halves.there(), halves.there().transposed(), of_halves.there());
        xpose::gemm(policy, doubles.there(), doubles.there().transposed(), of_doubles.there());
        xpose::gemm(policy, in.there(), in.there().transposed(), nearest.there(),
                    xpose::options().over(xpose::min_plus{}));
        CHECK(xpose::explain(policy, xpose::operation::gemm, in.there(), in.there().transposed(),
                             nearest.there())
                  .backend == "cuda");
      },
      [&](int replay) {
        in.fill(small(replay));
        turned.fill(small(replay));
        z.fill(imaginary(replay));
        halves.fill(small(replay));
        doubles.fill(small(replay));
      },
      [&](int replay) {
        auto const times = [](auto x, auto y) { return x * y; };
        CHECK(out.holds([&](index b, index i, index j) { return small(replay)(b, j, i); }));
        CHECK(turned.holds(small(replay)));
        CHECK(h.holds(
            [&](index b, index i, index j) { return std::conj(imaginary(replay)(b, j, i)); }));
        CHECK(products.holds([&](index b, index i, index j) { return dot(in, b, i, j, times); }));
        CHECK(square.holds([&](index b, index i, index j) {
          return dot(z, b, i, j, [](complex x, complex y) { return x * std::conj(y); });
        }));
        CHECK(of_halves.holds([&](index b, index i, index j) {
          return xpose::float16(dot(halves, b, i, j, [](xpose::float16 x, xpose::float16 y) {
            return static_cast<float>(x) * static_cast<float>(y);
          }));
        }));
        CHECK(of_doubles.holds(
            [&](index b, index i, index j) { return dot(doubles, b, i, j, times); }));
        CHECK(nearest.holds([&](index b, index i, index j) {
          float least = in.here()(i, 0) + in.here()(j, 0);
          for (index k = 1; k < 40; ++k)
            least = std::min(least, in.batch_here()[b](i, k) + in.batch_here()[b](j, k));
          return least;
        }));
      });
}

TEST_CASE("a blocking policy on a stream under capture is refused and the capture goes on") {
  if (!needs_gpu()) return;
  stream s;
  operands o;
  replay_twice(
      s,
      [&] {
        CHECK_THROWS_AS(xpose::transpose(xpose::cuda.on(s.handle), o.in.there(), o.out.there()),
                        xpose::backend_error);
        xpose::transpose(xpose::cuda.on(s.handle).nosync(), o.in.there(), o.out.there());
      },
      [](int) {}, [&](int) { CHECK(o.out_is_transposed(first_values)); });
}

TEST_CASE("automatic runs on the device for device memory and refuses operands in two places") {
  if (!needs_gpu()) return;
  operands o;
  std::string const ran =
      verbose_lines([&] { xpose::transpose(xpose::automatic, o.in.there(), o.out.there()); });
  CHECK(contains(ran, "backend cuda,"));
  CHECK(o.out_is_transposed(first_values));
  std::vector<float> host(rows * cols);
  CHECK_THROWS_AS(xpose::transpose(xpose::automatic, o.in.there(),
                                   xpose::matrix_view<float>(host.data(), cols, rows)),
                  xpose::residency_error);
}

TEST_CASE(
    "host memory under cuda and device memory under omp and seq are refused, the output "
    "untouched") {
  if (!needs_gpu()) return;
  operands o;
  std::vector<float> host(rows * cols, 5.f);
  xpose::matrix_view<float> const host_in(host.data(), rows, cols);
  xpose::matrix_view<float> const host_out(host.data(), cols, rows);
  CHECK_THROWS_AS(xpose::transpose(xpose::cuda, host_in, o.out.there()), xpose::residency_error);
  CHECK_THROWS_AS(xpose::transpose(xpose::cuda, o.in.there(), host_out), xpose::residency_error);
  CHECK_THROWS_AS(xpose::transpose(xpose::omp, o.in.there(), host_out), xpose::residency_error);
  CHECK_THROWS_AS(xpose::transpose(xpose::seq, host_in, o.out.there()), xpose::residency_error);
  CHECK_THROWS_AS(
      xpose::gemm(xpose::cuda, o.in.there(), host_out, o.out.there().submatrix(0, 0, 1, 1)),
      xpose::shape_error);
  CHECK(o.out.is_untouched());
  CHECK(host == std::vector<float>(rows * cols, 5.f));
  std::thread([&] {  // a thread that has never touched CUDA knows a device pointer too
    CHECK_THROWS_AS(xpose::transpose(xpose::omp, o.in.there(), host_out), xpose::residency_error);
  })
      .join();
}

TEST_CASE("pinned host memory is taken by cuda and by omp") {
  if (!needs_gpu()) return;
  void* memory = nullptr;
  REQUIRE(cudaMallocHost(&memory, 2 * rows * cols * sizeof(float)) == cudaSuccess);
  auto* const pinned = static_cast<float*>(memory);
  xpose::matrix_view<float> const in(pinned, rows, cols);
  xpose::matrix_view<float> const out(pinned + rows * cols, cols, rows);
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < cols; ++j) in(i, j) = first_values(0, i, j);
  xpose::transpose(xpose::cuda, in, out);
  CHECK(out(17, 33) == first_values(0, 33, 17));
  out(17, 33) = 0;
  xpose::transpose(xpose::omp, in, out);
  CHECK(out(17, 33) == first_values(0, 33, 17));
  cudaFreeHost(pinned);
}

TEST_CASE("an error the user left in the runtime is neither reported as ours nor swallowed") {
  if (!needs_gpu()) return;
  operands o;
  matrix<float> deep(place::device, 20, 5000, cases::pattern::row_major);
  matrix<float> product(place::device, 20, 20, cases::pattern::row_major);
  auto const check = [](auto const& call) {
    CHECK(cudaMemset(nullptr, 0, 8) != cudaSuccess);
    CHECK_NOTHROW(call());
    CHECK(cudaGetLastError() != cudaSuccess);
    CHECK(cudaGetLastError() == cudaSuccess);
  };
  check([&] { xpose::transpose(xpose::cuda, o.in.there(), o.out.there()); });
  CHECK(o.out_is_transposed(first_values));
  check(
      [&] { xpose::gemm(xpose::cuda, deep.there(), deep.there().transposed(), product.there()); });
  check([&] { xpose::transpose_inplace(xpose::cuda, deep.there()); });
  check([&] { xpose::add(xpose::cuda, 1, o.in.there(), 1, o.in.there(), o.in.there()); });
}

TEST_CASE("managed memory is taken by every policy, and automatic runs it on the device") {
  if (!needs_gpu()) return;
  void* memory = nullptr;
  REQUIRE(cudaMallocManaged(&memory, 2 * rows * cols * sizeof(float)) == cudaSuccess);
  auto* const data = static_cast<float*>(memory);
  xpose::matrix_view<float> const in(data, rows, cols);
  xpose::matrix_view<float> const out(data + rows * cols, cols, rows);
  auto const check = [&](auto const& policy, char const* backend) {
    CAPTURE(backend);
    out(17, 33) = -1;
    CHECK(contains(verbose_lines([&] { xpose::transpose(policy, in, out); }), backend));
    CHECK(out(17, 33) == in(33, 17));
  };
  in(33, 17) = 5;
  check(xpose::automatic, "backend cuda,");
  check(xpose::cuda, "backend cuda,");
  check(xpose::omp, "backend omp,");
  check(xpose::seq, "backend omp,");
  check(xpose::reference, "backend reference,");
  cudaFree(data);
}

/// In a process of its own, which can use no device afterwards.
void lose_the_device() {
  operands o;
  // Most of it lies behind the operand's memory.
  xpose::matrix_view<float> const huge(o.in.there().data(), 20000, 20000);
  for (int again = 0; again < 2; ++again)
    CHECK_THROWS_AS(xpose::transpose_inplace(xpose::cuda, huge), xpose::device_lost);
  CHECK_THROWS_AS(xpose::transpose(xpose::cuda, o.in.there(), o.out.there()), xpose::device_lost);
  CHECK_THROWS_AS(xpose::transpose(xpose::automatic, o.in.there(), o.out.there()),
                  xpose::device_lost);
  std::vector<float> const host_in(rows * cols, 5.f);
  std::vector<float> host_out(rows * cols);
  xpose::transpose(xpose::omp, xpose::matrix_view<float const>(host_in.data(), rows, cols),
                   xpose::matrix_view<float>(host_out.data(), cols, rows));
  CHECK(host_in == host_out);
}

TEST_CASE("a lost device is device_lost from then on, and omp goes on") {
  if (!needs_gpu()) return;
  constexpr char const* in_child = "XPOSE_TESTS_LOSE_THE_DEVICE";
  if (std::getenv(in_child) != nullptr) return lose_the_device();
  std::string const self = std::filesystem::read_symlink("/proc/self/exe").string();
  setenv(in_child, "1", 1);
  CHECK(std::system((self + " --test-case='a lost device*' >&2").c_str()) == 0);
  unsetenv(in_child);
}

TEST_CASE("several host threads use streams of their own at once") {
  if (!needs_gpu()) return;
  std::vector<std::thread> users;
  int wrong[8] = {};
  for (int& count : wrong)
    users.emplace_back([&count] {
      cudaStream_t mine = nullptr;
      cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking);
      {
        operands o;
        cudaDeviceSynchronize();
        for (int run = 0; run < 50; ++run)
          xpose::transpose(xpose::cuda.on(mine).nosync(), o.in.there(), o.out.there());
        cudaStreamSynchronize(mine);
        count = o.out_is_transposed(first_values) ? 0 : 1;
      }
      cudaStreamDestroy(mine);
    });
  for (auto& user : users) user.join();
  for (int const count : wrong) CHECK(count == 0);
}

}  // namespace

TEST_SUITE_END();
