// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// transpose, copy, permute and transpose_inplace of every dtype, and functions of elements, against
// loops.

#include <string.h>

#include "operands.h"

static void moves(xpose_policy const* policy, xpose_dtype dtype, int64_t raw_bytes) {
  xpose_matrix const in = padded(&in_image, dtype, raw_bytes, rows, cols);
  xpose_matrix const turned = padded(&out_image, dtype, raw_bytes, cols, rows);
  xpose_matrix const same = xpose_transposed(padded(&out_image, dtype, raw_bytes, cols, rows));
  size_t const bytes = (size_t)bytes_of(&in);
  int64_t const in_step = in.rows * in.row_stride + 5;
  int64_t const out_step = turned.rows * turned.row_stride + 5;
  xpose_batch const in_batch = batch_of(in);
  xpose_batch const turned_batch = batch_of(turned);
  xpose_batch same_batch = batch_of(same);
  same_batch.batch_stride = out_step;
  fill_with_bytes(&in_image);

  // Both outputs are the same bytes: out read as its transpose is a column-major copy.
  for (int batched = 0; batched <= 1; ++batched) {
    poison();
    for (int64_t b = 0; b < (batched ? count : 1); ++b)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j)
          memcpy(element(&expected_image, out_step, &turned, b, j, i),
                 element(&in_image, in_step, &in, b, i, j), bytes);
    if (batched) RUNS(xpose_transpose_batch(policy, &in_batch, &turned_batch, XPOSE_IDENTITY));
    else RUNS(xpose_transpose(policy, &in, &turned, XPOSE_IDENTITY));
    CHECK(outputs_agree());
    memset(&out_image, 0xA5, sizeof out_image);
    if (batched) RUNS(xpose_copy_batch(policy, &in_batch, &same_batch, XPOSE_IDENTITY));
    else RUNS(xpose_copy(policy, &in, &same, XPOSE_IDENTITY));
    CHECK(outputs_agree());
  }
}

static void permutes(xpose_policy const* policy, xpose_dtype dtype, int64_t raw_bytes) {
  static const int32_t permutation[] = {2, 0, 3, 1};
  static const int64_t extents[] = {5, 4, 7, 3};
  size_t const bytes = (size_t)(dtype == XPOSE_RAW ? raw_bytes : dtype_bytes[dtype]);
  xpose_tensor in, out;
  memset(&in, 0x7F, sizeof in);  // what lies behind the rank is not looked at
  in.data = in_image.bytes;
  in.dtype = dtype;
  in.element_bytes = raw_bytes;
  in.rank = 4;
  out = in;
  out.data = out_image.bytes;
  int64_t in_stride = 1, out_stride = 1;
  for (int d = 3; d >= 0; --d) {
    in.extents[d] = extents[d];
    in.strides[d] = in_stride;
    in_stride *= in.extents[d];
    out.extents[d] = extents[permutation[d]];
    out.strides[d] = out_stride;
    out_stride *= out.extents[d];
  }
  fill_with_bytes(&in_image);
  poison();
  int64_t i[4];
  for (i[0] = 0; i[0] < out.extents[0]; ++i[0])
    for (i[1] = 0; i[1] < out.extents[1]; ++i[1])
      for (i[2] = 0; i[2] < out.extents[2]; ++i[2])
        for (i[3] = 0; i[3] < out.extents[3]; ++i[3]) {
          int64_t from = 0, to = 0;
          for (int d = 0; d < 4; ++d) {
            from += i[d] * in.strides[permutation[d]];
            to += i[d] * out.strides[d];
          }
          memcpy(expected_image.bytes + (size_t)to * bytes, in_image.bytes + (size_t)from * bytes,
                 bytes);
        }
  RUNS(xpose_permute(policy, &in, &out, permutation, XPOSE_IDENTITY));
  CHECK(outputs_agree());
}

