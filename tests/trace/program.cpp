// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A program that calls xpose, for the tests to trace: `program exit`, `fork`, `threads` or
// `operations`.

#include <xpose/xpose.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

using xpose::matrix_view;

auto const two_threads = xpose::omp.with(xpose::threads{2});

/// Operands of its own; large enough for every shape below.
struct calls {
  std::vector<float> a = std::vector<float>(64 * 64, 1);
  std::vector<float> b = std::vector<float>(64 * 64, 2);

  void transpose(xpose::index rows, xpose::index cols) {
    xpose::transpose(two_threads, matrix_view<float const>(a.data(), rows, cols),
                     matrix_view<float>(b.data(), cols, rows));
  }
};

struct calls_at_its_end {
  ~calls_at_its_end() { calls().transpose(11, 12); }
};

void exit_in_the_middle() {
  static calls_at_its_end const behind_main;
  calls c;
  for (int i = 0; i < 3; ++i) c.transpose(5, 7);
  xpose::transpose(two_threads, matrix_view<float const>(c.a.data(), 5, 7),
                   matrix_view<float>(c.b.data(), 7, 5), [](float x) { return 2 * x; });
  std::exit(0);
}

void fork_and_go_on() {
  calls().transpose(5, 7);
  pid_t const child = fork();
  if (child == 0) {
    calls().transpose(3, 9);
    std::exit(0);
  }
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) std::exit(1);
  calls().transpose(5, 7);
}

void call_from_threads() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      calls c;
      for (int i = 0; i < 100; ++i) c.transpose(2 + t, 8);
      for (int i = 0; i < 3000; ++i) c.transpose(6, 9);
    });
  for (auto& t : threads) t.join();
}

/// One call of each operation, in all orders of memory.
void call_every_operation() {
  calls c;
  auto const view = [](std::vector<float>& data, xpose::index rows, xpose::index cols,
                       xpose::order order = xpose::row_major) {
    return matrix_view<float>(data.data(), rows, cols, order);
  };
  std::vector<float> sum(64 * 64);
  c.transpose(31, 17);
  for (auto const order : {xpose::row_major, xpose::col_major}) {
    auto const a = view(c.a, 31, 17, order);
    auto const b = view(c.b, 17, 23);
    xpose::gemm(two_threads, a, b, view(sum, 31, 23));
    xpose::gemm(two_threads, b.transposed(), a.transposed(), view(sum, 23, 31, order));
    xpose::add(two_threads, 2.f, a, 1.f, view(c.b, 31, 17), view(sum, 31, 17, order));
    xpose::copy(two_threads, a, view(sum, 31, 17));
    xpose::transpose_inplace(two_threads, view(sum, 31, 17, order));
    xpose::transpose(two_threads, a,
                     matrix_view<double>(reinterpret_cast<double*>(sum.data()), 17, 31),
                     xpose::cast<double>{});
  }
  xpose::gemm(two_threads, xpose::batch(c.a.data(), 5, 8, 9), xpose::batch(c.b.data(), 5, 9, 7),
              xpose::batch(sum.data(), 5, 8, 7));
  xpose::permute(two_threads, xpose::tensor_view<float const, 4>{c.a.data(), {4, 1, 5, 6}},
                 xpose::tensor_view<float, 4>{sum.data(), {6, 4, 1, 5}},
                 std::array<int, 4>{3, 0, 1, 2});
  xpose::permute(two_threads, xpose::tensor_view<float const, 1>{c.a.data(), {40}},
                 xpose::tensor_view<float, 1>{sum.data(), {40}}, std::array<int, 1>{0});
  xpose::transpose(two_threads, view(c.a, 5, 7), view(sum, 7, 5), [](float x) { return 2 * x; });
}

}  // namespace

int main(int count, char** words) {
  char const* const what = count == 2 ? words[1] : "";
  if (std::strcmp(what, "exit") == 0) exit_in_the_middle();
  if (std::strcmp(what, "fork") == 0) fork_and_go_on();
  if (std::strcmp(what, "threads") == 0) call_from_threads();
  if (std::strcmp(what, "operations") == 0) call_every_operation();
  return 0;
}
