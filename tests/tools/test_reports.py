# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""What the command tells: info, JSON, notes, the progress bar, verify."""

import json
import os
import re
import unittest

import numpy as np

from command import CommandTest, run, with_header


class Reports(CommandTest):
    def setUp(self):
        super().setUp()
        self.matrix = np.arange(12000, dtype="<f4").reshape(100, 120)
        self.source, self.target = self.saved("in.npy", self.matrix), self.path("out.npy")
        self.has_cuda = json.loads(run("info", "--json").stdout)["backends"]["cuda"]["available"]

    def test_json_of_transpose(self):
        done = self.succeeds("transpose", self.source, self.target, "--json", "--policy", "omp")
        told = json.loads(done.stdout)
        times = {name: told.pop(name + "seconds") for name in ("", "call_", "file_")}
        self.assertGreater(times["call_"], 0)
        self.assertGreater(times["file_"], 0)
        self.assertGreaterEqual(times[""], times["call_"] + times["file_"])
        self.assertAlmostEqual(told.pop("rate") * times["call_"] * 1e9 / (2 * self.matrix.nbytes), 1, 5)
        self.assertIn("transpose_tile", told.pop("kernel"))
        self.assertEqual(
            told,
            {
                "operation": "transpose",
                "policy": "omp",
                "backend": "omp",
                "shape": [120, 100],
                "dtype": "<f4",
                "rate_unit": "GB/s",
                "output": self.target,
            },
        )

    def test_json_of_gemm(self):
        done = self.succeeds(
            "gemm", self.source, self.source, self.target, "--transpose-b", "--json", "--policy", "reference"
        )
        told = json.loads(done.stdout)
        self.assertEqual((told["operation"], told["backend"], told["shape"]), ("gemm", "reference", [100, 100]))
        self.assertEqual(told["rate_unit"], "GFLOP/s")
        self.assertAlmostEqual(told["rate"] * told["call_seconds"] * 1e9 / (2 * 100 * 100 * 120), 1, 5)

    def test_rates_count_what_the_call_does(self):
        def told(*arguments):
            found = json.loads(self.succeeds(*arguments, "--json").stdout)
            return round(found["rate"] * found["call_seconds"] * 1e9), found["rate_unit"]

        n = self.matrix.size
        one = self.saved("one.npy", np.ones((1, 100, 120), "<f4"))
        many = self.saved("many.npy", np.ones((3, 100, 120), "<f4"))
        complex_ = self.saved("complex.npy", np.ones((20, 20), "<c8"))
        small = self.saved("small.npy", np.ones((20, 20), "i1"))
        self.assertEqual(told("cast", self.source, self.target, "--to", "f8"), (n * 12, "GB/s"))
        self.assertEqual(told("permute", many, self.target), (3 * n * 8, "GB/s"))
        self.assertEqual(told("add", self.source, self.source, self.target), (n * 12, "GB/s"))
        self.assertEqual(told("add", one, many, self.target), (n * 28, "GB/s"))  # one matrix is read once
        self.assertEqual(told("gemm", complex_, complex_, self.target), (8 * 20**3, "GFLOP/s"))
        self.assertEqual(told("gemm", small, small, self.target), (2 * 20**3, "GOP/s"))
        self.assertEqual(told("gemm", many, many, self.target, "--transpose-b", "--semiring", "min_plus"),
                         (3 * 2 * 100 * 100 * 120, "GOP/s"))
        self.assertEqual(told("gemm", self.source, self.source, self.target, "--transpose-b", "--alpha", "2"),
                         (2 * 100 * 100 * 120, "GFLOP/s"))

    def test_numpy_reads_the_dtype_of_json(self):
        for dtype in ("<f4", "|u1", ">c16", "S5", "<U3", "<M8[ns]", "V7", [("x", "<f4"), ("y", ">i2")],
                      [("p", [("x", "<f8"), ("y", "<f8")]), ("name", "S3"), ("flags", "?", (2, 3))],
                      [("v", "<f4", (3,)), ("größe", "u1")], np.dtype([("a", "u1"), ("b", "<f8")], align=True)):
            with self.subTest(dtype=dtype):
                source = self.saved("typed.npy", np.zeros((2, 3), dtype))
                told = json.loads(self.succeeds("transpose", source, self.target, "--json").stdout)
                self.assertEqual(np.dtype(told["dtype"]), np.load(self.target).dtype)
        matrices = self.saved("typed.npy", np.zeros((2, 3), [("s", [("x", "<f4")], (2,)), ("y", "u1")]))
        told = json.loads(self.succeeds("transpose", matrices, self.target, "--json").stdout)
        self.assertEqual(np.dtype(told["dtype"]), np.dtype([("s", "V8"), ("y", "u1")]))

    def test_json_of_a_file_name_that_is_not_utf8(self):
        name = os.fsdecode(os.fsencode(self.folder) + b"/\xe9\xed\xa0\x80\"\\\n.npy")
        done = self.succeeds("transpose", self.source, name, "--json")
        self.assertEqual(json.loads(done.stdout)["output"], name)

    def test_one_line_for_people(self):
        done = self.succeeds("transpose", self.source, self.target)
        self.assertEqual(done.stdout.count("\n"), 1)
        for words in (self.target, "shape (120, 100), dtype <f4, on omp (", "; files ", "; in all "):
            self.assertIn(words, done.stdout)
        self.assertRegex(done.stdout, r"\): [0-9.e+]+ [um]?s, [0-9.e+-]+ GB/s; ")
        done = self.succeeds("gemm", self.source, self.source, self.target, "--transpose-b")
        self.assertRegex(done.stdout, r"\): [0-9.e+]+ [um]?s, [0-9.e+-]+ [GT]FLOP/s; ")

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
        sources = [os.path.join(folder, name) for folder, _, names in os.walk(tools) for name in names
                   if name.endswith((".cpp", ".hpp")) and not name.startswith(("standard_streams.", "progress_bar."))]
        self.assertGreater(len(sources), 50)
        for name in sorted(sources):
            with open(name) as file:
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

    def test_progress_of_long_work_on_a_terminal(self):
        panels = {"XPOSE_PANEL_BYTES": "1000"}
        at_once = {**panels, "XPOSE_PROGRESS_AFTER": "0"}
        works = (
            ["transpose", self.source, self.target],
            ["gemm", self.source, self.source, self.target, "--transpose-b"],
        )
        for work in works:
            with self.subTest(work=work[0]):
                seen, _ = self.on_terminal(*work, environment=at_once)
                self.assertIn("\r" + work[0] + " [", seen)
                self.assertIn("100 %", seen)
                self.assertTrue(seen.endswith("\r\x1b[K"))
                self.assertEqual(self.on_terminal(*work, environment=panels)[0], "", "short work shows no bar")
                self.succeeds(*work, environment=at_once)  # no terminal, no bar

    def test_progress_without_help_from_the_environment(self):
        side = 1500  # seconds of plain loops on any machine: with vectors a fast one is ready before the bar comes
        big = self.saved("big.npy", np.ones((side, side), "<i8"))
        seen, _ = self.on_terminal("gemm", big, big, self.target, "--policy", "reference")
        self.assertRegex(seen, r"\rgemm \[#+\.+\] +\d+ %  \d+ s, about \d+ s left")

    def test_verify_agrees_and_names_its_backends(self):
        done = self.succeeds("verify", "--cases", "1")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "Compared with the reference (plain loops, one thread), 1 random cases a type, seed 1:")
        rows = [re.split(r" {2,}", line) for line in lines[[l.split()[0] for l in lines].index("policy"):-1]]
        self.assertEqual(rows[0], ["policy", "operation", "type", "passes if", "cases mismatches"])
        self.assertIn("omp", {row[0] for row in rows})
        self.assertEqual([row[1] for row in rows if row[0] == "omp"],
                         ["transpose", "copy", "permute", "cast", "conjugate", "transpose_inplace", "add", "gemm", "gemm"])
        self.assertTrue(all(len(line) <= 80 for line in lines[2:]), done.stdout)
        self.assertRegex(lines[-1], r"^\d+ cases, 0 mismatches: .*omp.* agrees with the reference$")

    def test_verify_of_all_types_names_them_and_their_kernels(self):
        lines = self.succeeds("verify", "--cases", "1", "--policy", "omp", "--all").stdout.splitlines()
        self.assertGreater(len(lines), 80)
        self.assertTrue(any(re.search(r"^omp +gemm +e4m3 by e5m2 to f32 +error bound +1 +0  gemm_", line) for line in lines), lines)
        self.assertFalse(any(re.search(r"\bnone\b", line) for line in lines), lines)

    def test_verify_of_seq_says_what_it_is(self):
        said = self.succeeds("verify", "--cases", "1", "--policy", "seq").stdout.splitlines()
        self.assertEqual(said[1], "  seq, the vectorised kernels on the calling thread")
        self.assertRegex(said[-1], "mismatches: seq agrees with the reference$")

    def test_verify_covers_every_operation_and_every_compiled_type(self):
        rows = json.loads(self.succeeds("verify", "--policy", "omp", "--cases", "1", "--json").stdout)["rows"]
        sizes = {f"{n} bytes" for n in (2, 3, 4, 6, 8, 12, 16, 24, 32)} | {"1 byte"}
        floats = {"f16", "bf16", "f32", "f64", "complex f32", "complex f64"}
        types = {f"{sign}{bits}" for sign in "iu" for bits in (8, 16, 32, 64)} | floats
        casts = {f"{name} to others" for name in types | {"e4m3", "e5m2"}}
        covered = {name: {row["type"] for row in rows if row["operation"] == name} for name in
                   ("transpose", "copy", "permute", "transpose_inplace", "cast", "conjugate", "add", "gemm")}
        for operation in ("transpose", "copy", "permute", "transpose_inplace"):
            self.assertEqual(covered[operation], sizes, operation)
        self.assertEqual(covered["cast"], casts)
        self.assertEqual(covered["conjugate"], {"complex f32", "complex f64"})
        self.assertEqual(covered["add"], types)
        criteria = {row["passes"] for row in rows if (row["operation"], row["type"]) == ("gemm", "e4m3 by e5m2 to f32")}
        self.assertEqual(criteria, {"equal bits", "error bound"})
        # 12 real types among each other, 2 complex ones, 2 float8s to and from 3: every pair, however few the cases.
        self.assertEqual(sum(row["cases"] for row in rows if row["operation"] == "cast"), 12 * 11 + 2 + 2 * 2 * 3)

    def test_verify_as_json(self):
        for policy in ("omp", "seq"):
            done = self.succeeds("verify", "--policy", policy, "--cases", "2", "--seed", "7", "--json")
            told = json.loads(done.stdout)
            self.assertEqual({row["policy"] for row in told["rows"]}, {policy})
            self.assertEqual({row["backend"] for row in told["rows"]}, {"omp"})
            self.assertEqual((told["mismatches"], told["compared_with"]), (0, "reference"))
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
            self.assertTrue(done.stderr.startswith("xpose: verify: cuda was asked for and no CUDA device can run it: "), done.stderr)


if __name__ == "__main__":
    unittest.main()