static void inplace(xpose_policy const* policy, xpose_dtype dtype, int64_t raw_bytes, int64_t m,
                    int64_t n) {
  xpose_batch view;
  view.first = xpose_row_major(out_image.bytes, dtype, m, n);
  view.first.element_bytes = raw_bytes;
  view.count = count;
  view.batch_stride = m * n + 1;
  xpose_matrix const given = view.first;
  xpose_matrix expected = xpose_row_major(out_image.bytes, dtype, n, m);
  expected.element_bytes = raw_bytes;
  size_t const bytes = (size_t)bytes_of(&given);
  for (int batched = 0; batched <= 1; ++batched) {
    fill_with_bytes(&out_image);
    memcpy(&expected_image, &out_image, sizeof out_image);
    for (int64_t b = 0; b < (batched ? count : 1); ++b)
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j)
          memcpy(element(&expected_image, view.batch_stride, &expected, b, j, i),
                 element(&out_image, view.batch_stride, &given, b, i, j), bytes);
    view.first = given;
    if (batched) RUNS(xpose_transpose_inplace_batch(policy, &view));
    else RUNS(xpose_transpose_inplace(policy, &view.first));
    CHECK(outputs_agree());
    CHECK(view.first.rows == n && view.first.cols == m);
    CHECK(view.first.row_stride == m && view.first.col_stride == 1);
    CHECK(view.first.data == given.data && view.first.dtype == dtype);
  }
}

void moves_of_every_type(xpose_policy const* policy) {
  static const int64_t raw[] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 16, 24};
  for (int t = 1; t <= XPOSE_E5M2 + (int)(sizeof raw / sizeof *raw); ++t) {
    xpose_dtype const dtype = t <= XPOSE_E5M2 ? (xpose_dtype)t : XPOSE_RAW;
    int64_t const raw_bytes = t <= XPOSE_E5M2 ? 0 : raw[t - XPOSE_E5M2 - 1];
    current = dtype_names[dtype];
    moves(policy, dtype, raw_bytes);
    permutes(policy, dtype, raw_bytes);
    inplace(policy, dtype, raw_bytes, 17, 17);
    inplace(policy, dtype, raw_bytes, 11, 26);
  }
}

// Functions of elements

/// out is to hold in's elements, transposed, of another dtype or conjugated.
static void moves_through(xpose_policy const* policy, xpose_matrix in, xpose_dtype to,
                          xpose_function function, int conjugates) {
  xpose_matrix const out = padded(&out_image, to, 0, cols, rows);
  poison();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j) {
      number x = get(in.dtype, element(&in_image, 0, &in, 0, i, j));
      if (conjugates) x.im = -x.im;
      put(to, element(&expected_image, 0, &out, 0, j, i), x);
    }
  RUNS(xpose_transpose(policy, &in, &out, function));
  CHECK(outputs_agree());
  memset(&out_image, 0xA5, sizeof out_image);
  xpose_matrix const copied = xpose_transposed(out);
  RUNS(xpose_copy(policy, &in, &copied, function));
  CHECK(outputs_agree());
}

void functions_of_every_type(xpose_policy const* policy) {
  for (int from = XPOSE_I8; from <= XPOSE_C128; ++from) {
    int const is_complex = from >= XPOSE_C64;
    xpose_matrix in = padded(&in_image, (xpose_dtype)from, 0, rows, cols);
    current = dtype_names[from];
    // Numbers that every dtype has: a cast of a negative float to an unsigned integer is undefined.
    fill_with_numbers(&in_image, (xpose_dtype)from, rows * (cols + 2));
    for (int64_t e = 0; !is_complex && e < rows * (cols + 2); ++e) {
      number const x = {(double)(e % 101), 0};
      put((xpose_dtype)from, in_image.bytes + e * dtype_bytes[from], x);
    }
    for (int to = is_complex ? XPOSE_C64 : XPOSE_I8; to <= (is_complex ? XPOSE_C128 : XPOSE_F64);
         ++to)
      moves_through(policy, in, (xpose_dtype)to, XPOSE_CAST, 0);
    moves_through(policy, in, (xpose_dtype)from, XPOSE_CONJUGATE, is_complex);
    in.conjugated = 1;
    moves_through(policy, in, (xpose_dtype)from, XPOSE_IDENTITY, is_complex);
    moves_through(policy, in, (xpose_dtype)from, XPOSE_CONJUGATE, 0);
  }
  static const xpose_dtype longer[] = {XPOSE_F16, XPOSE_BF16, XPOSE_F32};
  for (int shorter = XPOSE_E4M3; shorter <= XPOSE_E5M2; ++shorter)
    for (int l = 0; l < 3; ++l)
      for (int narrows = 0; narrows <= 1; ++narrows) {
        xpose_dtype const from = narrows ? longer[l] : (xpose_dtype)shorter;
        current = dtype_names[from];
        xpose_matrix const in = padded(&in_image, from, 0, rows, cols);
        fill_with_numbers(&in_image, from, rows * (cols + 2));
        moves_through(policy, in, narrows ? (xpose_dtype)shorter : longer[l], XPOSE_CAST, 0);
      }
}
