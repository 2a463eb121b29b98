// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Preloaded into a program, hides the AES instructions from those who ask the C library what the
// processor has: qemu models no processor without them (a Raspberry Pi 4 is one). Assumes that only
// AT_HWCAP is asked for.
#include <asm/hwcap.h>

unsigned long getauxval(unsigned long type);

unsigned long getauxval(unsigned long type) {
  (void)type;
  return HWCAP_ASIMD | HWCAP_FP;
}
