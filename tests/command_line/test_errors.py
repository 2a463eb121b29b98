# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Every failure: one clear line, exit code 1, nothing left behind, an existing target untouched."""

import os
import resource
import signal
import subprocess
import time
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
            (b"\x93NUMPY\2\0\xff\xff\xff\xff{'descr'", "cut short"),
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
        for dtype in ("<i2", "<u4", "?", "S3", "<f16", "<M8[s]", [("a", "<f4")]):
            save(self.bad, np.zeros((3, 3), dtype))
            self.fails("gemm", self.bad, self.bad, TARGET, says=["bad.npy: ", "f2, f4, f8, c8, c16, i1, u1, i4, i8"])

    def test_scalars_and_c(self):
        a, i = self.saved("a.npy", np.eye(3, dtype="<f4")), self.saved("i.npy", np.eye(3, dtype="i1"))
        self.fails("gemm", a, a, TARGET, "--beta", "1", says="--beta: it scales C")
        for alpha, says in (("x", "not a number"), ("1 2", "not a number"), ("1j", "are real")):
            self.fails("gemm", a, a, TARGET, "--alpha=" + alpha, says=["--alpha: ", says])
        for alpha, says in (("1.5", "not an integer"), ("4294967296", "does not fit"), ("9" * 30, "does not fit")):
            self.fails("gemm", i, i, TARGET, "--alpha=" + alpha, says=["--alpha: ", says])
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
        self.fails("transpose", self.good, self.path("n" * 300), says="File name too long")
        self.assertTrue(os.path.exists("/dev/full"))

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
            [],
            ["verify", "--cases", "0"],
        ):
            with self.subTest(arguments=arguments):
                self.fails(*arguments, code=2, says="--help")

    def test_signals_remove_the_temporary_file(self):
        big = self.saved("big.npy", np.ones((2500, 2500)))
        target = self.path("target.npy")
        for ends in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=ends):
                with open(target, "wb") as file:
                    file.write(UNTOUCHED)
                # Slow on purpose: minutes on the reference.
                process = subprocess.Popen(
                    [BINARY, "gemm", big, big, target, "--policy", "seq"], stderr=subprocess.PIPE
                )
                temporary = lambda: [n for n in os.listdir(self.folder) if n.startswith("target.npy.")]
                patience = time.monotonic() + 20
                while not temporary() and time.monotonic() < patience:
                    time.sleep(0.01)
                self.assertEqual(len(temporary()), 1)
                process.send_signal(ends)
                self.assertEqual(process.wait(20), -ends)
                process.stderr.close()
                self.assertEqual(sorted(os.listdir(self.folder)), ["big.npy", "good.npy", "target.npy"])
                with open(target, "rb") as file:
                    self.assertEqual(file.read(), UNTOUCHED)


TARGET = object()

if __name__ == "__main__":
    unittest.main()
