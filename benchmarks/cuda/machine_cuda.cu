// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The memory, the events and the name of a CUDA device.

#include "core/machine.hpp"
#include "cuda/check.hpp"
#include "cuda/gpu_clock.hpp"
#include "cuda/stream_timer.cuh"
#include "types/random.hpp"

#include <chrono>
#include <new>

namespace xpose::bench {
namespace {

constexpr unsigned threads_in_block = 256;

unsigned blocks_for(std::size_t items) {
  std::size_t const blocks = (items + threads_in_block - 1) / threads_in_block;
  return static_cast<unsigned>(std::min<std::size_t>(std::max<std::size_t>(blocks, 1), 1u << 20));
}

template <class T>
__global__ void fill_scalars(T* scalars, std::size_t count, std::uint64_t seed) {
  std::size_t const step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    scalars[i] = random_scalar<T>::make(hash_of(i, seed));
}

class cuda_machine : public machine {
 public:
  cuda_machine() {
    int count = 0;
    cudaError_t const status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0)
      throw std::runtime_error(std::string("no CUDA device here: ") + cudaGetErrorString(status));
    check(cudaGetDeviceProperties(&properties_, 0), "cudaGetDeviceProperties");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    timer_ = std::make_unique<stream_timer>(stream_);
    char pci_bus_id[32] = "";
    check(cudaDeviceGetPCIBusId(pci_bus_id, sizeof pci_bus_id, 0), "cudaDeviceGetPCIBusId");
    clock_ = std::make_unique<gpu_clock>(pci_bus_id);
  }
  ~cuda_machine() override {
    timer_.reset();
    cudaStreamDestroy(stream_);
  }

  bool is_device() const override { return true; }
  std::string name() const override { return properties_.name; }
  std::string software() const override {
    int driver = 0;
    int runtime = 0;
    check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    auto const text = [](int version) {
      return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    };
    return "CUDA runtime " + text(runtime) + ", driver for CUDA " + text(driver) + " (" +
           clock_->driver_version() + ")";
  }
  void* stream() const override { return stream_; }
  std::size_t last_level_cache_bytes() const override {
    return static_cast<std::size_t>(properties_.l2CacheSize);
  }
  std::size_t free_bytes() const override {
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return free;
  }
  int clock_mhz() override { return clock_->multiprocessor_mhz(); }
  double power_watts() override { return clock_->watts(); }

  void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    cudaError_t const status = cudaMalloc(&memory, std::max<std::size_t>(bytes, 1));
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // not sticky: the next call starts clean
      throw std::bad_alloc();
    }
    check(status, "cudaMalloc");
    return memory;
  }
  void release(void* memory) noexcept override { cudaFree(memory); }

  void fill_random(void* memory, element_kind kind, std::size_t bytes,
                   std::uint64_t seed) override {
    with_scalar_type(kind, [&](auto tag) {
      using T = typename decltype(tag)::type;
      std::size_t const count = bytes / sizeof(T);
      fill_scalars<<<blocks_for(count), threads_in_block, 0, stream_>>>(static_cast<T*>(memory),
                                                                        count, seed);
      check(cudaGetLastError(), "fill_scalars");
      std::size_t const filled = count * sizeof(T);
      fill_scalars<<<1, threads_in_block, 0, stream_>>>(static_cast<std::uint8_t*>(memory) + filled,
                                                        bytes - filled, seed);
      check(cudaGetLastError(), "fill_scalars");
    });
    synchronize();
  }
  void fill_poison(void* memory, std::size_t bytes) override {
    check(cudaMemsetAsync(memory, poison, bytes, stream_), "cudaMemsetAsync");
    synchronize();
  }
  void copy_to_host(void* host, void const* memory, std::size_t bytes) override {
    check(cudaMemcpyAsync(host, memory, bytes, cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync");
    synchronize();
  }
  void synchronize() override { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

  double seconds(candidate const& who, int first_slot, int slots, int calls) override {
    double total = 0;
    for (int done = 0; done < calls; done += most_calls_enqueued)
      total += timer_->seconds(std::min(most_calls_enqueued, calls - done),
                               [&](int i) { who.call((first_slot + done + i) % slots); });
    return total;
  }
  double host_seconds(candidate const& who, int slot) override {
    using clock = std::chrono::steady_clock;
    synchronize();
    auto const start = clock::now();
    who.call(slot);
    synchronize();
    return std::chrono::duration<double>(clock::now() - start).count();
  }
  double enqueue_seconds(candidate const& who, int first_slot, int slots) override {
    constexpr int calls = 64;  // far from filling the stream's queue, where a call would wait
    using clock = std::chrono::steady_clock;
    synchronize();
    auto const start = clock::now();
    for (int i = 0; i < calls; ++i) who.call((first_slot + i) % slots);
    double const spent = std::chrono::duration<double>(clock::now() - start).count();
    synchronize();
    return spent / calls;
  }
  double shortest_sample() const override { return 200e-6; }

 private:
  cudaDeviceProp properties_{};
  cudaStream_t stream_ = nullptr;
  std::unique_ptr<stream_timer> timer_;
  std::unique_ptr<gpu_clock> clock_;
};

}  // namespace

std::unique_ptr<machine> make_cuda_machine() { return std::make_unique<cuda_machine>(); }

}  // namespace xpose::bench
