// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// DLPack tensors as views, and views as DLPack tensors. numpy_exchange.py does both with NumPy.

#include "dlpack_structures.hpp"

#include "support/refusal.hpp"

#include <xpose/dlpack.hpp>
#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <vector>

namespace {

using std::int64_t;

/// A tensor of floats in host memory, to be changed by a test.
struct float_tensor {
  std::vector<float> memory = std::vector<float>(120);
  int64_t shape[4] = {2, 3, 4, 5};
  int64_t strides[4] = {60, 20, 5, 1};
  DLTensor dl{memory.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, strides, 0};
};

TEST_CASE(
    "a DLPack tensor of two dimensions is a matrix, of three a batch, of any number a tensor") {
  float_tensor t;
  auto const matrix = xpose::view<float>(t.dl);
  static_assert(std::is_same_v<decltype(matrix), xpose::matrix_view<float> const>);
  CHECK(matrix.data() == t.memory.data());
  CHECK(matrix.rows() == 2);
  CHECK(matrix.cols() == 3);
  CHECK(matrix.row_stride() == 60);
  CHECK(matrix.col_stride() == 20);

  t.dl.ndim = 3;
  xpose::batch_view<float> const batch = xpose::batch<float>(t.dl);
  CHECK(batch.count() == 2);
  CHECK(batch.batch_stride() == 60);
  CHECK(batch.rows() == 3);
  CHECK(batch.cols() == 4);
  CHECK(batch.first().row_stride() == 20);
  CHECK(batch.first().col_stride() == 5);

  t.dl.ndim = 4;
  auto const tensor = xpose::tensor<float, 4>(t.dl);
  for (std::size_t d = 0; d < 4; ++d) {
    CHECK(tensor.extent(d) == t.shape[d]);
    CHECK(tensor.stride(d) == t.strides[d]);
  }
}

TEST_CASE("a DLPack tensor without strides is packed, C order") {
  float_tensor t;
  t.dl.strides = nullptr;
  CHECK(xpose::view<float>(t.dl).row_stride() == 3);
  CHECK(xpose::view<float>(t.dl).col_stride() == 1);
  t.dl.ndim = 3;
  CHECK(xpose::batch<float>(t.dl).batch_stride() == 12);
}

TEST_CASE("the byte offset of a DLPack tensor counts, and strides may be negative") {
  float_tensor t;
  t.dl.byte_offset = 4 * 100;
  t.strides[0] = -20;
  CHECK(xpose::view<float>(t.dl).data() == t.memory.data() + 100);
  CHECK(xpose::view<float>(t.dl).row_stride() == -20);
}

TEST_CASE("managed DLPack tensors are read like plain ones, and not deleted") {
  float_tensor t;
  DLManagedTensor const managed{t.dl, nullptr, [](DLManagedTensor*) { std::terminate(); }};
  CHECK(xpose::view<float>(managed).data() == t.memory.data());
  DLManagedTensorVersioned const versioned{
      {1, 7}, nullptr, [](DLManagedTensorVersioned*) { std::terminate(); }, 0, t.dl};
  CHECK(xpose::view<float>(versioned).rows() == 2);
}

TEST_CASE("a read-only DLPack tensor is a view of const elements alone") {
  float_tensor t;
  DLManagedTensorVersioned const versioned{{1, 0}, nullptr, nullptr, 1, t.dl};
  CHECK(refusal<xpose::layout_error>([&] { xpose::view<float>(versioned); }) ==
        "DLPack: the tensor is read-only; ask for const elements");
  auto const v = xpose::view<float const>(versioned);
  static_assert(std::is_same_v<decltype(v), xpose::matrix_view<float const> const>);
  CHECK(v.data() == t.memory.data());
}

TEST_CASE("a DLPack tensor of another version is refused unread") {
  DLManagedTensorVersioned const other{{2, 0}, nullptr, nullptr, 0, {}};
  CHECK(refusal<xpose::layout_error>([&] { xpose::view<float>(other); }) ==
        "DLPack: the tensor is of version 2, and xpose knows version 1");
}

template <class T, int Code, int Bits>
struct named {
  using type = T;
  static constexpr int code = Code;
  static constexpr int bits = Bits;
};

TEST_CASE_TEMPLATE("an element type has one name in DLPack, both ways", Named,
                   named<bool, kDLBool, 8>, named<signed char, kDLInt, 8>,
                   named<unsigned char, kDLUInt, 8>, named<short, kDLInt, 16>,
                   named<unsigned long, kDLUInt, 64>, named<long long, kDLInt, 64>,
                   named<xpose::float16, kDLFloat, 16>, named<xpose::bfloat16, kDLBfloat, 16>,
                   named<xpose::float8_e4m3, kDLFloat8_e4m3fn, 8>,
                   named<xpose::float8_e5m2, kDLFloat8_e5m2, 8>, named<float, kDLFloat, 32>,
                   named<double, kDLFloat, 64>, named<std::complex<float>, kDLComplex, 64>,
                   named<std::complex<double>, kDLComplex, 128>) {
  using T = typename Named::type;
  std::vector<std::max_align_t> memory(2);
  auto* const data = reinterpret_cast<T*>(memory.data());
  auto exported = xpose::to_dlpack<DLTensor>(xpose::matrix_view<T>(data, 1, 2));
  DLDataType& type = exported.tensor()->dtype;
  CHECK(type.code == Named::code);
  CHECK(type.bits == Named::bits);
  CHECK(type.lanes == 1);
  CHECK(xpose::view<T>(*exported.tensor()).data() == data);
  for (int code = kDLInt; code <= kDLFloat4_e2m1fn; ++code)
    for (int bits : {1, 4, 8, 16, 32, 64, 128}) {
      if (code == Named::code && bits == Named::bits) continue;
      type.code = static_cast<std::uint8_t>(code);
      type.bits = static_cast<std::uint8_t>(bits);
      CHECK_THROWS_AS(xpose::view<T>(*exported.tensor()), xpose::layout_error);
    }
}

TEST_CASE("other elements than asked for are named") {
  float_tensor t;
  auto const message = [&] {
    return refusal<xpose::layout_error>([&] { xpose::view<float>(t.dl); });
  };
  t.dl.dtype = {kDLFloat, 64, 1};
  CHECK(message() == "DLPack: elements of the tensor are float64, not float32");
  t.dl.dtype = {kDLFloat, 32, 4};
  CHECK(message() == "DLPack: elements of the tensor are float32 in 4 lanes, not float32");
  t.dl.dtype = {kDLFloat, 32, 0};
  CHECK(message() == "DLPack: elements of the tensor are float32 in 0 lanes, not float32");
  t.dl.dtype = {18, 8, 1};
  CHECK(message() == "DLPack: elements of the tensor are type 18 of 8 bits, not float32");
  t.dl.dtype = {kDLFloat4_e2m1fn, 8, 1};
  CHECK(message() == "DLPack: elements of the tensor are float4_e2m1fn of 8 bits, not float32");
  t.dl.dtype = {kDLUInt, 8, 1};
  CHECK(refusal<xpose::layout_error>([&] { xpose::view<bool>(t.dl); }) ==
        "DLPack: elements of the tensor are uint8, not bool8");
  t.dl.dtype = {kDLFloat8_e5m2, 8, 1};
  CHECK(refusal<xpose::layout_error>([&] { xpose::view<xpose::float8_e4m3>(t.dl); }) ==
        "DLPack: elements of the tensor are float8_e5m2 of 8 bits, not float8_e4m3fn of 8 bits");
}

TEST_CASE("tensors on devices that xpose cannot reach are refused") {
  float_tensor t;
  for (int type : {0, 4, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18}) {
    t.dl.device.device_type = static_cast<DLDeviceType>(type);
    CHECK_THROWS_AS(xpose::view<float>(t.dl), xpose::residency_error);
  }
  t.dl.device.device_type = kDLROCM;
  CHECK(refusal<xpose::residency_error>([&] {
          xpose::view<float>(t.dl);
        }).find("DLPack: the tensor is on a device of type 10; xpose takes") == 0);
  for (DLDeviceType type : {kDLCPU, kDLCUDA, kDLCUDAHost, kDLCUDAManaged}) {
    t.dl.device.device_type = type;
    CHECK_NOTHROW(xpose::view<float>(t.dl));
  }
}

TEST_CASE("tensors of another number of dimensions, and impossible ones, are refused") {
  float_tensor t;
  for (int dimensions : {-1, 0, 1, 3, 4}) {
    t.dl.ndim = dimensions;
    CHECK_THROWS_AS(xpose::view<float>(t.dl), xpose::shape_error);
  }
  CHECK(refusal<xpose::shape_error>([&] { xpose::view<float>(t.dl); }) ==
        "DLPack: the tensor has 4 dimensions, expected 2");
  t.dl.ndim = 2;
  t.shape[0] = -2;
  CHECK_THROWS_AS(xpose::view<float>(t.dl), xpose::shape_error);
  t.shape[0] = int64_t{1} << 62;
  CHECK_THROWS_AS(xpose::view<float>(t.dl), xpose::overflow_error);
  t.shape[0] = 2;
  t.dl.data = nullptr;
  CHECK_THROWS_AS(xpose::view<float>(t.dl), xpose::layout_error);
  t.shape[0] = 0;
  CHECK(xpose::view<float>(t.dl).empty());
}

TEST_CASE("null data with elements is refused whatever the byte offset") {
  float_tensor t;
  t.dl.data = nullptr;
  t.dl.byte_offset = 64;
  CHECK(refusal<xpose::layout_error>([&] { xpose::view<float>(t.dl); }) ==
        "tensor_view: data is null, but extents are 2x3");
  t.shape[0] = 0;
  CHECK(xpose::view<float>(t.dl).data() == nullptr);
}

TEST_CASE("a tensor that is not aligned to its elements is refused by the operation") {
  float_tensor t;
  t.dl.byte_offset = 2;
  std::vector<float> out(6);
  CHECK_THROWS_AS(xpose::transpose(xpose::seq, xpose::view<float const>(t.dl),
                                   xpose::matrix_view<float>(out.data(), 3, 2)),
                  xpose::layout_error);
}

TEST_CASE("a view as a DLPack tensor has its extents, strides and memory, on the device given") {
  std::vector<float> memory(120);
  auto m = xpose::to_dlpack<DLTensor>(
      xpose::matrix_view<float>(memory.data() + 7, 3, 4, xpose::col_major, 5),
      DLDevice{kDLCUDA, 3});
  DLTensor const& dl = *m.tensor();
  CHECK(dl.data == memory.data() + 7);
  CHECK(dl.device.device_type == kDLCUDA);
  CHECK(dl.device.device_id == 3);
  CHECK(dl.byte_offset == 0);
  CHECK(dl.ndim == 2);
  CHECK(dl.shape[0] == 3);
  CHECK(dl.shape[1] == 4);
  CHECK(dl.strides[0] == 1);
  CHECK(dl.strides[1] == 5);

  auto b = xpose::to_dlpack<DLTensor>(xpose::batch(memory.data(), 2, 3, 4));
  CHECK(b.tensor()->ndim == 3);
  CHECK(b.tensor()->shape[0] == 2);
  CHECK(b.tensor()->shape[2] == 4);
  CHECK(b.tensor()->strides[0] == 12);
  CHECK(b.tensor()->strides[1] == 4);

  auto t =
      xpose::to_dlpack<DLTensor>(xpose::tensor_view<float const, 4>(memory.data(), {2, 3, 4, 5}));
  auto const back = xpose::tensor<float const, 4>(*t.tensor());
  CHECK(back.data() == memory.data());
  CHECK(back.stride(0) == 60);
  CHECK(back.extent(3) == 5);
}

TEST_CASE("ordinary memory is DLPack's processor, and a view without elements has no memory") {
  std::vector<float> memory(6);
  auto m = xpose::to_dlpack<DLTensor>(xpose::matrix_view<float>(memory.data(), 2, 3));
  CHECK(m.tensor()->device.device_type == kDLCPU);
  CHECK(m.tensor()->device.device_id == 0);
  auto empty = xpose::to_dlpack<DLTensor>(xpose::matrix_view<float>(memory.data(), 2, 0));
  CHECK(empty.tensor()->data == nullptr);
  CHECK(empty.tensor()->shape[0] == 2);
  CHECK(xpose::view<float>(*empty.tensor()).empty());
}

}  // namespace
