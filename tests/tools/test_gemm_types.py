# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose gemm over semirings, and of the types that NumPy lacks."""

import unittest

import numpy as np

from command import CommandTest


class GemmTypes(CommandTest):
    def multiply(self, a, b, *options):
        paths = [self.saved("a.npy", a), self.saved("b.npy", b), self.path("out.npy")]
        self.succeeds("gemm", *paths, *options)
        return np.load(paths[-1])

    def small(self, shape, dtype="<f4"):
        return self.random.integers(-3, 4, shape).astype(dtype)

    @staticmethod
    def tropical(extreme, a, b):
        return extreme(a[..., :, :, None] + b[..., None, :, :], axis=-2)

    def test_tropical_semirings(self):
        for name, extreme, best in (("min_plus", np.min, np.minimum), ("max_plus", np.max, np.maximum)):
            for dtype in ("<f4", "<f8", "<i4", "<i8"):
                with self.subTest(name=name, dtype=dtype):
                    a, b, c = self.small((13, 9), dtype), self.small((9, 11), dtype), self.small((13, 11), dtype)
                    product = self.tropical(extreme, a, b)
                    self.assert_same_array(self.multiply(a, b, "--semiring", name), product)
                    c_path = self.saved("c.npy", c)
                    found = self.multiply(a, b, "--semiring", name, "--c", c_path)
                    self.assert_same_array(found, best(product, c))
                    found = self.multiply(a, b, "--semiring", name, "--c", c_path, "--alpha=2", "--beta=-1")
                    self.assert_same_array(found, best(product + dtype_of(2, a), c - dtype_of(1, a)))

    def test_infinite_scalars_of_min_plus_read_nothing(self):
        a = np.full((3, 4), np.nan, "<f4")
        b, c = self.small((4, 2)), self.small((3, 2))
        options = ["--semiring", "min_plus", "--c", self.saved("c.npy", c), "--alpha", "inf"]
        self.assert_same_array(self.multiply(a, b, *options), c)

    def test_shortest_paths_in_two_steps(self):
        far = np.inf
        distances = np.array([[0, 1, far], [far, 0, 2], [5, far, 0]], "<f4")
        found = self.multiply(distances, distances, "--semiring", "min_plus")
        np.testing.assert_array_equal(found, [[0, 1, 3], [7, 0, 2], [5, 6, 0]])

    def test_or_and_of_bools_and_bytes(self):
        a, b = self.random.random((7, 9)) < 0.3, self.random.random((9, 5)) < 0.3
        expected = (a.astype(int) @ b.astype(int)) > 0
        self.assert_same_array(self.multiply(a, b, "--semiring", "or_and"), expected)
        found = self.multiply(a.astype("u1") * 7, b.astype("u1"), "--semiring", "or_and")
        self.assert_same_array(found, expected.astype("u1"))

    def test_the_output_of_half_precision_may_be_float(self):
        a, b = self.small((5, 8), "<f2"), self.small((8, 6), "<f2")
        self.assert_same_array(self.multiply(a, b), (a.astype("f8") @ b.astype("f8")).astype("<f2"))
        self.assert_same_array(self.multiply(a, b, "--to", "f4"), (a.astype("f8") @ b.astype("f8")).astype("<f4"))

    def test_bfloat16(self):
        a, b = self.small((21, 34)), self.small((34, 12))
        raw = [(m.view("<u4") >> 16).astype("<u2") for m in (a, b)]
        for kind in ("<u2", "V2"):
            found = self.multiply(*(m.view(kind) for m in raw), "--type", "bf16", "--to", "float32")
            self.assert_same_array(found, a @ b)
        found = self.multiply(*raw, "--type", "bf16")
        self.assertEqual(found.dtype, np.dtype("V2"))
        expected = np.abs(a @ b)
        wide = (found.view("<u2").astype("<u4") << 16).view("<f4")
        self.assertLessEqual((np.abs(wide - a @ b) - expected / 256).max(), 0)

    def test_eight_bit_floats_with_each_other(self):
        values = np.array([0, 1, 2, -1, 0.5], "<f4")
        bits = {"e4m3": np.array([0x00, 0x38, 0x40, 0xB8, 0x30], "u1"), "e5m2": np.array([0x00, 0x3C, 0x40, 0xBC, 0x38], "u1")}
        i, j = self.random.integers(0, 5, (6, 10)), self.random.integers(0, 5, (10, 7))
        for of_a in bits:
            for of_b in bits:
                with self.subTest(a=of_a, b=of_b):
                    a, b = bits[of_a][i].view("V1"), bits[of_b][j].view("V1")
                    found = self.multiply(a, b, "--type", of_a, "--type-b", of_b)
                    self.assert_same_array(found, values[i] @ values[j])

    def test_precision_is_within_its_error_everywhere(self):
        a, b = self.random.standard_normal((50, 70)).astype("<f4"), self.random.standard_normal((70, 30)).astype("<f4")
        bound = np.abs(a.astype("f8")) @ np.abs(b.astype("f8"))
        for precision, error in (("full", 1e-5), ("fast_f32", 1e-5), ("tf32", 2**-9)):
            found = self.multiply(a, b, "--precision", precision)
            self.assertLess((np.abs(found - a.astype("f8") @ b.astype("f8")) / bound).max(), error)

    def test_three_products_of_complex_numbers(self):
        for dtype in ("<c8", "<c16"):
            a, b = self.small((50, 70)).astype(dtype) * (1 + 2j), self.small((70, 30)).astype(dtype) * (3 - 1j)
            found = self.multiply(a, b, "--precision", "three_products")
            # Plus zero: which BLAS NumPy has, and which processor, says where it has a negative one.
            self.assert_same_array(found + 0, (a @ b).astype(dtype) + 0)

    def test_batches_over_semirings(self):
        a, b = self.small((3, 4, 5)), self.small((5, 6))
        found = self.multiply(a, b, "--semiring", "min_plus")
        self.assert_same_array(found, self.tropical(np.min, a, b[None]))


def dtype_of(number, like):
    return like.dtype.type(number)


if __name__ == "__main__":
    unittest.main()
