// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Each call that xpose makes of the CUDA runtime fails, once and for ever.

#include "faults/fake/entry_points.hpp"
#include "faults/fake/in_child.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <new>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr cudaError_t memory_error = cudaErrorMemoryAllocation;

enum class ending { returned, out_of_memory, lost, cuda_error, residency_error, another };

struct outcome {
  ending how;
  int code;
  std::string what;
};

template <class Call>
outcome outcome_of(Call const& call) {
  try {
    call();
    return {ending::returned, 0, ""};
  } catch (xpose::device_lost const& e) {
    return {ending::lost, e.code().value(), e.what()};
  } catch (xpose::cuda_error const& e) {
    return {ending::cuda_error, e.code().value(), e.what()};
  } catch (xpose::residency_error const& e) {
    return {ending::residency_error, 0, e.what()};
  } catch (std::bad_alloc const&) {
    return {ending::out_of_memory, memory_error, ""};
  } catch (std::exception const& e) {
    return {ending::another, 0, e.what()};
  }
}

bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

bool is_loss(cudaError_t error) {
  return xpose::detail::means_device_lost(static_cast<int>(error));
}

using call_iterator = std::vector<fake::call>::const_iterator;

/// What gives back or puts back, waits behind a failure, or is a hint: the call's result stands
/// without it.
bool is_clean_up(call_iterator first, call_iterator c) {
  constexpr char const* exchange = "cudaThreadExchangeStreamCaptureMode";
  auto const is_exchange = [&](fake::call const& other) { return other.name == exchange; };
  auto const is_harmless = [](fake::call const& other) {
    return other.name == "cudaFreeAsync" || other.name == "cudaMemPoolDestroy" ||
           other.name == "cudaMemPrefetchAsync";
  };
  auto const is_failure = [&](fake::call const& other) {
    return other.result != cudaSuccess && !is_harmless(other);
  };
  return is_harmless(*c) ||
         (c->name == "cudaStreamSynchronize" && std::any_of(first, c, is_failure)) ||
         (is_exchange(*c) && std::any_of(first, c, is_exchange));
}

/// The first that makes the call of xpose fail.
call_iterator failure_in(std::vector<fake::call> const& calls) {
  auto c = calls.begin();
  while (c != calls.end() && (c->result == cudaSuccess || is_clean_up(calls.begin(), c))) ++c;
  return c;
}

/// Errors name the call of the runtime, but for these: the kernel, or what was looked for.
bool is_named(std::string const& call) {
  return call != "cudaLaunchKernelExC" && call != "cudaFuncSetAttribute" &&
         call != "cudaGetDriverEntryPointByVersion";
}

std::string names(std::vector<fake::call> const& calls) {
  std::string text;
  for (auto const& c : calls)
    text += (text.empty() ? "" : ", ") + c.name + (c.result == cudaSuccess ? "" : " (fails)");
  return text;
}

/// How many of a process's first calls ask whether it has a device; it then runs on omp if there is
/// none, which this memory is not for.
constexpr int calls_for_availability = 4;

struct trial {
  entry_point entry;
  bool is_first_call;  // of the process
  bool nosync;
};

