// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add and gemm of every dtype that they take, against loops.

#include <string.h>

#include "operands.h"

// add

static number times(number x, number y) {
  number const product = {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  return product;
}
static number plus(number x, number y) {
  number const sum = {x.re + y.re, x.im + y.im};
  return sum;
}
static number element_of(image* of, int64_t step, xpose_matrix const* m, int64_t b, int64_t i,
                         int64_t j) {
  number x = get(m->dtype, element(of, step, m, b, i, j));
  if (m->conjugated) x.im = -x.im;
  return x;
}

static void adds(xpose_policy const* policy, xpose_dtype dtype, int has_alpha, int has_beta) {
  number const one = {1, 0};
  number const alpha = {2, dtype >= XPOSE_C64 ? 1 : 0};
  number const beta = {3, dtype >= XPOSE_C64 ? -1 : 0};
  xpose_dtype const scalar = dtype == XPOSE_F16 || dtype == XPOSE_BF16 ? XPOSE_F32 : dtype;
  double stored[2][2];
  put(scalar, stored[0], alpha);
  put(scalar, stored[1], beta);
  xpose_batch a, b, c;
  a = batch_of(padded(&in_image, dtype, 0, rows, cols));
  b = batch_of(padded(&other_image, dtype, 0, cols, rows));
  b.first = xpose_transposed(b.first);
  b.first.conjugated = 1;
  c = batch_of(padded(&out_image, dtype, 0, rows, cols));
  fill_with_numbers(&in_image, dtype, count * a.batch_stride);
  fill_with_numbers(&other_image, dtype, count * b.batch_stride);
  for (int batched = 0; batched <= 1; ++batched) {
    poison();
    for (int64_t m = 0; m < (batched ? count : 1); ++m)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j) {
          number const x = element_of(&in_image, a.batch_stride, &a.first, m, i, j);
          number const y = element_of(&other_image, b.batch_stride, &b.first, m, i, j);
          put(dtype, element(&expected_image, c.batch_stride, &c.first, m, i, j),
              plus(times(has_alpha ? alpha : one, x), times(has_beta ? beta : one, y)));
        }
    void const* const alpha_or_null = has_alpha ? stored[0] : NULL;
    void const* const beta_or_null = has_beta ? stored[1] : NULL;
    if (batched) RUNS(xpose_add_batch(policy, alpha_or_null, &a, beta_or_null, &b, &c));
    else RUNS(xpose_add(policy, alpha_or_null, &a.first, beta_or_null, &b.first, &c.first));
    CHECK(outputs_agree());
  }
}

void adds_of_every_type(xpose_policy const* policy) {
  for (int t = XPOSE_I8; t <= XPOSE_C128; ++t) {
    current = dtype_names[t];
    adds(policy, (xpose_dtype)t, 1, 1);
    adds(policy, (xpose_dtype)t, 1, 0);
    adds(policy, (xpose_dtype)t, 0, 1);
  }
}

// gemm

typedef struct gemm_row {
  xpose_dtype in, out, accumulate;
  xpose_semiring semiring;
} gemm_row;

static const gemm_row gemm_rows[] = {
    {XPOSE_F32, XPOSE_F32, XPOSE_F32, XPOSE_PLUS_TIMES},
    {XPOSE_F64, XPOSE_F64, XPOSE_F64, XPOSE_PLUS_TIMES},
    {XPOSE_C64, XPOSE_C64, XPOSE_C64, XPOSE_PLUS_TIMES},
    {XPOSE_C128, XPOSE_C128, XPOSE_C128, XPOSE_PLUS_TIMES},
    {XPOSE_F16, XPOSE_F16, XPOSE_F32, XPOSE_PLUS_TIMES},
    {XPOSE_F16, XPOSE_F32, XPOSE_F32, XPOSE_PLUS_TIMES},
    {XPOSE_BF16, XPOSE_BF16, XPOSE_F32, XPOSE_PLUS_TIMES},
    {XPOSE_BF16, XPOSE_F32, XPOSE_F32, XPOSE_PLUS_TIMES},
    {XPOSE_E4M3, XPOSE_F32, XPOSE_F32, XPOSE_PLUS_TIMES},
    {XPOSE_E4M3, XPOSE_BF16, XPOSE_F32, XPOSE_PLUS_TIMES},
    {XPOSE_E5M2, XPOSE_F32, XPOSE_F32, XPOSE_PLUS_TIMES},
    {XPOSE_I8, XPOSE_I32, XPOSE_I32, XPOSE_PLUS_TIMES},
    {XPOSE_U8, XPOSE_I32, XPOSE_I32, XPOSE_PLUS_TIMES},
    {XPOSE_I32, XPOSE_I32, XPOSE_I32, XPOSE_PLUS_TIMES},
    {XPOSE_I64, XPOSE_I64, XPOSE_I64, XPOSE_PLUS_TIMES},
    {XPOSE_F32, XPOSE_F32, XPOSE_F32, XPOSE_MIN_PLUS},
    {XPOSE_F64, XPOSE_F64, XPOSE_F64, XPOSE_MIN_PLUS},
    {XPOSE_I32, XPOSE_I32, XPOSE_I32, XPOSE_MIN_PLUS},
    {XPOSE_I64, XPOSE_I64, XPOSE_I64, XPOSE_MIN_PLUS},
    {XPOSE_F32, XPOSE_F32, XPOSE_F32, XPOSE_MAX_PLUS},
    {XPOSE_F64, XPOSE_F64, XPOSE_F64, XPOSE_MAX_PLUS},
    {XPOSE_I32, XPOSE_I32, XPOSE_I32, XPOSE_MAX_PLUS},
    {XPOSE_I64, XPOSE_I64, XPOSE_I64, XPOSE_MAX_PLUS},
    {XPOSE_U8, XPOSE_U8, XPOSE_I32, XPOSE_OR_AND},
};

