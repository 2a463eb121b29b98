// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Every failure leaves the C interface as a status with a message, and nothing else does.

#include <xpose/backends/c_api/status.hpp>

#include "calls.hpp"
#include "support/gpu.hpp"
#include "support/memory.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

namespace {

/// Allocations that succeed before one fails, or all from then on; negative: none fails.
std::atomic<int> allocations_left{-1};
std::atomic<bool> fails_once{true};

}  // namespace

// The library's operators are these too.
void* operator new(std::size_t bytes, std::nothrow_t const&) noexcept {
  if (allocations_left == 0) {
    if (fails_once) allocations_left = -1;
    return nullptr;
  }
  if (allocations_left > 0) --allocations_left;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new(std::size_t bytes) {
  if (void* const memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using xpose::detail::c_error;

template <class Exception>
std::string status_of(Exception const& thrown, c_error& to) {
  to = {};
  xpose_status const status = xpose::detail::run_guarded(to, [&] { throw thrown; });
  return std::string(xpose_status_name(status)) + ": " + to.message;
}

TEST_CASE("every class of exceptions becomes a status of its own, with its message") {
  c_error to{};
  CHECK(status_of(xpose::argument_error("a"), to) == "argument_error: a");
  CHECK(status_of(xpose::shape_error("b"), to) == "shape_error: b");
  CHECK(status_of(xpose::layout_error("c"), to) == "layout_error: c");
  CHECK(status_of(xpose::alias_error("d"), to) == "alias_error: d");
  CHECK(status_of(xpose::overflow_error("e"), to) == "overflow_error: e");
  CHECK(status_of(xpose::residency_error("f"), to) == "residency_error: f");
  CHECK(status_of(xpose::backend_error("g"), to) == "backend_error: g");
  CHECK(to.cuda_code == 0);
  CHECK(contains(status_of(xpose::cuda_error(700, "cudaMemcpy"), to), "cuda_error: cudaMemcpy"));
  CHECK(to.cuda_code == 700);
  CHECK(contains(status_of(xpose::device_lost(719, "cudaMemcpy"), to), "device_lost: cudaMemcpy"));
  CHECK(to.cuda_code == 719);
  CHECK(status_of(std::bad_alloc(), to) == "out_of_memory: out of memory");
  CHECK(to.cuda_code == 0);
  CHECK(status_of(std::length_error("h"), to) == "unknown_error: h");
  CHECK(status_of(7, to) == "unknown_error: an exception that is no std::exception");
  CHECK(xpose::detail::run_guarded(to, [] {}) == XPOSE_OK);
}

TEST_CASE("a status that is none has a name all the same") {
  CHECK(std::string(xpose_status_name(static_cast<xpose_status>(12))) == "unknown status");
  CHECK(std::string(xpose_status_name(static_cast<xpose_status>(-1))) == "unknown status");
}

TEST_CASE("no entry of the C interface may throw") {
  CHECK(noexcept(xpose_version()));
  CHECK(noexcept(xpose_status_name(XPOSE_OK)));
  CHECK(noexcept(xpose_last_error()));
  CHECK(noexcept(xpose_transpose(nullptr, nullptr, nullptr, XPOSE_IDENTITY)));
  CHECK(noexcept(xpose_permute(nullptr, nullptr, nullptr, nullptr, XPOSE_IDENTITY)));
  CHECK(noexcept(xpose_transpose_inplace(nullptr, nullptr)));
  CHECK(noexcept(xpose_add(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr)));
  CHECK(noexcept(xpose_gemm(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr)));
  CHECK(noexcept(xpose_explain_gemm(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr)));
}

TEST_CASE("a long message is cut and stays a string") {
  c_error to{};
  (void)status_of(xpose::shape_error(std::string(5000, 'x').c_str()), to);
  CHECK(std::string(to.message) == std::string(sizeof to.message - 1, 'x'));
}

struct outcome {
  xpose_status status;
  bool has_failed_an_allocation;
};

/// A call whose k-th allocation fails.
template <class Call>
outcome without_allocation(int k, bool once, Call const& run) {
  fails_once = once;
  allocations_left = k;
  xpose_status const status = run();
  bool const has_failed = allocations_left == (once ? -1 : 0);
  allocations_left = -1;
  return {status, has_failed};
}

TEST_CASE("a failure for which there is no memory is a status with a message") {
  call c;
  c.out.rows = 3;
  CHECK(without_allocation(0, false, [&] {
          return xpose_transpose(&c.policy, &c.in, &c.out, c.function);
        }).status == XPOSE_OUT_OF_MEMORY);
  CHECK(std::string(xpose_last_error()) == "out of memory");

  xpose_matrix packed = matrix(numbers, 3, 2);
  xpose_policy const reference = xpose_policy_of(XPOSE_REFERENCE);  // keeps no memory
  numbers[1] = 5;
  CHECK(without_allocation(0, true, [&] {
          return xpose_transpose_inplace(&reference, &packed);
        }).status == XPOSE_OUT_OF_MEMORY);
  CHECK(packed.rows == 3);
  CHECK(numbers[1] == 5);
}

/// Fails every allocation of a call in turn, once and for ever; returns how many there were.
template <class Call>
int sweep_allocations(xpose_status expected, Call const& run) {
  int failed = 0;
  for (bool const once : {true, false})
    for (int k = 0; k < 1000; ++k) {
      outcome const with_failure = without_allocation(k, once, run);
      CAPTURE(once);
      CAPTURE(k);
      bool const is_told =
          with_failure.status == expected || with_failure.status == XPOSE_OUT_OF_MEMORY;
      CHECK(is_told);
      CHECK(run() == expected);
      if (!with_failure.has_failed_an_allocation) break;
      ++failed;
    }
  return failed;
}

TEST_CASE("whichever allocation of a call fails, it returns a status and the next call runs") {
  call const c;
  call refused;
  refused.in.rows = 4;
  xpose_matrix const square = matrix(results + 100, 3, 3);
  for (xpose_backend const backend : {XPOSE_REFERENCE, XPOSE_SEQ, XPOSE_OMP}) {
    xpose_policy const policy = xpose_policy_of(backend);
    sweep_allocations(XPOSE_OK,
                      [&] { return xpose_transpose(&policy, &c.in, &c.out, XPOSE_IDENTITY); });
    sweep_allocations(XPOSE_OK,
                      [&] { return xpose_add(&policy, nullptr, &c.in, nullptr, &c.in, &c.in); });
    sweep_allocations(XPOSE_OK, [&] {
      return xpose_gemm(&policy, nullptr, &c.in, &c.out, nullptr, &square, nullptr);
    });
    CHECK(sweep_allocations(XPOSE_SHAPE_ERROR, [&] {
            return xpose_transpose(&policy, &refused.in, &refused.out, XPOSE_IDENTITY);
          }) > 0);
  }
  if (has_gpu()) return;
  xpose_policy const cuda = xpose_policy_of(XPOSE_CUDA);
  xpose_batch const in{c.in, 1, 0};
  xpose_batch const out{c.out, 1, 0};
  xpose_explanation answer;
  CHECK(sweep_allocations(XPOSE_OK, [&] {
          return xpose_explain_transpose(&cuda, &in, &out, XPOSE_IDENTITY, &answer);
        }) > 0);
}

TEST_CASE("a refused call leaves its output as it was, and the next one runs") {
  call c;
  results[0] = 7;
  c.in.rows = 4;
  CHECK(c() != "ok");
  CHECK(results[0] == 7);
  c = {};
  numbers[0] = 1;
  CHECK(c() == "ok");
  CHECK(results[0] == 1);
}

TEST_CASE("each thread has a last error of its own") {
  call c;
  c.in.rows = -1;
  CHECK(c() != "ok");
  std::string const here = xpose_last_error();
  std::string at_start = "unset";
  std::string there;
  std::thread([&] {
    at_start = xpose_last_error();
    (void)xpose_transpose(nullptr, nullptr, nullptr, XPOSE_IDENTITY);
    there = xpose_last_error();
  }).join();
  CHECK(at_start.empty());
  CHECK(there == "transpose: policy is null");
  CHECK(xpose_last_error() == here);
  CHECK(call{}() == "ok");
  CHECK(xpose_last_error() == here);  // a success leaves it
}

TEST_CASE("a policy's threads reach the backend") {
  call c;
  c.policy.threads = 3;
  CHECK(contains(verbose_lines([&] { CHECK(c() == "ok"); }), "backend omp"));
  CHECK(contains(verbose_lines([&] { c(); }), ", threads 3 "));
  c.policy = xpose_policy_of(XPOSE_SEQ);
  CHECK(contains(verbose_lines([&] { c(); }), "backend omp"));
  CHECK(contains(verbose_lines([&] { c(); }), ", threads 1 "));
  c.policy = xpose_policy_of(XPOSE_REFERENCE);
  CHECK(contains(verbose_lines([&] { c(); }), "backend reference"));
}

TEST_CASE(
    "XPOSE_STRICT is a backend_error where there is no GPU, and XPOSE_CUDA alone runs on omp") {
  if (has_gpu()) return;
  call c;
  c.policy = xpose_policy_of(XPOSE_CUDA);
  c.policy.flags = XPOSE_NOSYNC;
  CHECK(c() == "ok");
  c.policy.flags = XPOSE_STRICT;
  CHECK(contains(c(), "backend_error: transpose: xpose::cuda cannot run: "));
}

TEST_CASE("on cuda stream and flags reach the backend, and host memory is refused") {
  if (!needs_gpu()) return;
  call c;
  c.policy = xpose_policy_of(XPOSE_CUDA);
  CHECK(contains(c(), "residency_error: transpose: in ("));

  image in(place::device, 6 * sizeof(float));
  image out(place::device, 6 * sizeof(float));
  for (int i = 0; i < 6; ++i) numbers[i] = static_cast<float>(i);
  std::memcpy(in.host(), numbers, 6 * sizeof(float));
  in.send();
  c.in.data = in.there();
  c.out.data = out.there();
  c.policy.flags = XPOSE_STRICT;
  CHECK(c() == "ok");
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j)
      std::memcpy(out.host() + (j * 3 + i) * 4, &numbers[i * 2 + j], sizeof(float));
  CHECK(out.is_as_on_host());

  c.policy.flags = XPOSE_STRICT | XPOSE_NOSYNC;
  c.policy.stream = reinterpret_cast<void*>(std::uintptr_t{2});  // cudaStreamPerThread
  CHECK(contains(verbose_lines([&] { CHECK(c() == "ok"); }), "backend cuda"));
  CHECK(contains(verbose_lines([&] { c(); }), "stream 0x2, nosync"));
}

}  // namespace