/// Runs the trial under the fault, then without; what is wrong with either.
std::string wrong_with(trial const& t, fake::fault const& fault) {
  fake::start();
  operands const o;
  auto const policy = t.nosync ? xpose::cuda.nosync() : xpose::cuda;
  auto const run = [&] { t.entry.run(policy, o); };
  if (!t.is_first_call) run();
  fake::fail(fault);
  outcome const got = outcome_of(run);
  auto const calls = fake::calls();
  std::ostringstream wrong;
  auto const expect = [&](bool is_right, std::string const& rule) {
    if (!is_right) wrong << rule << " [" << got.what << "] after " << names(calls) << "; ";
  };

  auto const failed = failure_in(calls);
  bool const asks_availability = t.is_first_call && fault.first < calls_for_availability;
  bool const has_no_device =
      asks_availability && fault.error != memory_error && !is_loss(fault.error);
  if (failed == calls.end()) {
    expect(got.how == ending::returned, "an exception for nothing");
  } else if (is_loss(failed->result)) {
    expect(got.how == ending::lost, "not device_lost");
  } else if (failed->result == memory_error) {
    expect(got.how == ending::out_of_memory, "not std::bad_alloc");
  } else if (has_no_device) {
    expect(got.how == ending::residency_error && contains(got.what, "cannot run: "),
           "not a residency_error that says why");
  } else {
    expect(got.how == ending::cuda_error, "not cuda_error");
  }
  if (got.how == ending::lost || got.how == ending::cuda_error) {
    expect(got.code == static_cast<int>(failed->result), "another code");
    expect(contains(got.what, cudaGetErrorName(failed->result)), "the error is not named");
    if (is_named(failed->name) && !asks_availability)
      expect(contains(got.what, failed->name), "the call is not named");
    bool is_over = true;
    for (auto c = failed + 1; c != calls.end(); ++c) is_over &= is_clean_up(calls.begin(), c);
    expect(is_over, "the call went on after its failure");
  }
  if (!is_loss(fault.error))
    expect(fake::last_error() == cudaSuccess, "an error is left in the runtime");
  auto const left = std::count_if(calls.begin(), calls.end(), [](fake::call const& c) {
    return c.name == "cudaFreeAsync" && c.result != cudaSuccess;
  });
  expect(fake::blocks_not_freed() == left, "a block of memory is left");

  fake::fail(fake::no_fault);
  outcome const next = outcome_of(run);
  if (is_loss(fault.error)) {
    expect(next.how == ending::lost, "the next call is not told of the loss");
    std::vector<float> in(6, 1.f), out(6);
    xpose::transpose(xpose::omp, xpose::matrix_view<float>(in.data(), 2, 3),
                     xpose::matrix_view<float>(out.data(), 3, 2));
    expect(in == out, "omp does not work");
  } else {
    expect(next.how == (has_no_device ? ending::residency_error : ending::returned),
           "the next call fails: " + next.what);
    auto const kept = std::count_if(calls.begin(), calls.end(), [](fake::call const& c) {
      return c.name == "cudaMemPoolDestroy" && c.result != cudaSuccess;
    });
    expect(fake::pools() <= 1 + kept, "a pool is left");
    expect(fake::blocks_not_freed() == left, "a block of memory is left by the next call");
  }
  return wrong.str();
}

/// The calls of a trial that goes well, as many lines.
std::string calls_of(trial const& t) {
  return in_child([&t] {
    fake::start();
    operands const o;
    auto const policy = t.nosync ? xpose::cuda.nosync() : xpose::cuda;
    if (!t.is_first_call) t.entry.run(policy, o);
    fake::fail(fake::no_fault);
    t.entry.run(policy, o);
    std::string lines;
    for (auto const& c : fake::calls()) lines += c.name + '\n';
    return lines;
  });
}

void sweep(bool is_first_call) {
  constexpr cudaError_t errors[] = {memory_error, cudaErrorIllegalAddress, cudaErrorLaunchFailure,
                                    cudaErrorInvalidValue, cudaErrorNotReady};
  for (auto const& entry : entry_points)
    for (bool const nosync : {false, true}) {
      trial const t{entry, is_first_call, nosync};
      std::string const lines = calls_of(t);
      auto const count = static_cast<int>(std::count(lines.begin(), lines.end(), '\n'));
      CAPTURE(std::string(entry.name));
      CAPTURE(nosync);
      CHECK(count > 0);
      CHECK_FALSE(contains(lines, "exception"));
      for (int call = 0; call < count; ++call)
        for (cudaError_t const error : errors)
          for (bool const for_ever : {false, true}) {
            CAPTURE(call);
            CAPTURE(error);
            CAPTURE(for_ever);
            std::string const wrong = in_child([&] {
              return wrong_with(t, {call, for_ever, error});
            });
            CHECK(wrong == "");
          }
    }
}

TEST_CASE("each failing CUDA call of a process's first call ends in the right exception") {
  sweep(true);
}

TEST_CASE("each failing CUDA call of a later call ends in the right exception") { sweep(false); }

