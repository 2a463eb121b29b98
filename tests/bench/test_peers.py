# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Peers: those of this machine are right, and one that misbehaves costs its own row."""

import glob
import os
import subprocess
import sys
import tempfile
import unittest

import bench

PACKAGE = os.path.join(os.path.dirname(bench.BINARY), "..", "python", "xpose", "_core*.so")  # where it is built

# A package xpose that says of every call that it was made, and makes none.
IDLE = """
import types
__version__ = "idle"
transpose = lambda *arrays, **options: None
explain = lambda *arrays, **options: types.SimpleNamespace(kernel="idle")
"""


class PeersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.json = os.path.join(folder.name, "rows.json")

    def rows_of_one_and_two_threads(self, *arguments):
        """Peers without threads take part in the first run only."""
        return self.rows(*arguments, "--threads", "1") + self.rows(*arguments, "--threads", "2")

    def rows(self, *arguments, environment=None):
        done = bench.run(*arguments, *bench.QUICK, "--json", self.json, environment=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return bench.rows_of(self.json)[1]

    def misbehave(self, how):
        """The finished process and the rows of the peer and of xpose."""
        done = bench.run("transpose", "--shapes", "97x201,31x33", "--peers", "openblas", *bench.QUICK, "--json", self.json,
                         environment={"XPOSE_BENCH_PEERS": bench.MISBEHAVING, "XPOSE_TEST_PEER": how})
        _, rows = bench.rows_of(self.json)
        return (done, [row for row in rows if row["implementation"] == "openblas"],
                [row for row in rows if row["implementation"] == "xpose"])

    def test_a_peer_that_crashes_is_named_in_its_row_and_the_run_goes_on(self):
        for how, reason in (("crash", "Segmentation fault"), ("crash later", "Segmentation fault"),
                            ("crash in prepare", "Floating point exception"), ("exit", "exit code 1"),
                            ("throw", "it cannot")):
            with self.subTest(how):
                done, peers, xposes = self.misbehave(how)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(len(peers), 2)
                for row in peers:
                    self.assertFalse(row["verified"])
                    self.assertIn(reason, row["note"])
                    self.assertIsNone(row["median_s"])
                self.assertTrue(len(xposes) == 2 and all(row["verified"] for row in xposes))
                self.assertTrue(all(row["best_peer"] is None for row in xposes))

    def test_a_peer_that_computes_nonsense_is_not_verified_and_no_best_peer(self):
        for how, reason in (("wrong", "differs from the reference"), ("overrun", "memory behind out was written"),
                            ("lazy", "differs from the reference")):
            with self.subTest(how):
                done, peers, xposes = self.misbehave(how)
                self.assertEqual(done.returncode, 0, done.stderr)
                for row in peers:
                    self.assertFalse(row["verified"])
                    self.assertIn(reason, row["note"])
                self.assertTrue(all(row["verified"] and row["best_peer"] is None for row in xposes))

    def test_a_peer_that_lacks_the_case_has_no_row(self):
        self.assertEqual(self.misbehave("absent")[1], [])

    def test_the_peers_of_this_machine_transpose_rightly(self):
        rows = self.rows_of_one_and_two_threads("transpose", "--types", "b1,b2,b3,f32,f64,c64,b12,c128", "--shapes",
                                                "97x201,1x65,64x1,30x41:ld=43/33:offset=1,5*9x8")
        self.assertEqual([row for row in rows if not row["verified"]], [])
        self.assertIn("numpy", {row["implementation"] for row in rows})

    def test_the_peers_of_this_machine_transpose_in_place_rightly(self):
        rows = self.rows_of_one_and_two_threads("transpose", "--in-place", "--types", "b1,f32,f64,c64,c128",
                                                "--shapes", "64x64,33x33,30x41,5*33x33,5*30x41")
        self.assertEqual([row for row in rows if not row["verified"]], [])

    def test_the_peers_of_this_machine_cast_rightly(self):
        for operation in ("transpose", "copy"):
            rows = self.rows_of_one_and_two_threads(operation, "--cast", "f32:bf16,f32:f16,f16:f32,bf16:f32,f64:f32,f32:f64",
                                                    "--shapes", "97x201,30x41:ld=43/47:offset=1")
            self.assertEqual([row for row in rows if not row["verified"]], [])
            self.assertIn("numpy", {row["implementation"] for row in rows})

    def test_the_peers_of_this_machine_add_rightly(self):
        shapes = ",".join(f"33x65:{orders},30x41:{orders}:ld=47/48/49:offset=1" for orders in ("NN", "NT", "TN", "TT"))
        rows = self.rows_of_one_and_two_threads("add", "--types", "f32,f64,c64,c128", "--shapes", shapes)
        self.assertEqual([row for row in rows if not row["verified"]], [])
        self.assertIn("numpy", {row["implementation"] for row in rows})

    def test_the_peers_of_this_machine_permute_rightly(self):
        rows = self.rows("permute", "--types", "b1,b2,b3,f32,f64,c64,c128", "--shapes",
                         "9x8x7:201,5x40x3x2:3102:offset=1,33x65:10,2x3x4x5x6:43210,4x3x5x2x3x2:102354,1x7x1x9:3210")
        self.assertEqual([row for row in rows if not row["verified"]], [])
        self.assertGreaterEqual({row["implementation"] for row in rows}, {"xpose", "numpy"})

    def test_the_peers_of_this_machine_multiply_rightly(self):
        layouts = ",".join(f"{shape}:{layout}" for shape in ("33x17x25", "1x40x30", "40x1x30") for layout in ("NN", "NT", "TN", "TT"))
        rows = self.rows_of_one_and_two_threads(
            "gemm", "--types", "f32,f64,c64,c128,f16,bf16,bf16_f32,i8,u8,i32", "--shapes",
            layouts + ",40x30x1,1x22x23:TT:ld=31/32/33,21x1x23:NN:ld=31/32/33,21x22x23:TN:ld=31/32/33:offset=1,4*9x8x7,3*64x64x64")
        self.assertEqual([row for row in rows if not row["verified"]], [])

    def test_a_peer_without_threads_is_compared_on_one_thread_only(self):
        compared = {threads: {row["implementation"] for row in self.rows("transpose", "--threads", threads, "--types", "f32",
                                                                         "--shapes", "64x64")} for threads in (1, 2)}
        self.assertFalse(compared[2] & {"eigen", "openblas", "blis", "libxsmm"})
        self.assertGreaterEqual(compared[1], compared[2])

    def test_the_package_in_python_runs_the_kernels_that_xpose_runs(self):
        if not glob.glob(PACKAGE):
            self.skipTest("the package xpose is not built")
        layouts = ",".join(f"30x41x20:{layout}:ld=47/48/49" for layout in ("NN", "NT", "TN", "TT"))
        for arguments in (("transpose", "--types", "b1,b3,f16,f32,c128", "--shapes", "97x201,30x41:ld=43/33,5*9x8"),
                          ("transpose", "--cast", "f32:f16,f64:f32", "--shapes", "97x201"),
                          ("permute", "--types", "f32,b12", "--shapes", "9x8x7:201,4x3x5x2x3x2:102354"),
                          ("add", "--types", "f32,c128", "--shapes", "30x41:NT:ld=47/48/49"),
                          ("gemm", "--types", "f32,fast_f32,c64,f16,f16_f32,i8,u8,i32,i64,min_plus_f32,max_plus_f32",
                           "--shapes", layouts + ",3*9x8x7")):
            rows = self.rows(*arguments, "--peers", "xpose_python", "--threads", "1")
            by_name = {name: [(row["type"], row["shape"], row["layout"], row["kernel"]) for row in rows if row["implementation"] == name]
                       for name in ("xpose", "xpose_python")}
            self.assertEqual(by_name["xpose_python"], by_name["xpose"])
            self.assertEqual([row for row in rows if not row["verified"]], [])
            self.assertEqual({row["role"] for row in rows if row["implementation"] == "xpose_python"}, {"alternative"})
            self.assertEqual({row["best_peer"] for row in rows if row["implementation"] == "xpose"}, {None})

    def test_the_package_of_the_build_folder_is_taken_and_its_results_are_verified(self):
        rows = self.rows("transpose", "--types", "f32", "--shapes", "9x8", "--peers", "xpose_python",
                         environment=bench.build_folder_with(self.folder, package=IDLE))
        row = next(row for row in rows if row["implementation"] == "xpose_python")
        self.assertEqual(row["kernel"], "idle")
        self.assertFalse(row["verified"])
        self.assertIn("differs from the reference", row["note"])

    def test_a_package_that_cannot_be_imported_has_no_row(self):
        environment = bench.build_folder_with(self.folder, package="raise ImportError('not built')")
        rows = self.rows("transpose", "--types", "f32", "--shapes", "9x8", "--peers", "python", environment=environment)
        names = {row["implementation"] for row in rows}
        self.assertNotIn("xpose_python", names)
        self.assertGreaterEqual(names, {"xpose", "numpy"})

    def test_the_group_python_is_what_is_called_from_python(self):
        rows = self.rows("transpose", "--types", "f32", "--shapes", "9x8", "--peers", "numpy,python")
        names = [row["implementation"] for row in rows if row["role"] in ("peer", "alternative")]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("numpy", names)
        self.assertLessEqual(set(names), {"xpose_copy", "xpose_python", "numpy", "torch"})
        rows = self.rows("transpose", "--types", "f32", "--shapes", "9x8", "--peers", "all")
        self.assertNotIn("xpose_python", {row["implementation"] for row in rows})

    def test_a_script_runs_in_the_virtual_environment_that_is_named(self):
        environment = bench.build_folder_with(self.folder, [("numpy_peer.py", "import protocol, sys\nprotocol.serve({'transpose': "
                                                             "lambda case: sys.exit(print(sys.prefix, file=sys.stderr))})\n")])
        virtual = os.path.join(self.folder, "virtual")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", virtual], check=True)
        done = bench.run("transpose", "--types", "f32", "--shapes", "9x8", "--peers", "numpy", *bench.QUICK,
                         environment={**environment, "XPOSE_BENCH_PYTHON": os.path.join(virtual, "bin", "python3")})
        self.assertIn(os.path.realpath(virtual), os.path.realpath(done.stderr.strip()), done.stderr)

    def test_one_thread_is_one_thread_for_peers_too(self):
        rows = self.rows("gemm", "--threads", "1", "--types", "f32", "--shapes", "64x64x64")
        self.assertEqual({row["threads"] for row in rows}, {1})
        self.assertEqual([row for row in rows if not row["verified"]], [])


if __name__ == "__main__":
    unittest.main()
