# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""What the command tells: info, JSON, notes, the progress bar, verify."""

import json
import os
import pty
import re
import subprocess
import unittest

import numpy as np

from command import BINARY, CommandTest, run, with_header


class Reports(CommandTest):
    def setUp(self):
        super().setUp()
        self.matrix = np.arange(12000, dtype="<f4").reshape(100, 120)
        self.source, self.target = self.saved("in.npy", self.matrix), self.path("out.npy")
        self.has_cuda = json.loads(run("info", "--json").stdout)["backends"]["cuda"]["available"]

    def test_info(self):
        info = json.loads(self.succeeds("info", "--json").stdout)
        self.assertEqual(set(info["backends"]), {"reference", "omp", "cuda"})
        self.assertGreaterEqual(info["backends"]["omp"]["threads"], 1)
        text = self.succeeds("info").stdout
        self.assertIn("xpose " + info["version"], text)
        for backend in info["backends"]:
            self.assertIn(backend, text)
        if not self.has_cuda:
            self.assertIn(info["backends"]["cuda"]["reason"], text)
        threads = run("info", "--json", environment={"OMP_NUM_THREADS": "3"})
        self.assertEqual(json.loads(threads.stdout)["backends"]["omp"]["threads"], 3)

    def test_json_of_transpose(self):
        done = self.succeeds("transpose", self.source, self.target, "--json", "--policy", "omp")
        told = json.loads(done.stdout)
        self.assertGreater(told.pop("seconds"), 0)
        self.assertIn("transpose_tile", told.pop("kernel"))
        self.assertEqual(
            told,
            {
                "operation": "transpose",
                "policy": "omp",
                "backend": "omp",
                "shape": [120, 100],
                "dtype": "'<f4'",
                "output": self.target,
            },
        )

    def test_json_of_gemm(self):
        done = self.succeeds(
            "gemm", self.source, self.source, self.target, "--transpose-b", "--json", "--policy", "seq"
        )
        told = json.loads(done.stdout)
        self.assertEqual((told["operation"], told["backend"], told["shape"]), ("gemm", "reference", [100, 100]))

    def test_json_of_a_file_name_that_is_not_utf8(self):
        name = os.fsdecode(os.fsencode(self.folder) + b"/\xe9\xed\xa0\x80\"\\\n.npy")
        done = self.succeeds("transpose", self.source, name, "--json")
        self.assertEqual(json.loads(done.stdout)["output"], name)

    def test_one_line_for_people(self):
        done = self.succeeds("transpose", self.source, self.target)
        self.assertEqual(done.stdout.count("\n"), 1)
        for words in (self.target, "(120, 100)", "<f4", "omp"):
            self.assertIn(words, done.stdout)

    # ESC, a title for the terminal's window, BEL, line ends of ASCII and of Unicode, DEL, the one-character CSI in
    # UTF-8 and alone, the direction of writing.
    HOSTILE = b"\x1b]0;owned\x07\r\n\x7f\xc2\x9b2J\xc2\x85\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6\x9b"

    def assert_fit_for_a_terminal(self, text):
        self.assertEqual(text.count("\n"), 1, text)
        self.assertTrue(text.endswith("\n"))
        self.assertTrue(all(c.isprintable() for c in text[:-1]), ascii(text))

    def test_nothing_unprintable_of_files_and_names_is_written(self):
        hostile = os.fsdecode(self.HOSTILE)
        escaped = "\\x1b]0;owned\\x07\\x0d\\x0a\\x7f\\xc2\\x9b2J"
        target = self.path(hostile + "größe.npy")
        with open(self.source, "wb") as file:
            header = b"{'descr': [\n('a \x1b[31m\x9b', '<f4')], 'fortran_order': False, 'shape': (1, 1)}"
            file.write(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + bytes(4))
        told = self.succeeds("transpose", self.source, target).stdout
        self.assert_fit_for_a_terminal(told)
        for words in (escaped, "größe.npy, shape (1, 1), dtype [\\x0a('a \\x1b[31m\\x9b', '<f4')], "):
            self.assertIn(words, told)
        told = self.succeeds("transpose", self.source, target, "--json").stdout
        self.assert_fit_for_a_terminal(told)
        self.assertEqual(json.loads(told)["output"], target)
        for failing in (
            ["transpose", self.path(hostile + ".npy"), self.target],
            ["transpose", target, os.path.join(target, "x.npy")],
            ["gemm", self.source, self.source, self.target],
            ["gemm", target, target, self.target, "--alpha", hostile],
            ["transpose", target, self.target, "--" + hostile],
            ["transpose", target, self.target, "--policy", hostile],
        ):
            done = run(*failing)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stdout, "")
            self.assert_fit_for_a_terminal(done.stderr)
            self.assertIn("\\x1b", done.stderr)

    def test_a_zero_byte_does_not_cut_a_message(self):
        for descr, words in ((b"'<f4\0x'", "'<f4\\x00x'"), (b"[('a\0b', '<q9')]", "'<q9'")):
            with_header(self.source, b"{'descr': " + descr + b", 'fortran_order': False, 'shape': (1, 1)}", bytes(9))
            done = run("transpose", self.source, self.target)
            self.assertIn("malformed .npy header: unknown dtype " + words + "\n", done.stderr)
        with_header(self.source, b"{'descr': [('a\0b', '<f4')], 'fortran_order': False, 'shape': (1, 1)}", bytes(4))
        self.assertIn("[('a\\x00b', '<f4')], ", self.succeeds("transpose", self.source, self.target).stdout)
        done = run("gemm", self.source, self.source, self.target)
        self.assertIn("[('a\\x00b', '<f4')]; it takes", done.stderr)

    def test_everything_is_written_through_one_function(self):
        tools = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")
        for name in sorted(os.listdir(tools)):
            if not name.endswith((".cpp", ".hpp")) or name.startswith(("standard_streams.", "progress_bar.")):
                continue
            with open(os.path.join(tools, name)) as file:
                found = re.findall(r"\b(?:f?printf|f?puts|fputc|putchar|fwrite|perror)\(|\bstd::(?:cout|cerr|clog)\b", file.read())
            self.assertEqual(found, [], name + " writes to a stream by itself")

    def test_matrices_without_elements_are_reported_too(self):
        empty = self.saved("empty.npy", np.empty((0, 4)))
        told = json.loads(self.succeeds("transpose", empty, self.target, "--json").stdout)
        self.assertEqual((told["backend"], told["shape"]), ("omp", [4, 0]))

    def test_cuda_without_a_device_says_so(self):
        if self.has_cuda:
            self.skipTest("this machine has a device")
        for arguments in (
            ["transpose", self.source, self.target],
            ["gemm", self.source, self.source, self.target, "--transpose-b"],
        ):
            done = run(*arguments, "--policy", "cuda", "--json")
            self.assertEqual(done.returncode, 0)
            self.assertEqual(json.loads(done.stdout)["backend"], "omp")
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertIn("--policy cuda ran on omp: ", done.stderr)

    def test_cuda_on_a_device(self):
        if not self.has_cuda:
            self.skipTest("this machine has no device")
        for environment in ({}, {"XPOSE_PANEL_BYTES": "70000"}):
            for matrix in (self.matrix, np.asfortranarray(self.matrix), self.matrix.reshape(10, 30, 40)):
                source = self.saved("source.npy", matrix)
                done = self.succeeds(
                    "transpose", source, self.target, "--policy", "cuda", "--json", environment=environment
                )
                self.assertEqual(json.loads(done.stdout)["backend"], "cuda")
                self.assert_same_array(np.load(self.target), np.swapaxes(matrix, -1, -2))
        for shape_a, shape_b in (((300, 200), (200, 100)), ((4, 30, 20), (4, 20, 10)), ((4, 30, 20), (20, 10))):
            for panel in ("1000000", "3000"):
                a = self.random.integers(-100, 100, shape_a).astype("<i4")
                b = self.random.integers(-100, 100, shape_b).astype("<i4")
                c = self.random.integers(-100, 100, (a @ b).shape).astype("<i4")
                paths = [self.saved(n, m) for n, m in (("a.npy", a), ("b.npy", b), ("c.npy", c))]
                done = self.succeeds(
                    "gemm", *paths[:2], self.target, "--c", paths[2], "--beta=-2", "--policy", "cuda", "--json",
                    environment={"XPOSE_PANEL_BYTES": panel},
                )
                self.assertEqual(json.loads(done.stdout)["backend"], "cuda")
                np.testing.assert_array_equal(np.load(self.target), a @ b - 2 * c)

    def on_terminal(self, arguments, environment):
        """What a terminal at standard error receives."""
        try:
            master, slave = pty.openpty()
        except OSError as refused:  # a container without /dev/pts
            self.skipTest(f"no terminal can be made here: {refused}")
        process = subprocess.Popen(
            [BINARY, *arguments],
            stdout=subprocess.DEVNULL,
            stderr=slave,
            env={**os.environ, **environment},
        )
        os.close(slave)
        seen = b""
        try:
            while chunk := os.read(master, 4096):
                seen += chunk
        except OSError:  # Linux says EIO when the other side has closed
            pass
        os.close(master)
        self.assertEqual(process.wait(60), 0)
        return seen.decode()

    def test_progress_of_long_work_on_a_terminal(self):
        panels = {"XPOSE_PANEL_BYTES": "1000"}
        at_once = {**panels, "XPOSE_PROGRESS_AFTER": "0"}
        works = (
            ["transpose", self.source, self.target],
            ["gemm", self.source, self.source, self.target, "--transpose-b"],
        )
        for work in works:
            with self.subTest(work=work[0]):
                seen = self.on_terminal(work, at_once)
                self.assertIn("\r" + work[0] + " [", seen)
                self.assertIn("100 %", seen)
                self.assertTrue(seen.endswith("\r\x1b[K"))
                self.assertEqual(self.on_terminal(work, panels), "", "short work shows no bar")
                self.succeeds(*work, environment=at_once)  # no terminal, no bar

    def test_progress_without_help_from_the_environment(self):
        side = 1024  # a second and more on one thread of the reference
        big = self.saved("big.npy", np.ones((side, side), "<f8"))
        seen = self.on_terminal(["gemm", big, big, self.target, "--policy", "seq"], {})
        self.assertIn("\rgemm [", seen)

    def test_verify_agrees_and_names_its_backends(self):
        done = self.succeeds("verify", "--cases", "1")
        lines = done.stdout.splitlines()
        self.assertTrue(lines[0].startswith("operation"))
        self.assertIn(" omp ", done.stdout)
        self.assertRegex(lines[-1], r"^\d+ cases, 0 mismatches")

    def test_verify_covers_every_operation_and_every_compiled_type(self):
        rows = json.loads(self.succeeds("verify", "--policy", "omp", "--cases", "1", "--json").stdout)["rows"]
        sizes = {f"{n} bytes" for n in (2, 3, 4, 6, 8, 12, 16, 24, 32)} | {"1 byte"}
        floats = {"f16", "bf16", "f32", "f64", "complex f32", "complex f64"}
        types = {f"{sign}{bits}" for sign in "iu" for bits in (8, 16, 32, 64)} | floats
        casts = {f"{name} to others" for name in types | {"e4m3", "e5m2"}}
        covered = {name: {row["type"] for row in rows if row["operation"] == name} for name in
                   ("transpose", "copy", "permute", "in place", "cast", "conjugate", "add", "gemm")}
        for operation in ("transpose", "copy", "permute", "in place"):
            self.assertEqual(covered[operation], sizes, operation)
        self.assertEqual(covered["cast"], casts)
        self.assertEqual(covered["conjugate"], {"complex f32", "complex f64"})
        self.assertEqual(covered["add"], types)
        self.assertIn("e4m3 by e5m2 to f32, real", covered["gemm"])
        # 12 real types among each other, 2 complex ones, 2 float8s to and from 3: every pair, however few the cases.
        self.assertEqual(sum(row["cases"] for row in rows if row["operation"] == "cast"), 12 * 11 + 2 + 2 * 2 * 3)

    def test_verify_as_json(self):
        for policy, backend in (("omp", "omp"), ("seq", "reference")):
            done = self.succeeds("verify", "--policy", policy, "--cases", "2", "--seed", "7", "--json")
            told = json.loads(done.stdout)
            self.assertEqual({row["backend"] for row in told["rows"]}, {backend})
            self.assertEqual(told["mismatches"], 0)
            self.assertEqual(told["cases"], sum(row["cases"] for row in told["rows"]))

    def test_verify_on_cuda(self):
        if not self.has_cuda:
            self.skipTest("this machine has no device")
        told = json.loads(self.succeeds("verify", "--policy", "cuda", "--cases", "2", "--json").stdout)
        self.assertEqual({row["backend"] for row in told["rows"]}, {"cuda"})

    def test_verify_on_cuda_without_a_device_is_an_error(self):
        if self.has_cuda:
            self.skipTest("this machine has a device")
        for options in ([], ["--json"]):
            done = run("verify", "--policy", "cuda", "--cases", "1", *options)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertTrue(done.stderr.startswith("xpose: cuda: cannot be verified here: "), done.stderr)

    def test_help_and_version(self):
        self.assertIn("transpose", self.succeeds("--help").stdout)
        self.assertIn("--conjugate-a", self.succeeds("gemm", "--help").stdout)
        self.assertRegex(self.succeeds("--version").stdout, r"^xpose \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main()
