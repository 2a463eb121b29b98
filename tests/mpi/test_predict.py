# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose-mpi predict says of processes that are not there what explain() says of those that are."""

import json
import os
import shlex
import shutil
import subprocess
import tempfile
import unittest

import numpy as np

MPIEXEC = shlex.split(os.environ["XPOSE_MPIEXEC"])
BINARY = os.environ["XPOSE_MPI_COMMAND"]


def run(*words):
    return subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True, timeout=120)


class Predict(unittest.TestCase):
    def predicted(self, *words):
        done = run("predict", *words, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def explained(self, shape, dtype, processes):
        """What the processes of a real transpose of row slabs say."""
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        source = os.path.join(folder, "in.npy")
        np.save(source, np.zeros(shape, dtype))
        words = [*MPIEXEC, str(processes), BINARY, "transpose", source, os.path.join(folder, "out.npy"), "--verbose"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stderr.splitlines() if line.startswith("xpose-mpi: ")]
        return lines[0][len("xpose-mpi: "):]

    def test_prediction_and_explanation_agree(self):
        for shape, dtype in (((37, 21), "<f8"), ((64, 64), "<c16"), ((300, 200), "<f4"), ((1500, 1100), "<f8"), ((5, 4000), "S3")):
            for processes in (1, 2, 3, 4):
                with self.subTest(shape=shape, dtype=dtype, processes=processes):
                    done = run("predict", "transpose", "--shape", "x".join(map(str, shape)), "--processes", processes,
                               "--bytes", np.dtype(dtype).itemsize)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(done.stdout.splitlines()[0], self.explained(shape, dtype, processes))

    def test_numbers_by_hand(self):
        # 4 processes have 16x64 doubles each, and send three quarters of them to three others.
        told = self.predicted("transpose", "--shape", "64x64", "--processes", 4)
        self.assertEqual((told["bytes"], told["messages"]), (16 * 64 * 8 * 3 // 4, 3))
        self.assertEqual(told["matrix_bytes"], 2 * 16 * 64 * 8)
        # The transposed grid holds the transpose already.
        told = self.predicted("redistribute", "--shape", "64x64", "--processes", 4, "--grid", "2x2", "--block", 8)
        self.assertEqual((told["engine"], told["bytes"], told["seconds"]), ("local", 0, 0))
        # Pieces of a network: the slowest of wire and packing for pairwise, 3 messages.
        told = self.predicted("transpose", "--shape", "64x64", "--processes", 4, "--node", 1, "--latency", "1e-3", "--bandwidth", "1e6")
        self.assertNotIn("shared_memory", told["reason"])
        self.assertEqual(told["engine"], "pairwise")
        self.assertAlmostEqual(told["seconds"], 3e-3 + 6144e-6, 9)

    def test_processes_with_a_gpu_each(self):
        words = ["transpose", "--shape", "16384x16384", "--processes", 4]
        told = self.predicted(*words, "--gpu")
        self.assertEqual(told["engine"], "nccl")
        sent = 4096 * 16384 * 8 * 3 // 4
        self.assertAlmostEqual(told["seconds"], 50e-6 + 3 * 10e-6 + sent * 0.006e-9, 9)
        # A third of 32 MiB for each other process, twice, in both directions.
        self.assertEqual(told["device_memory_bytes"], 4 * 3 * (32 * 2**20 // 3 // 256 * 256 + 256))
        self.assertEqual(self.predicted(*words)["device_memory_bytes"], 0)
        self.assertLess(told["seconds"], self.predicted(*words)["seconds"])
        text = run("predict", *words, "--gpu").stdout
        self.assertRegex(text, r"^nccl: .*expected: shared_memory \d+ us, pairwise \d+ us, nccl \d+ us\n")
        self.assertIn(f"and {told['device_memory_bytes']} of its GPU", text)

    def test_a_single_node_has_no_network(self):
        for words in (["--processes", 4], ["--processes", 4, "--node", 4], ["--processes", 4, "--node", 16]):
            told = self.predicted("transpose", "--shape", "64x64", *words)
            with_network = self.predicted("transpose", "--shape", "64x64", *words, "--latency", "1", "--bandwidth", "1")
            self.assertEqual(told, with_network)
        two_nodes = self.predicted("transpose", "--shape", "64x64", "--processes", 4, "--node", 3, "--latency", "1")
        self.assertGreater(two_nodes["seconds"], 1)

    def test_bytes_that_do_not_fit_64_bits_are_refused(self):
        most = 2**31 - 1
        for words in (["--processes", 1], ["--processes", 2, "--bytes", 4], ["--processes", 1, "--bytes", 2]):
            done = run("predict", "transpose", "--shape", f"{most}x{most}", *words)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertRegex(done.stderr, r"forecast: process 0 has \d+x\d+ elements of in and \d+x\d+ of out, of \d bytes "
                                          r"each; they do not fit 64 bits")
        # What a process has fits, though the matrices do not.
        told = self.predicted("transpose", "--shape", f"{most}x{most}", "--processes", 64)
        self.assertEqual(told["matrix_bytes"], 2 * 8 * 2**25 * most)
        told = self.predicted("redistribute", "--shape", f"{most}x{most}", "--processes", 1, "--bytes", 1)
        self.assertEqual((told["seconds"], told["matrix_bytes"]), (0, 2 * most * most))

    def test_many_processes(self):
        for processes in (1000, 4096, 100000):
            side = 1 << 20
            told = self.predicted("transpose", "--shape", f"{side}x{side}", "--processes", processes, "--node", 64)
            rows = -(-side // processes)
            self.assertEqual(told["messages"], -(-side // rows) - 1)
            self.assertEqual(told["bytes"], 8 * rows * (side - rows))
            self.assertGreater(told["seconds"], 0)

    def test_wrong_words(self):
        good = ["predict", "transpose", "--shape", "64x64", "--processes", 4]
        for words, code, says in (
            (good[:4], 2, "--processes is required"),
            (["predict", "invert", *good[2:]], 2, "invert"),
            ([*good[:3], "64", *good[4:]], 1, "--shape: '64' is no pair of extents"),
            ([*good[:3], "0x64", *good[4:]], 1, "--shape: '0x64' is no pair of extents"),
            ([*good, "--grid", "3x2"], 1, "in has a grid of 3x2 processes, there are 4"),
            ([*good, "--grid", "5x1"], 1, "--grid: the grid 5x1 has more than the 4 processes"),
            ([*good, "--block", "-1"], 2, "--block"),
        ):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    unittest.main()