static number multiplied(xpose_semiring semiring, number x, number y) {
  number result = {0, 0};
  if (semiring == XPOSE_PLUS_TIMES) return times(x, y);
  result.re = semiring == XPOSE_OR_AND ? (x.re != 0 && y.re != 0) : x.re + y.re;
  return result;
}
static number added(xpose_semiring semiring, number x, number y) {
  number result = {0, 0};
  if (semiring == XPOSE_PLUS_TIMES) return plus(x, y);
  if (semiring == XPOSE_OR_AND) result.re = x.re != 0 || y.re != 0;
  else result.re = (semiring == XPOSE_MIN_PLUS) == (y.re < x.re) ? y.re : x.re;
  return result;
}

static void gemms(xpose_policy const* policy, gemm_row const* row, int has_scalars) {
  xpose_gemm_options options = xpose_default_gemm_options();
  options.semiring = row->semiring;
  if (has_scalars) options.accumulate = row->accumulate;  // the default, by name
  int const is_complex = row->in == XPOSE_C64 || row->in == XPOSE_C128;
  number const alpha = {2, is_complex ? 1 : 0};
  number const beta = {1, is_complex ? -1 : 0};
  double stored[2][2];
  put(row->accumulate, stored[0], alpha);
  put(row->accumulate, stored[1], beta);

  // A transposed and conjugated; B one for all matrices.
  xpose_batch a = batch_of(padded(&in_image, row->in, 0, depth, rows));
  a.first = xpose_transposed(a.first);
  a.first.conjugated = is_complex;
  xpose_batch b = batch_of(padded(&other_image, row->in, 0, depth, cols));
  b.batch_stride = 0;
  xpose_batch const c = batch_of(padded(&out_image, row->out, 0, rows, cols));
  fill_with_numbers(&in_image, row->in, count * a.batch_stride);
  fill_with_numbers(&other_image, row->in, depth * (cols + 2));
  if (row->semiring == XPOSE_OR_AND)  // else some k has both for every element
    for (int i = 0; i < image_bytes; ++i) in_image.bytes[i] = i % 29 == 0;

  for (int batched = 0; batched <= 1; ++batched) {
    poison();
    if (has_scalars) {  // C is read, so that it is to hold numbers
      fill_with_numbers(&out_image, row->out, count * c.batch_stride);
      memcpy(&expected_image, &out_image, sizeof out_image);
    }
    for (int64_t m = 0; m < (batched ? count : 1); ++m)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j) {
          unsigned char* const target = element(&expected_image, c.batch_stride, &c.first, m, i, j);
          number sum = {0, 0};
          for (int64_t k = 0; k < depth; ++k) {
            number const x = element_of(&in_image, a.batch_stride, &a.first, m, i, k);
            number const y = element_of(&other_image, 0, &b.first, 0, k, j);
            number const product = multiplied(row->semiring, x, y);
            sum = k == 0 ? product : added(row->semiring, sum, product);
          }
          if (has_scalars)
            sum = added(row->semiring, multiplied(row->semiring, alpha, sum),
                        multiplied(row->semiring, beta, get(row->out, target)));
          put(row->out, target, sum);
        }
    void const* const alpha_or_null = has_scalars ? stored[0] : NULL;
    void const* const beta_or_null = has_scalars ? stored[1] : NULL;
    if (batched) RUNS(xpose_gemm_batch(policy, alpha_or_null, &a, &b, beta_or_null, &c, &options));
    else
      RUNS(xpose_gemm(policy, alpha_or_null, &a.first, &b.first, beta_or_null, &c.first, &options));
    CHECK(outputs_agree());
  }
}

void gemms_of_every_type(xpose_policy const* policy) {
  for (size_t r = 0; r < sizeof gemm_rows / sizeof *gemm_rows; ++r) {
    current = dtype_names[gemm_rows[r].in];
    gemms(policy, &gemm_rows[r], 0);
    gemms(policy, &gemm_rows[r], 1);
  }
}
