// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Every function of the C interface with every dtype, from C99, on every policy of the host's.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operands.h"

static void explains(xpose_policy const* policy, char const* backend) {
  static const int32_t permutation[] = {1, 0};
  xpose_explanation answer;
  xpose_batch in, out, square;
  in.first = xpose_row_major(in_image.bytes, XPOSE_F32, rows, cols);
  in.count = 1;
  in.batch_stride = 0;
  out = in;
  out.first = xpose_row_major(out_image.bytes, XPOSE_F32, cols, rows);
  square = in;
  square.first = xpose_row_major(other_image.bytes, XPOSE_F32, rows, rows);
  xpose_batch const copied = {xpose_transposed(out.first), 1, 0};
  xpose_tensor in_tensor, out_tensor;
  memset(&in_tensor, 0, sizeof in_tensor);
  in_tensor.data = in_image.bytes;
  in_tensor.dtype = XPOSE_F32;
  in_tensor.rank = 2;
  in_tensor.extents[0] = in_tensor.extents[1] = in_tensor.strides[0] = rows;
  in_tensor.strides[1] = 1;
  out_tensor = in_tensor;
  out_tensor.data = out_image.bytes;

  poison();
#define EXPLAINS(call)                                                                         \
  do {                                                                                         \
    memset(&answer, 0x7F, sizeof answer);                                                      \
    RUNS(call);                                                                                \
    CHECK(strcmp(answer.backend, backend) == 0);                                               \
    CHECK(answer.kernel[0] != '\0' && memchr(answer.kernel, 0, sizeof answer.kernel) != NULL); \
    CHECK(strstr(answer.reason, "xpose::") != NULL);                                           \
  } while (0)
  EXPLAINS(xpose_explain_transpose(policy, &in, &out, XPOSE_IDENTITY, &answer));
  EXPLAINS(xpose_explain_copy(policy, &in, &copied, XPOSE_IDENTITY, &answer));
  EXPLAINS(
      xpose_explain_permute(policy, &in_tensor, &out_tensor, permutation, XPOSE_IDENTITY, &answer));
  EXPLAINS(xpose_explain_transpose_inplace(policy, &square, &answer));
  EXPLAINS(xpose_explain_add(policy, &in, &in, &copied, &answer));
  EXPLAINS(xpose_explain_gemm(policy, &in, &out, &square, NULL, &answer));
#undef EXPLAINS
  CHECK(outputs_agree());  // nothing ran
}

int main(void) {
  static const xpose_backend backends[] = {XPOSE_REFERENCE, XPOSE_SEQ, XPOSE_OMP, XPOSE_AUTOMATIC};
  static char const* const names[] = {"reference", "omp", "omp", "omp"};
  CHECK(xpose_version()[0] >= '0' && strchr(xpose_version(), '.') != NULL);
  CHECK(strcmp(xpose_status_name(XPOSE_SHAPE_ERROR), "shape_error") == 0);
  CHECK(xpose_last_error()[0] == '\0');
  for (int p = 0; p < 4; ++p) {
    xpose_policy const policy = xpose_policy_of(backends[p]);
    moves_of_every_type(&policy);
    packed_structs(&policy);
    functions_of_every_type(&policy);
    adds_of_every_type(&policy);
    gemms_of_every_type(&policy);
    explains(&policy, names[p]);
  }
  CHECK(xpose_last_error()[0] == '\0');
  CHECK(xpose_last_cuda_error() == 0);
  printf("%d checks, %d failures\n", checks, failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
