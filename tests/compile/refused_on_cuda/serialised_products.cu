// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Sums of products that are used before the products are waited for.
// message: wgmma.mma_async instructions are serialized
__global__ void serialised_products(float* out, unsigned long long a, unsigned long long b,
                                    int count) {
  float sums[4] = {};
  for (int i = 0; i < count; ++i) {
    asm volatile("wgmma.fence.sync.aligned;");
    asm volatile(
        "{.reg .pred add; setp.ne.b32 add, 1, 0;"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, add, 1, 1, 0, "
        "0;}"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "l"(a), "l"(b));
    sums[0] += 1;
    asm volatile("wgmma.commit_group.sync.aligned;");
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;");
  out[threadIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}
