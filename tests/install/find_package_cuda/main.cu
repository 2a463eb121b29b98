// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A user's .cu file: a lambda on xpose::cuda. Without a GPU it runs on omp.

#include <xpose/xpose.hpp>

#include <cstdio>

template <class T>
T* allocate(std::size_t count) {
  void* memory = nullptr;
  if (cudaMallocHost(&memory, count * sizeof(T)) != cudaSuccess) memory = new T[count];
  return static_cast<T*>(memory);
}

int main() {
  float* const in = allocate<float>(6);
  int* const out = allocate<int>(6);
  for (int i = 0; i < 6; ++i) in[i] = float(i);
  xpose::matrix_view<float const> const A(in, 2, 3);
  xpose::matrix_view<int> const B(out, 3, 2);
  xpose::transpose(xpose::cuda, A, B, [] __host__ __device__(float x) { return int(2 * x) + 1; });
  bool const right = out[0] == 1 && out[1] == 7 && out[2] == 3 && out[5] == 11;
  std::printf("xpose %s: %s\n", XPOSE_VERSION, right ? "right" : "WRONG");
  return right ? 0 : 1;
}
