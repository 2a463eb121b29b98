// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Streams run late, in another order in each process. nccl_double.cpp enqueues its work here.

#include "machine.hpp"

#include "../../faults/fake/fake_state.hpp"
#include "../../faults/fake/fake_streams.hpp"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace machine {
namespace {

int own_identity = 0;

}  // namespace

void start(int rank) {
  fake::start(1);
  fake::run_late(static_cast<unsigned>(rank + 1));
  own_identity = rank + 1;
  fake::set_identity(own_identity);
}
bool has_device_for_each(int) { return true; }
bool can_share_devices() { return true; }
void share_devices(bool are_shared) { fake::set_identity(are_shared ? 1000 : own_identity); }
void fail_call(int call) { fake::fail({call, false, cudaErrorInvalidValue}); }
int calls() { return static_cast<int>(fake::calls().size()); }
char const* wrongs() {
  static std::string text;
  text = fake::wrongs();
  return text.c_str();
}

void* allocate(std::size_t bytes) {
  void* data = nullptr;
  return cudaMalloc(&data, bytes) == cudaSuccess ? data : nullptr;
}
void release(void* data) { cudaFree(data); }
void to_device(void* to, void const* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void from_device(void* to, void const* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

}  // namespace machine

/// In front of MPI's own, which knows no fake devices: messages lie in their memory if the test
/// asks for that.
extern "C" [[gnu::visibility("default")]] int MPIX_Query_cuda_support() {
  return std::getenv("XPOSE_MPI_TAKES_FAKE_MEMORY") != nullptr ? 1 : 0;
}

/// is_done(context) is asked in the stream's order until it says 1.
extern "C" [[gnu::visibility("default")]] void fake_enqueue(void* stream, int (*is_done)(void*),
                                                            void* context) {
  fake::guard const lock;
  fake::on_stream_until_done(static_cast<cudaStream_t>(stream),
                             [=] { return is_done(context) != 0; });
}
