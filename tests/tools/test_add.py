# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose add gives alpha op(A) + beta op(B) as NumPy does: exactly, on numbers whose sums are exact."""

import unittest

import numpy as np

from command import CommandTest, sampled

TYPES = ["i1", "u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"]


class Add(CommandTest):
    def matrix(self, shape, dtype, order="C"):
        dtype = np.dtype(dtype)
        array = self.random.integers(0 if dtype.kind == "u" else -20, 20, shape)
        if dtype.kind == "c":
            array = array + 1j * self.random.integers(-20, 20, shape)
        return np.array(array, dtype, order=order)

    def add(self, a, b, *options):
        paths = [self.saved("a.npy", a), self.saved("b.npy", b), self.path("out.npy")]
        self.succeeds("add", *paths, *options)
        return np.load(paths[-1])

    def test_every_type_and_order(self):
        orders = (("C", "C"), ("C", "F"), ("F", "F"))
        for dtype, byte_order, (order_a, order_b) in sampled(TYPES, "<>", orders):
            with self.subTest(dtype=dtype, byte_order=byte_order, a=order_a, b=order_b):
                stored = np.dtype(dtype).newbyteorder(byte_order)
                a, b = self.matrix((31, 47), stored, order_a), self.matrix((31, 47), stored, order_b)
                expected = (a + b).astype(dtype)
                self.assert_same_array(self.add(a, b), np.ascontiguousarray(expected))

    def test_scalars_and_operands(self):
        for dtype, alpha, beta in (("<f4", "0.5", "-2"), ("<i4", "3", "-1"), ("<c8", "1+2j", "-1j"), ("u1", "2", "1"),
                                   ("<f8", "0", "1"), ("<f8", "1", "0"), ("<f2", "2", "0.25")):
            for transpose_a in (False, True):
                for transpose_b in (False, True):
                    with self.subTest(dtype=dtype, alpha=alpha, transpose_a=transpose_a, transpose_b=transpose_b):
                        a = self.matrix((9, 14) if transpose_a else (14, 9), dtype)
                        b = self.matrix((9, 14) if transpose_b else (14, 9), dtype)
                        options = ["--transpose-a"] * transpose_a + ["--transpose-b"] * transpose_b
                        found = self.add(a, b, "--alpha=" + alpha, "--beta=" + beta, *options)
                        kind = np.dtype(dtype).kind
                        number = complex if kind == "c" else int if kind in "iu" else float
                        wide = complex if kind == "c" else np.float64 if kind == "f" else np.int64
                        x, y = (m.T if t else m for m, t in ((a, transpose_a), (b, transpose_b)))
                        expected = number(alpha) * x.astype(wide) + number(beta) * y.astype(wide)
                        np.testing.assert_array_equal(found, expected.astype(dtype))

    def test_conjugated_operands(self):
        a, b = self.matrix((6, 5), "<c16"), self.matrix((5, 6), "<c16")
        found = self.add(a, b, "--conjugate-a", "--transpose-b", "--conjugate-b", "--alpha=2j")
        np.testing.assert_array_equal(found, 2j * a.conj() + b.conj().T)

    def test_a_matrix_stands_for_each_of_a_batch(self):
        one, many = self.matrix((1, 8, 5), "<f4"), self.matrix((4, 8, 5), "<f4")
        for a, b in ((one, many), (many, one), (one[0], many), (many, one[0]), (many, many)):
            np.testing.assert_array_equal(self.add(a, b), a + b)

    def test_larger_than_a_panel(self):
        a, b = self.matrix((3001, 2999), "<f8"), self.matrix((2999, 3001), "<f8", "F")
        np.testing.assert_array_equal(self.add(a, b, "--transpose-b", "--beta", "-1"), a - b.T)

    def test_bfloat16(self):
        bits = {1.0: 0x3F80, 2.0: 0x4000, 3.0: 0x4040, -4.0: 0xC080}
        a = np.array([[bits[1.0], bits[3.0]]], "<u2").view("V2")
        b = np.array([[bits[2.0], bits[-4.0]]], "<u2").view("V2")
        found = self.add(a, b, "--type", "bf16", "--alpha", "1")
        self.assertEqual(found.dtype, np.dtype("V2"))
        np.testing.assert_array_equal(found.view("<u2"), [[bits[3.0], 0xBF80]])

    def test_matrices_without_elements(self):
        for shape in ((0, 5), (5, 0), (2, 0, 3)):
            self.assertEqual(self.add(np.zeros(shape), np.zeros(shape)).shape, shape)


if __name__ == "__main__":
    unittest.main()
