# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Every failure: one clear line, exit code 1, nothing left behind, an existing target untouched."""

import os
import resource
import subprocess
import unittest

import numpy as np

from command import BINARY, CommandTest, run, save, with_header

UNTOUCHED = b"the file that was there before"


def npy(descr="'<f4'", order="False", shape="(2, 3)", more=""):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, {more}}}\n".encode()


class Errors(CommandTest):
    def setUp(self):
        super().setUp()
        self.good = self.saved("good.npy", np.arange(6, dtype="<f4").reshape(2, 3))
        self.bad = self.path("bad.npy")

    def fails(self, *arguments, says, code=1, **options):
        """Runs with no target and with an existing one; the last argument's file is the target."""
        for is_there in (False, True):
            before = set(os.listdir(self.folder))
            target = self.path("target.npy")
            if is_there:
                with open(target, "wb") as file:
                    file.write(UNTOUCHED)
            done = run(*[target if a is TARGET else a for a in arguments], **options)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("xpose: ") and done.stderr.endswith("\n"), done.stderr)
            for words in [says] if isinstance(says, str) else says:
                self.assertIn(words, done.stderr)
            self.assertEqual(set(os.listdir(self.folder)), before | ({"target.npy"} if is_there else set()))
            if is_there:
                with open(target, "rb") as file:
                    self.assertEqual(file.read(), UNTOUCHED)
                os.remove(target)

    def refuses_header(self, header, says, data=b"", version=(1, 0)):
        with self.subTest(header=header):
            with_header(self.bad, header, data, version)
            self.fails("transpose", self.bad, TARGET, says=["bad.npy: ", says])

    def test_files_that_are_not_npy(self):
        for content, says in (
            (b"", "empty"),
            (b"hello, this is no array", "not a .npy file"),
            (b"PK\3\4" + bytes(40), "not a .npy file"),
            (b"\x93NUM", "cut short"),
            (b"\x93NUMPY", "cut short"),
            (b"\x93NUMPY\1\0\x76", "cut short"),
            (b"\x93NUMPY\1\0\x76\0{'descr'", "needs 128 bytes, and the file has 18"),
            (b"\x93NUMPY\2\0\xff\0\0\0{'descr'", "cut short"),
            (b"\x93NUMPY\4\0\x76\0" + bytes(200), "version 4.0"),
            (b"\x93NUMPY\1\1\x76\0" + bytes(200), "version 1.1"),
            (b"\x93NUMPY\0\0\x76\0" + bytes(200), "version 0.0"),
        ):
            with self.subTest(content=content):
                with open(self.bad, "wb") as file:
                    file.write(content)
                self.fails("transpose", self.bad, TARGET, says=["bad.npy: ", says])

    def test_truncated_data(self):
        save(self.bad, np.zeros((100, 30), "<f8"))
        os.truncate(self.bad, 128 + 23999)
        self.fails("transpose", self.bad, TARGET, says=["needs 24000 bytes", "has 23999"])
        os.truncate(self.bad, 128)
        self.fails("gemm", self.good, self.bad, TARGET, says=["bad.npy: ", "needs 24000 bytes", "has 0"])

    def test_malformed_headers(self):
        for header in (
            b"",
            b"{}\n",
            b"[]\n",
            b"{'descr': '<f4'",
            b"{'descr': '<f4, 'fortran_order': False, 'shape': (2, 3)}\n",
            b"\0" * 50,
            b"{'descr': '<f4', 'fortran_order': False}\n",
            b"{'descr': open('x'), 'fortran_order': False, 'shape': (2, 3)}\n",
            npy(order="1"),
            npy(order="None"),
            npy(shape="[2, 3]"),
            npy(shape="(2, 3.5)"),
            npy(shape="(2, 'x')"),
            npy(shape="6"),
            npy(shape="(2 3)"),
            npy(more="'extra': 1"),
            npy(more="'shape': (2, 3)"),
            npy() + b"{}",
            npy(descr="'<f4\\q'"),
            npy(descr="(" * 5000),
            npy(descr="17"),
            npy(descr="'<z4'"),
            npy(descr="'<f3'"),
            npy(descr="'f'"),
            npy(descr="''"),
            npy(descr="'<'"),
            npy(descr="'<f4x'"),
            npy(descr="[('a',)]"),
            npy(descr="[('a', '<f4', (-1,))]"),
            npy(descr="[(1, '<f4')]"),
            npy(descr="'|V99999999999'"),
            npy(descr="[('a', '|V2000000000', (2000000000,))]"),
        ):
            self.refuses_header(header, "malformed .npy header", bytes(64))

    def test_bytes_in_headers(self):
        for header in (
            b"{b'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}\n",
            b"{'descr': '<f4', b'fortran_order': False, 'shape': (2, 3)}\n",
            b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), b'shape': (2, 3)}\n",
            npy(descr="b'<f4'"),
            npy(descr="(b'<f4', (1,))"),
            npy(descr="[(b'a', '<f4')]"),
            npy(descr="[('a', b'<f4')]"),
            npy(descr="[(('title', b'a'), '<f4')]"),
            npy(descr="[(('title', 3), '<f4')]"),
        ):
            with self.subTest(header=header):
                with_header(self.bad, header, bytes(24))
                with self.assertRaises((ValueError, TypeError)):
                    np.load(self.bad)  # as NumPy does
            self.refuses_header(header, "malformed .npy header", bytes(24))

    def test_headers_of_more_than_64_kilobytes(self):
        for padding in (65537, 20 << 20):
            text = npy()[:-1].ljust(padding - 1) + b"\n"
            self.assertEqual(len(text), padding)
            says = f"the header has {padding} bytes; up to 65536 are read"
            with_header(self.bad, text, bytes(24), (2, 0))
            self.fails("transpose", self.bad, TARGET, says=["bad.npy: ", says])
        # A header that only says that it is long is not "cut short": nothing of it is looked at.
        with open(self.bad, "wb") as file:
            file.write(b"\x93NUMPY\2\0\xff\xff\xff\xff{'descr'")
        self.fails("transpose", self.bad, TARGET, says="the header has 4294967295 bytes")
        with_header(self.bad, npy()[:-1].ljust(65535) + b"\n", bytes(24), (2, 0))
        self.assertEqual(run("transpose", self.bad, self.path("out.npy")).returncode, 0)

    def test_an_error_is_one_line_of_bounded_length(self):
        shape = "(" + "1," * 30000 + ")"
        with_header(self.bad, npy(shape=shape), bytes(4), (1, 0))
        done = run("transpose", self.bad, self.path("out.npy"))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn("shape (1, 1, 1", done.stderr)
        self.assertLess(len(done.stderr), 10000)

    def test_absurd_shapes(self):
        self.refuses_header(npy(shape="(2, -3)"), "(2, -3) has a negative extent", bytes(64))
        self.refuses_header(npy(shape="(-1, -6)"), "negative extent", bytes(64))
        self.refuses_header(npy(shape="(4611686018427387904, 4)"), "does not fit 64 bits", bytes(64))
        self.refuses_header(npy(shape="(1099511627776, 4194304)"), "does not fit 64 bits", bytes(64))
        self.refuses_header(npy(shape="(9223372036854775807, 1)"), "does not fit 64 bits", bytes(64))
        self.refuses_header(npy(shape="(18446744073709551617, 6)"), "does not fit 64 bits", bytes(64))
        self.refuses_header(npy(shape="(1000000000, 1000000000)"), "needs 4000000000000000000 bytes", bytes(64))

    def test_objects(self):
        save(self.bad, np.array([[{}, 1]], object))
        self.fails("transpose", self.bad, TARGET, says=["bad.npy: ", "Python objects"])
        save(self.bad, np.zeros((2, 2), [("a", "<f4"), ("b", [("c", object)])]))
        self.fails("transpose", self.bad, TARGET, says=["bad.npy: ", "Python objects"])
        self.fails("gemm", self.bad, self.bad, TARGET, says="Python objects")

    def test_numbers_of_dimensions(self):
        for shape, says in (
            ((), "() has 0 dimensions"),
            ((5,), "(5,) has one dimension, which has no transpose"),
            ((1, 2, 3, 4), "has 4 dimensions"),
        ):
            save(self.bad, np.zeros(shape))
            self.fails("transpose", self.bad, TARGET, says=["bad.npy: ", says])
            self.fails("gemm", self.bad, self.bad, TARGET, says=["bad.npy: ", "dimension"])

    def test_shapes_that_do_not_multiply(self):
        self.fails("gemm", self.good, self.good, TARGET, says="gemm: A is 2x3 and B is 2x3: A's columns (3)")
        a, b = self.saved("a.npy", np.zeros((2, 3, 4))), self.saved("b.npy", np.zeros((3, 4, 5)))
        self.fails("gemm", a, b, TARGET, says="batches must have the same count")
        many, wide = self.path("many.npy"), self.path("wide.npy")
        with_header(many, npy(shape="(1099511627776, 0)"))
        with_header(wide, npy(shape="(0, 1099511627776)"))
        self.fails("gemm", many, wide, TARGET, says="does not fit 64 bits")

    def test_dtypes_of_gemm(self):
        save(self.bad, np.zeros((3, 2), "<f8"))
        self.fails("gemm", self.good, self.bad, TARGET, says=["bad.npy: ", "'<f8'", "'<f4'"])
        taken = "it takes f4, f8, c8, c16, f2, bf16, e4m3, e5m2, i1, u1, i4, i8"
        for dtype in ("<i2", "<u4", "?", "S3", "<f16", "<M8[s]", [("a", "<f4")]):
            save(self.bad, np.zeros((3, 3), dtype))
            self.fails("gemm", self.bad, self.bad, TARGET, says=["bad.npy: ", taken])
        self.fails("gemm", self.good, self.good, TARGET, "--semiring", "or_and", says="over or_and; it takes u1, bool")
        self.fails("gemm", self.good, self.good, TARGET, "--to", "f8", says="--to: gemm of f4 gives f4, not f8")
        integers = self.saved("i.npy", np.eye(3, dtype="<i4"))
        for options in (["--precision", "tf32"], ["--precision", "fast_f32", "--semiring", "min_plus"]):
            self.fails("gemm", integers, integers, TARGET, *options, says="is for f4 matrices and plus_times")
        self.fails("gemm", self.good, self.good, TARGET, "--precision", "three_products", says="is for c8 and c16 matrices and plus_times")

    def test_raw_elements(self):
        raw = self.saved("raw.npy", np.zeros((2, 2), "V2"))
        byte = self.saved("byte.npy", np.zeros((2, 2), "V1"))
        for subcommand in (["gemm"], ["add"]):
            self.fails(*subcommand, raw, raw, TARGET, says="does not say what its elements are; for bfloat16 give")
        self.fails("cast", byte, TARGET, "--to", "f4", says="for float8 give --type e4m3 or --type e5m2")
        self.fails("gemm", raw, raw, TARGET, "--type", "e4m3", says="has elements of 2 bytes, and --type e4m3 of 1")
        self.fails("cast", self.good, TARGET, "--to", "f8", "--type", "bf16", says="says what its elements are")

    def test_casts_and_sums_that_there_are_not(self):
        text = self.saved("text.npy", np.zeros((2, 3), "S4"))
        self.fails("cast", text, TARGET, "--to", "f4", says="no number that can be cast")
        self.fails("add", text, text, TARGET, says="add does not take dtype '|S4'; it takes i1, u1, ")
        complex_ = self.saved("complex.npy", np.zeros((2, 3), "<c8"))
        self.fails("cast", complex_, TARGET, "--to", "f4", says="no cast from c8 to f4")
        self.fails("cast", self.good, TARGET, "--to", "bool", says="no cast from f4 to bool")
        self.fails("add", self.good, complex_, TARGET, says="complex.npy: dtype '<c8', but ")
        self.fails("add", self.good, self.good, TARGET, "--transpose-b", says="add: A is 2x3, B is 3x2 and C is 2x3")
        self.fails("add", self.good, self.good, TARGET, "--alpha", "2j", says="--alpha: '2j' is complex")
        unsigned = self.saved("unsigned.npy", np.zeros((2, 3), "u1"))
        for alpha in ("256", "-1", "99999999999999999999999"):
            self.fails("add", unsigned, unsigned, TARGET, "--alpha=" + alpha, says="does not fit the 8-bit unsigned")

    def test_axes(self):
        for axes in ("0", "0,1,2", "0,0", "0,2", "-3,0"):
            self.fails("permute", self.good, TARGET, "--axes=" + axes, says=["good.npy: --axes ", "shape (2, 3)"])
        deep = self.saved("deep.npy", np.zeros((1,) * 9, "u1"))
        for subcommand in (["permute"], ["cast", "--to", "f4"]):
            self.fails(subcommand[0], deep, TARGET, *subcommand[1:], says="has 9 dimensions")
        self.fails("transpose", self.saved("four.npy", np.zeros((1, 2, 3, 4))), TARGET, says="xpose permute other axes")

    def test_scalars_and_c(self):
        a, i = self.saved("a.npy", np.eye(3, dtype="<f4")), self.saved("i.npy", np.eye(3, dtype="i1"))
        self.fails("gemm", a, a, TARGET, "--beta", "1", says="--beta: it scales C")
        for alpha, says in (("x", "not a number"), ("1 2", "not a number"), ("1j", "are real")):
            self.fails("gemm", a, a, TARGET, "--alpha=" + alpha, says=["--alpha: ", says])
        for alpha, says in (("1.5", "not an integer"), ("4294967296", "does not fit"), ("9" * 30, "does not fit")):
            self.fails("gemm", i, i, TARGET, "--alpha=" + alpha, says=["--alpha: ", says])
        for dtype, alpha in (
            ("<f4", "1e999"), ("<f4", "1e300"), ("<f4", "-1e39"), ("<f2", "1e39"), ("<f4", "1e-300"), ("<f8", "1e-999"),
            ("<f8", "-1e309"), ("<c8", "1e39j"), ("<c8", "1e39"), ("<c16", "1+1e999j"), ("<c16", "1e999-1j"),
        ):
            with self.subTest(dtype=dtype, alpha=alpha):
                x = self.saved("x.npy", np.eye(3, dtype=dtype))
                self.fails("gemm", x, x, TARGET, "--alpha=" + alpha, says=["--alpha: '" + alpha, "does not fit"])
                self.fails("gemm", x, x, TARGET, "--c", x, "--beta=" + alpha, says=["--beta: '" + alpha, "does not fit"])
        self.fails("gemm", a, a, TARGET, "--c", self.good, says=["good.npy: ", "(2, 3)", "(3, 3)"])
        self.fails("gemm", i, i, TARGET, "--c", i, says=["i.npy: ", "'<i4'"])

    def test_inputs_that_cannot_be_read(self):
        self.fails("transpose", self.path("nowhere.npy"), TARGET, says=["nowhere.npy: ", "No such file"])
        self.fails("transpose", self.folder, TARGET, says="folder")
        self.fails("transpose", "/dev/zero", TARGET, says="not a regular file")
        os.mkfifo(self.path("pipe"))
        self.fails("transpose", self.path("pipe"), TARGET, says="not a regular file")
        os.chmod(self.good, 0)
        if os.geteuid() != 0:
            self.fails("transpose", self.good, TARGET, says="Permission denied")

    def test_targets_that_cannot_be_written(self):
        self.fails("transpose", self.good, self.path("no/such/folder.npy"), says="No such file or directory")
        self.fails("transpose", self.good, self.folder, says="folder")
        self.fails("transpose", self.good, "/dev/full", says=["/dev/full: ", "not a regular file"])
        self.fails("transpose", self.good, "/dev/null", says="not a regular file")
        self.fails("transpose", self.good, "/proc/nothing.npy", says="/proc/nothing.npy: ")
        self.fails("transpose", self.good, self.good + "/out.npy", says="Not a directory")
        self.fails("transpose", self.good, self.path("n" * 300), says="cannot be written: File name too long")
        self.assertTrue(os.path.exists("/dev/full"))

    def test_empty_file_names(self):
        for arguments in (
            ["transpose", self.good, ""],
            ["transpose", "", TARGET],
            ["gemm", self.good, self.good, ""],
            ["gemm", self.good, "", TARGET],
            ["gemm", self.good, self.good, TARGET, "--c", ""],
        ):
            with self.subTest(arguments=arguments):
                self.fails(*arguments, code=2, says="the file name is empty")

    def test_links_that_lead_nowhere(self):
        os.symlink("loop.npy", self.path("loop.npy"))
        os.symlink("other.npy", self.path("one.npy"))
        os.symlink("one.npy", self.path("other.npy"))
        for name in ("loop.npy", "one.npy"):
            self.fails("transpose", self.good, self.path(name), says=name + ": cannot be written: Too many levels")
            self.assertTrue(os.path.islink(self.path(name)))
        os.symlink("no/such/folder.npy", self.path("folderless.npy"))
        self.fails("transpose", self.good, self.path("folderless.npy"), says="folderless.npy: cannot be written: No such")
        self.assertTrue(os.path.islink(self.path("folderless.npy")))

    def test_no_space_left(self):
        big = self.saved("big.npy", np.zeros((600, 500)))

        def limit():  # what a full disk does to posix_fallocate, without needing one
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

        self.fails("transpose", big, TARGET, says=["no space", "2400128 bytes"], preexec_fn=limit)
        self.fails("gemm", big, big, TARGET, "--transpose-b", says="no space", preexec_fn=limit)

    def test_a_full_file_system(self):
        mount = self.path("mount")
        os.mkdir(mount)
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "xpose", mount], capture_output=True)
        if made.returncode != 0:
            self.skipTest("a file system cannot be mounted here")
        try:
            big, target = self.saved("big.npy", np.zeros((600, 500))), os.path.join(mount, "out.npy")
            with open(target, "wb") as file:
                file.write(UNTOUCHED)
            self.fails("transpose", big, target, says=["out.npy: ", "No space left on device"])
            self.assertEqual(os.listdir(mount), ["out.npy"])
            with open(target, "rb") as file:
                self.assertEqual(file.read(), UNTOUCHED)
        finally:
            subprocess.run(["umount", mount], check=True)

    def test_standard_output_that_is_full(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([BINARY, "info"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, "xpose: standard output: cannot be written\n"))

    def test_strict_fallback(self):
        if run("info").stdout.find("cuda       yes") >= 0:
            self.skipTest("this machine has a device")
        self.fails(
            "transpose", self.good, TARGET, "--policy", "cuda",
            environment={"XPOSE_FALLBACK": "error"}, says="xpose::cuda cannot run",
        )

    def test_wrong_command_lines(self):
        for arguments in (
            ["transpose"],
            ["transpose", self.good],
            ["transpose", self.good, TARGET, "more"],
            ["transpose", self.good, TARGET, "--policy", "gpu"],
            ["transpose", self.good, TARGET, "--order", "X"],
            ["transpose", self.good, TARGET, "--threads", "-1"],
            ["transpose", self.good, TARGET, "--nonsense"],
            ["gemm", self.good, self.good],
            ["nonsense"],
            ["permute", self.good, TARGET, "--axes", "1,x"],
            ["cast", self.good, TARGET],
            ["cast", self.good, TARGET, "--to", "f99"],
            ["gemm", self.good, self.good, TARGET, "--semiring", "plus"],
            ["verify", "--cases", "0"],
        ):
            with self.subTest(arguments=arguments):
                self.fails(*arguments, code=2, says="--help")

TARGET = object()

if __name__ == "__main__":
    unittest.main()
