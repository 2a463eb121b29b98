// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the C interface refuses: structs and numbers that C++ would not compile, and what C++
// refuses.

#include "calls.hpp"

#include <xpose/version.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <cstdlib>
#include <limits>
#include <vector>

namespace {

TEST_CASE("the rules of the C++ calls hold, with their words and statuses") {
  call c;
  c.out = matrix(results, 3, 3);
  CHECK(c() == "shape_error: transpose: out is 3x3, expected 2x3");
  c = {};
  c.out.row_stride = 1;
  CHECK(contains(c(), "layout_error: transpose: out is 2x3 with row stride 1, column stride 1: "));
  c = {};
  c.out.data = numbers + 1;
  CHECK(contains(c(), "alias_error: transpose: out ["));
  c = {};
  c.in.row_stride = std::int64_t{1} << 61;
  CHECK(contains(c(), "overflow_error: transpose: in: extents 3x2 with strides "));
  c = {};
  c.in.rows = -3;
  CHECK(c() == "shape_error: transpose: in: extents are -3x2, and none may be negative");
  c = {};
  c.out.data = nullptr;
  CHECK(c() == "layout_error: transpose: out: data is null, but extents are 2x3");
  c = {};
  c.in.data = reinterpret_cast<char*>(numbers) + 1;
  CHECK(contains(c(), "is not aligned to its element type (4 bytes)"));
  c.in.dtype = c.out.dtype = XPOSE_RAW;
  c.in.element_bytes = c.out.element_bytes = 4;
  CHECK(c() == "ok");
}

TEST_CASE("transpose_inplace of a batch without matrices is a no-op, whatever its extents") {
  std::int64_t const large = std::int64_t{1} << 40;
  for (xpose_backend const backend :
       {XPOSE_AUTOMATIC, XPOSE_SEQ, XPOSE_OMP, XPOSE_CUDA, XPOSE_REFERENCE}) {
    xpose_policy const policy = xpose_policy_of(backend);
    xpose_batch small{matrix(nullptr, 7, 5), 0, 35};
    CHECK(said(xpose_transpose_inplace_batch(&policy, &small)) == "ok");
    CHECK(small.first.rows == 5);
    CHECK(small.first.cols == 7);
    CHECK(small.first.row_stride == 7);
    xpose_batch huge{matrix(nullptr, large, large + 1), 0, 0};
    CHECK(said(xpose_transpose_inplace_batch(&policy, &huge)) == "ok");
    CHECK(huge.first.rows == large + 1);
    CHECK(huge.first.row_stride == large);
    xpose_batch negative{matrix(nullptr, -7, 5), 0, 35};
    CHECK(said(xpose_transpose_inplace_batch(&policy, &negative)) ==
          "shape_error: transpose_inplace: view: extents are 0x-7x5, and none may be negative");
  }
}

TEST_CASE("null is refused for every struct, by its name") {
  call const c;
  xpose_matrix const* const none = nullptr;
  CHECK(said(xpose_transpose(nullptr, &c.in, &c.out, XPOSE_IDENTITY)) ==
        "argument_error: transpose: policy is null");
  CHECK(said(xpose_transpose(&c.policy, none, &c.out, XPOSE_IDENTITY)) ==
        "argument_error: transpose: in is null");
  CHECK(said(xpose_copy(&c.policy, &c.in, none, XPOSE_IDENTITY)) ==
        "argument_error: copy: out is null");
  CHECK(said(xpose_copy_batch(&c.policy, nullptr, nullptr, XPOSE_IDENTITY)) ==
        "argument_error: copy: in is null");
  CHECK(said(xpose_transpose_inplace(&c.policy, nullptr)) ==
        "argument_error: transpose_inplace: view is null");
  CHECK(said(xpose_transpose_inplace_batch(&c.policy, nullptr)) ==
        "argument_error: transpose_inplace: view is null");
  CHECK(said(xpose_add(&c.policy, nullptr, none, nullptr, &c.in, &c.in)) ==
        "argument_error: add: A is null");
  CHECK(said(xpose_add(&c.policy, nullptr, &c.in, nullptr, none, &c.in)) ==
        "argument_error: add: B is null");
  CHECK(said(xpose_gemm(&c.policy, nullptr, &c.in, &c.out, nullptr, none, nullptr)) ==
        "argument_error: gemm: C is null");
  CHECK(said(xpose_permute(&c.policy, nullptr, nullptr, nullptr, XPOSE_IDENTITY)) ==
        "argument_error: permute: in is null");
  xpose_tensor t{numbers, {3}, {1}, 0, XPOSE_F32, 1};
  xpose_tensor u{results, {3}, {1}, 0, XPOSE_F32, 1};
  CHECK(said(xpose_permute(&c.policy, &t, &u, nullptr, XPOSE_IDENTITY)) ==
        "argument_error: permute: permutation is null");
  xpose_batch const in{c.in, 1, 0};
  xpose_batch const out{c.out, 1, 0};
  CHECK(said(xpose_explain_transpose(&c.policy, &in, &out, XPOSE_IDENTITY, nullptr)) ==
        "argument_error: transpose: answer is null");
}

TEST_CASE("numbers that are no enumerators are refused") {
  call c;
  c.in.dtype = static_cast<xpose_dtype>(18);
  CHECK(c() == "argument_error: transpose: in's dtype is 18, expected 0 to 17");
  c = {};
  c.out.dtype = static_cast<xpose_dtype>(-1);
  CHECK(c() == "argument_error: transpose: out's dtype is -1, expected 0 to 17");
  c = {};
  c.function = static_cast<xpose_function>(3);
  CHECK(c() == "argument_error: transpose: function is 3, expected 0 to 2");
  c = {};
  c.policy.backend = static_cast<xpose_backend>(std::numeric_limits<std::int32_t>::max());
  CHECK(c() == "argument_error: transpose: policy's backend is 2147483647, expected 0 to 4");

  c = {};
  xpose_matrix const square = matrix(results + 100, 3, 3);
  auto const with = [&](xpose_gemm_options const& options) {
    return said(xpose_gemm(&c.policy, nullptr, &c.in, &c.out, nullptr, &square, &options));
  };
  xpose_gemm_options options = xpose_default_gemm_options();
  CHECK(with(options) == "ok");
  options.semiring = static_cast<xpose_semiring>(4);
  CHECK(with(options) == "argument_error: gemm: options' semiring is 4, expected 0 to 3");
  options = xpose_default_gemm_options();
  options.precision = static_cast<xpose_precision>(4);
  CHECK(with(options) == "argument_error: gemm: options' precision is 4, expected 0 to 3");
  options = xpose_default_gemm_options();
  options.accumulate = static_cast<xpose_dtype>(99);
  CHECK(with(options) == "argument_error: gemm: options' accumulate is 99, expected 0 to 17");
  options = xpose_default_gemm_options();
  options.reserved = 1;
  CHECK(with(options) == "argument_error: gemm: options has reserved 1, expected 0");
}

TEST_CASE("sizes of elements and ranks are checked") {
  call c;
  c.in.element_bytes = 8;
  CHECK(c() == "argument_error: transpose: in has element_bytes 8, but its dtype f32 has 4");
  c.in.element_bytes = 4;
  CHECK(c() == "ok");
  c.in.dtype = XPOSE_RAW;
  c.in.element_bytes = 0;
  CHECK(c() ==
        "argument_error: transpose: in has raw elements of 0 bytes, expected 1 to 2147483647");
  c.in.element_bytes = std::int64_t{1} << 31;
  CHECK(contains(c(), "raw elements of 2147483648 bytes"));

  xpose_tensor in{numbers, {3, 2}, {2, 1}, 0, XPOSE_F32, 2};
  xpose_tensor out{results, {2, 3}, {3, 1}, 0, XPOSE_F32, 2};
  std::int32_t permutation[] = {1, 0};
  auto const permuted = [&] {
    return said(xpose_permute(&c.policy, &in, &out, permutation, XPOSE_IDENTITY));
  };
  CHECK(permuted() == "ok");
  permutation[1] = 1;
  CHECK(permuted() == "shape_error: permute: (1, 1) is no permutation of 2 dimensions");
  out.rank = 1;
  CHECK(permuted() == "shape_error: permute: out has rank 1, expected 2");
  out.rank = 9;
  CHECK(permuted() == "shape_error: permute: out has rank 9, expected 1 to 8");
  in.rank = 0;
  CHECK(permuted() == "shape_error: permute: in has rank 0, expected 1 to 8");
}

TEST_CASE("packed structs of extents that no memory has are refused by the call") {
  std::int64_t const most = std::numeric_limits<std::int64_t>::max();
  xpose_policy const policy = xpose_policy_of(XPOSE_OMP);
  xpose_batch const huge = xpose_packed_batch(numbers, XPOSE_F32, 2, most, 4);
  CHECK(contains(said(xpose_copy_batch(&policy, &huge, &huge, XPOSE_IDENTITY)), "overflow_error"));
  std::int64_t const ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  std::int32_t const permutation[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  xpose_tensor const nine = xpose_packed_tensor(numbers, XPOSE_F32, 9, ones);
  CHECK(said(xpose_permute(&policy, &nine, &nine, permutation, XPOSE_IDENTITY)) ==
        "shape_error: permute: in has rank 9, expected 1 to 8");
}

TEST_CASE("elements change their dtype by XPOSE_CAST alone, and only where that is compiled") {
  call c;
  std::int64_t wide[6] = {};
  c.out.data = wide;
  c.out.dtype = XPOSE_I64;
  CHECK(c() ==
        "argument_error: transpose: function is XPOSE_IDENTITY, but in has f32 of 4 bytes, out i64 "
        "of 8 bytes: only XPOSE_CAST goes from one to another");
  c.function = XPOSE_CAST;
  CHECK(c() == "ok");
  c.out.dtype = XPOSE_C64;
  CHECK(c() ==
        "backend_error: transpose: function is XPOSE_CAST, but in has f32 of 4 bytes, out c64 of 8 "
        "bytes: casts are among real and among complex numbers, and of e4m3 and e5m2 with f16, "
        "bf16 and f32");
  c = {};
  c.in.dtype = XPOSE_RAW;
  c.in.element_bytes = 4;
  c.function = XPOSE_CAST;
  CHECK(contains(c(), "backend_error: "));
  c.function = XPOSE_CONJUGATE;
  CHECK(c() ==
        "argument_error: transpose: function is XPOSE_CONJUGATE, and raw elements have no complex "
        "conjugate");
  c.function = XPOSE_IDENTITY;
  c.in.conjugated = 1;
  CHECK(c() == "argument_error: transpose: in is raw, which has no complex conjugate");
  c = {};
  c.out.conjugated = 1;
  CHECK(c() == "argument_error: transpose: out is conjugated, and only inputs may be");

  std::complex<double> doubles[6];
  c = {};
  c.in.dtype = XPOSE_C64;
  c.out.data = doubles;
  c.out.dtype = XPOSE_C128;
  c.function = XPOSE_CAST;
  CHECK(c() == "ok");
  c.in.conjugated = 1;
  CHECK(contains(c(), "backend_error: transpose: function is XPOSE_CAST and in is conjugated"));
}

TEST_CASE("sums and products of dtypes that are not compiled are refused, and named") {
  call const c;
  xpose_matrix other = c.in;
  other.dtype = XPOSE_I32;
  xpose_matrix const sum = matrix(results, 3, 2);
  CHECK(said(xpose_add(&c.policy, nullptr, &c.in, nullptr, &other, &sum)) ==
        "backend_error: add: A has f32, B i32, C f32: sums are of one dtype, which is a number");
  xpose_matrix const square = matrix(results, 3, 3);
  other = c.out;
  other.data = numbers;
  other.dtype = XPOSE_F64;
  CHECK(said(xpose_gemm(&c.policy, nullptr, &c.in, &other, nullptr, &square, nullptr)) ==
        "backend_error: gemm: A has f32, B f64, C f32, accumulate the default, semiring "
        "plus_times: no such kernel is compiled (docs/c_api.md lists those that are)");
  xpose_gemm_options options = xpose_default_gemm_options();
  options.accumulate = XPOSE_F64;
  options.semiring = XPOSE_MAX_PLUS;
  other.dtype = XPOSE_F32;
  CHECK(contains(said(xpose_gemm(&c.policy, nullptr, &c.in, &other, nullptr, &square, &options)),
                 "accumulate f64, semiring max_plus: no such kernel"));
}

TEST_CASE("a policy's fields that its backend has no use for must be zero") {
  call c;
  c.policy.threads = -1;
  CHECK(c() == "shape_error: transpose: policy has threads -1, expected 0 or more");
  c.policy = xpose_policy_of(XPOSE_SEQ);
  c.policy.threads = 2;
  CHECK(c() == "argument_error: transpose: policy has threads 2, which XPOSE_SEQ does not take");
  c.policy = xpose_policy_of(XPOSE_REFERENCE);
  c.policy.threads = 2;
  CHECK(contains(c(), "policy has threads 2, which XPOSE_REFERENCE does not take"));
  c.policy = xpose_policy_of(XPOSE_AUTOMATIC);
  c.policy.stream = numbers;
  CHECK(contains(c(), ", which XPOSE_AUTOMATIC does not take"));
  c.policy = xpose_policy_of(XPOSE_OMP);
  c.policy.flags = XPOSE_NOSYNC;
  CHECK(c() == "argument_error: transpose: policy has flags 1, which XPOSE_OMP does not take");
  c.policy = xpose_policy_of(XPOSE_CUDA);
  c.policy.flags = 4;
  CHECK(c() == "argument_error: transpose: policy has flags 4, expected those of 3");
}

/// Host memory, counted.
struct counted_memory {
  static void* allocate(void* context, std::size_t bytes, void*) {
    auto& self = *static_cast<counted_memory*>(context);
    ++self.taken;
    return self.is_empty ? nullptr : std::malloc(bytes);
  }
  static void deallocate(void* context, void* data, std::size_t, void*) {
    ++static_cast<counted_memory*>(context)->given_back;
    std::free(data);
  }
  int taken = 0;
  int given_back = 0;
  bool is_empty = false;
};

TEST_CASE("temporary memory comes from the policy's functions, and null is out of memory") {
  counted_memory memory;
  std::vector<float> elements(300 * 200);
  for (xpose_backend const backend : {XPOSE_REFERENCE, XPOSE_SEQ, XPOSE_OMP}) {
    memory = {};
    xpose_policy policy = xpose_policy_of(backend);
    policy.memory_context = &memory;
    policy.allocate = counted_memory::allocate;
    policy.deallocate = counted_memory::deallocate;
    xpose_matrix view = xpose_row_major(elements.data(), XPOSE_F32, 300, 200);
    CHECK(said(xpose_transpose_inplace(&policy, &view)) == "ok");
    CHECK(memory.taken > 0);
    CHECK(memory.given_back == memory.taken);
    memory.is_empty = true;
    CHECK(contains(said(xpose_transpose_inplace(&policy, &view)), "out_of_memory"));
  }
  call c;
  c.policy.allocate = counted_memory::allocate;
  CHECK(c() ==
        "argument_error: transpose: policy has allocate alone, expected both functions or neither");
  c.policy = xpose_policy_of(XPOSE_AUTOMATIC);
  c.policy.allocate = counted_memory::allocate;
  c.policy.deallocate = counted_memory::deallocate;
  CHECK(c() ==
        "argument_error: transpose: policy has allocate, which XPOSE_AUTOMATIC does not take");
}

TEST_CASE("structs of older and newer headers are told by their size") {
  struct newer_policy {
    xpose_policy known;
    std::uint64_t field;
  };
  newer_policy newer{xpose_policy_of(XPOSE_SEQ), 0};
  newer.known.size = sizeof newer;
  call const c;
  auto const run = [&] {
    return said(xpose_transpose(&newer.known, &c.in, &c.out, XPOSE_IDENTITY));
  };
  CHECK(run() == "ok");
  newer.field = 1;
  CHECK(run() ==
        "argument_error: transpose: policy has size 64 and fields that are not zero behind "
        "the 56 bytes that xpose " XPOSE_VERSION " knows");
  newer.known.size = sizeof newer.known;
  CHECK(run() == "ok");
  newer.known.size = 24;
  CHECK(run() == "argument_error: transpose: policy has size 24, expected 56 (its sizeof)");
  newer.known.size = 0xCDCDCDCDCDCDCDCD;  // never set
  CHECK(contains(run(), "argument_error: transpose: policy has size 14829735431805717965"));

  xpose_gemm_options options = xpose_default_gemm_options();
  options.size = 0;
  xpose_matrix const square = matrix(results, 3, 3);
  xpose_matrix const b = matrix(numbers, 2, 3);
  CHECK(said(xpose_gemm(&c.policy, nullptr, &c.in, &b, nullptr, &square, &options)) ==
        "argument_error: gemm: options has size 0, expected 32 (its sizeof)");

  // The options of a header that knew no layer.
  options.size = 24;
  options.layer = reinterpret_cast<xpose_layer const*>(&options);
  CHECK(said(xpose_gemm(&c.policy, nullptr, &c.in, &b, nullptr, &square, &options)) == "ok");
}

TEST_CASE("a layer scales, adds and activates, and what does not fit is refused by its name") {
  xpose_policy const policy = xpose_policy_of(XPOSE_OMP);
  float a[] = {1, 2, 3, 4}, b[] = {1, 0, 0, -1}, c[] = {9, 9, 9, 9}, s[] = {2, 3}, t[] = {1, 1};
  xpose_matrix const A = matrix(a, 2, 2), B = matrix(b, 2, 2), C = matrix(c, 2, 2);
  xpose_matrix scale = matrix(s, 1, 2), bias = matrix(t, 2, 1);
  xpose_layer layer = xpose_layer_of(XPOSE_RELU, &scale, &bias);
  xpose_gemm_options options = xpose_default_gemm_options();
  options.layer = &layer;
  auto const run = [&] {
    return said(xpose_gemm(&policy, nullptr, &A, &B, nullptr, &C, &options));
  };
  CHECK(run() == "ok");  // A B = 1 -2 / 3 -4
  CHECK(std::vector<float>(c, c + 4) == std::vector<float>{3, 0, 7, 0});

  layer.activation = static_cast<xpose_activation>(3);
  CHECK(run() == "argument_error: gemm: layer's activation is 3, expected 0 to 2");
  layer = xpose_layer_of(XPOSE_GELU, nullptr, &bias);
  layer.size = 8;
  CHECK(run() == "argument_error: gemm: layer has size 8, expected 32 (its sizeof)");
  layer.size = sizeof layer;
  layer.reserved = 1;
  CHECK(run() == "argument_error: gemm: layer has reserved 1, expected 0");
  layer.reserved = 0;
  bias.dtype = XPOSE_I32;
  CHECK(run() == "backend_error: gemm: bias has i32, expected C's f32");
  bias = matrix(t, 1, 1);
  bias.rows = 3;
  CHECK(run() ==
        "shape_error: gemm: bias is 3x1, expected 1 or 2 rows and 1 or 2 columns, for C 2x2");
  bias = matrix(t, 2, 1);
  options.semiring = XPOSE_MIN_PLUS;
  CHECK(contains(run(), "semiring min_plus, with a layer: no such kernel is compiled"));
  CHECK(std::vector<float>(c, c + 4) == std::vector<float>{3, 0, 7, 0});
}

}  // namespace
