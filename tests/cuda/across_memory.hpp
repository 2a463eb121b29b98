// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Matrices in each kind of memory that a machine with a GPU has, with an image on the host, and
// poison around and between their elements.
#pragma once

#include "support/gpu.hpp"
#include "support/layouts.hpp"

#include <xpose/xpose.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace across_memory {

using ::layout;
using ::name_of;
using xpose::index;

enum class kind { pageable, pinned, registered, managed, device };
inline constexpr kind all_kinds[] = {kind::pageable, kind::pinned, kind::registered, kind::managed,
                                     kind::device};
inline constexpr layout all_layouts[] = {layout::row_major, layout::pitched, layout::col_major,
                                         layout::backwards, layout::every_other};
inline constexpr layout input_layouts[] = {
    layout::row_major,   layout::pitched,  layout::col_major,  layout::backwards,
    layout::every_other, layout::repeated, layout::overlapping};

inline char const* name_of(kind k) {
  constexpr char const* names[] = {"pageable", "pinned", "registered", "managed", "device"};
  return names[static_cast<int>(k)];
}
inline void require(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorName(status));
}

class memory {
 public:
  memory(kind k, std::size_t bytes) : kind_(k), bytes_(bytes) {
    switch (k) {
      case kind::pageable:
      case kind::registered:
        data_ = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
        break;
      case kind::pinned:
        require(cudaMallocHost(&data_, bytes));
        break;
      case kind::managed:
        require(cudaMallocManaged(&data_, bytes));
        break;
      case kind::device:
        require(cudaMalloc(&data_, bytes));
        break;
    }
    if (k == kind::registered) require(cudaHostRegister(data_, bytes, cudaHostRegisterDefault));
  }
  ~memory() {
    if (kind_ == kind::registered) cudaHostUnregister(data_);
    if (kind_ == kind::pageable || kind_ == kind::registered) std::free(data_);
    else if (kind_ == kind::pinned) cudaFreeHost(data_);
    else cudaFree(data_);
  }
  memory(memory const&) = delete;
  memory& operator=(memory const&) = delete;
  char* data() const { return static_cast<char*>(data_); }
  void write(void const* from) { require(cudaMemcpy(data_, from, bytes_, cudaMemcpyDefault)); }
  void read(void* to) const { require(cudaMemcpy(to, data_, bytes_, cudaMemcpyDefault)); }

 private:
  kind kind_;
  std::size_t bytes_;
  void* data_ = nullptr;
};

/// Bytes of elements tell positions apart; of numbers they are small whole ones.
template <class T>
class matrix {
 public:
  matrix(kind k, index rows, index cols, layout l)
      : image_(static_cast<std::size_t>(count_of(rows, cols)) * sizeof(T), poison),
        there_(k, image_.size()),
        here_view_(made(image_.data(), rows, cols, l)),
        there_view_(made(reinterpret_cast<unsigned char*>(there_.data()), rows, cols, l)) {
    for (index i = 0; i < rows; ++i)
      for (index j = 0; j < cols; ++j) set(here_view_(i, j), i * 7 + j * 13 + i * j);
    there_.write(image_.data());
  }
  xpose::matrix_view<T> here() { return here_view_; }
  xpose::matrix_view<T> there() { return there_view_; }
  /// All bytes of the memory are those of the other's image.
  bool has_bytes_of(matrix& other) const {
    std::vector<unsigned char> now(image_.size());
    there_.read(now.data());
    return now == other.image_;
  }

 private:
  static constexpr unsigned char poison = 0xA5;

  static index count_of(index rows, index cols) { return 2 * rows * (cols + 5) + cols + 64; }
  static void set(T& element, index value) {
    if constexpr (!std::is_constructible_v<T, float>) {
      auto* const bytes = reinterpret_cast<unsigned char*>(&element);
      for (std::size_t b = 0; b < sizeof(T); ++b)
        bytes[b] = static_cast<unsigned char>(value >> (8 * (b % 2)));
    } else if constexpr (std::is_integral_v<T>) {
      element = static_cast<T>(value % 101 - 50);
    } else {
      element = static_cast<T>(static_cast<float>(value % 101 - 50));
    }
  }
  static xpose::matrix_view<T> made(unsigned char* memory, index rows, index cols, layout l) {
    return view_in(l, reinterpret_cast<T*>(memory), rows, cols);
  }

  std::vector<unsigned char> image_;
  memory there_;
  xpose::matrix_view<T> here_view_;
  xpose::matrix_view<T> there_view_;
};

struct stream {
  stream() { require(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking)); }
  ~stream() { cudaStreamDestroy(handle); }
  stream(stream const&) = delete;
  stream& operator=(stream const&) = delete;
  void wait() const { require(cudaStreamSynchronize(handle)); }
  cudaStream_t handle = nullptr;
};

/// run(thread) of each; whether all said true.
template <class Run>
void in_threads(int count, Run const& run) {
  std::vector<char> answers(static_cast<std::size_t>(count), 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t)
    threads.emplace_back([&, t] { answers[static_cast<std::size_t>(t)] = run(t) ? 1 : 0; });
  for (std::thread& t : threads) t.join();
  for (char const answer : answers)
    if (answer == 0) throw std::runtime_error("a thread has another result");
}

inline bool needs_two_gpus() {
  if (!needs_gpu()) return false;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices >= 2) return true;
  ++skipped_for_lack_of_gpu();
  return false;
}

}  // namespace across_memory
