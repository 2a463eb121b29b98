// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a program in C needs of xpose: one header and one library.

#include <stdio.h>
#include <xpose/xpose.h>

int main(void) {
  float const numbers[] = {1, 2, 3, 4, 5, 6};
  float turned[6], product[4];
  xpose_policy const policy = xpose_policy_of(XPOSE_OMP);
  xpose_matrix const in = xpose_row_major(numbers, XPOSE_F32, 2, 3);
  xpose_matrix const out = xpose_row_major(turned, XPOSE_F32, 3, 2);
  xpose_matrix const square = xpose_row_major(product, XPOSE_F32, 2, 2);
  if (xpose_transpose(&policy, &in, &out, XPOSE_IDENTITY) != XPOSE_OK ||
      xpose_gemm(&policy, NULL, &in, &out, NULL, &square, NULL) != XPOSE_OK) {
    printf("%s\n", xpose_last_error());
    return 1;
  }
  printf("xpose %s: %g %g %g %g\n", xpose_version(), product[0], product[1], product[2],
         product[3]);
  return turned[1] == 4 && product[0] == 14 && product[1] == 32 && product[3] == 77 ? 0 : 1;
}
