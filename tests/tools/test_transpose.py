# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose transpose gives NumPy's transpose, bit for bit."""

import os
import unittest

import numpy as np

from command import VERSIONS, CommandTest, random_bits, sampled, save, with_header

NUMBERS = [
    byte_order + code
    for byte_order in "<>"
    for code in "i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 f16 c8 c16 c32".split()
]
STRINGS = ["S1", "S5", "S17", "<U1", ">U3", "V1", "V3", "V4", "V40", "V5000"]
TIMES = ["<M8[ns]", ">M8[D]", "<m8[25s]", "<M8"]
STRUCTURES = [
    [("x", "<f4"), ("y", ">i2")],
    [("point", [("x", "<f8"), ("y", "<f8")]), ("name", "S3"), ("flags", "?", (2, 3))],
    [("a", "u1"), ("", "V3"), ("b", "<u4")],
    [(("a title", "a"), "<i8"), ("quo'te\"\\ and \n", "<c8")],
    np.dtype([("a", "u1"), ("b", "<f8")], align=True),
    [("vector", "<f4", (3,)), ("matrix", ">u2", (2, 2))],
]
DTYPES = ["?"] + NUMBERS + STRINGS + TIMES + STRUCTURES


class Transpose(CommandTest):
    def check(self, array, *options, version=(1, 0), environment=None):
        source, target = self.saved("in.npy", array, version), self.path("out.npy")
        self.succeeds("transpose", source, target, *options, environment=environment)
        found = np.load(target, allow_pickle=True)  # NumPy trusts long headers only then
        self.assert_same_array(found, np.swapaxes(array, -1, -2))
        order = "F" if "F" in options else "C"
        self.assertTrue(found.flags[order + "_CONTIGUOUS"])
        self.assertEqual(os.listdir(self.folder).count("out.npy"), 1)
        self.assertEqual(len(os.listdir(self.folder)), 2)

    def test_every_dtype_in_both_orders(self):
        for dtype, order_in, order_out in sampled(DTYPES, "CF", "CF"):
            with self.subTest(dtype=dtype, order_in=order_in, order_out=order_out):
                array = random_bits(self.random, (37, 21), dtype, order_in)
                self.check(array, "--order", order_out)

    def test_every_format_version(self):
        for version, dtype, order in sampled(VERSIONS, ("<f4", ">c16", STRUCTURES[1]), "CF"):
            with self.subTest(version=version, dtype=dtype, order=order):
                array = random_bits(self.random, (5, 8), dtype, order)
                self.check(array, version=version)

    def test_batches_swap_the_last_two_axes(self):
        for dtype, order_in, order_out in sampled(("u1", "<f4", "S3", "<c32", STRUCTURES[0]), "CF", "CF"):
            with self.subTest(dtype=dtype, order_in=order_in, order_out=order_out):
                array = random_bits(self.random, (4, 19, 33), dtype, order_in)
                self.check(array, "--order", order_out)

    def test_every_policy_and_thread_count(self):
        array = random_bits(self.random, (300, 170), "<f8")
        for policy in ("reference", "seq", "omp", "automatic"):
            for threads in (0, 1, 3):
                with self.subTest(policy=policy, threads=threads):
                    self.check(array, "--policy", policy, "--threads", threads)

    def test_many_panels_give_the_same_as_one(self):
        shapes = ((100, 90), (3, 40, 50), (64, 2, 3), (1, 500), (500, 1))
        for shape, order, panel in sampled(shapes, "CF", (1, 100, 3000)):
            with self.subTest(shape=shape, order=order, panel=panel):
                array = random_bits(self.random, shape, "<u4", order)
                self.check(array, environment={"XPOSE_PANEL_BYTES": str(panel)})

    def test_larger_than_a_panel(self):
        self.check(random_bits(self.random, (3001, 4099), "<f8"))
        self.check(random_bits(self.random, (3001, 4099), "<f8", "F"))

    def test_matrices_without_elements(self):
        for shape in ((0, 5), (5, 0), (0, 0), (0, 3, 4), (2, 0, 4), (2, 3, 0)):
            for order in "CF":
                with self.subTest(shape=shape, order=order):
                    self.check(np.empty(shape, "<f4"), "--order", order)

    def test_matrices_without_elements_whose_other_extents_multiply_beyond_64_bits(self):
        source, target = self.path("in.npy"), self.path("out.npy")
        for shape, turned in (((1 << 62, 0, 8), (1 << 62, 8, 0)), ((1 << 62, 1 << 62, 0), (1 << 62, 0, 1 << 62))):
            with_header(source, f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}".encode())
            for policy in ("seq", "omp"):
                self.succeeds("transpose", source, target, "--policy", policy)
                with open(target, "rb") as file:
                    self.assertIn(f"'shape': {turned}, ".encode(), file.read())

    def test_elements_without_bytes(self):
        source, target = self.path("in.npy"), self.path("out.npy")
        with_header(source, b"{'descr': '|S0', 'fortran_order': False, 'shape': (2, 3)}\n")
        self.succeeds("transpose", source, target)
        with open(target, "rb") as file:
            self.assertIn(b"'descr': '|S0', 'fortran_order': False, 'shape': (3, 2), }", file.read())

    def test_single_rows_columns_and_elements(self):
        for shape in ((1, 1), (1, 7), (7, 1), (1, 1, 1), (9, 1, 1), (1, 6, 5)):
            with self.subTest(shape=shape):
                self.check(random_bits(self.random, shape, "<f8"))

    def test_field_names_that_are_not_ascii(self):
        latin = np.zeros((2, 3), [("größe", "<f4")])
        self.check(latin)
        self.check(latin, version=(3, 0))
        self.check(np.zeros((2, 3), [("大きさ", "<f4"), ("Δ", "u1")]), version=(3, 0))

    def test_long_headers(self):
        # Of 60 KB; and of 65535 bytes, which with the command's own spaces needs version 2.
        names = [(f"field_with_a_long_name_{i:05}", "u1") for i in range(1500)]
        self.check(random_bits(self.random, (3, 4), names), version=(2, 0))
        source, target = self.path("in.npy"), self.path("out.npy")
        rest = ",'fortran_order':False,'shape':(1,1)}"
        name = "n" * (65535 - len("{'descr':[('','u1')]" + rest))
        with_header(source, f"{{'descr':[('{name}','u1')]{rest}".encode(), b"x")
        self.succeeds("transpose", source, target)
        with open(target, "rb") as file:
            content = file.read()
        self.assertEqual(content[6:8], b"\2\0")
        self.assert_same_array(np.load(target, allow_pickle=True), np.array([[b"x"]]).view([(name, "u1")]))

    def test_the_descr_text_is_kept(self):
        source, target = self.path("in.npy"), self.path("out.npy")
        descr = b"[ ('a' ,'<i2') , (\"b\", '|V2')]"
        with_header(source, b"{'shape':(1L,2L),'fortran_order':False,'descr':" + descr + b"}", bytes(8))
        self.succeeds("transpose", source, target)
        with open(target, "rb") as file:
            content = file.read()
        self.assertIn(b"{'descr': " + descr + b", 'fortran_order': False, 'shape': (2, 1), }", content)
        self.assertEqual(len(content), 128 + 8)
        self.assertEqual(content[127:128], b"\n")

    def test_data_that_are_not_aligned(self):
        source, target = self.path("in.npy"), self.path("out.npy")
        array = random_bits(self.random, (40, 50), "<f8")
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (40, 50), }"
        for padding in range(9):
            with_header(source, header + b" " * padding + b"\n", array.tobytes())
            self.succeeds("transpose", source, target)
            self.assert_same_array(np.load(target), array.T)

    def test_bytes_behind_the_data_are_left_alone(self):
        array = random_bits(self.random, (4, 5), "<f4")
        source = self.saved("in.npy", array)
        with open(source, "ab") as file:
            file.write(b"more")
        self.succeeds("transpose", source, self.path("out.npy"))
        self.assert_same_array(np.load(self.path("out.npy")), array.T)

    def test_the_output_may_be_the_input(self):
        array = random_bits(self.random, (30, 40), "<f4")
        path = self.saved("in.npy", array)
        self.succeeds("transpose", path, path)
        self.assert_same_array(np.load(path), array.T)

    def test_file_names_may_hold_anything(self):
        array = random_bits(self.random, (2, 3), "<f4")
        source = self.saved("a b\n\"c'.npy", array)
        target = os.fsencode(self.path("x")) + b"\xff.npy"
        self.succeeds("transpose", source, os.fsdecode(target), "--json")
        self.assert_same_array(np.load(os.fsdecode(target)), array.T)


if __name__ == "__main__":
    unittest.main()
