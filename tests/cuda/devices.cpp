// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Host threads with streams of their own, and two GPUs in one machine. What needs no kernels to
// show is in faults/places.cpp.

#include "cases/matrix.hpp"
#include "support/gpu.hpp"
#include "support/own_process.hpp"
#include "support/replay.hpp"

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <optional>
#include <thread>
#include <vector>

TEST_SUITE_BEGIN("cuda.runtime");

namespace {

using xpose::index;

/// First line of a test case: `if (!needs_two_gpus()) return;`.
bool needs_two_gpus() {
  int count = 0;
  if (has_gpu() && cudaGetDeviceCount(&count) == cudaSuccess && count > 1) return true;
  cudaGetLastError();
  ++skipped_for_lack_of_gpu();
  return false;
}

/// Makes a device current for its lifetime.
struct on_device {
  explicit on_device(int device) {
    cudaGetDevice(&previous);
    REQUIRE(cudaSetDevice(device) == cudaSuccess);
  }
  ~on_device() { cudaSetDevice(previous); }
  on_device(on_device const&) = delete;
  on_device& operator=(on_device const&) = delete;
  int previous = 0;
};

int current_device() {
  int device = -1;
  cudaGetDevice(&device);
  return device;
}

float value(index, index i, index j) { return static_cast<float>((3 * i + 5 * j) % 7); }

/// A stream and operands of every kind of call, on one device.
class calls_of_device {
 public:
  explicit calls_of_device(int device) : device_(device) {
    on_device const there(device);
    s_.emplace();
    in_.emplace(place::device, 300, 200, cases::pattern::row_major);
    out_.emplace(place::device, 200, 300, cases::pattern::row_major);
    transposed_.emplace(place::device, 500, 400, cases::pattern::row_major);
    deep_.emplace(place::device, 20, 5000, cases::pattern::row_major);
    product_.emplace(place::device, 20, 20, cases::pattern::row_major);
  }
  stream const& of_calls() const { return *s_; }
  matrix<float>& in() { return *in_; }
  matrix<float>& out() { return *out_; }
  void fill() {
    on_device const there(device_);
    in_->fill(value);
    transposed_->fill(value);
    deep_->fill(value);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  }
  /// A copy, two calls that take a workspace, of which one twice.
  void run() {
    auto const policy = xpose::cuda.on(s_->handle).nosync();
    xpose::transpose(policy, in_->there(), out_->there());
    xpose::transpose_inplace(policy, xpose::transpose_inplace(policy, transposed_->there()));
    xpose::gemm(policy, deep_->there(), deep_->there().transposed(), product_->there());
  }
  bool is_right() {
    return out_->holds([](index b, index i, index j) { return value(b, j, i); }) &&
           transposed_->holds(value) && product_->holds([](index b, index i, index j) {
             float sum = 0;
             for (index k = 0; k < 5000; ++k) sum += value(b, i, k) * value(b, j, k);
             return sum;
           });
  }

 private:
  int device_;
  std::optional<stream> s_;
  std::optional<matrix<float>> in_, out_, transposed_, deep_, product_;
};

TEST_CASE("with two GPUs calls run on the device of their stream, whichever is current") {
  if (!needs_two_gpus()) return;
  for (int const device : {0, 1}) {
    CAPTURE(device);
    calls_of_device calls(device);
    on_device const other(1 - device);
    calls.fill();
    calls.run();
    CHECK(current_device() == 1 - device);
    CHECK(cudaStreamSynchronize(calls.of_calls().handle) == cudaSuccess);
    CHECK(calls.is_right());
  }
}

TEST_CASE("with two GPUs calls on the device that is not current are captured and replayed") {
  if (!needs_two_gpus()) return;
  calls_of_device calls(1);
  calls.fill();
  calls.run();  // what is loaded at a first call must not be loaded under capture
  replay(
      calls.of_calls(), 2, [&] { calls.run(); }, [&](int) { calls.fill(); },
      [&](int) { CHECK(calls.is_right()); });
  CHECK(current_device() == 0);
}

TEST_CASE("with two GPUs automatic runs on the device of the data") {
  if (!needs_two_gpus()) return;
  calls_of_device calls(1);
  calls.fill();
  xpose::transpose(xpose::automatic, calls.in().there(), calls.out().there());
  CHECK(calls.out().holds([](index b, index i, index j) { return value(b, j, i); }));
  CHECK(current_device() == 0);
}

TEST_CASE("with two GPUs memory of the other is refused, unless it is a peer's") {
  if (!needs_two_gpus()) return;
  calls_of_device here(0);
  calls_of_device there(1);
  here.fill();
  auto const on_here = xpose::cuda.on(here.of_calls().handle);
  CHECK_THROWS_AS(xpose::transpose(on_here, here.in().there(), there.out().there()),
                  xpose::residency_error);
  CHECK_THROWS_AS(xpose::transpose(xpose::automatic, here.in().there(), there.out().there()),
                  xpose::residency_error);
  CHECK(there.out().is_untouched());
  int can = 0;
  REQUIRE(cudaDeviceCanAccessPeer(&can, 0, 1) == cudaSuccess);
  if (can == 0) return;
  REQUIRE(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess);
  xpose::transpose(on_here, here.in().there(), there.out().there());
  CHECK(there.out().holds([](index b, index i, index j) { return value(b, j, i); }));
  REQUIRE(cudaDeviceDisablePeerAccess(1) == cudaSuccess);
  CHECK_THROWS_AS(xpose::transpose(on_here, here.in().there(), there.out().there()),
                  xpose::residency_error);
}

/// Of the driver, which the process has loaded.
bool has_context(int device) {
  using state_query = int (*)(int device, unsigned* flags, int* is_active);
  auto const query = reinterpret_cast<state_query>(
      dlsym(dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD), "cuDevicePrimaryCtxGetState"));
  unsigned flags = 0;
  int is_active = 0;
  REQUIRE(query(device, &flags, &is_active) == 0);
  return is_active != 0;
}

TEST_CASE("with two GPUs calls on the second make no context on the first") {
  if (number_of_own_process() < 0 && !needs_two_gpus()) return;
  in_own_processes(1, [](int) {
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    calls_of_device calls(1);
    calls.fill();
    int current = -1;
    std::thread([&] {  // to which the first is current
      calls.run();
      current = current_device();
    })
        .join();
    CHECK(current == 0);
    CHECK(cudaStreamSynchronize(calls.of_calls().handle) == cudaSuccess);
    CHECK(calls.is_right());
    CHECK_FALSE(has_context(0));
  });
}

/// Eight host threads, each with a stream of its own, on so many devices in turn.
void check_threads(int devices) {
  std::vector<std::optional<calls_of_device>> calls(8);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i].emplace(static_cast<int>(i) % devices);
    calls[i]->fill();
  }
  std::vector<std::thread> users;
  for (auto& mine : calls)
    users.emplace_back([&mine] {
      for (int again = 0; again < 20; ++again) mine->run();
      cudaStreamSynchronize(mine->of_calls().handle);
    });
  for (auto& user : users) user.join();
  for (auto& mine : calls) CHECK(mine->is_right());
}

TEST_CASE("host threads whose calls take workspaces use streams of their own at once") {
  if (!needs_gpu()) return;
  check_threads(1);
}

TEST_CASE("with two GPUs host threads use streams of both at once") {
  if (!needs_two_gpus()) return;
  check_threads(2);
}

}  // namespace

TEST_SUITE_END();
