# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""`-` is standard input or output."""

import io
import json
import os
import pty
import subprocess
import unittest

import numpy as np

from command import CommandTest, command_line, random_bits


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


class Pipes(CommandTest):
    def setUp(self):
        super().setUp()
        self.array = random_bits(self.random, (30, 41), "<f4")

    def pipe(self, *arguments, given=b"", code=0, **options):
        done = subprocess.run(command_line(*arguments), input=given, capture_output=True, timeout=120,
                              cwd=self.folder, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_from_standard_input_to_standard_output(self):
        done = self.pipe("transpose", "-", "-", given=npy(self.array))
        self.assert_same_array(np.load(io.BytesIO(done.stdout)), self.array.T)
        self.assertEqual(os.listdir(self.folder), [])
        self.assertRegex(done.stderr, rb"^transpose: standard output, shape \(41, 30\), dtype <f4, on [^\n]*\n$")

    def test_one_side_is_a_file(self):
        source = self.saved("in.npy", self.array)
        done = self.pipe("permute", source, "-")
        self.assert_same_array(np.load(io.BytesIO(done.stdout)), self.array.T)
        done = self.pipe("permute", "-", "out.npy", "--json", given=npy(self.array))
        self.assertEqual(json.loads(done.stdout)["output"], "out.npy")
        self.assert_same_array(np.load(self.path("out.npy")), self.array.T)
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.npy", "out.npy"])

    def test_redirected_files(self):
        source, target = self.saved("in.npy", self.array), self.path("out.npy")
        with open(source, "rb") as given, open(target, "wb") as taken:
            subprocess.run(command_line("cast", "-", "-", "--to", "f8"), stdin=given, stdout=taken, check=True,
                           stderr=subprocess.DEVNULL)
        np.testing.assert_array_equal(np.load(target), self.array.astype("f8"))

    def test_a_pipeline_of_commands(self):
        ints = self.random.integers(-9, 9, (3000, 700)).astype("<i4")  # more than a pipe holds
        source = self.saved("in.npy", ints)
        first = subprocess.Popen(command_line("transpose", source, "-"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        second = subprocess.Popen(command_line("gemm", "-", source, "-"), stdin=first.stdout, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        first.stdout.close()
        out = second.communicate(timeout=120)[0]
        self.assertEqual((first.wait(), second.returncode), (0, 0))
        np.testing.assert_array_equal(np.load(io.BytesIO(out)), ints.T @ ints)

    def test_the_report_as_json_goes_to_standard_error(self):
        done = self.pipe("transpose", "-", "-", "--json", given=npy(self.array))
        self.assertEqual(json.loads(done.stderr)["output"], "-")
        self.assert_same_array(np.load(io.BytesIO(done.stdout)), self.array.T)

    def test_what_is_not_a_npy_file(self):
        for given, says in ((b"", b"standard input: the file is empty"), (b"hello", b"standard input: not a .npy file"),
                            (npy(self.array)[:-1], b"standard input: the data is cut short")):
            done = self.pipe("transpose", "-", "-", given=given, code=1)
            self.assertEqual((done.stdout, done.stderr.count(b"\n")), (b"", 1))
            self.assertIn(says, done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_one_input_at_most_is_standard_input(self):
        for arguments in (["gemm", "-", "-", "out.npy"], ["add", "-", "-", "out.npy"],
                          ["gemm", "-", self.saved("in.npy", self.array), "out.npy", "--c", "-"]):
            done = self.pipe(*arguments, given=npy(self.array), code=2)
            self.assertIn(b"one input at most can be standard input", done.stderr)

    def test_terminals_are_refused(self):
        try:
            master, slave = pty.openpty()
        except OSError as refused:
            self.skipTest(f"no terminal can be made here: {refused}")
        source = self.saved("in.npy", self.array)
        for arguments, stream in ((["transpose", source, "-"], "stdout"), (["transpose", "-", "out.npy"], "stdin")):
            streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, stream: slave}
            done = subprocess.run(command_line(*arguments), stderr=subprocess.PIPE, timeout=60, cwd=self.folder, **streams)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"it is a terminal", done.stderr)
        os.close(slave)
        os.close(master)
        self.assertEqual(os.listdir(self.folder), ["in.npy"])

    def test_a_full_output_is_an_error(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(command_line("transpose", "-", "-"), input=npy(self.array), stdout=full,
                                  stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, b"xpose: standard output: cannot be written: No space left on device\n")

    def test_a_closed_input_is_an_error(self):
        done = subprocess.run(command_line("transpose", "-", "-"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=60, preexec_fn=lambda: os.close(0))
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"standard input: cannot be read: ", done.stderr)

    def test_a_file_named_minus_is_named_with_its_folder(self):
        source = self.saved("in.npy", self.array)
        self.pipe("transpose", source, "./-")
        self.assert_same_array(np.load(self.path("-")), self.array.T)


if __name__ == "__main__":
    unittest.main()
