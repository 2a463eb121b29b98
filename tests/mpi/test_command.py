# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose-mpi transpose gives NumPy's transpose, bit for bit, with any number of processes."""

import os
import shlex
import shutil
import subprocess
import tempfile
import unittest

import numpy as np

MPIEXEC = shlex.split(os.environ["XPOSE_MPIEXEC"])
BINARY = os.environ["XPOSE_MPI_COMMAND"]


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.random = np.random.default_rng(34)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_on(self, processes, *words):
        return subprocess.run([*MPIEXEC, str(processes), BINARY, *words], capture_output=True, text=True, timeout=120)

    def check(self, array, processes, *options):
        np.save(self.path("in.npy"), array)
        done = self.run_on(processes, "transpose", self.path("in.npy"), self.path("out.npy"), *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = np.load(self.path("out.npy"))
        self.assertEqual((found.dtype, found.shape), (array.dtype, array.T.shape))
        self.assertEqual(found.tobytes(), np.ascontiguousarray(array.T).tobytes())
        self.assertTrue(found.flags.c_contiguous)
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.npy", "out.npy"])
        return done

    def array(self, shape, dtype, order="C"):
        dtype = np.dtype(dtype)
        size = shape[0] * shape[1] * dtype.itemsize
        return np.frombuffer(self.random.bytes(size), dtype).reshape(shape, order=order)

    def refused(self, sentence, processes, *words):
        done = self.run_on(processes, *words)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual([line.startswith("xpose-mpi: ") for line in done.stderr.splitlines()].count(True), 1, done.stderr)
        self.assertIn(sentence, done.stderr)
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith("xpose-mpi")], [])

    def test_element_sizes_and_orders(self):
        structure = [("x", "<f4"), ("y", ">i2"), ("z", "S5")]
        for number, dtype in enumerate(["u1", "<f4", ">f8", "<c16", "S3", "V40", structure]):
            with self.subTest(dtype=dtype):
                self.check(self.array((37, 21), dtype, "CF"[number % 2]), (1, 3, 4)[number % 3])

    def test_shapes(self):
        for shape in ((0, 5), (1, 9), (257, 130)):
            with self.subTest(shape=shape):
                self.check(self.array(shape, "<f8"), 3)

    def test_an_output_is_replaced_and_may_be_the_input(self):
        array = self.array((20, 30), "<f4")
        np.save(self.path("in.npy"), array)
        done = self.run_on(2, "transpose", self.path("in.npy"), self.path("in.npy"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(np.load(self.path("in.npy")).tobytes(), np.ascontiguousarray(array.T).tobytes())

    def test_verbose_names_the_engine(self):
        done = self.check(self.array((64, 64), "<f4"), 2, "--verbose")
        self.assertIn("expected:", done.stderr)
        self.assertIn("xpose-mpi: read ", done.stderr)

    def test_errors_are_one_line_of_all_processes(self):
        out = self.path("out.npy")
        self.refused("missing.npy: ", 3, "transpose", self.path("missing.npy"), out)
        np.save(self.path("cube.npy"), np.zeros((2, 3, 4)))
        self.refused("has the shape (2, 3, 4)", 3, "transpose", self.path("cube.npy"), out)
        np.save(self.path("in.npy"), np.array([[None, 1], [2, 3]]), allow_pickle=True)
        self.refused("Python objects", 2, "transpose", self.path("in.npy"), out)
        np.save(self.path("in.npy"), np.zeros((20, 30)))
        with open(self.path("in.npy"), "r+b") as file:
            file.truncate(1000)
        self.refused("in.npy: ", 2, "transpose", self.path("in.npy"), out)
        np.save(self.path("in.npy"), np.zeros((20, 30)))
        self.refused("no/folder", 3, "transpose", self.path("in.npy"), self.path("no/folder/out.npy"))
        os.mkdir(out)
        self.refused("out.npy: ", 3, "transpose", self.path("in.npy"), out)

    def test_a_wrong_command_line(self):
        self.refused("--help", 2, "transpose", self.path("in.npy"))


if __name__ == "__main__":
    unittest.main()
