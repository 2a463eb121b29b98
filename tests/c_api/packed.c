// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The functions that fill in structs of packed memory, over constant inputs, against the indices
// that the elements are made of.

#include "operands.h"

static float const numbers[2][3][4] = {{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}},
                                       {{12, 13, 14, 15}, {16, 17, 18, 19}, {20, 21, 22, 23}}};

void packed_structs(xpose_policy const* policy) {
  static const int64_t extents[] = {2, 3, 4}, permuted[] = {4, 2, 3};
  static const int32_t permutation[] = {2, 0, 1};
  float out[2][4][3], by_columns[3 * 4], cube[4][2][3];

  xpose_batch const in = xpose_packed_batch(numbers, XPOSE_F32, 2, 3, 4);
  xpose_batch const transposed = xpose_packed_batch(out, XPOSE_F32, 2, 4, 3);
  RUNS(xpose_transpose_batch(policy, &in, &transposed, XPOSE_IDENTITY));

  xpose_matrix const first = xpose_row_major(numbers, XPOSE_F32, 3, 4);
  xpose_matrix const columns = xpose_col_major(by_columns, XPOSE_F32, 3, 4);
  RUNS(xpose_copy(policy, &first, &columns, XPOSE_IDENTITY));

  xpose_tensor const tensor = xpose_packed_tensor(numbers, XPOSE_F32, 3, extents);
  xpose_tensor const result = xpose_packed_tensor(cube, XPOSE_F32, 3, permuted);
  RUNS(xpose_permute(policy, &tensor, &result, permutation, XPOSE_IDENTITY));

  for (int b = 0; b < 2; ++b)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 4; ++j) {
        CHECK(out[b][j][i] == numbers[b][i][j]);
        CHECK(cube[j][b][i] == numbers[b][i][j]);
        if (b == 0) CHECK(by_columns[j * 3 + i] == numbers[b][i][j]);
      }
}
