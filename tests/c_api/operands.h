// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The operands of the tests in C: elements of every dtype as numbers, and the images that they lie
// in. Whole images are compared, so that a byte written beside an output's elements shows.
#ifndef XPOSE_TESTS_C_API_OPERANDS_H
#define XPOSE_TESTS_C_API_OPERANDS_H

#include <xpose/xpose.h>

/// Tests use small integers, which all dtypes hold exactly.
typedef struct number {
  double re, im;
} number;

extern char const* const dtype_names[18];
extern int64_t const dtype_bytes[18];

void put(xpose_dtype dtype, void* at, number x);
number get(xpose_dtype dtype, void const* at);

enum { image_bytes = 1 << 16, rows = 19, cols = 23, depth = 13, count = 3 };

typedef union image {
  double alignment;
  unsigned char bytes[image_bytes];
} image;

extern image in_image, other_image, out_image, expected_image;

/// Both outputs become the same bytes.
void poison(void);
int outputs_agree(void);

void fill_with_bytes(image* of);
/// Numbers from 0 to 6, and for signed dtypes also below 0.
void fill_with_numbers(image* of, xpose_dtype dtype, int64_t elements);

int64_t bytes_of(xpose_matrix const* m);

/// Element (i, j) of matrix b of a batch that lies in an image as m's does in its own.
unsigned char* element(image* of, int64_t batch_stride, xpose_matrix const* m, int64_t b, int64_t i,
                       int64_t j);

/// A matrix at the start of an image, with two elements between its rows.
xpose_matrix padded(image* of, xpose_dtype dtype, int64_t raw_bytes, int64_t m, int64_t n);

/// count of them, five elements apart.
xpose_batch batch_of(xpose_matrix first);

/// What is under test, for messages.
extern char const* current;
extern int checks, failures;

void check(int holds, char const* file, int line, char const* what);
#define CHECK(condition) check((condition) != 0, __FILE__, __LINE__, #condition)
#define RUNS(call) check((call) == XPOSE_OK, __FILE__, __LINE__, #call)

// Each in its file, for a policy of the host's.
void moves_of_every_type(xpose_policy const* policy);
void packed_structs(xpose_policy const* policy);
void functions_of_every_type(xpose_policy const* policy);
void adds_of_every_type(xpose_policy const* policy);
void gemms_of_every_type(xpose_policy const* policy);

#endif