TEST_CASE("the sweep reaches every CUDA call that the library makes") {
  std::set<std::string> reached;
  for (auto const& entry : entry_points) {
    std::istringstream lines(calls_of({entry, true, false}));
    for (std::string name; std::getline(lines, name);) reached.insert(name);
  }
  // Of those that nm finds in the library: not cudaMemPoolDestroy, which follows a failure, and
  // cudaInitDevice, cudaStreamGetDevice and the driver's for contexts, for which there is one
  // device too few.
  CHECK(reached == std::set<std::string>{"cuCtxGetId",
                                         "cuTensorMapEncodeTiled",
                                         "cudaDeviceGetAttribute",
                                         "cudaEventCreateWithFlags",
                                         "cudaEventRecord",
                                         "cudaEventSynchronize",
                                         "cudaFree",
                                         "cudaFreeAsync",
                                         "cudaFuncGetAttributes",
                                         "cudaFuncSetAttribute",
                                         "cudaGetDevice",
                                         "cudaGetDeviceCount",
                                         "cudaGetDeviceProperties",
                                         "cudaGetDriverEntryPointByVersion",
                                         "cudaHostAlloc",
                                         "cudaLaunchKernelExC",
                                         "cudaMallocFromPoolAsync",
                                         "cudaMemGetInfo",
                                         "cudaMemPoolCreate",
                                         "cudaMemPoolSetAttribute",
                                         "cudaMemPrefetchAsync",
                                         "cudaMemcpy2DAsync",
                                         "cudaMemcpyAsync",
                                         "cudaMemsetAsync",
                                         "cudaOccupancyMaxActiveClusters",
                                         "cudaStreamCreateWithFlags",
                                         "cudaStreamIsCapturing",
                                         "cudaStreamSynchronize",
                                         "cudaStreamWaitEvent",
                                         "cudaThreadExchangeStreamCaptureMode"});
}

TEST_CASE("a repeated call asks the runtime nothing that cannot have changed") {
  for (auto const& entry : entry_points) {
    CAPTURE(std::string(entry.name));
    std::string const lines = calls_of({entry, false, true});
    CHECK_FALSE(contains(lines, "cudaDeviceGetAttribute"));
    CHECK_FALSE(contains(lines, "cudaFuncGetAttributes"));
    CHECK_FALSE(contains(lines, "cudaGetDeviceProperties"));
    CHECK_FALSE(contains(lines, "cudaGetDeviceCount"));
    CHECK_FALSE(contains(lines, "cudaGetDriverEntryPointByVersion"));
  }
}

TEST_CASE("an error that the user left in the runtime is neither thrown nor taken away") {
  for (auto const& entry : entry_points)
    for (bool const is_first_call : {true, false}) {
      CAPTURE(std::string(entry.name));
      CAPTURE(is_first_call);
      CHECK(in_child([&]() -> std::string {
              fake::start();
              operands const o;
              if (!is_first_call) entry.run(xpose::cuda, o);
              fake::leave_error(cudaErrorInvalidDevicePointer);
              entry.run(xpose::cuda, o);
              return fake::last_error() == cudaErrorInvalidDevicePointer ? "" : "it is gone";
            }) == "");
    }
}

TEST_CASE("a lost device is told even where the driver no longer tells where memory lies") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          operands const o;
          auto const in = o.in<float>(300, 200);
          auto const out = o.out<float>(200, 300);
          xpose::transpose(xpose::cuda, in, out);
          fake::forget_pointers_when_lost();
          fake::fail({0, false, cudaErrorIllegalAddress});
          std::string wrong;
          for (int again = 0; again < 2; ++again) {
            if (outcome_of([&] { xpose::transpose(xpose::cuda, in, out); }).how != ending::lost)
              wrong += "cuda does not tell; ";
            if (outcome_of([&] { xpose::transpose(xpose::automatic, in, out); }).how !=
                ending::lost)
              wrong += "automatic does not tell; ";
          }
          return wrong;
        }) == "");
}

TEST_CASE("each error that ends a process's use of its device is device_lost, and no other is") {
  std::vector<int> lost;
  for (int code = 1; code < 1000; ++code) {
    ending const how = outcome_of([&] { xpose::detail::throw_cuda_error(code, "call"); }).how;
    if (how == ending::lost) lost.push_back(code);
    else CHECK(how == (code == memory_error ? ending::out_of_memory : ending::cuda_error));
  }
  CHECK(lost == std::vector<int>{226, cudaErrorIllegalAddress, cudaErrorLaunchTimeout,
                                 cudaErrorAssert, cudaErrorHardwareStackError,
                                 cudaErrorIllegalInstruction, cudaErrorMisalignedAddress,
                                 cudaErrorInvalidAddressSpace, cudaErrorInvalidPc,
                                 cudaErrorLaunchFailure, 721, cudaErrorMpsClientTerminated,
                                 cudaErrorExternalDevice});
}

}  // namespace
