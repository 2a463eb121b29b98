// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "operands.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

char const* const dtype_names[18] = {"raw", "bool", "i8",  "u8",   "i16",  "u16",
                                     "i32", "u32",  "i64", "u64",  "f16",  "bf16",
                                     "f32", "f64",  "c64", "c128", "e4m3", "e5m2"};
int64_t const dtype_bytes[18] = {0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 8, 16, 1, 1};

static uint16_t half_of(double value) {
  int exponent = 0;
  double const fraction = frexp(fabs(value), &exponent);  // 0.5 to 1
  if (value == 0) return 0;
  return (uint16_t)((value < 0 ? 0x8000 : 0) + ((exponent + 14) << 10) +
                    (int)((fraction * 2 - 1) * 1024));
}
static double value_of_half(uint16_t half) {
  int const exponent = (half >> 10) & 31;
  double const magnitude = exponent == 0 ? 0 : ldexp(1024 + (half & 1023), exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}

// Of small whole numbers: with so many bits of mantissa.
static uint8_t float8_of(double value, int mantissa_bits, int bias) {
  int exponent = 0;
  double const fraction = frexp(fabs(value), &exponent);
  if (value == 0) return 0;
  return (uint8_t)((value < 0 ? 0x80 : 0) + ((exponent - 1 + bias) << mantissa_bits) +
                   (int)((fraction * 2 - 1) * (1 << mantissa_bits)));
}
static double value_of_float8(uint8_t bits, int mantissa_bits, int bias) {
  int const exponent = (bits & 0x7f) >> mantissa_bits;
  int const unit = 1 << mantissa_bits;
  double const magnitude =
      exponent == 0 ? 0 : ldexp(unit + (bits & (unit - 1)), exponent - bias - mantissa_bits);
  return bits & 0x80 ? -magnitude : magnitude;
}

#define STORE(type, value)                \
  do {                                    \
    type const stored_ = (type)(value);   \
    memcpy(at, &stored_, sizeof stored_); \
  } while (0)

void put(xpose_dtype dtype, void* at, number x) {
  float const single[2] = {(float)x.re, (float)x.im};
  uint32_t bits;
  memcpy(&bits, single, sizeof bits);
  switch (dtype) {
    case XPOSE_BOOL:
      STORE(unsigned char, x.re != 0);
      break;
    case XPOSE_I8:
      STORE(int8_t, x.re);
      break;
    case XPOSE_U8:
      STORE(uint8_t, x.re);
      break;
    case XPOSE_I16:
      STORE(int16_t, x.re);
      break;
    case XPOSE_U16:
      STORE(uint16_t, x.re);
      break;
    case XPOSE_I32:
      STORE(int32_t, x.re);
      break;
    case XPOSE_U32:
      STORE(uint32_t, x.re);
      break;
    case XPOSE_I64:
      STORE(int64_t, x.re);
      break;
    case XPOSE_U64:
      STORE(uint64_t, x.re);
      break;
    case XPOSE_F16:
      STORE(uint16_t, half_of(x.re));
      break;
    case XPOSE_BF16:
      STORE(uint16_t, bits >> 16);
      break;
    case XPOSE_E4M3:
      STORE(uint8_t, float8_of(x.re, 3, 7));
      break;
    case XPOSE_E5M2:
      STORE(uint8_t, float8_of(x.re, 2, 15));
      break;
    case XPOSE_F32:
      memcpy(at, single, 4);
      break;
    case XPOSE_C64:
      memcpy(at, single, 8);
      break;
    case XPOSE_F64:
      memcpy(at, &x, 8);
      break;
    case XPOSE_C128:
      memcpy(at, &x, 16);
      break;
    case XPOSE_RAW:
      break;
  }
}

#undef STORE

#define LOAD(type)                        \
  do {                                    \
    type loaded_;                         \
    memcpy(&loaded_, at, sizeof loaded_); \
    x.re = (double)loaded_;               \
  } while (0)

number get(xpose_dtype dtype, void const* at) {
  number x = {0, 0};
  float single[2] = {0, 0};
  uint16_t half;
  uint32_t bits;
  memcpy(&half, at, dtype_bytes[dtype] < 2 ? 1 : 2);
  switch (dtype) {
    case XPOSE_BOOL:
    case XPOSE_U8:
      LOAD(uint8_t);
      break;
    case XPOSE_I8:
      LOAD(int8_t);
      break;
    case XPOSE_I16:
      LOAD(int16_t);
      break;
    case XPOSE_U16:
      LOAD(uint16_t);
      break;
    case XPOSE_I32:
      LOAD(int32_t);
      break;
    case XPOSE_U32:
      LOAD(uint32_t);
      break;
    case XPOSE_I64:
      LOAD(int64_t);
      break;
    case XPOSE_U64:
      LOAD(uint64_t);
      break;
    case XPOSE_F16:
      x.re = value_of_half(half);
      break;
    case XPOSE_BF16:
      bits = (uint32_t)half << 16;
      memcpy(single, &bits, 4);
      x.re = single[0];
      break;
    case XPOSE_E4M3:
      x.re = value_of_float8(*(uint8_t const*)at, 3, 7);
      break;
    case XPOSE_E5M2:
      x.re = value_of_float8(*(uint8_t const*)at, 2, 15);
      break;
    case XPOSE_F32:
      memcpy(single, at, 4);
      x.re = single[0];
      break;
    case XPOSE_C64:
      memcpy(single, at, 8);
      x.re = single[0];
      x.im = single[1];
      break;
    case XPOSE_F64:
      memcpy(&x, at, 8);
      break;
    case XPOSE_C128:
      memcpy(&x, at, 16);
      break;
    case XPOSE_RAW:
      break;
  }
  return x;
}

#undef LOAD

image in_image, other_image, out_image, expected_image;

int failures = 0;
int checks = 0;
char const* current = "";

void check(int holds, char const* file, int line, char const* what) {
  ++checks;
  if (holds) return;
  ++failures;
  printf("%s:%d: %s: %s (last error: %s)\n", file, line, current, what, xpose_last_error());
}

void poison(void) {
  memset(&out_image, 0xA5, sizeof out_image);
  memset(&expected_image, 0xA5, sizeof expected_image);
}
int outputs_agree(void) {
  return memcmp(&out_image, &expected_image, sizeof out_image) == 0;
}

int64_t bytes_of(xpose_matrix const* m) {
  return m->dtype == XPOSE_RAW ? m->element_bytes : dtype_bytes[m->dtype];
}

unsigned char* element(image* of, int64_t matrix_elements, xpose_matrix const* m, int64_t b,
                       int64_t i, int64_t j) {
  return of->bytes + (b * matrix_elements + i * m->row_stride + j * m->col_stride) * bytes_of(m);
}

xpose_matrix padded(image* of, xpose_dtype dtype, int64_t raw_bytes, int64_t m, int64_t n) {
  xpose_matrix view = xpose_row_major(of->bytes, dtype, m, n);
  view.row_stride = n + 2;
  view.element_bytes = raw_bytes;
  return view;
}
xpose_batch batch_of(xpose_matrix first) {
  xpose_batch batch;
  batch.first = first;
  batch.count = count;
  batch.batch_stride = first.rows * first.row_stride + 5;
  return batch;
}

void fill_with_bytes(image* of) {
  uint32_t state = 2463534242u;
  for (int i = 0; i < image_bytes; ++i) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    of->bytes[i] = (unsigned char)(state >> 11);
  }
}
void fill_with_numbers(image* of, xpose_dtype dtype, int64_t elements) {
  int const is_unsigned = dtype == XPOSE_BOOL || dtype == XPOSE_U8 || dtype == XPOSE_U16 ||
                          dtype == XPOSE_U32 || dtype == XPOSE_U64;
  for (int64_t e = 0; e < elements; ++e) {
    number x;
    x.re = (double)(e * 7 % 11 % 7 - (is_unsigned ? 0 : 3));
    x.im = (double)(e * 5 % 13 % 5 - 2);
    put(dtype, of->bytes + e * dtype_bytes[dtype], x);
  }
}
