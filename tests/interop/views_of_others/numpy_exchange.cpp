// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What numpy_exchange.py calls: a transpose between NumPy's own DLPack tensors, and a tensor of
// ours for NumPy to read.

#include "dlpack_structures.hpp"

#include <xpose/dlpack.hpp>
#include <xpose/xpose.hpp>

#include <complex>
#include <cstring>
#include <string_view>

namespace {

char last_error[512];

template <class T>
void transpose_as(DLManagedTensor const& in, DLManagedTensor const& out) {
  if (in.dl_tensor.ndim == 3)
    xpose::transpose(xpose::seq, xpose::batch<T const>(in), xpose::batch<T>(out));
  else xpose::transpose(xpose::seq, xpose::view<T const>(in), xpose::view<T>(out));
}

/// Numbers 0 to 11 as a 3 x 4 matrix, every other row of a column-major one.
float memory[24];
auto exported =
    xpose::to_dlpack<DLTensor>(xpose::matrix_view<float>(memory, 3, 4, xpose::strided{2, 6}));
DLManagedTensor managed{{}, nullptr, nullptr};

}  // namespace

extern "C" {

/// out = in transposed, elements being of the type named; the message of what was thrown, or null.
char const* transpose_tensors(DLManagedTensor const* in, DLManagedTensor const* out,
                              char const* type) {
  try {
    std::string_view const name = type;
    if (name == "int16") transpose_as<short>(*in, *out);
    else if (name == "uint64") transpose_as<unsigned long>(*in, *out);
    else if (name == "float16") transpose_as<xpose::float16>(*in, *out);
    else if (name == "float32") transpose_as<float>(*in, *out);
    else if (name == "complex128") transpose_as<std::complex<double>>(*in, *out);
    else return "no such type here";
  } catch (std::exception const& e) {
    std::strncpy(last_error, e.what(), sizeof last_error - 1);
    return last_error;
  }
  return nullptr;
}

DLManagedTensor* tensor_of_ours() {
  xpose::matrix_view<float> const m(memory, 3, 4, xpose::strided{2, 6});
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) m(i, j) = static_cast<float>(4 * i + j);
  managed.dl_tensor = *exported.tensor();
  return &managed;
}

}  // extern "C"
