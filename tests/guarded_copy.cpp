// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The list of cases of transpose and copy on omp, with operands that touch pages which may not be
// read or written.

#include "cases.hpp"
#include "elements.hpp"
#include "guarded_memory.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <csignal>
#include <cstring>
#include <vector>

namespace {

using cases::index;
using cases::layout;
using xpose::matrix_view;

template <class T>
matrix_view<T> view_of(layout const& l, std::byte* storage) {
  auto* const data = l.storage == 0 ? nullptr : reinterpret_cast<T*>(storage) + l.offset;
  return {data, l.rows, l.cols, xpose::strided{l.row_stride, l.col_stride}};
}

/// Input and output, each in memory of its own between guards.
struct guarded_pair {
  guarded_memory in{1 << 20};
  guarded_memory out{1 << 20};
};

/// One call, and whether it wrote what plain loops write: into out and not beside it, where poison
/// lies as far as 64 bytes into the pages that may be touched.
template <class T>
bool runs_right(guarded_pair const& memory, guard g, bool is_transpose, layout const& in,
                layout const& out) {
  std::size_t const out_bytes = static_cast<std::size_t>(out.storage) * sizeof(T);
  std::byte* const from = memory.in.operand(g, static_cast<std::size_t>(in.storage) * sizeof(T));
  std::byte* const to = memory.out.operand(g, out_bytes);
  std::size_t const slack = 64;
  std::byte* const watched = g == guard::before ? to : to - slack;
  std::memset(watched, 0xA5, out_bytes + slack);
  std::vector<std::byte> expected(watched, watched + out_bytes + slack);

  auto const source = view_of<T const>(in, from);
  if (is_transpose) xpose::transpose(xpose::omp, source, view_of<T>(out, to));
  else xpose::copy(xpose::omp, source, view_of<T>(out, to));

  auto const read = is_transpose ? source.transposed() : source;
  auto* const first = expected.data() + (to - watched) + out.offset * index{sizeof(T)};
  for (index i = 0; i < out.rows; ++i)
    for (index j = 0; j < out.cols; ++j)
      std::memcpy(first + (i * out.row_stride + j * out.col_stride) * index{sizeof(T)}, &read(i, j),
                  sizeof(T));
  return std::memcmp(watched, expected.data(), expected.size()) == 0;
}

template <class T>
void check_all_layouts(guarded_pair const& memory, guard g) {
  for (auto const& [rows, cols] : cases::shapes())
    for (auto const in_pattern : cases::input_patterns) {
      layout const in = cases::place(in_pattern, rows, cols);
      std::size_t const in_bytes = static_cast<std::size_t>(in.storage) * sizeof(T);
      REQUIRE(in_bytes <= memory.in.bytes());
      fill_with_pattern(memory.in.operand(g, in_bytes), in_bytes);
      for (auto const out_pattern : cases::output_patterns) {
        CAPTURE(sizeof(T));
        CAPTURE(in);
        bool const transposes =
            runs_right<T>(memory, g, true, in, cases::place(out_pattern, cols, rows));
        bool const copies =
            runs_right<T>(memory, g, false, in, cases::place(out_pattern, rows, cols));
        CHECK(transposes);
        CHECK(copies);
      }
    }
}

TEST_CASE("transpose and copy on omp touch no byte behind their operands") {
  guarded_pair const memory;
  for_each_element_size([&](auto sample) {
    check_all_layouts<typename decltype(sample)::type>(memory, guard::behind);
  });
}

TEST_CASE("transpose and copy on omp touch no byte before their operands") {
  guarded_pair const memory;
  for_each_element_size([&](auto sample) {
    check_all_layouts<typename decltype(sample)::type>(memory, guard::before);
  });
}

TEST_CASE("a guard ends the process that touches it") {
  guarded_memory const memory(100);
  auto const dies_reading = [](std::byte* at) {
    pid_t const child = fork();
    if (child == 0) {
      std::signal(SIGSEGV, SIG_DFL);
      auto const volatile byte = *at;
      _exit(static_cast<int>(byte) & 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
  };
  std::byte* const last = memory.operand(guard::behind, 100) + 99;
  std::byte* const first = memory.operand(guard::before, 100);
  CHECK_FALSE(dies_reading(last));
  CHECK_FALSE(dies_reading(first));
  CHECK(dies_reading(last + 1));
  CHECK(dies_reading(first - 1));
}

}  // namespace
