# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Netlib's level 3 BLAS test programs (Debian's libblas-test), with their gemm answered by xpose."""

import glob
import os
import re
import subprocess
import sys
import unittest

GEMM = os.environ["XPOSE_NETLIB_GEMM"]
POLICIES = os.environ["XPOSE_NETLIB_POLICIES"].split(",")
EXTENTS = [0, 1, 2, 3, 9, 35]
TRANSPOSES = 3 * 3
SCALARS = 3 * 3
NOT_HERE = 77
OTHERS = {"s": "symm trmm trsm syrk syr2k", "c": "hemm symm trmm trsm herk syrk her2k syr2k"}


def program(letter):
    found = glob.glob(f"/usr/lib/*/blas/x{letter}cblat3")
    return found[0] if found else None


def questions(letter):
    """What the program reads: which values to try, and that gemm alone is tested, in both orders, errors too."""
    is_complex = letter in "cz"
    scalars = ["(0.0,0.0) (1.0,0.0) (0.7,-0.9)", "(0.0,0.0) (1.0,0.0) (1.3,-1.1)"] if is_complex else [
        "0.0 1.0 0.7", "0.0 1.0 1.3"]
    lines = ["'NONE'", "-1", "F", "F", "T", "2", "16.0", str(len(EXTENTS)), " ".join(map(str, EXTENTS)),
             "3", scalars[0], "3", scalars[1], f"cblas_{letter}gemm  T"]
    lines += [f"cblas_{letter}{name}".ljust(12) + " F" for name in OTHERS["c" if is_complex else "s"].split()]
    return "\n".join(lines) + "\n"


class Level3(unittest.TestCase):
    def check(self, letter, policy, threads):
        environment = dict(os.environ, LD_PRELOAD=GEMM, XPOSE_NETLIB_POLICY=policy, XPOSE_NETLIB_THREADS=str(threads),
                           OMP_WAIT_POLICY="passive")
        ran = subprocess.run([program(letter)], input=questions(letter), env=environment, capture_output=True,
                             text=True, timeout=300)
        told = ran.stdout + ran.stderr
        self.assertEqual(ran.returncode, 0, told)
        self.assertNotRegex(told, r"FAIL|FATAL|\*{5}")
        self.assertRegex(told, rf"cblas_{letter}gemm +PASSED THE TESTS OF ERROR-EXITS")
        asked = 0
        for order in ("COLUMN", "ROW"):
            passed = re.search(rf"cblas_{letter}gemm +PASSED THE {order}-MAJOR +COMPUTATIONAL TESTS \( *(\d+) CALLS\)",
                               told)
            self.assertIsNotNone(passed, told)
            asked += int(passed.group(1))
        # The program does not try what has no rows or columns with every k.
        self.assertGreater(asked, 2 * (len(EXTENTS) - 1) ** 3 * TRANSPOSES * SCALARS)
        self.assertGreaterEqual(int(re.search(r"xpose calculated (\d+) products", told).group(1)), asked)

    def test_every_type_and_policy(self):
        for letter in "sdcz":
            for policy in POLICIES:
                for threads in (1, 3) if policy == "omp" else (1,):
                    with self.subTest(letter=letter, policy=policy, threads=threads):
                        self.check(letter, policy, threads)


if __name__ == "__main__":
    if program("s") is None:
        print("netlib's test programs are not installed: scripts/install-dependencies libblas-test")
        sys.exit(NOT_HERE)
    if POLICIES == ["cuda"] and not glob.glob("/dev/nvidia[0-9]*"):
        print("no GPU in this machine")
        sys.exit(NOT_HERE)
    unittest.main()
